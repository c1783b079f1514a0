"""Where frames are: from the header alone, or with the table of a file with groups (docs/format.md, section 6)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from struct import iter_unpack

from .cid import GZIP, LZO, SNAPPY
from .errors import InvalidHeaderError, InvalidTrailerError
from .header import GROUP_FRAMES, Header, check_region, check_sizes


class Frames:
    """Frames that follow each other: all of a file, or those of a group."""

    def __init__(
        self,
        lengths: list[int],
        sizes: list[int],
        regions: list[tuple[int, int]] | None,
        stored: int = 0,
        original: int = 0,
    ) -> None:
        #: Where each begins, and the last ends, in the stored and in the original bytes.
        self.stored = list(accumulate(lengths, initial=stored))
        self.original = list(accumulate(sizes, initial=original))
        self.regions = regions

    def index_at(self, offset: int) -> int:
        return bisect_right(self.original, offset) - 1


def listed_frames(header: Header) -> Frames:
    """Those of a header without groups."""
    sizes = header.sizes
    if sizes is None:
        sizes = [header.frame_size] * header.frames
        if sizes:
            sizes[-1] = header.size - header.frame_size * (header.frames - 1)
    return Frames(header.lengths, sizes, header.regions)


class Table:
    """The table of a file with groups."""

    def __init__(self, header: Header) -> None:
        assert header.groups is not None
        self.header = header
        self.stored = list(accumulate((compressed for compressed, _ in header.groups), initial=0))
        self.original = list(accumulate((original for _, original in header.groups), initial=0))

    def group_at(self, offset: int) -> int:
        return bisect_right(self.original, offset) - 1

    def entries(self, group: int) -> tuple[int, int]:
        """Where the entries of a group begin and end, in the stored bytes."""
        count = self._count(group)
        start, before = self.stored[-1], group * GROUP_FRAMES
        if self.header.group_regions is not None:
            return start + 8 + 20 * before, start + 8 + 20 * (before + count)
        if self.header.codec in _PARTS:
            head, tail = _PARTS[self.header.codec]
            start += 8 * before + group * (head + tail) + head
        else:
            start += 8 + 8 * before
        return start, start + 8 * count

    def read(self, group: int, entries: bytes) -> Frames:
        """Raises InvalidTrailerError."""
        header = self.header
        regions: list[tuple[int, int]] | None = None
        if header.group_regions is None:
            rows = list(iter_unpack("<II", entries))
        else:
            wide = list(iter_unpack("<IIQI", entries))
            rows, regions = [row[:2] for row in wide], [row[2:] for row in wide]
        lengths, sizes = [row[0] for row in rows], [row[1] for row in rows]
        try:
            if min(lengths) == 0 or max(lengths) > header.max_length:
                raise InvalidTrailerError("a frame length is out of range")
            check_sizes(header, sizes, group == len(self.stored) - 2)
            for offset, length in regions or ():
                check_region(offset, length)
        except InvalidHeaderError as err:
            raise InvalidTrailerError(f"The table of frames: {err}") from err
        frames = Frames(lengths, sizes, regions, self.stored[group], self.original[group])
        if frames.stored[-1] != self.stored[group + 1] or frames.original[-1] != self.original[group + 1]:
            raise InvalidTrailerError("The table of frames: a group does not add up to what the header says")
        if header.group_regions is not None and regions is not None:
            spans = [length for _, length in regions]
            if (sum(spans), max(spans)) != header.group_regions[group]:
                raise InvalidTrailerError("The table of frames: the regions of a group are not those of the header")
        return frames

    def _count(self, group: int) -> int:
        return min(GROUP_FRAMES, self.header.frames - group * GROUP_FRAMES)


#: Bytes before and after the entries of each part of a split table.
_PARTS = {GZIP: (16, 10), SNAPPY: (4, 0), LZO: (42, 8)}
