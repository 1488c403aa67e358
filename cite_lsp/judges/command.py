"""The judge that is a program: rows as JSON lines on its standard input, verdicts as JSON lines on its output."""

import asyncio
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from cite_lsp.audit.judgement import Heard, Judged, Judgement, Trouble, Usage, merged
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.clients.redaction import kept_back, redacted
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.replies import read_entry
from cite_lsp.judges.shown_lines import KEPT_BACK, ShownLine, said, shown_lines, why_not_shown
from cite_lsp.judges.weighing import Void, guarded, named_conflict, unchecked, weigh

_Pipe = TypeVar("_Pipe")

_SECONDS = 120.0
_TO_END = 5.0
_LAST_WORDS = 0.5
_MOST_BYTES = 16_000_000
_MOST_COMPLAINT = 4000


@dataclass(frozen=True, slots=True)
class Program:
    """A program and its arguments; no shell reads them.

    Attributes:
        argv: The program is an absolute path or a name that PATH knows, so that a project cannot put its own there.
        timeout: Seconds without a line of output after which it is ended.
    """

    argv: tuple[str, ...]
    timeout: float = _SECONDS

    @property
    def path(self) -> str:
        """Where the program is; "" where it is nowhere."""
        if not self.argv:
            return ""
        name = self.argv[0]
        if name.startswith("~/"):
            name = os.environ.get("HOME", "") + name[1:]
        if Path(name).is_absolute():
            return shutil.which(name) or ""
        if Path(name).name != name:
            return ""
        folders = [each for each in os.environ.get("PATH", os.defpath).split(os.pathsep) if Path(each).is_absolute()]
        return shutil.which(name, path=os.pathsep.join(folders)) or ""

    @property
    def identity(self) -> str:
        """The program, its arguments, and the size and time of its file: another build is another judge."""
        try:
            found = Path(self.path).stat()
        except (OSError, ValueError):
            return json.dumps(self.argv)
        return f"{json.dumps(self.argv)} {found.st_size} bytes of {found.st_mtime_ns}"


