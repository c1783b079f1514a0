"""Blocks by CID: from memory, the cache on disk, or a source, and always verified."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from .cache import DiskCache
from .cid import CID, IDENTITY, check_hash, verify_block
from .errors import CorruptBlockError, GatewaysFailedError
from .tasks import Lru, SingleFlight
from .unixfs import Node, parse_node

_MEMORY = 64 << 20
_NODES = 1024


class Source(Protocol):
    """Where blocks come from. What it returns need not be verified; without the block it raises."""

    async def fetch(self, cid: CID) -> bytes: ...

    async def close(self) -> None: ...


class Blocks:
    def __init__(self, sources: Sequence[Source], cache: DiskCache | None, concurrency: int = 16) -> None:
        self.sources = sources
        self._cache = cache
        self._turns = asyncio.Semaphore(concurrency)
        self._recent: Lru[bytes, bytes] = Lru(_MEMORY, len)
        self._nodes: Lru[CID, Node] = Lru(_NODES, lambda node: 1 + len(node.links) // 64)
        self._flights: SingleFlight[bytes, bytes] = SingleFlight()

    async def get(self, cid: CID) -> bytes:
        """A verified block. Raises what the last source raises."""
        check_hash(cid)
        if cid.hash == IDENTITY:
            return cid.digest
        key = cid.multihash
        block = self._recent.get(key)
        if block is None:
            block = await self._flights.run(key, lambda: self._remember(cid))
        return block

    async def node(self, cid: CID) -> Node:
        """The parsed block. Those of raw blocks are not kept twice."""
        node = self._nodes.get(cid)
        if node is None:
            block = await self.get(cid)
            # others who waited for the block may have parsed it
            node = self._nodes.get(cid) or parse_node(cid, block)
            if node.links or len(node.data) < 1024:
                self._nodes.put(cid, node)
        return node

    @property
    def room(self) -> int:
        """Bytes that can be kept until they are read."""
        return _MEMORY * 3 // 4 if self._cache is None else self._cache.limit // 4

    def has(self, cid: CID) -> bool:
        """Whether nothing has to be fetched for it, if what is on disk is not damaged."""
        key = cid.multihash
        if cid.hash == IDENTITY or self._recent.get(key) is not None:
            return True
        return self._cache is not None and self._cache.has(cid)

    async def keep(self, below: CID, found: Sequence[tuple[CID, bytes]]) -> None:
        """Verified blocks that came together."""
        for cid, block in found:
            self._recent.put(cid.multihash, block)
        if self._cache is not None and found:
            await asyncio.to_thread(self._cache.put_pack, below, found)

    async def open_pack(self, below: CID) -> bool:
        """Whether blocks below a directory came together earlier, and are on disk."""
        return self._cache is not None and await asyncio.to_thread(self._cache.open_pack, below)

    async def close(self) -> None:
        for source in self.sources:
            await source.close()

    async def _remember(self, cid: CID) -> bytes:
        # within the flight: whoever asks between its end and its waiters finds the block
        block = await self._load(cid)
        self._recent.put(cid.multihash, block)
        return block

    async def _load(self, cid: CID) -> bytes:
        async with self._turns:
            if self._cache is not None and self._cache.has(cid):
                block = await asyncio.to_thread(self._cached, self._cache, cid)
                if block is not None:
                    return block
            block = await self._fetch(cid)
            if self._cache is not None:
                await asyncio.to_thread(self._cache.put, cid, block)
            return block

    @staticmethod
    def _cached(cache: DiskCache, cid: CID) -> bytes | None:
        block = cache.get(cid)
        if block is not None:
            try:
                verify_block(cid, block)
            except CorruptBlockError:
                cache.remove(cid)
                return None
        return block

    async def _fetch(self, cid: CID) -> bytes:
        failures: list[str] = []
        for source in self.sources:
            try:
                block = await source.fetch(cid)
                verify_block(cid, block)
                return block
            except (GatewaysFailedError, CorruptBlockError) as err:
                if len(self.sources) == 1:
                    raise
                failures.append(str(err))
        raise GatewaysFailedError("\n".join(failures) or f"No source has the block {cid}", failures=failures)
