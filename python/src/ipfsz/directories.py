"""Directories, sharded ones too (HAMT: https://specs.ipfs.tech/unixfs/#hamt-sharded-directories)."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from .blocks import Blocks
from .cid import CID
from .errors import DirectoryTooLargeError, InvalidDagError
from .murmur3 import murmur3_x64_64
from .unixfs import DIRECTORY, SHARD, Link, Node

BeforeShard = Callable[[Link], Awaitable[None]]

_MURMUR3 = 0x22
_HEX = re.compile("[0-9a-fA-F]+")
_NO_NAMES = ("", ".", "..")
_MAX_DEPTH = 64
_MAX_FANOUT = 65_536
_MAX_ENTRIES = 2_000_000


def is_directory(node: Node) -> bool:
    return node.type in (DIRECTORY, SHARD)


async def list_directory(blocks: Blocks, root: Node) -> AsyncIterator[Link]:
    """All entries: of a shard depth first, so that one node of each level is held.

    Raises InvalidDagError, also if a name or a shard is there twice: shards that hold each other would never end.
    """
    names: set[str] = set()
    shards: set[bytes] = set()
    stack = [iter(_checked(root))]
    while stack:
        link = next(stack[-1], None)
        if link is None:
            stack.pop()
        elif isinstance(link, Link):
            name = link.name
            if name in names or name in _NO_NAMES or "/" in name:
                raise InvalidDagError(f"A directory has two entries named {name!r}, or that is no name")
            names.add(name)
            if len(names) > _MAX_ENTRIES:
                raise DirectoryTooLargeError(f"A directory has more than {_MAX_ENTRIES} entries to list")
            yield link
        else:
            if len(stack) == _MAX_DEPTH:
                raise InvalidDagError(f"A directory has more than {_MAX_DEPTH} levels of shards")
            child = await _shard(blocks, link)
            if link.multihash in shards or not child.links:
                raise InvalidDagError(f"{link} is an empty shard, or one that occurs twice")
            shards.add(link.multihash)
            stack.append(iter(_checked(child)))


def _checked(node: Node) -> Iterator[Link | CID]:
    """The entries of a directory or of one shard, and the CIDs of shards below it."""
    if node.type == DIRECTORY:
        yield from node.links
        return
    width, _ = _shape(node)
    labels: set[int] = set()
    for link in node.links:
        label, name = link.name[:width], link.name[width:]
        if len(label) < width or not _HEX.fullmatch(label) or int(label, 16) >= node.fanout:
            raise InvalidDagError(f"A shard has the label {link.name[:100]!r}")
        if int(label, 16) in labels:
            raise InvalidDagError(f"A shard has the label {label} twice")
        labels.add(int(label, 16))
        yield Link(name, link.cid, link.tsize) if name else link.cid


async def find_entry(blocks: Blocks, root: Node, name: str, before: BeforeShard) -> Link | None:
    """One entry, from the nodes on the way to it. None if there is none. `before` is called before each shard.

    In a shard, the label of an entry need not be that of its hash: writers that dissolve a shard move its entries up.
    """
    node, left = root, 64
    bits = murmur3_x64_64(name.encode("utf-8", "surrogateescape")) if root.type == SHARD else 0
    while True:
        width, fanout_bits = _shape(node) if node.type == SHARD else (0, 0)
        left -= fanout_bits
        if left < 0:
            raise InvalidDagError("A directory has more levels of shards than its hash has bits")
        if name in node.by_name:
            link = node.by_name[name]
            if link is None:
                raise InvalidDagError(f"A directory has two entries named {name!r}")
            return Link(name, link.cid, link.tsize)
        link = node.by_label.get(format(bits >> left & ((1 << fanout_bits) - 1), f"0{width}X")) if width else None
        if link is None:
            return None
        await before(link)
        node = await _shard(blocks, link.cid)


async def _shard(blocks: Blocks, cid: CID) -> Node:
    node = await blocks.node(cid)
    if node.type != SHARD:
        raise InvalidDagError(f"{cid} is not a shard of a directory")
    return node


def _shape(node: Node) -> tuple[int, int]:
    """Digits of the label before names, and bits of the hash of each level."""
    fanout = node.fanout
    if node.hash_type not in (None, _MURMUR3) or fanout < 2 or fanout > _MAX_FANOUT or fanout & (fanout - 1):
        raise InvalidDagError(f"A shard has the hash function {node.hash_type} and {fanout} children")
    return node.label_width, fanout.bit_length() - 1
