"""The wire format of protobuf, as strictly as blocks of strangers need it."""

from __future__ import annotations

from collections.abc import Iterator

from .varint import read_varint

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
#: Of the format: numbers that every language has.
MAX_NUMBER = (1 << 53) - 1


def read_fields(data: memoryview, most: int = 10) -> Iterator[tuple[int, int, int, memoryview]]:
    """Field number, wire type, number (of a varint) and bytes of each field, in order.

    `most`: bytes of a key or a length. Raises ValueError.
    """
    offset = 0
    while offset < len(data):
        key, offset = read_varint(data, offset, most)
        field, wire = key >> 3, key & 7
        if field == 0 or field >= 1 << 29:
            raise ValueError(f"field number {field}")
        if wire == VARINT:
            start = offset
            value, offset = read_varint(data, offset)
            yield field, wire, value, data[start:offset]
            continue
        if wire == BYTES:
            length, offset = read_varint(data, offset, most)
        elif wire in (FIXED64, FIXED32):
            length = 8 if wire == FIXED64 else 4
        else:
            raise ValueError(f"wire type {wire}")
        if offset + length > len(data):
            raise ValueError(f"field {field} is cut")
        yield field, wire, 0, data[offset : offset + length]
        offset += length


def read_packed(data: memoryview) -> list[int]:
    """The varints of a packed field. Raises ValueError."""
    values: list[int] = []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        if byte > 0x7F:
            shift += 7
            if shift > 63:
                raise ValueError("not a varint of at most 64 bits")
        else:
            values.append(value)
            value = shift = 0
    if shift:
        raise ValueError("a packed field is cut")
    return values
