"""Members of lzop with LZO1X, in pure Python: slow, and without a package to install.

The container is that of lzop 1.04; the compressed data is described in
https://docs.kernel.org/staging/lzo.html.
"""

from __future__ import annotations

import zlib
from struct import error, unpack_from

from ..errors import CorruptFrameError

_MAGIC = b"\x89LZO\0\r\n\x1a\n"
_EXTRA, _MULTIPART, _FILTER, _HEADER_CRC, _UNKNOWN = 0x40, 0x400, 0x800, 0x1000, 0xFC000
#: Of a stream: those of lzop have 256 KiB, unless asked otherwise.
_MAX_BLOCK = 16 << 20
#: Flags of checksums of a block, in their order: of the original bytes and of the compressed ones.
_ORIGINAL = ((0x001, zlib.adler32), (0x100, zlib.crc32))
_COMPRESSED = ((0x002, zlib.adler32), (0x200, zlib.crc32))


def decode(frame: bytes, size: int) -> bytes:
    try:
        at, flags = _read_header(frame)
        out = bytearray()
        while True:
            (original,) = unpack_from(">I", frame, at)
            at += 4
            if original == 0:
                break
            if len(out) + original > size:
                raise CorruptFrameError(f"it holds more than {size} bytes")
            block, at = _read_block(frame, at, original, flags)
            out += block
    except (error, IndexError) as err:
        raise CorruptFrameError("it is cut") from err
    if at != len(frame):
        raise CorruptFrameError("bytes follow it")
    return bytes(out)


class LzoMember:
    """A member as it comes, for streams of any length."""

    def __init__(self) -> None:
        self._rest = self.unused_data = b""
        self._flags: int | None = None
        self.eof, self.needs_input = False, True

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """At most `max_length` bytes and a block."""
        self._rest += data
        out, at = bytearray(), 0
        self.needs_input = len(self._rest) < 9
        try:
            while not (self.eof or self.needs_input) and len(out) < max_length:
                if self._flags is None:
                    at, self._flags = _read_header(self._rest)
                    continue
                (original,) = unpack_from(">I", self._rest, at)
                if original > _MAX_BLOCK:
                    raise CorruptFrameError(f"a block of {original} bytes")
                if original == 0:
                    self.eof, at = True, at + 4
                else:
                    block, at = _read_block(self._rest, at + 4, original, self._flags)
                    out += block
        except (error, IndexError):
            # the rest has not come yet
            self.needs_input = True
        self._rest = self._rest[at:]
        if len(self._rest) > 2 * _MAX_BLOCK:
            raise CorruptFrameError("its header is too long")
        if self.eof:
            self.unused_data = self._rest
        return bytes(out)


def _read_header(frame: bytes) -> tuple[int, int]:
    """The offset of the first block, and the flags."""
    if frame[:9] != _MAGIC:
        raise CorruptFrameError("it is not a member of lzop")
    (version,) = unpack_from(">H", frame, 9)
    # shorter before lzop 0.94: without the version needed, the level, and the high half of the time
    if version < 0x0940:
        needed, (method, flags), at = version, unpack_from(">BI", frame, 13), 26
    else:
        (needed, method, _, flags), at = unpack_from(">HBBI", frame, 13), 33
    if min(version, needed) < 0x0900 or needed > 0x1040 or method not in (1, 2, 3):
        raise CorruptFrameError(f"it has the method {method}, or needs lzop {needed:x}")
    if flags & (_MULTIPART | _FILTER | _UNKNOWN):
        raise CorruptFrameError("it has filters, several parts, or unknown flags")
    at += 1 + frame[at]
    check = zlib.crc32 if flags & _HEADER_CRC else zlib.adler32
    if unpack_from(">I", frame, at)[0] != check(frame[9:at]):
        raise CorruptFrameError("the checksum of its header does not match")
    at += 4
    if flags & _EXTRA:
        (length,) = unpack_from(">I", frame, at)
        if unpack_from(">I", frame, at + 4 + length)[0] != check(frame[at : at + 4 + length]):
            raise CorruptFrameError("the checksum of its extra field does not match")
        at += length + 8
    return at, flags


def _read_block(frame: bytes, at: int, original: int, flags: int) -> tuple[bytes, int]:
    (stored,) = unpack_from(">I", frame, at)
    at += 4
    if stored > original or stored == 0:
        raise CorruptFrameError(f"a block of {stored} bytes holds {original}")
    checks = []
    for kinds, of in ((_ORIGINAL, 0), (_COMPRESSED, 1)):
        for flag, check in kinds:
            if flags & flag and (of == 0 or stored < original):
                checks.append((of, check, unpack_from(">I", frame, at)[0]))
                at += 4
    data = frame[at : at + stored]
    if len(data) < stored:
        raise IndexError
    try:
        block = data if stored == original else decode_lzo1x(data, original)
    except IndexError as err:
        raise CorruptFrameError("a block is cut") from err
    for of, check, expected in checks:
        if check(data if of else block) != expected:
            raise CorruptFrameError("the checksum of a block does not match")
    return block, at + stored


def decode_lzo1x(data: bytes, size: int) -> bytes:
    """Raises CorruptFrameError, or IndexError if it is cut."""
    out = bytearray()
    at = 0
    # literals that the last instruction copied: 0 to 3, or 4 for a run of them
    state = 0
    if data[0] > 17:
        count = data[0] - 17
        out += data[1 : 1 + count]
        at, state = 1 + count, min(count, 4)
    while True:
        code = data[at]
        at += 1
        if code < 16:
            if state == 0:
                count, at = _long_length(data, at, code, 15)
                count += 3
                if at + count > len(data) or len(out) + count > size:
                    raise CorruptFrameError("literals lead outside")
                out += data[at : at + count]
                at, state = at + count, 4
                continue
            high = data[at]
            at += 1
            distance = (1 if state < 4 else 2049) + (code >> 2) + (high << 2)
            length, state = (2 if state < 4 else 3), code & 3
        elif code >= 64:
            distance = 1 + (code >> 2 & 7) + (data[at] << 3)
            at += 1
            length, state = (code >> 5) + 1, code & 3
        else:
            mask = 31 if code >= 32 else 7
            length, at = _long_length(data, at, code & mask, mask)
            length += 2
            low = data[at] | data[at + 1] << 8
            at += 2
            distance, state = 1 + (low >> 2), low & 3
            if code < 32:
                distance += 16383 + ((code & 8) << 11)
                if distance == 16384:
                    if data[at - 3 :] != b"\x11\0\0" or len(out) != size:
                        raise CorruptFrameError("the end of a block is wrong")
                    return bytes(out)
        start = len(out) - distance
        if start < 0 or len(out) + length + state > size or at + state > len(data):
            raise CorruptFrameError("a match leads outside")
        if distance >= length:
            out += out[start : start + length]
        else:
            out += (out[start:] * (length // distance + 1))[:length]
        if state:
            out += data[at : at + state]
            at += state


def _long_length(data: bytes, at: int, short: int, base: int) -> tuple[int, int]:
    """A length: `short`, or if that is 0, `base` and what the next bytes add."""
    if short:
        return short, at
    length = base
    while data[at] == 0:
        length += 255
        at += 1
    return length + data[at], at + 1
