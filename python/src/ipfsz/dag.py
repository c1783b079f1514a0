"""The stored bytes of UnixFS files, by range: only the nodes above it are fetched, those of one level at once."""

from __future__ import annotations

from bisect import bisect_right

from .blocks import Blocks
from .cid import CID, RAW
from .errors import InvalidDagError
from .tasks import gather
from .unixfs import FILE_TYPES, Node

_MAX_DEPTH = 64


async def read_stored(blocks: Blocks, root: Node, start: int, end: int) -> bytes:
    """Bytes `start` to `end` of a file node, as they are stored. The caller bounds how many."""
    return b"".join(await _parts(blocks, root, start, min(end, root.size), 0))


async def _parts(blocks: Blocks, node: Node, start: int, end: int, depth: int) -> list[bytes | memoryview]:
    if start >= end:
        return []
    own: list[bytes | memoryview] = [memoryview(node.data)[start:end]] if start < len(node.data) else []
    if not node.links or end <= len(node.data):
        return own
    if depth == _MAX_DEPTH:
        raise InvalidDagError(f"A file has more than {_MAX_DEPTH} levels")
    first = max(0, bisect_right(node.offsets, start) - 1)
    children = []
    for index in range(first, len(node.links)):
        offset, size = node.offsets[index], node.block_sizes[index]
        if offset >= end:
            break
        if offset + size > start:
            children.append((node.links[index].cid, size, max(0, start - offset), min(size, end - offset)))
    lists = await gather(_child(blocks, *child, depth + 1) for child in children)
    return own + [part for parts in lists for part in parts]


async def _child(blocks: Blocks, cid: CID, size: int, start: int, end: int, depth: int) -> list[bytes | memoryview]:
    if cid.codec == RAW:
        block = await blocks.get(cid)
        if len(block) != size:
            raise InvalidDagError(f"{cid} holds {len(block)} bytes, and its parent says {size}")
        return [memoryview(block)[start:end]]
    node = await blocks.node(cid)
    if node.type not in FILE_TYPES or node.size != size or cid.marked:
        raise InvalidDagError(f"{cid} is not the part of a file with {size} bytes that its parent says")
    return await _parts(blocks, node, start, end, depth)
