"""HTTP that is safe with gateways that are not trusted: bounded bodies and times, no way into private networks."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

_MAX_REDIRECTS = 5
#: With an address of version 4 in their last bytes: NAT64, and those that are "compatible" with it.
_WITH_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
#: Private in fact, but not for every version of Python: NAT64 and sites of one's own, and what clouds have inside.
_PRIVATE = tuple(map(ip_network, ("64:ff9b:1::/48", "fec0::/10", "192.0.0.0/24", "168.63.129.16/32")))


class HttpError(Exception):
    """A request that failed. `final`: it would fail again. `lies`: the gateway cannot be trusted or used."""

    def __init__(
        self, message: str, *, final: bool = False, lies: bool = False, wait: float = 0, status: int = 0
    ) -> None:
        super().__init__(message)
        self.final, self.lies, self.wait, self.status = final, lies, wait, status


def is_public(address: str) -> bool:
    ip = ip_address(address.partition("%")[0])
    inner: list[IPv4Address] = []
    if isinstance(ip, IPv6Address):
        # an address of version 4 in one of version 6, which a router may unwrap
        inner = [*filter(None, (ip.ipv4_mapped, ip.sixtofour)), *(ip.teredo or ())]
        if any(ip in network for network in _WITH_IPV4):
            inner.append(IPv4Address(int(ip) & 0xFFFFFFFF))
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
    return all(
        one.is_global and not one.is_multicast and not any(one in network for network in _PRIVATE)
        for one in (ip, *inner)
    )


def is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


class _Resolver(AbstractResolver):
    """Names below `localhost` are this machine (RFC 6761). With `public`, private networks are not reached."""

    def __init__(self, public: bool) -> None:
        self._inner = aiohttp.ThreadedResolver()
        self._public = public

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._inner.resolve("localhost" if is_loopback(host) else host, port, family)
        if self._public:
            found = [result for result in found if is_public(result["host"])]
            if not found:
                raise OSError(f"{host} is in a private network")
        return found

    async def close(self) -> None:
        await self._inner.close()


class Http:
    """GET requests of one event loop."""

    def __init__(self, timeout: float, stall_timeout: float, headers: dict[str, str] | None = None) -> None:
        self._timeout, self._stall = timeout, min(stall_timeout, timeout)
        self._headers = {"Accept-Encoding": "identity", "User-Agent": "ipfsz-python"}
        #: For the gateways themselves: they may hold secrets, and do not follow redirects.
        self._own_headers = headers or {}
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def get(self, origin: URL, url: URL, accept: str, limit: int) -> tuple[bytes, Mapping[str, str]]:
        """Body and headers of a response with the status 200. `origin` is the gateway that the user named.

        Raises HttpError.
        """
        end = time.monotonic() + self._timeout
        try:
            for _ in range(_MAX_REDIRECTS + 1):
                # of all redirects together
                left = max(0.001, end - time.monotonic())
                timeout = aiohttp.ClientTimeout(total=left, sock_connect=self._stall, sock_read=self._stall)
                session = self._session(self._may_be_private(origin, url))
                headers = {"Accept": accept, **(self._own_headers if url.origin() == origin.origin() else {})}
                async with session.get(url, headers=headers, allow_redirects=False, timeout=timeout) as response:
                    if response.status in (301, 302, 303, 307, 308):
                        url = self._redirect(url, response)
                        continue
                    return await self._body(response, limit), response.headers
            raise HttpError(f"more than {_MAX_REDIRECTS} redirects", final=True)
        except asyncio.TimeoutError as err:
            raise HttpError("it does not answer in time") from err
        except (aiohttp.ClientError, OSError, ValueError) as err:
            raise HttpError(f"{type(err).__name__}: {err}") from err

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()
        self._sessions.clear()

    def _session(self, private: bool) -> aiohttp.ClientSession:
        if private not in self._sessions:
            connector = aiohttp.TCPConnector(resolver=_Resolver(not private), limit=0, limit_per_host=32)
            self._sessions[private] = aiohttp.ClientSession(
                connector=connector, headers=self._headers, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self._sessions[private]

    @staticmethod
    def _may_be_private(origin: URL, url: URL) -> bool:
        """The gateway itself, wherever the user has it; and on this machine, its subdomains of localhost."""
        if url.origin() == origin.origin():
            return True
        host = url.host or ""
        if is_loopback(host) and is_loopback(origin.host or "") and url.port == origin.port:
            return True
        try:
            public = is_public(host)
        except ValueError:
            return False
        if not public:
            raise HttpError(f"it redirects to {host}, in a private network", final=True)
        return False

    @staticmethod
    def _redirect(url: URL, response: aiohttp.ClientResponse) -> URL:
        target = url.join(URL(response.headers.get("Location", "")))
        if target.scheme not in ("http", "https") or not target.host or target.user:
            raise HttpError(f"it redirects to {str(target)[:200]!r}", final=True)
        return target

    async def _body(self, response: aiohttp.ClientResponse, limit: int) -> bytes:
        if response.status != 200:
            final = response.status < 500 and response.status not in (408, 425, 429)
            raise HttpError(
                f"status {response.status}", final=final, wait=_retry_after(response), status=response.status
            )
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise HttpError("it encodes the body, without being asked to", final=True)
        if (response.content_length or 0) > limit:
            raise HttpError(f"a body of {response.content_length} bytes", final=True)
        parts, size = [], 0
        async for part in response.content.iter_any():
            size += len(part)
            if size > limit:
                response.close()
                raise HttpError(f"a body of more than {limit} bytes", final=True)
            parts.append(part)
        return b"".join(parts)


def _retry_after(response: aiohttp.ClientResponse) -> float:
    text = response.headers.get("Retry-After", "")
    return float(text) if text.isdecimal() and len(text) < 5 else 0
