"""gzip (RFC 1952), by zlib: it checks the method, reserved flags, checksum and length."""

from __future__ import annotations

import zlib

from ..errors import CorruptFrameError


def decode(frame: bytes, size: int) -> bytes:
    decoder = zlib.decompressobj(31)
    try:
        data = decoder.decompress(frame, size + 1)
    except zlib.error as err:
        raise CorruptFrameError(str(err)) from err
    if not decoder.eof or decoder.unused_data:
        raise CorruptFrameError("it is cut, or bytes follow it")
    return data
