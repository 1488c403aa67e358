"""Values that a team's editors and CI share in a Redis or Valkey server, beside what each machine keeps.

A thread of its own talks to the server, so that nobody waits for it longer than they said, whatever the network does.
While it is away nothing is looked up there; it is tried again from time to time, and what was to be written meanwhile
is written then, as far as there is room for it.
"""

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Event, Thread, current_thread
from typing import TYPE_CHECKING

from cite_lsp.store.shared_server import AT_ONCE, LONGEST, SharedError, SharedServer

if TYPE_CHECKING:
    from cite_lsp.config import CacheSettings
    from cite_lsp.config.cache_address import CacheAddress

log = logging.getLogger(__name__)

PREFIX = "cite-lsp:"
EDITOR_SECONDS = 0.3
"""How long a save waits for an answer."""
COMMAND_SECONDS = 3.0
"""How long the command line does."""
_CLOSING_SECONDS = 5.0
_MOST_WAITING = 10_000
_MOST_BYTES = 16_000_000
"""What waits to be written, in values and bytes; more is not shared."""
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_LATE_ANSWERS = 3
"""After so many answers in a row that came too late, a person is told."""


@dataclass(slots=True, eq=False)
class _Question:
    names: Sequence[str]
    found: dict[str, bytes] = field(default_factory=dict)
    done: Event = field(default_factory=Event)


