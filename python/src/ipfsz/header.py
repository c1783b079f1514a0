"""The header of a compressed file: docs/format.md, sections 3 and 6. Every rule is checked before a number is used."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cid import CID, CODEC_NAMES, GZIP, LZO, SNAPPY, ZSTD
from .errors import InvalidCidError, InvalidHeaderError
from .filters import FILTERS
from .protobuf import BYTES, MAX_NUMBER, VARINT, read_fields, read_packed
from .unixfs import FILE_TYPES, Node

MIN_FRAME = 64 * 1024
MAX_FRAME = 16 * 1024 * 1024
GROUP_FRAMES = 4096
MAX_FRAMES = 1 << 27
MIN_REGION, MAX_REGION = 8, MAX_FRAME
_MAX_LISTS = 896 * 1024
_MIB = 1024 * 1024

#: What a table of n frames takes, as (bytes of each frame, bytes of each group, bytes once).
_TABLES = {GZIP: (8, 26, 0), SNAPPY: (8, 4, 0), LZO: (8, 50, 0)}
_SEEK_TABLE = (8, 0, 17)
_REGION_TABLE = (20, 0, 8)


@dataclass
class Header:
    version: int = 0
    codec: int = 0
    size: int = 0
    frame_size: int = 0
    lengths: list[int] = field(default_factory=list)
    content_cid: CID | None = None
    #: Original bytes of each frame. None: `frame_size`.
    sizes: list[int] | None = None
    #: Offset and length in the base of each frame. None without them.
    regions: list[tuple[int, int]] | None = None
    filters: list[int] = field(default_factory=list)
    #: Compressed and original bytes of each group of 4,096 frames. None: the frames are listed above.
    groups: list[tuple[int, int]] | None = None
    #: All bytes of the regions of each group, and of the largest one.
    group_regions: list[tuple[int, int]] | None = None
    #: Frames of the file, in the table too.
    frames: int = 0

    @property
    def has_base(self) -> bool:
        return self.regions is not None or self.group_regions is not None

    @property
    def max_length(self) -> int:
        """Of a frame: no codec makes a longer one."""
        return self.frame_size * 5 // 4 + 1024


def refuse(rule: str, message: str) -> InvalidHeaderError:
    return InvalidHeaderError(f"The header of this file is refused ({rule}): {message}", rule=rule)


def read_header(node: Node, marker: int | None) -> Header:
    """The header of a root that has one, checked. `marker` is the codec of its CID: None below a tree.

    Raises InvalidHeaderError.
    """
    if len(node.headers) != 1 or node.headers[0] is None:
        raise refuse("encoding", "there are two headers, or it has the wrong wire type")
    if node.type not in FILE_TYPES[1:]:
        raise refuse("root", f"the root has the UnixFS type {node.type}")
    if node.links and node.data:
        raise refuse("root", "the root has both data and links")
    try:
        header = _parse(memoryview(node.headers[0]))
    except ValueError as err:
        raise refuse("encoding", str(err)) from err
    if header.codec not in CODEC_NAMES or (marker is not None and header.codec != marker):
        raise refuse("codec", f"the codec 0x{header.codec:x} is not that of the CID")
    if not MIN_FRAME <= header.frame_size <= MAX_FRAME:
        raise refuse("frame-size", f"frames of {header.frame_size} bytes")
    stored = node.size
    if header.has_base:
        if header.codec != ZSTD:
            raise refuse("base", "only zstd has bases")
        if not node.links:
            raise refuse("base", "the root has no link")
        stored = node.offsets[-2] - 8
    if header.groups is None:
        _check_frames(header, stored)
        _check_regions(header)
    else:
        _check_groups(header, stored)
    return header


def _parse(data: memoryview) -> Header:
    header = Header()
    seen: dict[int, tuple[int, int, memoryview]] = {}
    twice: list[int] = []
    for number, wire, value, rest in read_fields(data):
        if value > MAX_NUMBER:
            raise ValueError(f"field {number} is above 2^53 - 1")
        if number in seen:
            twice.append(number)
        seen[number] = (wire, value, rest)

    def number_of(number: int) -> int:
        wire, value, _ = seen.get(number, (VARINT, 0, None))
        if wire != VARINT:
            raise ValueError(f"field {number} has the wire type {wire}")
        return value

    def list_of(number: int) -> list[int] | None:
        if number not in seen:
            return None
        wire, _, rest = seen[number]
        if wire != BYTES:
            raise ValueError(f"field {number} has the wire type {wire}")
        values = read_packed(rest)
        if any(value > MAX_NUMBER for value in values):
            raise ValueError(f"field {number} has numbers above 2^53 - 1")
        return values

    header.version = number_of(1)
    if header.version not in (1, 2):
        raise refuse("version", f"its version is {header.version}, and this package reads 1 and 2")
    known = 7 if header.version == 1 else 31
    if any(number <= known for number in twice):
        raise ValueError(f"the fields {twice} are there twice")
    if 7 in seen:
        raise refuse("dictionary", "it has a dictionary of an unknown kind")
    if header.version == 2:
        if 9 in seen:
            raise refuse("filters", "it has filters of before version 2 was released")
        unknown = [number for number in seen if 13 < number <= known]
        if unknown:
            raise refuse("version", f"it has the field {unknown[0]}, which is not known")
    header.codec, header.size, header.frame_size = number_of(2), number_of(3), number_of(4)
    if sum(len(seen[number][2]) for number in (5, 8, 10, 12, 13) if number in seen and number <= known) > _MAX_LISTS:
        raise refuse("frame-count", "its lists take more than 896 KiB")
    lengths = list_of(5)
    if 6 in seen:
        try:
            header.content_cid = CID.decode(seen[6][2])
        except InvalidCidError as err:
            raise ValueError(str(err)) from err
    if header.version == 1:
        header.lengths = lengths or []
        return header
    header.sizes = list_of(8)
    header.regions = _pairs(list_of(10), "regions")
    header.groups = _pairs(list_of(12), "groups")
    header.group_regions = _pairs(list_of(13), "regions")
    filters = list_of(11)
    if filters is not None:
        if not 1 <= len(filters) <= 4 or len(set(filters)) < len(filters) or not set(filters) <= FILTERS:
            raise refuse("filters", f"the filters {[hex(code) for code in filters]}")
        header.filters = filters
    if header.groups is not None and (lengths, header.sizes, header.regions) != (None, None, None):
        raise refuse("groups", "frames are listed alone as well")
    if header.groups is None and header.group_regions is not None:
        raise refuse("groups", "regions of groups without groups")
    header.lengths = lengths or []
    return header


def _pairs(values: list[int] | None, rule: str) -> list[tuple[int, int]] | None:
    if values is None:
        return None
    if len(values) % 2:
        raise refuse(rule, "an odd count of numbers")
    return list(zip(values[::2], values[1::2], strict=True))


def _check_frames(header: Header, stored: int) -> None:
    lengths, sizes = header.lengths, header.sizes
    header.frames = len(lengths)
    if sizes is None:
        if header.frames != -(-header.size // header.frame_size):
            raise refuse("frame-count", f"{header.frames} frames of {header.frame_size} bytes for {header.size}")
    else:
        if len(sizes) != header.frames:
            raise refuse("frame-count", f"{len(sizes)} frame sizes for {header.frames} frames")
        check_sizes(header, sizes, True)
        if sum(sizes) != header.size:
            raise refuse("frame-size", f"the frames have {sum(sizes)} bytes, and the file {header.size}")
    if lengths and (min(lengths) == 0 or max(lengths) > header.max_length):
        raise refuse("frame-length", f"a frame of {0 if min(lengths) == 0 else max(lengths)} bytes")
    if header.has_base and sum(lengths) != stored:
        raise refuse("base", f"the frames take {sum(lengths)} bytes, and {stored} are before the 8 and the base")
    if sum(lengths) > stored:
        raise refuse("total-length", f"the frames take {sum(lengths)} of {stored} bytes")


def check_sizes(header: Header, sizes: list[int], ends: bool) -> None:
    """Of frames that follow each other; `ends` says whether the file ends with them."""
    for index, size in enumerate(sizes):
        least = 1 if ends and index == len(sizes) - 1 else MIN_FRAME
        if not least <= size <= header.frame_size:
            raise refuse("frame-size", f"a frame of {size} original bytes")


def check_region(offset: int, length: int) -> None:
    if (offset, length) != (0, 0) and not MIN_REGION <= length <= MAX_REGION:
        raise refuse("regions", f"a region of {length} bytes at {offset}")


def _check_regions(header: Header) -> None:
    if header.regions is None:
        return
    if len(header.regions) != header.frames:
        raise refuse("regions", f"{len(header.regions)} regions for {header.frames} frames")
    for offset, length in header.regions:
        check_region(offset, length)
    _check_region_sum(header, sum(length for _, length in header.regions))


def _check_region_sum(header: Header, total: int) -> None:
    if total > 4 * header.size + _MIB:
        raise refuse("regions", f"regions of {total} bytes for a file of {header.size}")


def _check_groups(header: Header, stored: int) -> None:
    groups = header.groups or []
    per_frame, per_group, once = _REGION_TABLE if header.has_base else _TABLES.get(header.codec, _SEEK_TABLE)
    length = stored - sum(compressed for compressed, _ in groups) - per_group * len(groups) - once
    header.frames, rest = divmod(length, per_frame)
    if rest or not 2 <= header.frames <= MAX_FRAMES:
        raise refuse("groups", f"what follows the frames has {length + per_group * len(groups) + once} bytes")
    if len(groups) != -(-header.frames // GROUP_FRAMES):
        raise refuse("groups", f"{len(groups)} groups for {header.frames} frames")
    for index, (compressed, original) in enumerate(groups):
        count = min(GROUP_FRAMES, header.frames - index * GROUP_FRAMES)
        least = MIN_FRAME * (count - 1) + (1 if index == len(groups) - 1 else MIN_FRAME)
        if not count <= compressed <= count * header.max_length or not least <= original <= count * header.frame_size:
            raise refuse("groups", f"{count} frames of {compressed} bytes, {original} original ones")
    if sum(original for _, original in groups) != header.size:
        raise refuse("groups", "the groups do not add up to the size of the file")
    if header.group_regions is None:
        return
    if len(header.group_regions) != len(groups):
        raise refuse("regions", f"regions of {len(header.group_regions)} groups, of {len(groups)}")
    for index, (total, largest) in enumerate(header.group_regions):
        count = min(GROUP_FRAMES, header.frames - index * GROUP_FRAMES)
        check_region(0, largest)
        if not largest <= total <= count * largest:
            raise refuse("regions", f"regions of {total} bytes, the largest of {largest}")
    _check_region_sum(header, sum(total for total, _ in header.group_regions))
