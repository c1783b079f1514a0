"""The multibases that CIDs are written in."""

from __future__ import annotations

import base64
import binascii

BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def decode_multibase(text: str) -> bytes:
    """Raises ValueError."""
    prefix, rest = text[:1], text[1:]
    if prefix in ("b", "B"):
        if (rest.lower() if prefix == "b" else rest.upper()) != rest:
            raise ValueError("mixed case")
        return base64.b32decode(rest.upper() + "=" * (-len(rest) % 8))
    if prefix in ("k", "K"):
        return decode_base(rest.lower(), BASE36)
    if prefix == "z":
        return decode_base(rest, BASE58)
    if prefix in ("f", "F"):
        return binascii.unhexlify(rest)
    if prefix in ("u", "m"):
        altchars = b"-_" if prefix == "u" else None
        return base64.b64decode(rest + "=" * (-len(rest) % 4), altchars, validate=True)
    raise ValueError(f"unknown multibase {prefix!r}")


def encode_base32(data: bytes) -> str:
    """With its multibase prefix."""
    return "b" + base64.b32encode(data).decode().lower().rstrip("=")


def decode_base(text: str, alphabet: str) -> bytes:
    """Of bases that are no power of two: a large number, and a zero byte for each leading zero digit."""
    value = 0
    for digit in text:
        value = value * len(alphabet) + alphabet.index(digit)
    zeros = len(text) - len(text.lstrip(alphabet[0]))
    return bytes(zeros) + value.to_bytes((value.bit_length() + 7) // 8, "big")


def encode_base(data: bytes, alphabet: str) -> str:
    value, out = int.from_bytes(data, "big"), ""
    while value:
        value, digit = divmod(value, len(alphabet))
        out = alphabet[digit] + out
    return alphabet[0] * (len(data) - len(data.lstrip(b"\0"))) + out
