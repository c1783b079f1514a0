"""Files as they are read: plain ones and compressed ones. Streams of other tools are in streams.py."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from .base_cost import BaseCost
from .blocks import Blocks
from .cid import CID, LZO
from .codecs import decode_frame
from .dag import read_stored
from .errors import ReadTooLargeError, UnreadableBaseError, WrongBaseError
from .frames import Frames, Table, listed_frames
from .header import Header, read_header
from .tasks import Lru, SingleFlight, gather
from .unixfs import FILE_TYPES, Node

_PART = 4 << 20
#: Parts of a read that are fetched and decompressed at a time.
_PARTS_AT_A_TIME = 8
_FRAME_CACHE = 64 << 20
_SMALL = 64 << 10
_MAX_READ = 16 << 30
_TRAINED = b"\x37\xa4\x30\xec"


class File(Protocol):
    size: int
    #: What a base's regions are counted in, and reads ahead are a multiple of.
    piece: int

    def split(self, start: int, end: int) -> AsyncIterator[tuple[int, int]]:
        """A range of the file in parts that are read one by one."""
        ...

    async def read(self, start: int, end: int) -> bytes:
        """A part, as `split` gave it."""
        ...


async def read_ranges(file: File, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
    """The bytes of each range, which must be within the file. What several ranges need is fetched once."""
    total = sum(end - start for start, end in ranges)
    if total > _MAX_READ:
        # a few blocks can claim to be a file of any size
        raise ReadTooLargeError(f"{total} bytes are more than {_MAX_READ} in one call: read an open file in pieces")
    parts = [
        (part, index)
        for index, (start, end) in sorted(enumerate(ranges), key=lambda item: item[1])
        async for part in file.split(start, end)
    ]
    if len(parts) == len(ranges) == 1:
        # as most reads are: no task is started
        return [await file.read(*parts[0][0])]
    turns = asyncio.Semaphore(_PARTS_AT_A_TIME)

    async def read(part: tuple[int, int]) -> bytes:
        async with turns:
            return await file.read(*part)

    found: list[list[bytes]] = [[] for _ in ranges]
    for (_, index), data in zip(parts, await gather(read(part) for part, _ in parts), strict=True):
        found[index].append(data)
    return [b"".join(data) if len(data) != 1 else data[0] for data in found]


class PlainFile:
    """A file whose stored bytes are its content."""

    piece = 1 << 20

    def __init__(self, blocks: Blocks, root: Node) -> None:
        self.size = root.size
        self._blocks, self._root = blocks, root

    async def split(self, start: int, end: int) -> AsyncIterator[tuple[int, int]]:
        while start < end:
            middle = min(end, start - start % _PART + _PART)
            yield start, middle
            start = middle

    async def read(self, start: int, end: int) -> bytes:
        return await read_stored(self._blocks, self._root, start, end)


class FrameCache:
    """Decompressed frames and regions, of all files of a reader: what is used again soon is not decompressed again."""

    def __init__(self) -> None:
        self.recent: Lru[tuple[bytes, int], bytes] = Lru(_FRAME_CACHE, len)
        self.flights: SingleFlight[tuple[bytes, int], bytes] = SingleFlight()


class CompressedFile:
    """A file with a header."""

    def __init__(
        self, blocks: Blocks, cache: FrameCache, cid: CID, root: Node, header: Header, base: File | None
    ) -> None:
        self.size, self.piece, self.header = header.size, header.frame_size, header
        self._blocks, self._cache, self._root, self._base = blocks, cache, root, base
        self._key = cid.multihash
        self._listed = listed_frames(header) if header.groups is None else None
        self._table = None if header.groups is None else Table(header)
        self._groups: Lru[int, Frames] = Lru(16)

    async def split(self, start: int, end: int) -> AsyncIterator[tuple[int, int]]:
        cost = None if self._base is None else BaseCost(self._base.size, self._base.piece)
        while start < end:
            frames = await self._frames_at(start)
            index = frames.index_at(start)
            if cost is not None and frames.regions is not None:
                cost.add(frames.original[index + 1] - frames.original[index], *frames.regions[index])
            middle = min(end, frames.original[index + 1])
            yield start, middle
            start = middle

    async def read(self, start: int, end: int) -> bytes:
        frames = await self._frames_at(start)
        index = frames.index_at(start)
        first = frames.original[index]
        # a frame begins at one offset only
        key = (self._key, first)
        frame = self._cache.recent.get(key)
        if frame is None:
            frame = await self._cache.flights.run(key, lambda: self._remember(key, frames, index))
        return frame if end - start == len(frame) else frame[start - first : end - first]

    async def _frames_at(self, offset: int) -> Frames:
        if self._table is None:
            assert self._listed is not None
            return self._listed
        group = self._table.group_at(offset)
        frames = self._groups.get(group)
        if frames is None:
            entries = await read_stored(self._blocks, self._root, *self._table.entries(group))
            frames = self._table.read(group, entries)
            self._groups.put(group, frames)
        return frames

    async def _remember(self, key: tuple[bytes, int], frames: Frames, index: int) -> bytes:
        # within the flight, as blocks are
        frame = await self._decode(frames, index)
        self._cache.recent.put(key, frame)
        return frame

    async def _decode(self, frames: Frames, index: int) -> bytes:
        size = frames.original[index + 1] - frames.original[index]
        region = (0, 0) if frames.regions is None else frames.regions[index]
        stored = read_stored(self._blocks, self._root, frames.stored[index], frames.stored[index + 1])
        if region == (0, 0):
            frame, dictionary = await stored, None
        else:
            frame, dictionary = await gather([stored, self._region(*region)])
        work = (self.header.codec, frame, size, self.header.filters, dictionary)
        if size <= _SMALL and dictionary is None and not self.header.filters and self.header.codec != LZO:
            # changing to another thread would take longer
            return decode_frame(*work)
        return await asyncio.to_thread(decode_frame, *work)

    async def _region(self, offset: int, length: int) -> bytes:
        assert self._base is not None
        if offset + length > self._base.size:
            raise UnreadableBaseError(f"A region ends at {offset + length}, and the base at {self._base.size}")
        region = (await read_ranges(self._base, [(offset, offset + length)]))[0]
        if region.startswith(_TRAINED):
            raise WrongBaseError("A region begins like a trained dictionary")
        return region


async def open_compressed(blocks: Blocks, cache: FrameCache, cid: CID, root: Node, header: Header) -> CompressedFile:
    """With its base, if it has one. Raises UnreadableBaseError if that is not a file, or has a base itself."""
    base: File | None = None
    if header.has_base:
        base_cid = root.links[-1].cid
        node = await blocks.node(base_cid)
        if node.type not in FILE_TYPES or node.size != root.block_sizes[-1]:
            raise UnreadableBaseError("The base of this file is not the file that its root says")
        if not node.headers:
            base = PlainFile(blocks, node)
        else:
            base_header = read_header(node, None)
            if base_header.has_base:
                raise UnreadableBaseError("The base of this file has a base itself")
            base = await open_compressed(blocks, cache, base_cid, node, base_header)
    return CompressedFile(blocks, cache, cid, root, header, base)
