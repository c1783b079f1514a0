"""Blocks from a CAR: of a response, or on disk (https://ipld.io/specs/transport/car/), version 1 or 2."""

from __future__ import annotations

import os
from pathlib import Path

from .cache import MAX_BLOCK
from .cid import CID, verify_block
from .errors import GatewaysFailedError, IpfszError
from .unixfs import Node, parse_node
from .varint import read_varint

#: Of the nodes of a response. Blocks beyond are fetched by themselves: each link takes half a kilobyte.
_MAX_LINKS = 65_536
_PRAGMA = b"\x0a\xa1\x67version\x02"


def read_below(root: CID, car: bytes) -> list[tuple[CID, Node, bytes]]:
    """The blocks of a response that are below `root`, each compared with its CID. Others are ignored.

    Raises CorruptBlockError, and ValueError or InvalidCidError if it is not a CAR of version 1.
    """
    length, at = read_varint(car, 0)
    at += length
    wanted = {root.multihash: root}
    found: list[tuple[CID, Node, bytes]] = []
    links = 0
    while at < len(car) and links < _MAX_LINKS:
        length, start = read_varint(car, at)
        at = start + length
        if at > len(car):
            raise ValueError("cut")
        sent, data = CID.read(memoryview(car)[start:at], 0)
        cid = wanted.pop(sent.multihash, None)
        if cid is None or at - start - data > MAX_BLOCK:
            continue
        block = car[start + data : at]
        verify_block(cid, block)
        try:
            node = parse_node(cid, block)
        except IpfszError:
            # whoever reads it gets the error
            node = Node()
        links += len(node.links)
        wanted.update((link.cid.multihash, link.cid) for link in node.links)
        found.append((cid, node, block))
    return found


class CarSource:
    """Reads where each block is when it is made. Raises IpfszError if the file is not a CAR."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._places: dict[bytes, tuple[int, int]] = {}
        with open(self.path, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            start = 0
            file.seek(0)
            head = file.read(51)
            if head.startswith(_PRAGMA):
                start = int.from_bytes(head[27:35], "little")
                end = min(end, start + int.from_bytes(head[35:43], "little"))
            first = True
            while start < end:
                file.seek(start)
                window = file.read(256)
                try:
                    length, after = read_varint(window, 0)
                    size = length + after
                    if start + size > end:
                        raise ValueError("cut")
                    if not first:
                        cid, data = CID.read(window[:size], after)
                        self._places[cid.multihash] = (start + data, size - data)
                except (ValueError, IpfszError) as err:
                    raise IpfszError(f"{self.path} is not a CAR, at byte {start}: {err}") from err
                first = False
                start += size

    async def fetch(self, cid: CID) -> bytes:
        place = self._places.get(cid.multihash)
        if place is None or place[1] > MAX_BLOCK:
            message = f"{self.path} does not have the block {cid}"
            raise GatewaysFailedError(message, failures=[message])
        with open(self.path, "rb") as file:
            file.seek(place[0])
            return file.read(place[1])

    async def close(self) -> None:
        pass
