"""IPNS names and DNSLinks, by the gateways.

The record of an IPNS name of an Ed25519 key (`k51...`, `12D3Koo...`) is verified: its signature and that it has not
expired, so a gateway can only send an old one that is still valid. A DNSLink has no signature: the gateway is believed,
as a resolver of DNS would be. What a name resolves to is kept for a minute, at most.
"""

from __future__ import annotations

import time

from .cache import MAX_BLOCK
from .cid import CID, LIBP2P_KEY
from .errors import GatewaysFailedError, InvalidCidError, NameNotResolvedError, PathNotFoundError
from .gateways import RAW_TYPE, Gateway, Gateways
from .http import HttpError
from .ipns import RECORD_TYPE, Record, read_record
from .multibase import BASE58, decode_base
from .tasks import Lru

_MAX_RECORD = 10 * 1024
_MAX_HOPS = 8
_KEEP = 60.0


class Names:
    def __init__(self, gateways: Gateways | None) -> None:
        self._gateways = gateways
        self._known: Lru[str, tuple[str, float]] = Lru(1000)

    async def resolve(self, path: str) -> tuple[CID, list[str]]:
        """The CID at the root of `CID/...` or `ipns/NAME/...`, and the rest of the path."""
        segments = path.split("/")
        for _ in range(_MAX_HOPS):
            if "" in segments or "." in segments or ".." in segments:
                raise PathNotFoundError(f"Not a path below a CID: {path!r}")
            if segments[0] != "ipns":
                return CID.parse(segments[0]), segments[1:]
            if len(segments) < 2:
                break
            segments = [*(await self._target(segments[1])).split("/"), *segments[2:]]
        raise NameNotResolvedError(f"{path!r} is no name, or leads to more than {_MAX_HOPS} others")

    async def _target(self, name: str) -> str:
        """`CID` or `ipns/NAME`, with a path if it has one."""
        target, until = self._known.get(name) or ("", 0.0)
        if until > time.monotonic():
            return target
        if self._gateways is None:
            raise NameNotResolvedError(f"{name} cannot be resolved: there are no gateways")
        key = _parse_key(name)
        try:
            if key is None:
                target, ttl = await self._dnslink(name), _KEEP
            else:
                record = await self._record(name, key)
                target, ttl = record.value, min(_KEEP, record.ttl)
        except GatewaysFailedError as err:
            raise NameNotResolvedError(f"{name} cannot be resolved: {err}") from err
        self._known.put(name, (target, time.monotonic() + ttl))
        return target

    async def _record(self, name: str, key: CID) -> Record:
        assert self._gateways is not None
        http = self._gateways.http
        canonical = CID(1, LIBP2P_KEY, key.hash, key.digest)

        async def ask(gateway: Gateway) -> Record:
            url = (gateway.url / "ipns" / str(canonical)).with_query(format="ipns-record")
            body, _ = await http.get(gateway.url, url, RECORD_TYPE, _MAX_RECORD)
            try:
                return read_record(canonical, body, time.time())
            except (ValueError, InvalidCidError) as err:
                raise HttpError(f"a record of {name} that does not verify: {err}", final=True) from err

        return await self._gateways.ask_all(ask, f"the record of {name}")

    async def _dnslink(self, name: str) -> str:
        assert self._gateways is not None
        http = self._gateways.http

        async def ask(gateway: Gateway) -> str:
            url = (gateway.url / "ipns" / name / "").with_query(format="raw")
            _, headers = await http.get(gateway.url, url, RAW_TYPE, MAX_BLOCK)
            try:
                return str(CID.parse(headers.get("X-Ipfs-Roots", "").split(",")[-1].strip()))
            except InvalidCidError as err:
                raise HttpError("no CID in the header X-Ipfs-Roots", final=True) from err

        return await self._gateways.ask_all(ask, f"what {name} links to")


def _parse_key(name: str) -> CID | None:
    """The key that an IPNS name is the hash of. None if it is a name of DNS."""
    try:
        if name.startswith(("12D3", "16Uiu2", "Qm")):
            return CID.decode(b"\1" + bytes([LIBP2P_KEY]) + decode_base(name, BASE58))
        cid = CID.parse(name)
    except (ValueError, InvalidCidError):
        return None
    return cid if cid.codec == LIBP2P_KEY else None
