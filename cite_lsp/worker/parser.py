"""Facts of code by a parser in a process of its own, which may crash over a text or never come to an end with it.

A file that costs the process its life is read by text rules from then on, and so is everything for a while where
several do so one after the other. Where somebody else killed the process, the file is asked about once more: what is
known of it does not hang on that. Whoever asks waits: this is for the worker and the command line, never for an event
loop.
"""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any, Self

from cite_lsp.snapshot.code_facts import CodeFact, CodeFacts, Span
from cite_lsp.snapshot.outline import Symbol
from cite_lsp.worker.frames import BadFrame, encoded, read_message

COMMAND = (sys.executable, "-P", "-m", "cite_lsp.worker.parsing")
"""-P: the working folder may be an untrusted project, and no module of it is to be loaded."""

MAX_BYTES = 256 << 10
"""Bytes of a text in UTF-8 that is parsed at most."""

LANGUAGES = frozenset("python javascript typescript rust go java c cpp csharp ruby shell".split())
"""The names of `snapshot/languages.py` that are parsed; no other is ever sent."""

_START_SECONDS = 10.0
_SECONDS = 8.0
"""The child itself ends long before, by its processor time, which a busy machine does not use up."""

_WATCH_SECONDS = 0.5
_KILLED = (-signal.SIGTERM, -getattr(signal, "SIGKILL", signal.SIGTERM))
_KEPT_FILES = 8
_KEPT_CHARACTERS = 1 << 20
"""Of all files that are kept: what was parsed takes a hundred times as much."""
_KEPT_ANSWERS = 32
_MOST_KEPT = 200
"""Facts of an answer that is kept: of a few lines, as most are."""
_KEPT_BAD = 1024
_MOST_LOSSES = 3
_REST_SECONDS = 30.0


@dataclass(slots=True)
class _File:
    """A text as it was last asked about: its lines, as one text unless that is too large, and what was answered."""

    number: int
    lines: Sequence[str]
    language: str
    digest: bytes
    text: str | None
    sent: bool = False
    answers: OrderedDict[tuple[int, int], CodeFacts | None] = field(default_factory=OrderedDict)


