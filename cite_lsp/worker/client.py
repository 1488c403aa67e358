"""The parent's side of the worker: asks, gives up, restarts, and never waits for a child that does not answer.

Two threads a child carry the bytes, so that neither a full pipe nor a large answer holds the event loop. All else
happens on the loop that the worker was first called from.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import IO, Any

from cite_lsp.worker.frames import LANES, BadFrame, encoded, read_message

COMMAND = (sys.executable, "-P", "-m", "cite_lsp.worker")
"""-P: the working folder may be an untrusted project, and no module of it is to be loaded."""

_MOST_LOSSES = 2
_MOST_BARREN = 4
_PAUSE_SECONDS = 10.0


class WorkerLost(Exception):  # noqa: N818 - it says what happened
    """The child could not be started, died over the request twice, overran, or was closed."""


class WorkerFailed(Exception):  # noqa: N818 - it says what happened
    """The child answered that it could not do the request; its message says why."""


@dataclass(eq=False, slots=True)
class _Call:
    number: int
    frame: bytes
    lane: str
    seconds: float
    future: asyncio.Future[Any]
    on_part: Callable[[Any], None] | None
    losses: int = 0


@dataclass(slots=True)
class _Lane:
    """The open calls of a lane in the order they were sent: the child is at the first of them."""

    calls: deque[_Call] = field(default_factory=deque)
    timer: asyncio.TimerHandle | None = None


class Worker:
    """One child process, started when first needed and again when it dies. For one event loop.

    Args:
        command: What to run; the worker of this package where None.
        deadline: Seconds that a call may take, counted from when the child can begin with it (the calls before it in
            its lane are answered) and anew from each part of its answer.

    Attributes:
        restarts: How often the child was started again.
    """

    def __init__(self, command: Sequence[str] | None = None, *, deadline: float = 60.0) -> None:
        self.restarts = 0
        self._command = list(command or COMMAND)
        self._deadline = deadline
        self._child: _Child | None = None
        self._closed = False
        self._lanes: dict[str, _Lane] = {}
        self._calls: dict[int, _Call] = {}
        self._numbers = 0
        self._barren = 0
        self._pause: tuple[float, str] = (0.0, "")

    async def call(
        self,
        do: str,
        *,
        on_part: Callable[[Any], None] | None = None,
        deadline: float | None = None,
        **params: object,
    ) -> Any:  # noqa: ANN401 - plain data, each task's own
        """Have something done and give its answer.

        Where the child dies over it, it is sent once more; its parts then come again from the first. Cancelling the
        task that waits drops the request.

        Args:
            do: The name of the task (`LANES`).
            on_part: Called on the loop with each part of the answer.
            deadline: Seconds, in place of the worker's own.
            params: The task's own, in plain data.

        Raises:
            WorkerLost: The child could not be started, died over this request twice, overran, or was closed.
            WorkerFailed: The child's own message.
        """
        loop = asyncio.get_running_loop()
        if self._closed:
            raise WorkerLost("the worker is closed")
        self._numbers += 1
        try:
            frame = encoded({**params, "id": self._numbers, "do": do})
        except (BadFrame, TypeError, ValueError) as error:
            raise WorkerFailed(f"{do}: {error}") from error
        seconds = self._deadline if deadline is None else deadline
        call = _Call(self._numbers, frame, LANES.get(do, do), seconds, loop.create_future(), on_part)
        child = self._running(loop)
        self._calls[call.number] = call
        lane = self._lanes.setdefault(call.lane, _Lane())
        lane.calls.append(call)
        child.send(frame)
        if len(lane.calls) == 1:
            self._watch(lane)
        try:
            return await call.future
        finally:
            if call.number in self._calls:  # the task was cancelled
                self._forget(call)
                self._drop(call)

    def close(self) -> None:
        """Kill the child and fail what is open, at once. The worker cannot be used again."""
        self._closed = True
        if self._child is not None:
            self._child.kill()
            self._child = None
        for call in list(self._calls.values()):
            self._fail(call, WorkerLost("the worker is closed"))

    @property
    def pid(self) -> int | None:
        """The number of the child's process; None while there is none."""
        return None if self._child is None else self._child.pid

    # --- the child

    def _running(self, loop: asyncio.AbstractEventLoop) -> "_Child":
        """Give the child, started if there is none."""
        if self._child is not None:
            return self._child
        until, why = self._pause
        if loop.time() < until:
            raise WorkerLost(why)
        try:
            self._child = _Child(self._command, loop, self._take, self._lost)
        except (OSError, ValueError) as error:
            why = f"the worker cannot be started: {self._command[0]}: {getattr(error, 'strerror', None) or error}"
            self._pause = (loop.time() + _PAUSE_SECONDS, why)
            raise WorkerLost(why) from error
        return self._child

    def _lost(self, child: "_Child") -> None:
        """Start again after a child has ended, and send again what was open.

        Only the first call of a lane can have been what killed it.
        """
        if child is not self._child:
            return
        self._child = None
        self._barren = 0 if child.answered else self._barren + 1
        if self._barren >= _MOST_BARREN:
            why = f"the worker ends as soon as it is started: {' '.join(self._command)}"
            self._pause = (child.loop.time() + _PAUSE_SECONDS, why)
            self._barren = 0
        for lane in self._lanes.values():
            if lane.calls:
                lane.calls[0].losses += 1
                if lane.calls[0].losses >= _MOST_LOSSES:
                    self._fail(lane.calls[0], WorkerLost("the worker ended twice over this request"))
        self._again(child.loop)

    def _again(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the child that those calls need which are open."""
        if not self._calls:
            return
        self.restarts += 1
        try:
            child = self._running(loop)
        except WorkerLost as lost:
            for call in list(self._calls.values()):
                self._fail(call, WorkerLost(str(lost)))
            return
        for call in self._calls.values():
            child.send(call.frame)
        for lane in self._lanes.values():
            self._watch(lane)

    # --- the calls

    def _take(self, child: "_Child", message: dict[str, Any]) -> None:
        """Take what the child sent; of calls that nobody waits for, nothing."""
        number = message.get("id")
        call = self._calls.get(number) if isinstance(number, int) else None
        if child is not self._child or call is None:
            return
        child.answered = True
        if "part" in message:
            self._part(call, message["part"])
        elif "failed" in message:
            self._fail(call, WorkerFailed(str(message["failed"])))
        else:
            self._forget(call)
            if not call.future.done():
                call.future.set_result(message.get("done"))

    def _part(self, call: _Call, part: object) -> None:
        lane = self._lanes[call.lane]
        if lane.calls[0] is call:
            self._watch(lane)
        if call.on_part is None or call.future.done():
            return
        try:
            call.on_part(part)
        except Exception as error:  # noqa: BLE001 - it is raised where the call is awaited
            self._fail(call, error)
            self._drop(call)

    def _fail(self, call: _Call, error: Exception) -> None:
        self._forget(call)
        if not call.future.done():
            call.future.set_exception(error)

    def _forget(self, call: _Call) -> None:
        self._calls.pop(call.number, None)
        lane = self._lanes[call.lane]
        if call in lane.calls:
            was_first = lane.calls[0] is call
            lane.calls.remove(call)
            if was_first:
                self._watch(lane)

    def _drop(self, call: _Call) -> None:
        if self._child is not None:
            self._child.send(encoded({"drop": call.number}))

    # --- deadlines

    def _watch(self, lane: _Lane) -> None:
        """Begin the seconds of the lane's first call."""
        if lane.timer is not None:
            lane.timer.cancel()
            lane.timer = None
        if lane.calls and self._child is not None:
            lane.timer = self._child.loop.call_later(lane.calls[0].seconds, self._overrun, lane.calls[0])

    def _overrun(self, call: _Call) -> None:
        """Kill a child that does not answer; what it did for others is begun again."""
        self._fail(call, WorkerLost(f"the worker gave no answer in {call.seconds:g} seconds"))
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            self._again(child.loop)


class _Child:
    """A process and the two threads of its pipes. `take` and `lost` are called on the loop."""

    def __init__(
        self,
        command: Sequence[str],
        loop: asyncio.AbstractEventLoop,
        take: Callable[["_Child", dict[str, Any]], None],
        lost: Callable[["_Child"], None],
    ) -> None:
        self.answered = False
        self.loop = loop
        self._take = take
        self._lost = lost
        self._ended = threading.Lock()
        self._killable = True
        self._frames: SimpleQueue[bytes | None] = SimpleQueue()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, **_APART
        )
        self.pid = self._process.pid
        pipes = (self._read, self._process.stdout), (self._write, self._process.stdin)
        for carry, pipe in pipes:
            threading.Thread(target=carry, args=(pipe,), name="worker pipe", daemon=True).start()

    def send(self, frame: bytes) -> None:
        """Send a frame; never waits, and a child that has ended is told of by `lost`."""
        self._frames.put(frame)

    def kill(self) -> None:
        """End the process and the git it may be running; never waits. The threads end with it."""
        with self._ended:
            if self._killable:
                _kill(self._process)
        self._frames.put(None)

    def _read(self, stdout: IO[bytes]) -> None:
        try:
            while (message := read_message(stdout)) is not None:
                self._tell(self._take, self, message)
        except (BadFrame, OSError):
            pass
        with self._ended:  # from here on the number of the process may be another's
            _kill(self._process)
            self._killable = False
        stdout.close()
        self._process.wait()
        self._frames.put(None)
        self._tell(self._lost, self)

    def _write(self, stdin: IO[bytes]) -> None:
        with contextlib.suppress(OSError):
            for frame in self._queued():
                rest = memoryview(frame)
                while rest:
                    rest = rest[stdin.write(rest) or 0 :]
        with contextlib.suppress(OSError):
            stdin.close()

    def _queued(self) -> Iterator[bytes]:
        while (frame := self._frames.get()) is not None:
            yield frame

    def _tell(self, what: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody is left to tell
            self.loop.call_soon_threadsafe(what, *arguments)


# A group of its own: a signal from the terminal does not reach it, and git ends with the worker.
_APART: dict[str, Any] = (
    {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    if os.name == "nt"
    else {"process_group": 0}
)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(OSError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
