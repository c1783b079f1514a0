"""Directories, sharded ones too (HAMT: https://specs.ipfs.tech/unixfs/#hamt-sharded-directories)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from .blocks import Blocks
from .cid import CID
from .errors import DirectoryTooLargeError, InvalidDagError
from .murmur3 import murmur3_x64_64
from .unixfs import DIRECTORY, SHARD, Link, Node

BeforeShard = Callable[[Link], Awaitable[None]]

_MURMUR3 = 0x22
_MAX_DEPTH = 64
_MAX_ENTRIES = 2_000_000


def is_directory(node: Node) -> bool:
    return node.type in (DIRECTORY, SHARD)


async def list_directory(blocks: Blocks, node: Node) -> AsyncIterator[Link]:
    """All entries: of a shard depth first, so that one node of each level is held."""
    if node.type == DIRECTORY:
        for entry in node.links:
            yield entry
        return
    stack = [(node, iter(node.links))]
    count = 0
    while stack:
        shard, links = stack[-1]
        width, _ = _shape(shard)
        link = next(links, None)
        if link is None:
            stack.pop()
        elif len(link.name) > width:
            count += 1
            if count > _MAX_ENTRIES:
                # a few shards that hold each other many times can list any number
                raise DirectoryTooLargeError(f"A directory has more than {_MAX_ENTRIES} entries to list")
            yield Link(link.name[width:], link.cid, link.tsize)
        else:
            if len(stack) == _MAX_DEPTH:
                raise InvalidDagError(f"A directory has more than {_MAX_DEPTH} levels of shards")
            child = await _shard(blocks, link.cid)
            stack.append((child, iter(child.links)))


async def find_entry(blocks: Blocks, node: Node, name: str, before: BeforeShard) -> Link | None:
    """One entry, from the nodes on the way to it. None if there is none. `before` is called before each shard."""
    if node.type == DIRECTORY:
        return node.by_name.get(name)
    raw = name.encode("utf-8", "surrogateescape")
    bits, left = murmur3_x64_64(raw), 64
    while True:
        width, fanout_bits = _shape(node)
        left -= fanout_bits
        if left < 0:
            raise InvalidDagError("A directory has more levels of shards than its hash has bits")
        prefix = format(bits >> left & ((1 << fanout_bits) - 1), f"0{width}X")
        link = next((link for link in node.links if link.name[:width] == prefix), None)
        if link is None:
            return None
        if len(link.name) > width:
            return Link(name, link.cid, link.tsize) if link.name[width:] == name else None
        await before(link)
        node = await _shard(blocks, link.cid)


async def _shard(blocks: Blocks, cid: CID) -> Node:
    node = await blocks.node(cid)
    if node.type != SHARD:
        raise InvalidDagError(f"{cid} is not a shard of a directory")
    return node


def _shape(node: Node) -> tuple[int, int]:
    """Digits of the prefix of names, and bits of the hash of each level."""
    fanout = node.fanout
    if node.hash_type != _MURMUR3 or fanout < 8 or fanout > 1024 or fanout & (fanout - 1):
        raise InvalidDagError(f"A shard has the hash function 0x{node.hash_type:x} and {fanout} children")
    return len(format(fanout - 1, "X")), fanout.bit_length() - 1
