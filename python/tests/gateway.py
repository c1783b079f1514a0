"""A gateway on loopback that serves the blocks of a Store, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

from aiohttp import web

from ipfsz.cid import CID

Behaviour = Callable[[web.Request, bytes | None], Awaitable[web.StreamResponse]]


async def serve(_: web.Request, block: bytes | None) -> web.StreamResponse:
    if block is None:
        return web.Response(status=404)
    return web.Response(body=block, content_type="application/vnd.ipld.raw")


class Gateway:
    """With `blocks` by multihash. `behave` answers requests; `paths` are those that were asked for."""

    def __init__(self, blocks: dict[bytes, bytes], behave: Behaviour = serve) -> None:
        self.blocks, self.behave = blocks, behave
        self.paths: list[str] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Gateway:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(self._runner.cleanup())
        self._loop.close()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/{rest:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path)
        parts = request.path.split("/")
        block = self.blocks.get(CID.parse(parts[2]).multihash) if parts[1] == "ipfs" else None
        return await self.behave(request, block)
