"""LZ4 frames (https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md), by the package `lz4`."""

from __future__ import annotations

from ..errors import CorruptFrameError

_MAGIC = b"\x04\x22\x4d\x18"


def decode(frame: bytes, size: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor

    if frame[:4] != _MAGIC or len(frame) < 15:
        raise CorruptFrameError("it is not an LZ4 frame")
    flags = frame[4]
    if flags & 0xC0 != 0x40 or flags & 0x03:
        raise CorruptFrameError("it has another version, a reserved bit or a dictionary")
    if not flags & 0x20:
        raise CorruptFrameError("its blocks depend on each other")
    if not flags & 0x08 or int.from_bytes(frame[6:14], "little") != size:
        raise CorruptFrameError(f"its content size is not {size}")
    decoder = LZ4FrameDecompressor()
    try:
        data: bytes = decoder.decompress(frame, size + 1)
    except RuntimeError as err:
        raise CorruptFrameError(str(err)) from err
    if not decoder.eof or decoder.unused_data:
        raise CorruptFrameError("it is cut, or bytes follow it")
    return data
