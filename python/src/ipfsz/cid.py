"""CIDs, their markers (docs/format.md, section 1) and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from .errors import CorruptBlockError, DigestLengthError, InvalidCidError, MissingPackageError, UnknownHashError
from .multibase import BASE58, decode_base, decode_multibase, encode_base, encode_base32
from .varint import read_varint, write_varint

DAG_PB = 0x70
RAW = 0x55
LIBP2P_KEY = 0x72

#: The markers. The CID of a file has that of its codec, the CID of a directory `TREE`.
TREE, GZIP, LZ4, LZO, SNAPPY, ZSTD, BROTLI = range(0x3F5A00, 0x3F5A07)
CODEC_NAMES = {GZIP: "gzip", LZ4: "lz4", LZO: "lzo", SNAPPY: "snappy", ZSTD: "zstd", BROTLI: "brotli"}
MARKERS = {TREE, *CODEC_NAMES}

IDENTITY = 0
_MIN_DIGEST = 20
_MAX_IDENTITY = 128
#: Longer ones are nobody's hash, and identity CIDs of more than 2 KiB fit into no URL.
_MAX_TEXT = 4096


@dataclass(frozen=True)
class CID:
    version: int
    codec: int
    hash: int
    digest: bytes

    @classmethod
    @lru_cache(256)
    def parse(cls, text: str) -> CID:
        """Of a string in any usual multibase. Raises InvalidCidError."""
        try:
            if len(text) > _MAX_TEXT:
                raise ValueError("too long")
            if len(text) == 46 and text.startswith("Qm"):
                return cls.decode(decode_base(text, BASE58))
            cid = cls.decode(decode_multibase(text))
            if cid.version == 0:
                raise ValueError("version 0 with a multibase")
            return cid
        except ValueError as err:
            raise InvalidCidError(f"Not a CID: {text[:100]!r} ({err})") from err

    @classmethod
    def decode(cls, data: bytes | memoryview) -> CID:
        """Of bytes with nothing after the CID. Raises InvalidCidError."""
        cid, end = cls.read(data, 0)
        if end != len(data):
            raise InvalidCidError("Not a CID: bytes follow it")
        return cid

    @classmethod
    def read(cls, data: bytes | memoryview, offset: int) -> tuple[CID, int]:
        """The CID at `offset`, and the offset after it. Raises InvalidCidError."""
        try:
            if bytes(data[offset : offset + 2]) == b"\x12\x20":
                version, codec = 0, DAG_PB
            else:
                version, offset = read_varint(data, offset)
                codec, offset = read_varint(data, offset)
                if version != 1:
                    raise ValueError(f"version {version}")
            code, offset = read_varint(data, offset)
            length, offset = read_varint(data, offset)
        except ValueError as err:
            raise InvalidCidError(f"Not a CID: {err}") from err
        digest = bytes(data[offset : offset + length])
        if len(digest) != length:
            raise InvalidCidError("Not a CID: its digest is cut")
        return cls(version, codec, code, digest), offset + length

    @cached_property
    def multihash(self) -> bytes:
        return write_varint(self.hash) + write_varint(len(self.digest)) + self.digest

    @property
    def marked(self) -> bool:
        return self.codec in MARKERS

    def plain(self) -> CID:
        """The twin that every node knows: version 1, dag-pb instead of a marker."""
        return replace(self, version=1, codec=DAG_PB if self.marked else self.codec)

    def __bytes__(self) -> bytes:
        return self.multihash if self.version == 0 else b"\1" + write_varint(self.codec) + self.multihash

    def __str__(self) -> str:
        return encode_base(self.multihash, BASE58) if self.version == 0 else encode_base32(bytes(self))


def _blake3(data: bytes) -> bytes:
    try:
        from blake3 import blake3
    except ImportError as err:
        raise MissingPackageError("A block is hashed with BLAKE3: pip install blake3", package="blake3") from err
    digest: bytes = blake3(data).digest()
    return digest


_HASHES: dict[int, Callable[[bytes], bytes]] = {
    0x12: lambda data: hashlib.sha256(data).digest(),
    0x13: lambda data: hashlib.sha512(data).digest(),
    0xB220: lambda data: hashlib.blake2b(data, digest_size=32).digest(),
    0x1E: _blake3,
}


def check_hash(cid: CID) -> None:
    """Refuses a CID that cannot be verified, before anything is fetched.

    Raises UnknownHashError or DigestLengthError.
    """
    if cid.hash == IDENTITY:
        if cid.codec != RAW and len(cid.digest) > _MAX_IDENTITY:
            raise DigestLengthError(f"An identity CID of dag-pb with {len(cid.digest)} bytes")
    elif cid.hash not in _HASHES:
        raise UnknownHashError(f"{cid} has the hash function 0x{cid.hash:x}, which is not known")
    elif len(cid.digest) < _MIN_DIGEST:
        raise DigestLengthError(f"{cid} has a digest of {len(cid.digest)} bytes: anybody can make other bytes with it")


def verify_block(cid: CID, data: bytes) -> None:
    """Raises CorruptBlockError, or what check_hash raises."""
    check_hash(cid)
    digest = data if cid.hash == IDENTITY else _HASHES[cid.hash](data)
    # of a hash, a digest may have the first 20 bytes or more
    if cid.digest != (digest if cid.hash == IDENTITY else digest[: len(cid.digest)]):
        raise CorruptBlockError(f"These {len(data)} bytes are not the block {cid}")
