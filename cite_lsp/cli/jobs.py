"""Checks documents in this process, or shares them out to children when there are many (`--jobs`).

A child makes the same snapshot from the same request and hands back what is to be written, in order; so the output
is the same whatever the number of jobs.
"""

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

from cite_lsp.cli.formats.as_json import JsonForm
from cite_lsp.cli.formats.as_text import Line, TextForm
from cite_lsp.cli.run import Request, Run, UnfinishedError, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

SHARE = 32
"""Documents that a child is given at a time."""
WORTH_A_CHILD = 150
"""So many documents take a child as long as it takes to start it."""
MOST_CHILDREN = 8

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
    """Check all documents of a run; shares come in order of path. Raises `UnfinishedError` when a child dies."""
    parts = [run.documents[low : low + SHARE] for low in range(0, len(run.documents), SHARE)]
    if jobs == 1:
        form = shape.form(run)
        for path in run.documents:
            yield _share(run, form, (path,))
        return
    children = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (request, shape))
    try:
        with _uninterrupted():
            done = children.map(_work, parts)
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


def _share(run: Run, form: JsonForm | TextForm, documents: Sequence[str]) -> Share:
    summary = Summary()
    pieces: list[Piece] = []
    for report in run.reports(documents):
        summary.add(report)
        pieces.append(form.of(report))
    return Share(pieces, summary)


def _begin(request: Request, shape: Shape) -> None:
    """Prepare a child; an interrupt is the parent's to handle."""
    global _child  # noqa: PLW0603 - a child has one request, given before its first share
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run = prepare(request)
    _child = (run, shape.form(run))


def _work(documents: Sequence[str]) -> Share:
    if _child is None:
        raise UnfinishedError("a child process was given documents before it was prepared")
    return _share(*_child, documents)
