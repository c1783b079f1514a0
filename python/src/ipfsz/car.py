"""Blocks from a CAR on disk (https://ipld.io/specs/transport/car/), version 1 or 2."""

from __future__ import annotations

import os
from pathlib import Path

from .cache import MAX_BLOCK
from .cid import CID
from .errors import GatewaysFailedError, IpfszError
from .varint import read_varint

_PRAGMA = b"\x0a\xa1\x67version\x02"


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
