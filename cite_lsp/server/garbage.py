"""Garbage, looked for while nobody waits.

What documents are made of holds no cycles, so the look that Python takes by itself is put off for very long: a full one
stops everything. Yet cycles there are, in what sessions with judges leave behind, in connections, in spaces and
documents that were closed; what hangs on them would stay for hours.
"""

import asyncio
import gc
import time
from collections.abc import Callable

_BETWEEN = 20.0
"""Seconds from one look to the next, at least."""
_TIMES = 1_000.0
"""How many times as long as a look takes lies between two, at least."""
_REST = 0.5
"""Seconds without a message before one is taken: somebody who types is not kept waiting."""


class Garbage:
    """Looks for garbage on a loop behind messages, once none has come for a while; never where none comes.

    `collect` looks; `given_back` is called in a thread once it has.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        given_back: Callable[[], object],
        collect: Callable[[], object] = gc.collect,
    ) -> None:
        self._loop = loop
        self._collect = collect
        self._given_back = given_back
        self._between = _BETWEEN
        self._heard = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def heard(self) -> None:
        """Take note that messages came."""
        self._heard = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._between, self._look)

    def _look(self) -> None:
        left = self._heard + _REST - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._look)
            return
        self._timer = None
        began = time.perf_counter()
        self._collect()
        self._between = max(_BETWEEN, _TIMES * (time.perf_counter() - began))
        self._loop.run_in_executor(None, self._given_back)