class Parser:
    """Gives what a parser says of lines of code. Thread-safe; one question at a time.

    Args:
        command: What to run; the parser of this package where None.

    Attributes:
        losses: How many children were lost.
    """

    def __init__(self, command: Sequence[str] | None = None) -> None:
        self.losses = 0
        self._command = list(command or COMMAND)
        self._asking = threading.Lock()
        self._child: _Child | None = None
        self._closed = False
        self._files: OrderedDict[int, _File] = OrderedDict()
        self._dropped: list[int] = []
        self._bad: OrderedDict[bytes, None] = OrderedDict()
        self._numbers = 0
        self._lost_in_a_row = 0
        self._rests_until = 0.0

    def __call__(self, language: str, lines: Sequence[str], first: int, last: int) -> CodeFacts | None:
        """Give what touches or encloses the lines `first` to `last`, 1-based, of a file with all its `lines`.

        None where the language is not parsed, the file is larger than `MAX_BYTES`, the lines asked for hold more than
        64 KB or one of them more than 8, or the parser gave up on the file: the text rules hold then. It never raises,
        and waits at most for a child to start and for eight seconds, where the child itself does not end in time.
        """
        if language not in LANGUAGES or not 1 <= first <= min(last, len(lines)):
            return None
        with self._asking:
            file = self._file(language, lines)
            if (first, last) in file.answers and self._may_be_asked(file):
                return file.answers[first, last]
            answer = self._asked(file, {"first": first, "last": last})
            found = None if answer is None else _facts(answer)
            if answer is not None and (found is None or len(found.facts) <= _MOST_KEPT):
                file.answers[first, last] = found
                if len(file.answers) > _KEPT_ANSWERS:
                    file.answers.popitem(last=False)
            return found

    def outline(self, language: str, lines: Sequence[str]) -> tuple[Symbol, ...] | None:
        """Give what a file defines, in its order; None as facts are None, whatever the lines of the file are."""
        if language not in LANGUAGES:
            return None
        with self._asking:
            answer = self._asked(self._file(language, lines), {"outline": True})
            return None if answer is None else _symbols(answer)

    def close(self) -> None:
        """End the child. Every later answer is None."""
        with self._asking:
            self._closed = True
            self._files.clear()
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The number of the child's process; None while there is none."""
        return None if self._child is None else self._child.pid

    # --- files

    def _file(self, language: str, lines: Sequence[str]) -> _File:
        """Give the file of these lines, the one asked about before where they are the same."""
        for known in reversed(self._files.values()):
            if known.lines is lines and known.language == language and isinstance(lines, tuple):
                self._files.move_to_end(known.number)
                return known
        text = _text(lines)
        digest = b"" if text is None else hashlib.sha256(f"{language}\n{text}".encode()).digest()
        for known in self._files.values():
            if text is not None and known.digest == digest:
                known.lines = lines
                self._files.move_to_end(known.number)
                return known
        self._numbers += 1
        file = self._files[self._numbers] = _File(self._numbers, lines, language, digest, text)
        while len(self._files) > _KEPT_FILES or (len(self._files) > 1 and self._characters() > _KEPT_CHARACTERS):
            self._dropped.append(self._files.popitem(last=False)[0])
        return file

    def _characters(self) -> int:
        return sum(len(file.text or "") for file in self._files.values())

    def _may_be_asked(self, file: _File) -> bool:
        return file.text is not None and file.digest not in self._bad

    def _is_bad(self, file: _File) -> None:
        """Remember that a file is read by text rules."""
        self._bad[file.digest] = None
        while len(self._bad) > _KEPT_BAD:
            self._bad.popitem(last=False)

    # --- the child

    def _ready(self) -> "_Child | None":
        """Give the child, started if there is none; None where it cannot be, or rests."""
        if self._child is not None:
            return self._child
        if self._closed or time.monotonic() < self._rests_until:
            return None
        self._dropped.clear()
        for file in self._files.values():
            file.sent = False
        try:
            self._child = _Child(self._command)
        except (OSError, ValueError):
            self._rests_until = time.monotonic() + _REST_SECONDS
            return None
        if self._child.read(_START_SECONDS) is None:
            self._lost()
        return self._child

    def _again(self) -> "_Child | None":
        """Give a new child in place of one that somebody else killed."""
        self._lost()
        return self._ready()

    def _asked(self, file: _File, what: dict[str, Any]) -> dict[str, Any] | None:
        """Have a question about a file answered; None where it is too large or bad, or nobody can be asked."""
        child = self._ready() if self._may_be_asked(file) else None
        if child is None:
            return None
        answer = self._ask(child, file, what)
        if answer is None and child.was_killed and (child := self._again()) is not None:
            answer = self._ask(child, file, what)
        self._heard(file, answer)
        return answer

    def _ask(self, child: "_Child", file: _File, what: dict[str, Any]) -> dict[str, Any] | None:
        request: dict[str, Any] = {"file": file.number, **what, "drop": self._dropped}
        if not file.sent:
            request |= {"language": file.language, "text": file.text}
            file.sent = True
        try:
            answer = child.ask(encoded(request), _SECONDS)
        except BaseException:  # Ctrl-C: what is answered yet would be taken for the answer to the next question
            self._end()
            raise
        self._dropped.clear()
        return answer

    def _heard(self, file: _File, answer: dict[str, Any] | None) -> None:
        """Take note of an answer; where there is none, the file is held to have cost the child its life."""
        if answer is None:
            self._is_bad(file)
            self._lost()
            return
        self._lost_in_a_row = 0
        if answer.get("file"):
            self._is_bad(file)

    def _lost(self) -> None:
        """Begin anew with the next question; after several losses in a row, later."""
        self._end()
        self.losses += 1
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= _MOST_LOSSES:
            self._lost_in_a_row = 0
            self._rests_until = time.monotonic() + _REST_SECONDS

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


