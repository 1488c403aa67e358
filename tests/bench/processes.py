"""What the system says of a process: memory, processor time, children. Linux only; None elsewhere."""

import os
from pathlib import Path

_PROC = Path("/proc")


def resident_megabytes(pid: int) -> float | None:
    """Give the resident memory."""
    try:
        status = (_PROC / str(pid) / "status").read_text()
    except OSError:
        return None
    line = next((line for line in status.splitlines() if line.startswith("VmRSS:")), "")
    return int(line.split()[1]) / 1024 if line else None


def processor_seconds(pid: int) -> float | None:
    """Give the time spent on a processor since the start."""
    try:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child_of(pid: int) -> int | None:
    """Give the first child that runs Python: the worker."""
    for children in _children_files(pid):
        for child in children.read_text().split():
            try:
                command = (_PROC / child / "cmdline").read_bytes()
            except OSError:
                continue
            if b"cite_lsp.worker" in command:
                return int(child)
    return None


def descendants(pid: int) -> dict[int, str]:
    """Give the processes below one, with what each is: the name of the module or program it runs."""
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for children in _children_files(waiting.pop()):
            try:
                numbers = [int(each) for each in children.read_text().split()]
            except OSError:  # it has ended meanwhile
                continue
            for number in numbers:
                found[number] = _what_runs(number)
                waiting.append(number)
    return found


def _children_files(pid: int) -> list[Path]:
    """Give where the system tells the children of a process, by thread; none where it has ended."""
    try:
        return list((_PROC / str(pid) / "task").glob("*/children"))
    except OSError:
        return []


def _what_runs(pid: int) -> str:
    try:
        words = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    return next((word.decode() for word in words if b"cite_lsp." in word), Path(os.fsdecode(words[0])).name)


def began(pid: int) -> str | None:
    """Give when a process began, as the system counts; a number that was used again has another."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None
