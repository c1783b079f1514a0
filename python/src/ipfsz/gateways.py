"""HTTP gateways as a source of blocks (https://specs.ipfs.tech/http-gateways/trustless-gateway/)."""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from yarl import URL

from .cache import MAX_BLOCK
from .car import read_below
from .cid import CID, verify_block
from .errors import CorruptBlockError, GatewaysFailedError, IpfszError
from .http import Http, HttpError
from .unixfs import Node

T = TypeVar("T")

RAW_TYPE = "application/vnd.ipld.raw"
CAR_TYPE = "application/vnd.ipld.car; version=1; order=dfs; dups=n"
#: Tried if nothing else says which gateways there are: one on this machine, and the one of the IPFS Foundation.
DEFAULT_GATEWAYS = ("http://127.0.0.1:8080", "https://trustless-gateway.link")
_MAX_WAIT = 10.0
#: How long a gateway comes after the others: one that failed, and one that sent other bytes than it was asked for.
_PAUSE_FAILED, _PAUSE_LIED = 30.0, 600.0


def default_gateways() -> list[str]:
    """Of `$IPFSZ_GATEWAYS`, else `$IPFS_GATEWAY`, else the file `~/.ipfs/gateway`, else DEFAULT_GATEWAYS."""
    for variable in ("IPFSZ_GATEWAYS", "IPFS_GATEWAY"):
        found = [url for url in re.split(r"[\s,]+", os.environ.get(variable, "")) if url]
        if found:
            return found
    try:
        found = (Path(os.environ.get("IPFS_PATH") or Path.home() / ".ipfs") / "gateway").read_text().split()
    except OSError:
        found = []
    return found or list(DEFAULT_GATEWAYS)


@dataclass
class Gateway:
    url: URL
    #: When it is asked again before others, by time.monotonic().
    rested: float = 0
    #: When it is asked for a CAR again, likewise.
    cars_rested: float = 0

    @property
    def name(self) -> str:
        """The URL without a password."""
        return str(self.url.with_user(None))


class Gateways:
    """Asks them in order, goes on to the next one if one fails, and begins anew `retries` times."""

    def __init__(self, urls: Sequence[str], http: Http, retries: int = 2) -> None:
        self._gateways = [Gateway(_parse(url)) for url in urls]
        self.http = http
        self._retries = retries
        self.requests = 0

    async def fetch(self, cid: CID) -> bytes:
        """A verified block. Raises GatewaysFailedError."""
        path = f"ipfs/{cid.plain() if cid.marked else cid}"

        async def ask(gateway: Gateway) -> bytes:
            url = (gateway.url / path).with_query(format="raw")
            block, headers = await self.http.get(gateway.url, url, RAW_TYPE, MAX_BLOCK)
            try:
                verify_block(cid, block)
            except CorruptBlockError as err:
                kind = headers.get("Content-Type", "no type")
                raise HttpError(f"{len(block)} other bytes ({kind})", final=True, lies=True) from err
            return block

        return await self.ask_all(ask, f"the block {cid}")

    async def fetch_below(self, cid: CID, limit: int) -> list[tuple[CID, Node, bytes]]:
        """The verified blocks below a CID, from the gateway that is asked first. Empty if it sends no CAR of them."""
        gateway = min(self._gateways, key=lambda gateway: gateway.rested > time.monotonic())
        if gateway.cars_rested > time.monotonic():
            return []
        self.requests += 1
        url = (gateway.url / f"ipfs/{cid.plain()}").with_query({"format": "car", "dag-scope": "all"})
        try:
            car, _ = await self.http.get(gateway.url, url, CAR_TYPE, limit)
            return await asyncio.to_thread(read_below, cid, car)
        except (HttpError, ValueError, IpfszError) as err:
            gateway.cars_rested = time.monotonic() + _PAUSE_LIED
            if isinstance(err, CorruptBlockError):
                gateway.rested = gateway.cars_rested
            return []

    async def ask_all(self, ask: Callable[[Gateway], Awaitable[T]], what: str) -> T:
        """What the first gateway answers that does. Raises GatewaysFailedError."""
        failures: dict[str, str] = {}
        for attempt in range(self._retries + 1):
            again, wait = False, 0.0
            for gateway in sorted(self._gateways, key=lambda gateway: gateway.rested > time.monotonic()):
                self.requests += 1
                try:
                    answer = await ask(gateway)
                    gateway.rested = 0
                    return answer
                except HttpError as err:
                    failures[gateway.name] = str(err)
                    again, wait = again or not err.final, max(wait, err.wait)
                    if err.lies or not err.status:
                        gateway.rested = time.monotonic() + (_PAUSE_LIED if err.lies else _PAUSE_FAILED)
            if not again or attempt == self._retries:
                break
            await asyncio.sleep(min(_MAX_WAIT, max(wait, 0.2 * 2**attempt * random.uniform(0.5, 1.5))))
        lines = [f"{url}: {failure}" for url, failure in failures.items()]
        raise GatewaysFailedError(f"No gateway sent {what}: " + ("; ".join(lines) or "none is known"), failures=lines)

    async def close(self) -> None:
        await self.http.close()


def _parse(text: str) -> URL:
    try:
        url = URL(text)
    except ValueError:
        # the cause repeats the URL
        raise IpfszError(f"Not the URL of a gateway: {_without_secrets(text)!r}") from None
    if url.scheme not in ("http", "https") or not url.host:
        raise IpfszError(f"Not the URL of a gateway: {_without_secrets(text)!r}")
    return url.with_query(None).with_fragment(None)


def _without_secrets(text: str) -> str:
    """Without a user, a password and a query: messages end in logs."""
    host = re.sub(r"^([a-z][a-z\d+.-]*:/+|/*).*@", r"\1***@", text, flags=re.I | re.S)
    return re.sub(r"[?#].*", "?***", host, flags=re.S)
