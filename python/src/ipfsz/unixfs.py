"""dag-pb nodes and the UnixFS messages in them (https://specs.ipfs.tech/unixfs/)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from .cid import CID, DAG_PB, RAW
from .errors import InvalidCidError, InvalidDagError, NotUnixFSError, UnsupportedError
from .protobuf import BYTES, MAX_NUMBER, VARINT, read_fields
from .varint import read_varint

HEADER_FIELD = 1445
DIRECTORY, METADATA, SYMLINK, SHARD = 1, 3, 4, 5
#: Keys of the fields of dag-pb.
_DATA, _LINK = 1 << 3 | BYTES, 2 << 3 | BYTES
#: More do not fit into a block, if their CIDs hold hashes: identity CIDs of a few bytes would take seconds.
_MAX_LINKS = 1 << 16
#: Bytes of a number that other readers read into 32 bits: a key, a length, a type, a mode.
_SHORT = 5
#: Types of nodes that hold the bytes of files: Raw and File.
FILE_TYPES = (0, 2)


@dataclass
class Link:
    name: str
    cid: CID
    tsize: int


class Links(Sequence[Link]):
    """The links of a node, each parsed when it is asked for: parsed, one takes fifty times what it has in a block."""

    def __init__(self, block: memoryview, places: array[int]) -> None:
        #: Where each begins and ends, one after the other.
        self._block, self._places = block, places

    def __len__(self) -> int:
        return len(self._places) // 2

    def __getitem__(self, index: Any) -> Any:
        at = 2 * range(len(self))[index]
        return _parse_link(self._block[self._places[at] : self._places[at + 1]])


@dataclass
class Node:
    """A block, parsed. A raw block is a file of its bytes."""

    type: int = 2
    data: bytes = b""
    links: Sequence[Link] = ()
    #: What the children hold, one after the other, and where each begins, after the data of the node.
    block_sizes: array[int] = field(default_factory=lambda: array("Q"))
    offsets: list[int] = field(default_factory=list)
    #: Bytes of the file: its own data and what the children hold.
    size: int = 0
    fanout: int = 0
    #: None: Helia drops it when it changes a mode.
    hash_type: int | None = None
    mode: int | None = None
    mtime: float | None = None
    #: The fields 1445, unread: who reads what is stored may have any. None: one of the wrong wire type.
    headers: list[bytes | None] = field(default_factory=list)

    @property
    def label_width(self) -> int:
        """Of a shard: digits before the name of each entry, and of links to other shards."""
        return len(format(self.fanout - 1, "X"))

    @cached_property
    def by_name(self) -> dict[str, Link | None]:
        """The entries of a directory, or of one shard. None: two have this name."""
        width = self.label_width if self.type == SHARD else 0
        found: dict[str, Link | None] = {}
        for link in self.links:
            name = link.name[width:]
            if name or not width:
                found[name] = None if name in found else link
        return found

    @cached_property
    def by_label(self) -> dict[str, Link]:
        """The shards below a shard, by their labels in capitals."""
        return {link.name.upper(): link for link in reversed(self.links) if len(link.name) == self.label_width}

    @cached_property
    def links_size(self) -> int:
        """What the node says that all of its children take."""
        return sum(link.tsize for link in self.links)


def parse_node(cid: CID, block: bytes) -> Node:
    """Raises NotUnixFSError, InvalidDagError."""
    if cid.codec == RAW:
        return Node(data=block, size=len(block))
    if cid.codec != DAG_PB and not cid.marked:
        raise NotUnixFSError(f"{cid} has the codec 0x{cid.codec:x}, which is not UnixFS")
    try:
        data, links = _parse_dag_pb(memoryview(block))
        if data is None:
            raise ValueError("no UnixFS data")
        node = _parse_message(data)
    except (ValueError, InvalidCidError) as err:
        raise NotUnixFSError(f"{cid} is not a UnixFS node: {err}") from err
    node.links = links
    if node.type in FILE_TYPES:
        _check_file(cid, node)
    return node


def _check_file(cid: CID, node: Node) -> None:
    if len(node.links) != len(node.block_sizes):
        raise InvalidDagError(f"{cid} has {len(node.links)} links and {len(node.block_sizes)} block sizes")
    # its own data comes first; what its field filesize says is not used
    node.offsets = list(accumulate(node.block_sizes, initial=len(node.data)))
    node.size = node.offsets[-1]


def _parse_dag_pb(block: memoryview) -> tuple[memoryview | None, Links]:
    data: memoryview | None = None
    places, links_ended, offset = array("L"), False, 0
    while offset < len(block):
        key, start = read_varint(block, offset)
        length, start = read_varint(block, start)
        offset = start + length
        if offset > len(block):
            raise ValueError("a field is cut")
        if key == _DATA:
            if data is not None:
                raise ValueError("its data is there twice")
            data, links_ended = block[start:offset], bool(places)
        elif key != _LINK:
            raise ValueError(f"field {key >> 3} of the wire type {key & 7}")
        elif links_ended:
            raise ValueError("its links are in two places")
        else:
            _parse_link(block[start:offset])
            places.extend((start, offset))
            if len(places) > 2 * _MAX_LINKS:
                raise UnsupportedError(f"A block has more than {_MAX_LINKS} links")
    return data, Links(block, places)


def _parse_link(link: memoryview) -> Link:
    cid: CID | None = None
    name, tsize, last = "", 0, 0
    for number, wire, number_value, value in read_fields(link):
        if number <= last or number > 3 or wire != (VARINT if number == 3 else BYTES):
            raise ValueError(f"field {number} of a link")
        last = number
        if number == 1:
            cid = CID.decode(value)
        elif number == 2:
            # names are UTF-8, and other bytes must survive: two names must not become one
            name = bytes(value).decode("utf-8", "surrogateescape")
        else:
            tsize = number_value
    if cid is None:
        raise ValueError("a link without a CID")
    return Link(name, cid, tsize)


def _parse_message(message: memoryview) -> Node:
    node = Node()
    kind: int | None = None
    for number, wire, value, data in read_fields(message, _SHORT):
        if value > MAX_NUMBER:
            raise ValueError(f"field {number} is above 2^53 - 1")
        if number in (1, 7) and len(data) > _SHORT:
            raise ValueError(f"field {number} has {len(data)} bytes")
        if number == 1 and wire == VARINT:
            kind = value
        elif number == 2 and wire == BYTES:
            node.data = bytes(data)
        elif number == 4 and wire == VARINT:
            node.block_sizes.append(value)
        elif number == 5 and wire == VARINT:
            node.hash_type = value
        elif number == 6 and wire == VARINT:
            node.fanout = value
        elif number == 7 and wire == VARINT:
            node.mode = value
        elif number == 8 and wire == BYTES:
            node.mtime = _parse_mtime(data)
        elif number == HEADER_FIELD:
            node.headers.append(bytes(data) if wire == BYTES else None)
        elif number <= 8 and (number, wire) != (3, VARINT):
            raise ValueError(f"field {number} has the wire type {wire}")
    if kind is None or kind > SHARD:
        raise ValueError(f"type {kind}")
    node.type = kind
    return node


def _parse_mtime(data: memoryview) -> float:
    seconds, nanos = 0, 0
    for number, wire, value, fixed in read_fields(data):
        if number == 1 and wire == VARINT:
            seconds = value - (1 << 64) if value >= 1 << 63 else value
        elif number == 2 and len(fixed) == 4:
            nanos = int.from_bytes(fixed, "little")
    return seconds + nanos / 1e9
