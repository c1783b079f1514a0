"""Small helpers for asyncio, as Python 3.10 has no TaskGroup."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


async def gather(coroutines: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in order. The first failure, or being cancelled, ends the others before it is raised."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class Lru(Generic[K, T]):
    """The values that were used last, of at most `limit` together, by what `weigh` says of each."""

    def __init__(self, limit: int, weigh: Callable[[T], int] = lambda _: 1) -> None:
        self._limit, self._weigh, self._weight = limit, weigh, 0
        self._values: OrderedDict[K, T] = OrderedDict()

    def get(self, key: K) -> T | None:
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def put(self, key: K, value: T) -> None:
        if key in self._values:
            self._weight -= self._weigh(self._values.pop(key))
        self._values[key] = value
        self._weight += self._weigh(value)
        while self._weight > self._limit:
            _, old = self._values.popitem(last=False)
            self._weight -= self._weigh(old)


class SingleFlight(Generic[K, T]):
    """Whoever asks for a value while it is made gets the same one. Who no longer waits cancels nothing for others."""

    def __init__(self) -> None:
        self._tasks: dict[K, tuple[asyncio.Future[T], list[None]]] = {}

    def __contains__(self, key: K) -> bool:
        return key in self._tasks

    async def run(self, key: K, make: Callable[[], Awaitable[T]]) -> T:
        if key not in self._tasks:
            started = asyncio.ensure_future(make())
            self._tasks[key] = (started, [])
            started.add_done_callback(lambda ended: self._end(key, ended))
        task, waiting = self._tasks[key]
        waiting.append(None)
        try:
            return await asyncio.shield(task)
        finally:
            waiting.pop()
            if not waiting and not task.done():
                self._tasks.pop(key, None)
                task.cancel()

    def _end(self, key: K, task: asyncio.Future[T]) -> None:
        if self._tasks.get(key, (None,))[0] is task:
            del self._tasks[key]
        if not task.cancelled():
            # fetched, so that nobody is told that it was not: all who waited may be gone
            task.exception()
