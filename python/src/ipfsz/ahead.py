"""Small files of a directory, fetched before they are asked for: many with one request, instead of one for each.

Who reads some files of a directory mostly reads more of them, as Zarr reads chunks. A gateway sends all that is below a
directory, or below a shard of one, as a CAR (https://specs.ipfs.tech/http-gateways/trustless-gateway/). It is asked for
one if what was fetched in this way and not read yet stays within four times of what was read. So a reader fetches at
most five times its bytes, and one that reads all of a directory soon needs few requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .blocks import Blocks
from .cid import CID
from .directories import is_directory
from .tasks import Lru, SingleFlight
from .unixfs import Link, Node

Found = tuple[CID, Node, bytes]
#: The verified blocks below a CID, in a response of at most so many bytes. Empty if no gateway sends them.
FetchBelow = Callable[[CID, int], Awaitable[list[Found]]]

_TIMES = 4
#: What a file counts at least: a request takes the time of so many bytes.
_REQUEST = 16 << 10
#: Bytes below one CID.
_MAX_BELOW = 8 << 20
_AT_A_TIME = 4


class _Root:
    """Bytes that were read below a root, and of files that were fetched and not read yet, by multihash and in all."""

    def __init__(self) -> None:
        self.read = self.unread = 0
        self.files: dict[bytes, int] = {}


class Ahead:
    """Nothing that fails here is an error: blocks are fetched one by one then."""

    def __init__(self, blocks: Blocks, fetch_below: FetchBelow | None) -> None:
        self._blocks, self._fetch_below = blocks, fetch_below
        self._roots: Lru[bytes, _Root] = Lru(64)
        #: Whether a CAR of what is below was asked for, or found on disk. Not: it was only looked for there.
        self._asked: Lru[bytes, bool] = Lru(10_000)
        self._looks: SingleFlight[bytes, None] = SingleFlight()
        self._flights: SingleFlight[bytes, None] = SingleFlight()
        self._turns = asyncio.Semaphore(_AT_A_TIME)

    async def below(self, root: CID, cid: CID, size: int, wanted: CID) -> None:
        """Before `wanted` is read. It is, or is below, `cid`: a directory or shard that holds `size` bytes in all."""
        key, state = cid.multihash, self._root(root)
        if self._asked.get(key):
            return
        if key not in self._flights:
            if self._blocks.has(wanted):
                return
            if self._asked.get(key) is None:
                await self._looks.run(key, lambda: self._look(cid))
                if self._asked.get(key):
                    return
            if self._fetch_below is None:
                return
            room = min(self._blocks.room, _TIMES * state.read) - state.unread
            if not 0 < size <= min(_MAX_BELOW, room):
                return
        await self._flights.run(key, lambda: self._fetch(state, cid, size))

    def reads(self, root: CID, link: Link) -> None:
        """Counts a file that is read now."""
        state = self._root(root)
        size = state.files.pop(link.cid.multihash, None)
        if size is not None:
            state.unread -= size
        if size is not None or not self._blocks.has(link.cid):
            state.read += max(_REQUEST, link.tsize)

    def _root(self, root: CID) -> _Root:
        state = self._roots.get(root.multihash)
        if state is None:
            state = _Root()
            self._roots.put(root.multihash, state)
        return state

    async def _look(self, cid: CID) -> None:
        self._asked.put(cid.multihash, await self._blocks.open_pack(cid))

    async def _fetch(self, state: _Root, cid: CID, size: int) -> None:
        assert self._fetch_below is not None
        state.unread += size
        try:
            async with self._turns:
                # each block comes with its CID and its length
                found = await self._fetch_below(cid, 2 * size + (64 << 10))
                await self._blocks.keep(cid, [(key, block) for key, _, block in found])
        finally:
            state.unread -= size
            self._asked.put(cid.multihash, True)
        directories = {key.multihash for key, node, _ in found if is_directory(node)}
        there = {key.multihash for key, _, _ in found} - directories
        for _, node, _ in found:
            for link in node.links if is_directory(node) else ():
                key = link.cid.multihash
                if key in there and key not in state.files:
                    state.files[key] = link.tsize
                    state.unread += link.tsize
