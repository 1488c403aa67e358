"""Memory that is free inside this process, given back to the system: the C library of Linux keeps it otherwise.

Worth it behind what was large and is gone: a list of all files, what a policy was asked. It takes some milliseconds.
"""

import sys
from contextlib import suppress

LARGE = 1_000_000
"""Bytes that were needed for a moment from which on giving back is worth its time."""


def give_back() -> None:
    """Give back what is free, where the C library can; to be called in a thread."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - small sessions need it never

    with suppress(OSError, AttributeError):  # musl has no such function
        ctypes.CDLL(None).malloc_trim(0)
