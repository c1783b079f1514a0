"""IPNS records (https://specs.ipfs.tech/ipns/ipns-record/), of Ed25519 keys: their signature of version 2."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone

from .cbor import decode_cbor
from .cid import CID, DAG_PB, IDENTITY, MARKERS
from .ed25519 import verify_ed25519
from .protobuf import BYTES, read_fields

RECORD_TYPE = "application/vnd.ipfs.ipns-record"
_PREFIX = b"ipns-signature:"
#: A public key of libp2p: type Ed25519, and 32 bytes.
_ED25519 = b"\x08\x01\x12\x20"


@dataclass(frozen=True)
class Record:
    #: `CID` or `ipns/NAME`, with a path if it has one.
    value: str
    #: Seconds that it may be kept.
    ttl: float


def read_record(name: CID, record: bytes, now: float) -> Record:
    """Raises ValueError if it is not a record of this name that is valid `now`, in seconds since 1970."""
    if name.hash != IDENTITY or len(name.digest) != 36 or not name.digest.startswith(_ED25519):
        raise ValueError("its key is not Ed25519, and this package verifies no others")
    fields = {number: bytes(data) for number, wire, _, data in read_fields(memoryview(record)) if wire == BYTES}
    signature, data = fields.get(8, b""), fields.get(9, b"")
    if not verify_ed25519(name.digest[4:], _PREFIX + data, signature):
        raise ValueError("its signature does not match")
    values = decode_cbor(data)
    if not isinstance(values, dict):
        raise ValueError("its data is not a map")
    value, validity, ttl = values.get("Value"), values.get("Validity"), values.get("TTL", 0)
    if not isinstance(value, bytes) or not isinstance(validity, bytes) or not isinstance(ttl, int):
        raise ValueError("its data has no value or validity")
    marker = values.get("_ipfsz")
    if marker is not None and not isinstance(marker, int):
        raise ValueError("its marker is no number")
    if values.get("ValidityType") != 0 or _seconds(validity.decode()) < now:
        raise ValueError("it has expired")
    path = value.decode()
    if not path.startswith(("/ipfs/", "/ipns/")):
        raise ValueError(f"it leads to {path[:100]!r}")
    path = path.removeprefix("/ipfs/").removeprefix("/").rstrip("/")
    return Record(_mark(path, marker), ttl / 1e9)


def _mark(path: str, marker: int | None) -> str:
    """Records have plain CIDs, which all nodes know, and the marker of ours beside them (docs/format.md, section 1).

    Raises ValueError if the root cannot have the marker.
    """
    if marker is None or path.startswith("ipns/"):
        return path
    root, slash, rest = path.partition("/")
    cid = CID.parse(root)
    if marker not in MARKERS or cid.codec != DAG_PB:
        raise ValueError(f"its marker 0x{marker:x} does not fit {root[:100]}")
    return f"{replace(cid, version=1, codec=marker)}{slash}{rest}"


def _seconds(text: str) -> float:
    """Of RFC 3339 with nanoseconds, which datetime does not read."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    moment = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=timezone.utc)
    return moment.timestamp() + (float("0." + fraction) if fraction else 0)
