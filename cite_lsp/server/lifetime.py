"""Waiting for the end of another process, which is not our child."""

import os
import sys
import time

POLL = 1.0
"""Seconds between two looks."""


def wait_for_end(number: int) -> bool:
    """Return True when process `number` has ended; False at once where there is no such process to begin with."""
    return _wait_on_windows(number) if sys.platform == "win32" else _poll(number)


def _poll(number: int) -> bool:
    is_parent = os.getppid() == number
    if not is_parent and not _is_there(number):
        return False
    while _is_there(number) and not (is_parent and os.getppid() != number):
        time.sleep(POLL)
    return True


def _is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _wait_on_windows(number: int) -> bool:
    import ctypes  # noqa: PLC0415

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - it is there on Windows only
    synchronize, forever = 0x00100000, 0xFFFFFFFF
    handle = kernel.OpenProcess(synchronize, 0, number)
    if not handle:
        return False
    kernel.WaitForSingleObject(handle, forever)
    kernel.CloseHandle(handle)
    return True
