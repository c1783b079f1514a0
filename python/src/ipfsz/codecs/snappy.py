"""Snappy's framing format (https://github.com/google/snappy/blob/main/framing_format.txt), by the package `cramjam`.

It compares the checksums. What a stream decompresses to is added up before.
"""

from __future__ import annotations

from ..errors import CorruptFrameError
from ..varint import read_varint

_IDENTIFIER = b"\xff\x06\x00\x00sNaPpY"
_MAX_CHUNK = 65_536
_MAX_BLOCK = 76_490


def decode(frame: bytes, size: int) -> bytes:
    import cramjam

    if content_size(frame) != size:
        raise CorruptFrameError(f"its chunks do not hold {size} bytes")
    out = bytearray(size)
    try:
        count = cramjam.snappy.decompress_into(frame, out)
    except cramjam.DecompressionError as err:
        raise CorruptFrameError(str(err)) from err
    if count != size:
        raise CorruptFrameError(f"it holds {count} bytes instead of {size}")
    return bytes(out)


def content_size(frame: bytes) -> int:
    """What the chunks say to hold together. Raises CorruptFrameError."""
    if frame[:10] != _IDENTIFIER:
        raise CorruptFrameError("it has no stream identifier")
    at, size = 10, 0
    while at < len(frame):
        kind, length = frame[at], int.from_bytes(frame[at + 1 : at + 4], "little")
        at += 4
        if at + length > len(frame):
            raise CorruptFrameError("a chunk is cut")
        if kind == 0xFF and frame[at - 4 : at + length] != _IDENTIFIER:
            raise CorruptFrameError("a chunk is another stream identifier")
        if kind < 0x02:
            size += _chunk_size(frame, kind, at, length)
        elif kind < 0x80:
            raise CorruptFrameError(f"a chunk of the type 0x{kind:02x}")
        at += length
    return size


def _chunk_size(frame: bytes, kind: int, at: int, length: int) -> int:
    try:
        size = length - 4 if kind == 1 else read_varint(frame[at + 4 : at + length], 0)[0]
    except ValueError as err:
        raise CorruptFrameError("a chunk has no length") from err
    if length < 4 or length - 4 > _MAX_BLOCK or size > _MAX_CHUNK:
        raise CorruptFrameError(f"a chunk of {length} bytes that holds {size}")
    return size


class SnappyStream:
    """Chunks as they come, for streams of any length. Raises ImportError."""

    needs_input = True
    unused_data = b""

    def __init__(self) -> None:
        import cramjam  # noqa: F401

        self._rest, self._begun = b"", False

    @property
    def eof(self) -> bool:
        """A stream may end after each chunk."""
        return self._begun and not self._rest

    def decompress(self, data: bytes, _: int) -> bytes:
        self._rest += data
        end = 0
        while end + 4 <= len(self._rest):
            length = int.from_bytes(self._rest[end + 1 : end + 4], "little")
            if self._rest[end] < 2 and length > _MAX_BLOCK + 4:
                raise CorruptFrameError(f"a chunk of {length} bytes")
            if end + 4 + length > len(self._rest):
                break
            end += 4 + length
        if end == 0:
            return b""
        frame = (_IDENTIFIER if self._begun else b"") + self._rest[:end]
        self._rest, self._begun = self._rest[end:], True
        return decode(frame, content_size(frame))
