"""Checks documents in this process, or shares them out to children when there are many (`--jobs`).

A child has the same snapshot, inherited or made from the same request, and hands back what is to be written, in order;
so the output is the same whatever the number of jobs.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from cite_lsp.cli.formats.as_text import Line
from cite_lsp.cli.formats.making import Form, Output
from cite_lsp.cli.remembered import Remembered
from cite_lsp.cli.run import Request, Run, UnfinishedError, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.snapshot.ladder import joined

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

SHARE = 32
"""The most documents that a child is given at a time."""
SHARES = 6
"""So many times each child is given some at the least, where there are enough: documents differ in what they take."""
WORTH_A_CHILD = 12 if sys.platform == "linux" else 150
"""So many documents take a child as long as it takes to start it; where it can be forked that is no time."""
MOST_CHILDREN = 8
_LOOK_UP = 0.5
"""Seconds between two looks of a child at whether its parent is still there."""

Piece = bytes | list[Line]
"""What is written for one document in one format: JSON, or lines of text."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How documents are to be written."""

    outputs: tuple[Output, ...]
    """The formats; each document has a piece in each."""
    width: int
    remembers: bool = True
    """Whether what the last check came to is told again where nothing has changed."""

    def forms(self, run: Run) -> list[Form]:
        """Give what turns reports into pieces."""
        return [output.form(run, self.width) for output in self.outputs]

    @property
    def place(self) -> str:
        """What tells the pieces of this shape from those of another."""
        return f"{self.width} " + " ".join(each.shape for each in self.outputs)


@dataclass(frozen=True, slots=True)
class Share:
    """What a document came to: a piece for each format."""

    pieces: list[Piece]
    summary: Summary


class Checker:
    """Checks documents of a run, or tells again what is known of them."""

    def __init__(self, run: Run, shape: Shape) -> None:
        self._run = run
        self._forms = shape.forms(run)
        self._remembered = Remembered(run, shape) if shape.remembers else None

    def known(self) -> dict[str, Share]:
        """Give what is known of the run's documents from the last time."""
        book = self._remembered
        found = {path: book.recall(path) for path in self._run.documents} if book is not None else {}
        if book is not None:
            book.close()
        return {path: share for path, share in found.items() if share is not None}

    def shares(self, documents: Sequence[str]) -> Iterator[Share]:
        """Check documents, one after the other."""
        for report in self._run.reports(documents):
            summary = Summary()
            summary.add(report)
            share = Share([form.of(report) for form in self._forms], summary)
            if self._remembered is not None:
                self._remembered.keep(report, share)
            yield share
        if self._remembered is not None:
            self._remembered.write()


_child: Checker | None = None
"""Of a child process: what it checks with."""


def jobs_for(documents: int, asked: int) -> int:
    """Give the number of processes: as many as were asked for; unasked as many as have something to do."""
    if asked:
        return min(asked, max(1, documents))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, MOST_CHILDREN, documents // WORTH_A_CHILD))


def shares(run: Run, request: Request, shape: Shape, asked: int) -> Iterator[Share]:
    """Check all documents of a run; shares come in order of path. Raises `UnfinishedError` when a child dies.

    `asked`: the number of processes, 0 for as many as there is something to do for. Children are started now, before
    a progress bar has a thread of its own.
    """
    checker = Checker(run, shape)
    known = checker.known()
    left = [path for path in run.documents if path not in known]
    jobs = jobs_for(len(left), asked)
    if jobs == 1:
        return _in_order(run.documents, known, checker.shares(left))
    sizes = _sizes(run, left)
    most = sum(sizes.values()) // (jobs * SHARES)
    parts = shared_out(sizes, most)
    children = _children(checker, request, shape, jobs)
    with _uninterrupted():
        begun = {number: children.submit(_work, parts[number].documents) for number in begin_with(parts, most)}
    return _in_order(run.documents, known, _done(children, [begun[number] for number in range(len(parts))]))


class Part(NamedTuple):
    """Documents that stand next to each other in order of path, and how many bytes they have together."""

    documents: tuple[str, ...]
    size: int


def shared_out(sizes: Mapping[str, int], most: int) -> list[Part]:
    """Cut documents into parts of at most so many bytes and `SHARE` documents; a longer document is one by itself."""
    parts: list[Part] = []
    for path, size in sizes.items():
        last = parts[-1] if parts else None
        if last is not None and len(last.documents) < SHARE and last.size + size <= most:
            parts[-1] = Part((*last.documents, path), last.size + size)
        else:
            parts.append(Part((path,), size))
    return parts


def begin_with(parts: Sequence[Part], most: int) -> list[int]:
    """Give the order in which parts are begun, by their numbers: the long ones first, longest before all.

    Nobody has to wait at the end while one child has a long one to do; the others are begun as they are written.
    """
    long = sorted((number for number, part in enumerate(parts) if part.size > most), key=lambda at: -parts[at].size)
    return [*long, *(number for number, part in enumerate(parts) if part.size <= most)]


def _sizes(run: Run, documents: Sequence[str]) -> dict[str, int]:
    """Give how many bytes each document has, 0 where that is not known; a document takes about as long as it is."""
    found = {}
    for path in documents:
        try:
            found[path] = os.stat(joined(run.root, path)).st_size  # noqa: PTH116 - thousands
        except OSError:
            found[path] = 0
    return found


def _in_order(documents: Sequence[str], known: Mapping[str, Share], others: Iterator[Share]) -> Iterator[Share]:
    """Give what is known and what is found out, in the order of the documents."""
    for path in documents:
        share = known.get(path)
        yield next(others) if share is None else share
    yield from others  # nothing is left, but it has an end to come to


def _children(checker: Checker, request: Request, shape: Shape, jobs: int) -> "ProcessPoolExecutor":
    """Make the children: forked where that is safe, so that they know what is known here; else they begin anew."""
    global _child  # noqa: PLW0603 - what a forked child inherits
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - where nothing has changed, nobody is needed
    from multiprocessing import get_context  # noqa: PLC0415

    if sys.platform == "linux" and threading.active_count() == 1:
        import_module("cite_lsp.findings.check")  # once, and not in each child
        _child = checker
        return ProcessPoolExecutor(jobs, get_context("fork"), begin_child, (os.getpid(),))
    return ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (os.getpid(), request, shape))


def _done(children: "ProcessPoolExecutor", begun: Sequence["Future[list[Share]]"]) -> Iterator[Share]:
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415
    from multiprocessing import active_children  # noqa: PLC0415

    complete = False
    try:
        for each in begun:
            yield from each.result()
        complete = True
    except BrokenProcessPool as error:
        message = "a child process ended before its documents were checked, for lack of memory perhaps; try --jobs 1"
        raise UnfinishedError(message) from error
    finally:
        children.shutdown(wait=False, cancel_futures=True)
        for child in [] if complete else active_children():  # nobody waits for what they are busy with
            child.terminate()


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


def begin_child(parent: int) -> None:
    """Begin a child: an interrupt is left to the parent, and it ends with it.

    It has both ends of the pipe that it is given work through, so that it would not hear of its parent's end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_UP)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _begin(parent: int, request: Request, shape: Shape) -> None:
    """Prepare a child that inherited nothing."""
    global _child  # noqa: PLW0603 - a child has one request, given before its first share
    begin_child(parent)
    _child = Checker(prepare(request), shape)


def _work(documents: Sequence[str]) -> list[Share]:
    if _child is None:
        raise UnfinishedError("a child process was given documents before it was prepared")
    return list(_child.shares(documents))
