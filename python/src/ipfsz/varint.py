"""Unsigned LEB128 numbers, as in CIDs, CAR and protobuf."""

from __future__ import annotations


def read_varint(data: bytes | memoryview, offset: int, most: int = 10) -> tuple[int, int]:
    """The number at `offset`, and the offset after it.

    Raises ValueError if it is cut, or has more than 64 bits or `most` bytes.
    """
    if offset < len(data) and data[offset] < 0x80:
        return data[offset], offset + 1
    value = shift = 0
    while True:
        if offset >= len(data) or shift == 7 * most:
            raise ValueError(f"not a varint of at most {most} bytes")
        byte = data[offset]
        offset += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >= 1 << 64:
                raise ValueError("not a varint of at most 64 bits")
            return value, offset
        shift += 7


def write_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