class _Child:
    """A process, its pipes, and the thread that ends it where an answer is late."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0, **_UNSEEN
        )
        self.pid = self._process.pid
        self._stdin: IO[bytes] = self._process.stdin  # type: ignore[assignment] # both are pipes
        self._stdout: IO[bytes] = self._process.stdout  # type: ignore[assignment]
        self._watch = _Watch(self._process)
        threading.Thread(target=self._watch.keep, name="parser watch", daemon=True).start()
        self._finalizer = weakref.finalize(self, _end, self._process, self._watch, self._stdin, self._stdout)

    def ask(self, frame: bytes, seconds: float) -> dict[str, Any] | None:
        """Send a frame and give the answer; None where the child has died over it or is late."""
        self._watch.begin(seconds)
        try:
            rest = memoryview(frame)
            while rest:
                rest = rest[self._stdin.write(rest) or 0 :]
            answer = read_message(self._stdout)
        except (OSError, ValueError, BadFrame):
            return None
        finally:
            self._watch.done()
        return None if self._watch.has_killed else answer  # killed as it answered: else the next file is blamed

    def read(self, seconds: float) -> dict[str, Any] | None:
        """Give what the child says unasked; None where it has died or is late."""
        return self.ask(b"", seconds)

    @property
    def was_killed(self) -> bool:
        """Whether somebody else has ended the process, once it gives no answer any more."""
        if self._watch.has_killed:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(_WATCH_SECONDS) in _KILLED
        return False

    def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self._finalizer()


class _Watch:
    """Kills a process that is late. It sleeps on between two questions, for most follow at once."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._changed = threading.Condition()
        self._due: float | None = None
        self._over = False
        self._asleep = False
        self.has_killed = False

    def begin(self, seconds: float) -> None:
        """Begin the seconds of a question."""
        with self._changed:
            self._due = time.monotonic() + seconds
            if self._asleep:
                self._changed.notify()

    def done(self) -> None:
        """End them."""
        with self._changed:
            self._due = None

    def end(self) -> None:
        """End the thread."""
        with self._changed:
            self._over = True
            self._changed.notify()

    def keep(self) -> None:
        """Watch until there is nothing to watch: what the thread does."""
        idle = False
        with self._changed:
            while not self._over:
                due = self._due
                if due is None:
                    self._asleep = idle
                    self._changed.wait(None if idle else _WATCH_SECONDS)
                    self._asleep = False
                    idle = self._due is None
                    continue
                idle = False
                left = due - time.monotonic()
                if left <= 0:
                    self.has_killed = True
                    self._process.kill()
                    return
                self._changed.wait(min(left, _WATCH_SECONDS))


def _end(process: "subprocess.Popen[bytes]", watch: _Watch, *pipes: IO[bytes]) -> None:
    watch.end()
    with contextlib.suppress(OSError):
        process.kill()
    for pipe in pipes:
        with contextlib.suppress(OSError):
            pipe.close()
    process.wait()


_UNSEEN: dict[str, Any] = {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)} if os.name == "nt" else {}


def _text(lines: Sequence[str]) -> str | None:
    """Give the lines as one text, each as long as it is; None where they are too large.

    What a line cannot hold, or UTF-8 cannot, stands as one other character, so that columns stay.
    """
    if len(lines) > MAX_BYTES or sum(map(len, lines)) + len(lines) > MAX_BYTES:
        return None
    text = "\n".join(lines)
    if text.count("\n") != len(lines) - 1:
        text = "\n".join(line.replace("\n", " ") for line in lines)
    data = text.encode("utf-8", "replace")
    return data.decode("utf-8") if len(data) <= MAX_BYTES else None


def _facts(answer: dict[str, Any]) -> CodeFacts | None:
    """Give an answer as facts; None where it is none, whatever it is."""
    try:
        facts = tuple(CodeFact(*fact) for fact in answer["facts"])
        comments = tuple(Span(*span) for span in answer["comments"])
        unit = answer["unit"]
        return CodeFacts(facts, comments, None if unit is None else (str(unit[0]), int(unit[1]), int(unit[2])))
    except (KeyError, TypeError, ValueError, IndexError):
        return None


def _symbols(answer: dict[str, Any]) -> tuple[Symbol, ...] | None:
    """Give an answer as symbols; None where it is none, whatever it is."""
    try:
        return tuple(Symbol(*symbol) for symbol in answer["outline"])
    except (KeyError, TypeError, ValueError):
        return None
