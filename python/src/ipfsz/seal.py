"""Undoes the seal of frames of files with filters: docs/format.md, section 6."""

from __future__ import annotations

from .cid import BROTLI, GZIP, LZ4, LZO, SNAPPY, ZSTD
from .errors import CorruptFrameError

_NO_DICTIONARY = b"\x69\x70\x66\xfa"


def unseal(codec: int, frame: bytes) -> bytes:
    """The frame as its codec knows it. Raises CorruptFrameError if it is not sealed."""
    out = _UNSEALERS[codec](bytearray(frame)) if len(frame) > 16 or codec == BROTLI else None
    if out is None:
        raise CorruptFrameError("A frame of a file with filters is not sealed")
    return bytes(out)


def _zstd(frame: bytearray) -> bytearray | None:
    descriptor = frame[4]
    # without the flag Single_Segment, a byte for the window follows
    at = 5 if descriptor & 0x20 else 6
    if descriptor & 0x0B != 0x0B or frame[at : at + 4] != _NO_DICTIONARY:
        return None
    frame[4] = descriptor & ~0x0B
    del frame[at : at + 4]
    return frame


def _change(frame: bytearray, at: int, mask: int, sealed: int, plain: int) -> bytearray | None:
    if frame[at] & mask != sealed:
        return None
    frame[at] = frame[at] & ~mask & 0xFF | plain
    return frame


def _gzip(frame: bytearray) -> bytearray | None:
    return _change(frame, 2, 0xFF, 7, 8)


def _lz4(frame: bytearray) -> bytearray | None:
    return _change(frame, 4, 0xC0, 0x80, 0x40)


def _lzo(frame: bytearray) -> bytearray | None:
    return _change(frame, 13, 0xF0, 0xF0, 0)


def _snappy(frame: bytearray) -> bytearray | None:
    return _change(frame, 10, 0xFE, 0x40, 0)


def _brotli(frame: bytearray) -> bytearray | None:
    if frame[:1] != b"\x91":
        return None
    return frame[1:]


_UNSEALERS = {ZSTD: _zstd, GZIP: _gzip, LZ4: _lz4, LZO: _lzo, SNAPPY: _snappy, BROTLI: _brotli}
