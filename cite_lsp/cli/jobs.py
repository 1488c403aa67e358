"""Checks documents in this process, or shares them out to children when there are many (`--jobs`).

A child has the same snapshot, inherited or made from the same request, and hands back what is to be written, in order;
so the output is the same whatever the number of jobs.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

from cite_lsp.cli.formats.as_json import JsonForm
from cite_lsp.cli.formats.as_text import Line, TextForm
from cite_lsp.cli.run import Report, Request, Run, UnfinishedError, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

SHARE = 32
"""The most documents that a child is given at a time."""
SHARES = 6
"""So many times each child is given some, where there are enough: documents differ in length."""
WORTH_A_CHILD = 12 if sys.platform == "linux" else 150
"""So many documents take a child as long as it takes to start it; where it can be forked that is no time."""
MOST_CHILDREN = 8
_LOOK_UP = 0.5
"""Seconds between two looks of a child at whether its parent is still there."""

Piece = bytes | list[Line]
"""What is written for one document: JSON, or lines of text."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How documents are to be written."""

    json: bool
    excerpts: bool
    level: Severity
    width: int

    def form(self, run: Run) -> JsonForm | TextForm:
        """Give what turns reports into pieces."""
        return JsonForm(run, excerpts=self.excerpts) if self.json else TextForm(self.level, self.width)


@dataclass(frozen=True, slots=True)
class Share:
    """What some documents came to."""

    pieces: list[Piece]
    summary: Summary


_child: tuple[Run, JsonForm | TextForm] | None = None
"""Of a child process: what it checks with."""


def jobs_for(documents: int, asked: int) -> int:
    """Give the number of processes: as many as were asked for; unasked as many as have something to do."""
    if asked:
        return min(asked, max(1, documents))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_CHILDREN, documents // WORTH_A_CHILD))


def shares(run: Run, request: Request, shape: Shape, jobs: int) -> Iterator[Share]:
    """Check all documents of a run; shares come in order of path. Raises `UnfinishedError` when a child dies.

    Children are started now, before a progress bar has a thread of its own.
    """
    if jobs == 1:
        form = shape.form(run)
        return (_share(form, report) for report in run.reports(run.documents))
    size = max(1, min(SHARE, -(-len(run.documents) // (jobs * SHARES))))
    parts = [run.documents[low : low + size] for low in range(0, len(run.documents), size)]
    children = _children(run, request, shape, jobs)
    with _uninterrupted():
        done = children.map(_work, parts)
    return _done(children, done)


def _children(run: Run, request: Request, shape: Shape, jobs: int) -> ProcessPoolExecutor:
    """Make the children: forked where that is safe, so that they know what is known here; else they begin anew."""
    global _child  # noqa: PLW0603 - what a forked child inherits
    if sys.platform == "linux" and threading.active_count() == 1:
        _child = (run, shape.form(run))
        return ProcessPoolExecutor(jobs, get_context("fork"), _begin_forked, (os.getpid(),))
    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (request, shape))


def _done(children: ProcessPoolExecutor, done: Iterator[Share]) -> Iterator[Share]:
    try:
        yield from done
    except BrokenProcessPool as error:
        message = "a child process ended before its documents were checked, for lack of memory perhaps; try --jobs 1"
        raise UnfinishedError(message) from error
    finally:
        children.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C while children start: they inherit that for good, and the parent hears of it right after."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _share(form: JsonForm | TextForm, *reports: Report) -> Share:
    summary = Summary()
    for report in reports:
        summary.add(report)
    return Share([form.of(report) for report in reports], summary)


def _ignore_interrupts() -> None:
    """Leave an interrupt to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _begin_forked(parent: int) -> None:
    """Begin a child that inherited everything, the ends of its own pipe too: it would not hear of its parent's end."""
    _ignore_interrupts()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_UP)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _begin(request: Request, shape: Shape) -> None:
    """Prepare a child that inherited nothing."""
    global _child  # noqa: PLW0603 - a child has one request, given before its first share
    _ignore_interrupts()
    run = prepare(request)
    _child = (run, shape.form(run))


def _work(documents: Sequence[str]) -> Share:
    if _child is None:
        raise UnfinishedError("a child process was given documents before it was prepared")
    run, form = _child
    return _share(form, *run.reports(documents))
