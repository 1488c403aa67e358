"""The child's side: requests are done in lanes, each a thread; what is dropped is left before its next item."""

import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from cite_lsp.worker.frames import LANES, BadFrame, encoded, read_message
from cite_lsp.worker.giving_back import LARGE, give_back

_REST = 3.0
"""Seconds without a request after which a lane lets go of what only helps from one to the next."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request as a task sees it.

    Attributes:
        params: What came with it, the task's own names.
        dropped: Says whether nobody waits for the answer any more; asked before every item.
        part: Sends a part of the answer.
    """

    params: Mapping[str, Any]
    dropped: Callable[[], bool]
    part: Callable[[Any], None]


Task = Callable[[Request], Any]


class Lanes:
    """The lanes of one child and the pipe that their answers go to."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._writing = threading.Lock()
        self._open: set[int] = set()
        self._dropped: set[int] = set()
        self._queues: dict[str, SimpleQueue[dict[str, Any]]] = {}
        self._loads: SimpleQueue[tuple[str, threading.Event]] = SimpleQueue()
        threading.Thread(target=self._load, name="loading", daemon=True).start()

    def take(self, message: dict[str, Any]) -> None:
        """Queue a request, or drop one that is queued or being done."""
        drop = message.get("drop")
        if drop is not None:
            if drop in self._open:
                self._dropped.add(drop)
            return
        number = message.get("id")
        if not isinstance(number, int):
            return
        self._open.add(number)
        self._lane(LANES.get(str(message.get("do")), "judge")).put(message)

    def _lane(self, name: str) -> "SimpleQueue[dict[str, Any]]":
        if name not in self._queues:
            queue: SimpleQueue[dict[str, Any]] = SimpleQueue()
            self._queues[name] = queue
            loaded = threading.Event()
            self._loads.put((name, loaded))
            threading.Thread(target=self._work, args=(name, queue, loaded), name=name, daemon=True).start()
        return self._queues[name]

    def _load(self) -> None:
        """Load the modules of lanes in the order they are needed: all at once, the first would be as late as the last.

        What cannot be loaded fails where it is asked for.
        """
        while True:
            name, loaded = self._loads.get()
            with suppress(Exception):
                import_module(_module_of(name))
            loaded.set()

    def _work(self, lane: str, queue: "SimpleQueue[dict[str, Any]]", loaded: threading.Event) -> None:
        loaded.wait()
        while True:
            message = _next(lane, queue)
            number: int = message["id"]
            if number not in self._dropped:
                self._answer(number, message)
            self._open.discard(number)
            self._dropped.discard(number)

    def _answer(self, number: int, message: dict[str, Any]) -> None:
        name = str(message.get("do"))
        try:
            task = _task(name)
            request = Request(message, lambda: number in self._dropped, lambda part: self._part(number, part))
            if self._send({"id": number, "done": task(request)}) > LARGE:
                give_back()
        except Exception as error:  # noqa: BLE001 - the lane goes on; whoever asked is told
            self._send({"id": number, "failed": f"{name}: {type(error).__name__}: {error}"})

    def _part(self, number: int, part: object) -> None:
        self._send({"id": number, "part": part})

    def _send(self, message: dict[str, Any]) -> int:
        """Send a message; give its bytes."""
        frame = encoded(message)
        try:
            with self._writing:
                self._out.write(frame)
                self._out.flush()
        except OSError:  # nobody reads any more
            os._exit(0)
        return len(frame)


def _next(lane: str, queue: "SimpleQueue[dict[str, Any]]") -> dict[str, Any]:
    """Wait for the next request; where none comes for a while, the lane rests, if its module has a `rest`."""
    try:
        return queue.get(timeout=_REST)
    except Empty:
        rest = getattr(sys.modules.get(_module_of(lane)), "rest", None)
        if rest is not None:
            with suppress(Exception):
                rest()
            give_back()
        return queue.get()


def _task(name: str) -> Task:
    """Give the task of a name; the modules of its lane are loaded when the first of its tasks comes."""
    lane = LANES.get(name)
    if lane is None:
        raise ValueError("the worker knows no such task")
    task: Task = import_module(_module_of(lane)).TASKS[name]
    return task


def _module_of(lane: str) -> str:
    return f"cite_lsp.worker.{lane}_lane"


def serve(source: BinaryIO, out: BinaryIO) -> None:
    """Do what is read from `source` until it ends; the process then ends at once, whatever it is busy with."""
    lanes = Lanes(out)
    try:
        while (message := read_message(source)) is not None:
            lanes.take(message)
    except BadFrame:
        os._exit(1)
    os._exit(0)
