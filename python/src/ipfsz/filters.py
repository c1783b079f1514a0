"""Undoes filters: docs/format.md, section 6."""

from __future__ import annotations

from array import array
from itertools import accumulate

DELTAS = {0x101, 0x102, 0x103, 0x104, 0x108}
SHUFFLES = set(range(0x202, 0x241))
RECORDS = set(range(0x302, 0x341))
FILTERS = DELTAS | SHUFFLES | RECORDS

_TYPES = {array(code).itemsize: code for code in "BHIQ"}


def undo_filters(data: bytes, filters: list[int]) -> bytes:
    """The original bytes of a frame, from the decompressed ones."""
    for code in reversed(filters):
        width = code & 0xFF
        data = _undelta(data, width) if code in DELTAS else _transpose(data, width, adds=code in RECORDS)
    return data


def _transpose(data: bytes, width: int, *, adds: bool) -> bytes:
    count = len(data) // width
    out = bytearray(data)
    for plane in range(width):
        values = data[plane * count : (plane + 1) * count]
        out[plane : count * width : width] = _running_sums(values) if adds else values
    return bytes(out)


def _running_sums(values: bytes) -> bytes:
    # at most 2^24 bytes are added: 64 bits hold the sum
    sums = array("Q", accumulate(values))
    return sums.tobytes()[(0 if _LITTLE else 7) :: 8]


def _undelta(data: bytes, width: int) -> bytes:
    count = len(data) // width
    # at most 2^24 numbers of up to 32 bits are added: 64 bits hold the sum, and its low bytes are those that wrapped
    if width == 8:
        mask = (1 << 64) - 1
        sums = array("Q", accumulate(_numbers(data, 8, count), lambda a, b: (a + b) & mask))
    else:
        sums = array("Q", accumulate(_numbers(data, width, count)))
    if not _LITTLE:
        sums.byteswap()
    wide = sums.tobytes()
    out = bytearray(data)
    for plane in range(width):
        out[plane : count * width : width] = wide[plane::8]
    return bytes(out)


def _numbers(data: bytes, width: int, count: int) -> array[int]:
    if width == 3:
        spread = bytearray(4 * count)
        for plane in range(3):
            spread[plane::4] = data[plane : count * 3 : 3]
        data, width = bytes(spread), 4
    numbers = array(_TYPES[width])
    numbers.frombytes(data[: count * width])
    if not _LITTLE:
        numbers.byteswap()
    return numbers


_LITTLE = array("H", [1]).tobytes()[0] == 1