class SharedCache:
    """The values, each under its kind (with the number of its form: `verdicts-1`) and its key; from any thread.

    Attributes:
        unusable: How many values were found that are none of ours, or too long; they are as good as not there.
        connected: Whether the server was there when it was last needed.
    """

    def __init__(
        self, address: "CacheAddress", *, secrets: Mapping[str, str] | None = None, patience: float = COMMAND_SECONDS
    ) -> None:
        """Take where the server is, passwords that the editor keeps, and how long `get` waits, in seconds."""
        self.address = address
        self.unusable = 0
        self.connected = False
        self._secrets = secrets
        self._patience = patience
        self._lock = Condition()
        self._questions: list[_Question] = []
        self._waiting: dict[str, bytes] = {}
        self._waiting_bytes = 0
        self._renewed: set[str] = set()
        self._thread: Thread | None = None
        self._closing = False
        self._behind = False
        """Whether somebody gave up waiting and the thread is still at it: nobody else waits meanwhile."""
        self._late_answers = 0
        self._trouble = ""
        """Why the server is away, "" while it is there; the first reason stays until it is back."""
        self._lasting = False
        self._pause = _FIRST_PAUSE
        self._again_at = 0.0
        self._refused = ""
        """Why the server took no value, "" where it did."""

    @classmethod
    def of(
        cls, cache: "CacheSettings", *, secrets: Mapping[str, str] | None = None, patience: float = COMMAND_SECONDS
    ) -> "SharedCache | None":
        """Give the shared cache of the settings; None where they name none."""
        address = cache.shared
        return None if address is None else cls(address, secrets=secrets, patience=patience)

    @property
    def message(self) -> str:
        """What a person should be told, a sentence without a full stop; "" while all is well."""
        where = f"the shared cache at {self.address.shown}"
        if self._trouble:
            return f"{where} {self._trouble}; what is found out is kept on this machine only"
        if self._late_answers >= _LATE_ANSWERS:
            return f"{where} answers later than after {self._patience:g} seconds, so it is not waited for"
        if self._refused:
            return f"{where} {self._refused}"
        if self.unusable:
            return f"{where} holds values that are no verdicts or answers of this form, which are not used"
        return ""

    def begin(self) -> None:
        """Connect, without waiting."""
        with self._lock:
            self._start()

    def get(self, kind: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Give what is known of some keys, within the time that was said: then what came by then."""
        prefix = f"{PREFIX}{kind}:"
        question = _Question([prefix + key for key in keys])
        with self._lock:
            if not keys or self._trouble or self._behind:
                return {}
            self._questions.append(question)
            self._start()
        in_time = question.done.wait(self._patience)
        with self._lock:
            if not in_time and not question.done.is_set():
                self._give_up(question)
            found = dict(question.found)
            if found:
                self._renewed.update(found)
                self._lock.notify()
        return {name.removeprefix(prefix): value for name, value in found.items()}

    def put(self, kind: str, values: Mapping[str, bytes]) -> None:
        """Share values; returns at once. What is too long is not shared."""
        with self._lock:
            if self._lasting:
                return
            for key, value in values.items():
                self._add(f"{PREFIX}{kind}:{key}", value)
            if self._waiting:
                self._start()

    def refuse(self, count: int) -> None:
        """Note that values which were given are none of ours."""
        with self._lock:
            self.unusable += count

    def close(self, seconds: float = _CLOSING_SECONDS) -> None:
        """Wait, for so long at most, until all is written, and end the thread; the next use begins it again."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._closing = True
            self._lock.notify()
        if thread is not None:
            thread.join(seconds)
            if thread.is_alive():
                log.info("the shared cache at %s was not waited for any longer", self.address.shown)

    # --- within the lock

    def _start(self) -> None:
        if self._thread is None and not self._lasting:
            self._closing = False
            self._thread = Thread(target=self._run, name="cite-lsp shared cache", daemon=True)
            self._thread.start()
        self._lock.notify()

    def _add(self, name: str, value: bytes) -> None:
        if len(value) > LONGEST:
            return
        before = self._waiting.pop(name, b"")
        self._waiting[name] = value
        self._waiting_bytes += len(value) - len(before)
        while len(self._waiting) > _MOST_WAITING or self._waiting_bytes > _MOST_BYTES:
            oldest = next(iter(self._waiting))
            self._waiting_bytes -= len(self._waiting.pop(oldest))

    def _give_up(self, question: _Question) -> None:
        """Wait no longer. While the connection is being made nobody knows yet whether the server is slow."""
        self._behind = True
        if question in self._questions:
            self._questions.remove(question)
        else:
            self._late_answers += 1

    def _work(self) -> bool:
        return bool(self._questions or self._waiting or self._renewed)

    # --- the thread

    def _run(self) -> None:
        mine = current_thread()
        server = SharedServer(self.address, secrets=self._secrets)
        connected = False
        while self._wait(mine, connected=connected):
            try:
                if not connected:
                    server.read([f"{PREFIX}nothing"])  # whether we may read, too
                    connected = True
                    self._back()
                self._ask(server)
                self._write(server)
            except SharedError as error:
                connected = False
                self._away(error)
        server.close()

    def _wait(self, mine: Thread, *, connected: bool) -> bool:
        """Wait until there is something to do; False when there is nothing more."""
        with self._lock:
            while True:
                ending = self._closing or self._thread is not mine
                if self._lasting or (ending and (self._trouble or not self._work())):
                    return False
                pause = self._again_at - time.monotonic() if self._trouble else 0.0
                if pause > 0:
                    self._lock.wait(pause)
                elif not connected or self._work():
                    return True
                else:
                    self._lock.wait()

    def _ask(self, server: SharedServer) -> None:
        """Answer together all that is asked by now."""
        with self._lock:
            questions, self._questions = self._questions, []
        names = list(dict.fromkeys(name for question in questions for name in question.names))
        try:
            for low in range(0, len(names), AT_ONCE):
                found, unusable = server.read(names[low : low + AT_ONCE])
                self.refuse(unusable)
                self._hand_out(found, questions)
        finally:
            with self._lock:
                for question in questions:
                    question.done.set()
        if questions:
            self._answered()

    def _hand_out(self, found: Mapping[str, bytes], questions: Iterable[_Question]) -> None:
        with self._lock:
            for question in questions:
                question.found.update({name: found[name] for name in question.names if name in found})

    def _answered(self) -> None:
        with self._lock:
            if not self._behind:
                self._late_answers = 0
            self._behind = False
            self._pause = _FIRST_PAUSE

    def _write(self, server: SharedServer) -> None:
        """Write some of what waits, so that nobody who asks waits for all of it."""
        with self._lock:
            batch = {name: self._waiting[name] for name in islice(self._waiting, AT_ONCE)}
            renewed, self._renewed = self._renewed, set()
        if not batch and not renewed:
            return
        refused = server.write(batch, sorted(renewed))
        with self._lock:
            self._refused = refused if batch else self._refused
            for name, value in batch.items():
                if self._waiting.get(name) is value:
                    del self._waiting[name]
                    self._waiting_bytes -= len(value)

    def _back(self) -> None:
        with self._lock:
            if self._trouble:
                log.info("the shared cache at %s is there again", self.address.shown)
            self._trouble, self._behind, self.connected = "", False, True

    def _away(self, error: SharedError) -> None:
        """Let nobody wait, and try again later, ever less often."""
        with self._lock:
            if not self._trouble:
                self._trouble = str(error)
                log.info("%s", self.message)
            self._lasting, self.connected = error.lasting, False
            self._again_at = time.monotonic() + self._pause
            self._pause = min(self._pause * 2, _LONGEST_PAUSE)
            self._renewed.clear()
            if self._lasting:
                self._waiting, self._waiting_bytes = {}, 0
            questions, self._questions = self._questions, []
            for question in questions:
                question.done.set()
