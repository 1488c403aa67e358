"""What is asked of the child and answered.

The first frame it sends is `{"ready": true}`. A request is `{"file": n, "first": a, "last": b}`, with `language` and
`text` where file `n` is new and `drop`, numbers of files that are not asked for again. The answer is
`{"facts": […], "comments": […], "unit": […]}`, rows in the order of the fields of `CodeFact` and `Span`; to
`{"file": n, "outline": true}` it is `{"outline": […]}`, rows in the order of the fields of `Symbol`; or it is
`{"none": why}`; with `"file": true` where it is the whole file that cannot be parsed.
"""

import faulthandler
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from cite_lsp.worker.frames import BadFrame, encoded, read_message
from cite_lsp.worker.parsing.reader import WIDEST, read_facts, read_outline
from cite_lsp.worker.parsing.trees import GaveUp, ParsedFile, parse
from cite_lsp.worker.parsing.units import unit_at

_END_SECONDS = 0.8
"""Processor time after which the process ends over a request, whoever may be alive to notice."""

_MOST_MEMORY = 768 << 20
"""Bytes after which it ends, too, where that can be limited: some texts take a gigabyte a second."""

_LOST_SECONDS = 5.0
"""Seconds after which it ends where processor time cannot be limited."""

_MOST = 64 << 10
"""Bytes of all lines of one request."""


class Service:
    """The files that were parsed, by the numbers that the parent gave them."""

    def __init__(self) -> None:
        self._files: dict[int, ParsedFile] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer one request."""
        for number in request.get("drop", ()):
            self._files.pop(number, None)
        try:
            if "text" in request:
                self._files[request["file"]] = parse(request["language"], request["text"])
            file = self._files[request["file"]]
        except GaveUp as why:
            return {"none": str(why), "file": True}
        if request.get("outline"):
            return {"outline": read_outline(file)}
        first, last = max(request["first"], 1) - 1, min(request["last"], len(file.lines)) - 1
        sizes = [len(line) for line in file.lines[first : last + 1]]
        if not sizes or max(sizes) > WIDEST or sum(sizes) > _MOST:
            return {"none": "the lines are too long"}
        facts, comments = read_facts(file, first, last)
        return {"facts": facts, "comments": comments, "unit": unit_at(file, first)}


def serve(source: BinaryIO, out: BinaryIO) -> None:
    """Answer what is read from `source` until it ends."""
    _limit_memory()
    service = Service()
    _send(out, {"ready": True})
    try:
        while (request := read_message(source)) is not None:
            with _ending():
                answer = service.answer(request)
            _send(out, answer)
    except BadFrame:
        os._exit(1)
    except OSError:  # nobody reads any more
        os._exit(0)


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a parser that gets no memory aborts
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard == resource.RLIM_INFINITY or hard > _MOST_MEMORY:
            resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, hard))


@contextmanager
def _ending() -> Iterator[None]:
    """End the process where what is done within takes far too long: some texts hold a scanner that asks nobody."""
    setitimer: Callable[[int, float], object] | None = getattr(signal, "setitimer", None)
    if setitimer is not None:
        setitimer(signal.ITIMER_PROF, _END_SECONDS)  # what it sends is not handled, and so ends the process
    else:
        faulthandler.dump_traceback_later(_LOST_SECONDS, exit=True)
    try:
        yield
    finally:
        if setitimer is not None:
            setitimer(signal.ITIMER_PROF, 0)
        else:
            faulthandler.cancel_dump_traceback_later()


def _send(out: BinaryIO, message: dict[str, Any]) -> None:
    out.write(encoded(message))
    out.flush()
