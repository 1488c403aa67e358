"""What is being closed while the rest goes on."""

import asyncio
import logging
from collections.abc import Awaitable


class Closing:
    """Closes things one beside the other, and remembers which have not ended."""

    def __init__(self, log: logging.Logger, what: str) -> None:
        """Take where it is said that one could not be closed, and what one is called there."""
        self._log = log
        self._what = what
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether some are being closed."""
        return bool(self._tasks)

    def begin(self, closing: Awaitable[None]) -> None:
        """Let one close, without waiting."""
        task: asyncio.Task[None] = asyncio.ensure_future(closing)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    async def ended(self, seconds: float) -> None:
        """Wait until all that are being closed are, for so long at most."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._log.warning("%s could not be closed: %s", self._what, type(error).__name__)
