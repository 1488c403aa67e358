"""Ctrl-C: the first ends what is under way, and what is known is told; one that follows at once changes nothing."""

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 1.0
"""Seconds after an interrupt in which another one passes.

One press reaches a process twice where its parent hands it on too, and cut off, nobody could read what is known.
"""


@contextmanager
def cancelled_once() -> Iterator[None]:
    """Cancel the running task at an interrupt; one that comes more than a moment later ends the process as ever."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    began: list[float] = []

    def heard(*_: object) -> None:
        if not began and task is not None:
            began.append(time.monotonic())
            loop.call_soon_threadsafe(task.cancel)
        else:
            _raise_after(began[0])

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):  # nobody interrupts it
        yield
        return
    signal.signal(signal.SIGINT, heard)
    try:
        yield
    finally:
        if not began:
            signal.signal(signal.SIGINT, before)


def be_patient() -> None:
    """Let interrupts pass that follow at once on one that was heard."""
    began = time.monotonic()
    signal.signal(signal.SIGINT, lambda *_: _raise_after(began))


def _raise_after(began: float) -> None:
    if time.monotonic() - began > _PATIENCE:
        raise KeyboardInterrupt
