"""What is to be done in a moment: once, however often it is asked for."""

import asyncio
from collections.abc import Callable


class Timers:
    """Named timers on the running loop."""

    def __init__(self) -> None:
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def later(self, name: str, seconds: float, call: Callable[[], object]) -> None:
        """Call once after so many seconds; while it waits, it is not asked for again."""
        if name not in self._timers:
            self._start(name, seconds, call)

    def after_rest(self, name: str, seconds: float, call: Callable[[], object]) -> None:
        """Call once when it was not asked for again for so many seconds."""
        if name in self._timers:
            self._timers[name].cancel()
        self._start(name, seconds, call)

    @property
    def waiting(self) -> bool:
        """Whether something is to be done yet."""
        return bool(self._timers)

    def close(self) -> None:
        """Stop all."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def _start(self, name: str, seconds: float, call: Callable[[], object]) -> None:
        def run() -> None:
            del self._timers[name]
            call()

        self._timers[name] = asyncio.get_running_loop().call_later(seconds, run)
