"""As much of DAG-CBOR (RFC 8949) as IPNS records need: numbers, bytes, strings, lists, maps."""

from __future__ import annotations

from typing import Any

_MAX_DEPTH = 8


def decode_cbor(data: bytes) -> Any:
    """Raises ValueError."""
    value, end = _decode(data, 0, 0)
    if end != len(data):
        raise ValueError("bytes follow the CBOR")
    return value


def _decode(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    if at >= len(data) or depth > _MAX_DEPTH:
        raise ValueError("the CBOR is cut, or too deep")
    kind, number = data[at] >> 5, data[at] & 31
    at += 1
    if number > 27:
        raise ValueError("CBOR of no definite length")
    if number > 23:
        width = 1 << (number - 24)
        if at + width > len(data):
            raise ValueError("the CBOR is cut")
        number = int.from_bytes(data[at : at + width], "big")
        at += width
    if kind < 2:
        return (number if kind == 0 else -1 - number), at
    if kind < 4:
        if at + number > len(data):
            raise ValueError("the CBOR is cut")
        value = data[at : at + number]
        return (value if kind == 2 else value.decode()), at + number
    if kind == 4:
        items = []
        for _ in range(number):
            item, at = _decode(data, at, depth + 1)
            items.append(item)
        return items, at
    if kind == 5:
        entries = {}
        for _ in range(number):
            key, at = _decode(data, at, depth + 1)
            if not isinstance(key, str):
                raise ValueError("a key of CBOR that is not a string")
            entries[key], at = _decode(data, at, depth + 1)
        return entries, at
    raise ValueError(f"CBOR of the type {kind}")
