"""Memory that is free inside this process, given back to the system: the C library of Linux keeps it otherwise.

Worth it behind what was large and is gone: a list of all files, what a policy was asked. It takes some milliseconds.
"""

import sys
from contextlib import suppress

LARGE = 1_000_000
"""Bytes that were needed for a moment from which on giving back is worth its time."""
MANY_FILES = 10_000
"""Files of which a list is as large."""

_ARENA_MAX = -8
"""The number of that option of the C library's (`mallopt`)."""
_ARENAS = 2
_MMAP_THRESHOLD = -3
_APART = 128 * 1024
"""Bytes of a block from which on it lies by itself, and goes back to the system as soon as it is free."""


def give_back() -> None:
    """Give back what is free, where the C library can; to be called in a thread."""
    _call("malloc_trim", 0)


def share_memory() -> None:
    """Have all threads take memory from the same places, where the C library can; to be called before they start.

    Else each thread has a place of its own, what is free in one is of no use to another, and a process of a dozen
    threads, of which one runs at a time, grows for hours.

    Large blocks lie apart from then on. The first of them to be freed, the list of all files, would move the bound for
    that up to its size, and what comes later and stays would lie behind blocks that are gone.
    """
    _call("mallopt", _ARENA_MAX, _ARENAS)
    _call("mallopt", _MMAP_THRESHOLD, _APART)


def _call(name: str, *numbers: int) -> None:
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - a command that is soon over needs it never

    with suppress(OSError, AttributeError):  # musl has no such functions
        getattr(ctypes.CDLL(None), name)(*numbers)