class CommandJudge:
    """Asks a program. One run answers all rows; each is asked once, and what it quotes is checked as a model's is.

    A line of input: `{"id", "claim", "sentence", "language", "excerpts": [{"unit", "truncated", "lines": [[number,
    text], …]}]}`. A line of output: `{"id", "label", "reason", "quote", "missing", "kind"?}`; the labels are supported,
    partial, unsupported (`kind`: contradicted or off-topic) and cannot_tell.
    """

    reads_file = False

    def __init__(self, program: Program, options: ModelOptions, ledger: Ledger | None = None) -> None:
        """Take the program, the declared cost and `strict`, and who keeps the limits of the day."""
        self._program = program
        self._options = options
        self._ledger = ledger

    @property
    def identity(self) -> str:
        """One line: the program as it is now."""
        return f"command {self._program.identity}"

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Ask about rows, `heard` as lines come (under `strict` when all have come).

        Cancelling kills the program with all that it has begun.
        """
        run = _Run(self._program, self.identity, self._options.strict, rows, heard)
        if not run.asked or not run.find():
            return run.judgement()
        refused = ""
        if self._ledger is not None:
            cost = self._options.est_cost
            refused = await asyncio.to_thread(self._ledger.admit, "command", len(run.asked), cost)
        if refused:
            run.leave("declined", refused)
            return run.judgement(declined=True)
        started = await run.run()
        return run.judgement(Usage(1, cost=self._options.est_cost) if started else None)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row; a row that was not answered is *unchecked* and says why."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """Do nothing: a program lives no longer than its question."""


@dataclass(slots=True)
class _Run:
    """One life of the program."""

    program: Program
    identity: str
    strict: bool
    rows: Sequence[Row]
    heard: Heard | None
    asked: dict[int, tuple[ShownLine, ...]] = field(default_factory=dict)
    answers: list[Judged | None] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.answers = [None] * len(self.rows)
        for index, row in enumerate(self.rows):
            lines = shown_lines(row)
            why = why_not_shown(row, lines)
            if why:
                self._tell(index, unchecked(why, self.identity))
            else:
                self.asked[index] = lines

    def judgement(self, usage: Usage | None = None, *, declined: bool = False) -> Judgement:
        """Give what it came to."""
        if self.strict and (self.breaches or self.troubles):
            first = self.troubles[0] if self.troubles else Trouble("strict", "")
            message = first.message or f"{self._named} voids the pass (strict): {self.breaches[0]}"
            self.troubles = [Trouble(first.cause, message, len(self.rows))]
            self.answers = [None] * len(self.rows)
        elif self.strict and self.heard is not None:
            for index, judged in enumerate(self.answers):
                if judged is not None:
                    self.heard(index, judged)
        return Judgement(tuple(self.answers), usage or Usage(), merged(self.troubles), declined)

    def find(self) -> bool:
        """Whether the program is there; says so where it is not."""
        if self.program.path:
            return True
        needed = "judge.command needs an absolute path, or a name that PATH knows"
        self.leave("unreachable", f"{self._named} is not found: {needed}")
        return False

    async def run(self) -> bool:
        """Start the program, give it the rows, and take its lines until it ends; whether it could be started."""
        path = self.program.path
        try:
            process = await asyncio.create_subprocess_exec(
                path,
                *self.program.argv[1:],
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=Path.home(),
                start_new_session=sys.platform != "win32",
                limit=1 << 20,
            )
        except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: nobody knows where home is
            self.leave("unreachable", f"the judge's program {path} cannot be started: {said(str(error))}")
            return False
        complaint: list[str] = []
        helpers = [asyncio.create_task(self._feed(process)), asyncio.create_task(_listen(process, complaint))]
        ended = False
        try:
            why = await self._read(process)
            ended = not why and await self._wait(process, helpers[1])
        finally:
            if not ended:
                _kill(process)
            for helper in helpers:
                helper.cancel()
            await asyncio.gather(*helpers, return_exceptions=True)
            await _reap(process)
        self._explain(why, process.returncode if ended else None, complaint[-1] if complaint else "")
        return True

    async def _feed(self, process: asyncio.subprocess.Process) -> None:
        pipe = _pipe(process.stdin)
        with suppress(OSError):  # it may end before it has read all
            for index, lines in self.asked.items():
                pipe.write(_line_of(index, self.rows[index], lines))
                await pipe.drain()
        with suppress(OSError):
            pipe.close()

    async def _read(self, process: asyncio.subprocess.Process) -> str:
        """Take the lines; give why no more are taken, "" at their end."""
        pipe = _pipe(process.stdout)
        taken = 0
        while True:
            try:
                line = await asyncio.wait_for(pipe.readline(), self.program.timeout)
            except TimeoutError:
                return f"wrote nothing for {self.program.timeout:g} seconds and was ended"
            except ValueError:
                return "wrote a line of more than a million characters and was ended"
            if not line:
                return ""
            taken += len(line)
            if taken > _MOST_BYTES:
                return "wrote more than 16 MB and was ended"
            await self._take(line)

    async def _wait(self, process: asyncio.subprocess.Process, listening: "asyncio.Task[None]") -> bool:
        """Wait for the end of a program that has closed its output, and a moment for its last words."""
        try:
            await asyncio.wait_for(process.wait(), _TO_END)
        except TimeoutError:
            return False
        await asyncio.wait([listening], timeout=_LAST_WORDS)
        return True

    async def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            data: Any = json.loads(line)
        except (ValueError, RecursionError):
            self.breaches.append("a line that is no JSON")
            return
        read = read_entry(data, self.asked)
        if isinstance(read, str):
            self.breaches.append(read)
            return
        number, entry = read
        if self.answers[number] is not None:
            self.breaches.append(f"row {number} is answered twice")
            return
        answer = weigh(entry, self.asked[number], self.identity)
        if isinstance(answer, Void):
            self._tell(number, unchecked(answer.why, self.identity))
            return
        supported = answer.label == "supported"
        conflict = await asyncio.to_thread(named_conflict, self.rows[number]) if supported else ""
        self._tell(number, guarded(answer, self.rows[number], conflict))

    def _explain(self, why: str, status: int | None, complaint: str) -> None:
        """Say why rows have no answer, and what the program complained of."""
        left = sum(self.answers[index] is None for index in self.asked)
        told = f": {complaint}" if complaint else ""
        if why:
            self.leave("timeout" if "seconds" in why else "failed", f"{self._named} {why}{told}")
        elif status is None:
            self.leave("failed", f"{self._named} did not end and was ended{told}")
        elif status:
            how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
            self.leave("failed", f"{self._named} {how}{told}")
        elif self.breaches:
            cause = "not-json" if "no JSON" in self.breaches[0] else "bad-rows"
            if left:
                self.leave(cause, f"{self._named} wrote what is no verdict: {self.breaches[0]}")
        elif left:
            self.leave("missing-rows", f"{self._named} left out rows that it was given{told}")

    def leave(self, cause: str, message: str) -> None:
        """Say why the rows that have no answer yet get none."""
        left = sum(self.answers[index] is None for index in self.asked)
        self.troubles.append(Trouble(cause, message, left))

    def _tell(self, index: int, verdict: Verdict) -> None:
        judged = Judged(verdict, time.time())
        self.answers[index] = judged
        if self.heard is not None and not self.strict:
            self.heard(index, judged)

    @property
    def _name(self) -> str:
        return self.program.argv[0] if self.program.argv else ""

    @property
    def _named(self) -> str:
        return f"the judge's program {self._name}"


def _line_of(index: int, row: Row, lines: Sequence[ShownLine]) -> bytes:
    """Give a row as a line of JSON; keys are kept back from programs too, since nobody knows where they send it."""
    excerpts = [
        {
            "unit": excerpt.unit,
            "truncated": excerpt.truncated,
            "lines": [
                [line.number, KEPT_BACK if line.raw is None else line.raw] for line in lines if line.excerpt == place
            ],
        }
        for place, excerpt in enumerate(row.excerpts)
    ]
    sentence = "" if kept_back(row.sentence) else row.sentence
    data = {"id": index, "claim": row.claim, "sentence": sentence, "language": row.language, "excerpts": excerpts}
    return json.dumps(data).encode() + b"\n"


async def _listen(process: asyncio.subprocess.Process, complaint: list[str]) -> None:
    """Keep the last line that the program complains with, without keys."""
    pipe = _pipe(process.stderr)
    rest = b""
    while chunk := await pipe.read(1 << 16):
        rest = (rest + chunk)[-_MOST_COMPLAINT:]
        lines = [line for line in rest.decode(errors="replace").splitlines() if line.strip()]
        complaint[:] = [said(redacted(line), 300) for line in lines[-1:]]


def _pipe(pipe: _Pipe | None) -> _Pipe:
    if pipe is None:
        raise AssertionError("every pipe was asked for")
    return pipe


def _kill(process: asyncio.subprocess.Process) -> None:
    """End the program and all that it began."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform != "win32":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


async def _reap(process: asyncio.subprocess.Process) -> None:
    """Wait for what has been killed, and close its pipes."""
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), 1.0)
    transport = getattr(process, "_transport", None)
    if transport is not None:
        transport.close()
