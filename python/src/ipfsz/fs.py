"""The file systems of fsspec: `ipfsz://`, `ipfs://` and `ipns://`. One class of 200 lines, because fsspec wants one."""

from __future__ import annotations

import asyncio
import os
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import wait
from datetime import datetime, timezone
from typing import Any

from fsspec.asyn import AsyncFileSystem, get_loop

from .ahead import Ahead
from .blocks import Blocks, Source
from .cache import DEFAULT_CACHE_BYTES, DiskCache, default_directory
from .car import CarSource
from .cid import RAW
from .errors import ReadOnlyError
from .file_object import IpfszFile
from .files import read_ranges
from .gateways import Gateways, default_gateways
from .http import Http
from .names import Names
from .reader import Reader
from .tasks import gather
from .unixfs import Link

_MAX_STREAM = 1 << 30
_PIECE = 32 << 20
_CLOSE_SECONDS = 2

_Readers = weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Reader]


class IpfszFileSystem(AsyncFileSystem):  # type: ignore[misc]
    """Reads files and directories of IPFS by CID, compressed with IPFSz or not. Every block is compared with its CID.

    A marked CID gives the original bytes, a plain one what is stored, as with any IPFS node. Paths are `CID/path` or
    `ipns/NAME/path`, with any of the protocols before them.

    Parameters
    ----------
    gateways: URLs of HTTP gateways, in the order in which they are asked. Default: `$IPFSZ_GATEWAYS`, `$IPFS_GATEWAY`,
        `~/.ipfs/gateway`, else one at 127.0.0.1:8080 and then https://trustless-gateway.link
    cars: paths of CAR files to read blocks from, before gateways are asked
    cache: directory of blocks that processes share, or False. Default: `$IPFSZ_CACHE`, else below the user's caches
    cache_size: bytes in it
    timeout, stall_timeout: seconds for one block from one gateway, and without any byte of it
    retries: how often all gateways are asked anew
    concurrency: blocks that are fetched at a time
    max_stream: bytes of the original of a stream that another tool made
    headers: for the requests to the gateways, such as Authorization. Redirects to other hosts do not get them
    """

    protocol = ("ipfsz", "ipfs", "ipns")
    root_marker = ""
    cachable = True
    async_impl = True
    mirror_sync_methods = True

    def __init__(
        self,
        gateways: Sequence[str] | str | None = None,
        cars: Sequence[str | os.PathLike[str]] = (),
        cache: str | os.PathLike[str] | bool | None = None,
        cache_size: int = DEFAULT_CACHE_BYTES,
        timeout: float = 60,
        stall_timeout: float = 10,
        retries: int = 2,
        concurrency: int = 16,
        max_stream: int = _MAX_STREAM,
        headers: dict[str, str] | None = None,
        asynchronous: bool = False,
        loop: asyncio.AbstractEventLoop | None = None,
        **kwargs: Any,
    ) -> None:
        self._pid: int
        self._loop: asyncio.AbstractEventLoop | None
        super().__init__(asynchronous=asynchronous, loop=loop, **kwargs)
        self.gateways = [gateways] if isinstance(gateways, str) else gateways
        self._cars = [cars] if isinstance(cars, (str, os.PathLike)) else list(cars)
        directory = default_directory() if cache is None or cache is True else cache
        self._cache = DiskCache(directory, cache_size) if directory else None
        self._timeouts, self._retries = (timeout, stall_timeout), retries
        self._concurrency, self._max_stream, self._headers = concurrency, max_stream, headers
        self._readers = _Readers()
        weakref.finalize(self, _close, self._readers)
        self._lock = threading.Lock()

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """After a fork, that of the new process: the thread of the old one is not there."""
        self._after_fork()
        return self._loop

    def _after_fork(self) -> None:
        if self._pid != os.getpid():
            # locks may be held by threads that are not here
            self._pid, self._lock, self._readers = os.getpid(), threading.Lock(), _Readers()
            self._cache = None if self._cache is None else DiskCache(self._cache.root, self._cache.limit)
            self._loop = None if self.asynchronous else get_loop()

    @property
    def reader(self) -> Reader:
        """Of the running event loop: connections and what waits for them cannot be shared by two."""
        loop = asyncio.get_running_loop()
        self._after_fork()
        with self._lock:
            if loop not in self._readers:
                self._readers[loop] = self._new_reader()
            return self._readers[loop]

    def _new_reader(self) -> Reader:
        sources: list[Source] = [CarSource(path) for path in self._cars]
        urls = self.gateways
        if urls is None:
            urls = [] if sources else default_gateways()
        gateways = Gateways(urls, Http(*self._timeouts, self._headers), self._retries) if urls else None
        if gateways is not None:
            sources.append(gateways)
        blocks = Blocks(sources, self._cache, self._concurrency)
        ahead = Ahead(blocks, gateways.fetch_below if gateways is not None and not self._cars else None)
        return Reader(blocks, Names(gateways), ahead, self._max_stream)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        path = os.fspath(path)
        for protocol in cls.protocol:
            if path.startswith(f"{protocol}://"):
                path = ("ipns/" if protocol == "ipns" else "") + path[len(protocol) + 3 :]
                break
        path = path.strip("/")
        return path[5:] if path.startswith("ipfs/") else path

    def unstrip_protocol(self, name: str) -> str:
        path = self._strip_protocol(name)
        return f"ipns://{path[5:]}" if path.startswith("ipns/") else f"ipfsz://{path}"

    async def _info(self, path: str, **kwargs: Any) -> dict[str, Any]:
        path = self._strip_protocol(path)
        entry = await self.reader.resolve(path)
        info = entry.describe(path)
        if info["type"] == "file" and info["size"] is None:
            info["size"] = (await self.reader.open(entry)).size
        return info

    async def _ls(self, path: str, detail: bool = True, **kwargs: Any) -> list[Any]:
        path = self._strip_protocol(path)
        reader = self.reader
        entry = await reader.resolve(path)
        if not entry.is_directory:
            return [await self._info(path)] if detail else [path]
        links = await reader.list(entry)
        if not detail:
            return sorted(f"{path}/{link.name}" for link in links)

        async def describe(link: Link) -> dict[str, Any]:
            name = f"{path}/{link.name}"
            if link.cid.codec == RAW:
                # what the directory says: the block is not fetched for it, and read with its true size
                return {"name": name, "size": link.tsize, "type": "file", "cid": str(link.cid), "stored": link.tsize}
            return (await reader.child(entry, link.cid)).describe(name)

        found: list[dict[str, Any]] = []
        for at in range(0, len(links), 256):
            found += await gather(describe(link) for link in links[at : at + 256])
        return sorted(found, key=lambda info: str(info["name"]))

    async def _cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        return (await self._read(path, [(start, end)]))[0]

    async def _cat_ranges(
        self,
        paths: list[str],
        starts: Any,
        ends: Any,
        max_gap: int | None = None,
        batch_size: int | None = None,
        on_error: str = "return",
        **kwargs: Any,
    ) -> list[Any]:
        """Ranges of many files. A file is opened once, and a frame that several ranges need is fetched once."""
        if not isinstance(starts, (list, tuple)):
            starts = [starts] * len(paths)
        if not isinstance(ends, (list, tuple)):
            ends = [ends] * len(paths)
        if len(starts) != len(paths) or len(ends) != len(paths):
            raise ValueError("paths, starts and ends have different lengths")
        by_path: dict[str, list[int]] = {}
        for index, path in enumerate(paths):
            by_path.setdefault(path, []).append(index)
        out: list[Any] = [None] * len(paths)
        turns = asyncio.Semaphore(batch_size or 64)

        async def read(path: str, indices: list[int]) -> None:
            async with turns:
                try:
                    found: Sequence[Any] = await self._read(path, [(starts[i], ends[i]) for i in indices])
                except Exception as err:
                    if on_error != "return":
                        raise
                    found = [err] * len(indices)
            for index, data in zip(indices, found, strict=True):
                out[index] = data

        await gather(read(path, indices) for path, indices in by_path.items())
        return out

    async def _read(self, path: str, ranges: list[tuple[int | None, int | None]]) -> list[bytes]:
        reader = self.reader
        file = await reader.open(await reader.resolve(self._strip_protocol(path)))
        return await read_ranges(file, [_within(file.size, *one) for one in ranges])

    async def _get_file(self, rpath: str, lpath: str, callback: Any = None, **kwargs: Any) -> None:
        reader = self.reader
        entry = await reader.resolve(self._strip_protocol(rpath))
        if entry.is_directory:
            os.makedirs(lpath, exist_ok=True)
            return
        file = await reader.open(entry)
        if callback is not None:
            callback.set_size(file.size)
        os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
        with open(lpath, "wb") as out:
            for start in range(0, file.size, _PIECE):
                (data,) = await read_ranges(file, [(start, min(file.size, start + _PIECE))])
                await asyncio.to_thread(out.write, data)
                if callback is not None:
                    callback.relative_update(len(data))

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: int | None = None,
        autocommit: bool = True,
        cache_options: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> IpfszFile:
        if mode != "rb":
            raise ReadOnlyError(f"Only `ipfsz add` writes: {path} cannot be opened with the mode {mode!r}")
        kwargs.setdefault("cache_type", "ipfsz")
        kwargs.setdefault("size", None)
        return IpfszFile(self, path, mode, block_size, autocommit, cache_options=cache_options, **kwargs)

    def ukey(self, path: str) -> str:
        """What changes if the content does: nothing below a CID."""
        return str(self.info(path)["cid"])

    def modified(self, path: str) -> datetime:
        """The time that is stored, or 1970. What a name leads to may have changed now."""
        if self._strip_protocol(path).startswith("ipns/"):
            return datetime.now(timezone.utc)
        return datetime.fromtimestamp(self.info(path).get("mtime") or 0, timezone.utc)

    created = modified


def _close(readers: _Readers) -> None:
    """Connections are closed in the event loop that has them."""
    for loop, reader in readers.items():
        if loop.is_running():
            closing = asyncio.run_coroutine_threadsafe(reader.blocks.close(), loop)
            if not threading.main_thread().is_alive():
                # at exit: the loop's thread ends with the process. Earlier, waiting could block that thread
                wait([closing], _CLOSE_SECONDS)


def _within(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    """As slices of Python: negative numbers count from the end, and what is outside is cut off."""
    first, last, _ = slice(start, end).indices(size)
    return first, max(first, last)
