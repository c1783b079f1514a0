"""Brotli (RFC 7932), by the package `brotli` from 1.2 on, whose output can be bounded."""

from __future__ import annotations

from ..errors import CorruptFrameError


def decode(frame: bytes, size: int) -> bytes:
    import brotli

    decoder, parts, rest = brotli.Decompressor(), [], size + 1
    data: bytes = frame
    try:
        while rest > 0:
            part: bytes = decoder.process(data, output_buffer_limit=rest)
            parts.append(part)
            rest -= len(part)
            data = b""
            if decoder.is_finished() or not part:
                break
        if not decoder.is_finished():
            raise CorruptFrameError("it is cut, or longer")
    except brotli.error as err:
        raise CorruptFrameError(str(err)) from err
    return b"".join(parts)
