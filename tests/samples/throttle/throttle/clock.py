"""Time, so that tests need not wait for it."""

import time
from typing import Protocol


class Clock(Protocol):
    """Something that tells the time in seconds and never goes back."""

    def now(self) -> float: ...


class SystemClock:
    """The machine's own monotonic clock."""

    def now(self) -> float:
        return time.monotonic()


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def advance(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("a clock never goes back")
        self._now += seconds
