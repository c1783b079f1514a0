"""Zstandard (RFC 8878), by `compression.zstd` of Python 3.14, or the same module as `backports.zstd`."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import CorruptFrameError

_MAGIC = b"\x28\xb5\x2f\xfd"
_MIN_WINDOW = 1024


def zstd_module() -> Any:
    """Raises ImportError."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def read_frame_header(frame: bytes) -> tuple[int | None, int, bool]:
    """Content size, window size, and whether there is a checksum. Raises CorruptFrameError."""
    if frame[:4] != _MAGIC or len(frame) < 6:
        raise CorruptFrameError("it is not a zstd frame")
    descriptor, at = frame[4], 5
    if descriptor & 0x08:
        raise CorruptFrameError("the reserved bit is set")
    if descriptor & 0x03:
        raise CorruptFrameError("it names a dictionary")
    window = 0
    if not descriptor & 0x20:
        base = 1 << (10 + (frame[at] >> 3))
        window = base + (base >> 3) * (frame[at] & 7)
        at += 1
    width = (0, 2, 4, 8)[descriptor >> 6] or (1 if descriptor & 0x20 else 0)
    size = int.from_bytes(frame[at : at + width], "little") + (256 if width == 2 else 0)
    if len(frame) < at + width:
        raise CorruptFrameError("it is cut")
    return size if width else None, window or size, bool(descriptor & 0x04)


def decode(frame: bytes, size: int, dictionary: bytes | None = None) -> bytes:
    zstd = zstd_module()
    content, window, checksum = read_frame_header(frame)
    if content != size:
        raise CorruptFrameError(f"its content size is {content} instead of {size}")
    if window > max(_MIN_WINDOW, size):
        raise CorruptFrameError(f"its window has {window} bytes, and its content {size}")
    if dictionary is None:
        decoder = zstd.ZstdDecompressor()
    elif not checksum:
        raise CorruptFrameError("it has a dictionary, and no checksum")
    else:
        decoder = zstd.ZstdDecompressor(zstd.ZstdDict(dictionary, is_raw=True).as_prefix)
    try:
        # a byte more than fits shows that there is more; without room for it the end of a frame may stay unread
        data: bytes = decoder.decompress(frame, size + 1)
    except zstd.ZstdError as err:
        raise CorruptFrameError(str(err)) from err
    if not decoder.eof or decoder.unused_data:
        raise CorruptFrameError("it is cut, or bytes follow it")
    return data
