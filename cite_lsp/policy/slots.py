"""Work side by side that comes out as if it had been done in turn (reference-policy.md, 1.13)."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, TypeVar

from cite_lsp.policy.progress import Stop

T = TypeVar("T")


async def in_slots(
    items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, None]], concurrency: int, stop: Stop
) -> None:
    """Do the work on each item, on so many at once.

    Items are taken when their turn comes. Where the work on one raises, no further item is started, those after it are
    cancelled, those before it end, and the first failure in the order of the items is raised. Where the run is stopped,
    what is under way is cancelled and nothing is raised.
    """
    slots = _Slots(stop)
    try:
        await slots.fill(iter(items), work, concurrency)
    finally:
        await slots.clear()
    slots.raise_first()


class _Slots:
    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._stopped = asyncio.ensure_future(stop.wait())
        self._running: dict[asyncio.Task[None], int] = {}
        self._cancelled: set[asyncio.Task[None]] = set()
        self._failures: dict[int, BaseException] = {}
        self._started = 0

    async def fill(self, items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, None]], concurrency: int) -> None:
        turns = iter(items)
        while True:
            while self._may_start() and len(self._running) < concurrency:
                try:
                    item = next(turns)
                except StopIteration:
                    break
                self._running[asyncio.create_task(work(item))] = self._started
                self._started += 1
            if not self._running:
                return
            await self._wait()

    async def clear(self) -> None:
        self._cancel(0)
        self._stopped.cancel()
        await asyncio.gather(*self._running, self._stopped, return_exceptions=True)

    def raise_first(self) -> None:
        if self._failures:
            raise self._failures[min(self._failures)]

    def _may_start(self) -> bool:
        return not self._failures and not self._stop.reason

    async def _wait(self) -> None:
        waited: list[asyncio.Future[Any]] = [*self._running]
        if not self._stop.reason:
            waited.append(self._stopped)
        done, _ = await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        for task in [each for each in self._running if each in done]:
            self._end(task)
        if self._stop.reason:
            self._cancel(0)
        elif self._failures:
            self._cancel(min(self._failures))

    def _end(self, task: asyncio.Task[None]) -> None:
        number = self._running.pop(task)
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None and task not in self._cancelled:
            self._failures[number] = error

    def _cancel(self, first: int) -> None:
        for task, number in self._running.items():
            if number >= first and task not in self._cancelled:
                self._cancelled.add(task)
                task.cancel()
