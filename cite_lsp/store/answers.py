"""What was answered of passages that policies ask about, kept under what was asked and of whom."""

import hashlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from cite_lsp.store.keyed import DAY, Form, KeyedRows, Row

if TYPE_CHECKING:
    from cite_lsp.store.shared import SharedCache

FILE = "answers-1.db"
_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL,
    client TEXT NOT NULL,
    at REAL NOT NULL,
    used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_used ON answers (used);
"""
_KEEP = "INSERT OR REPLACE INTO answers (key, value, client, at, used) VALUES (?, ?, ?, ?, ?)"
_FORM = Form(FILE, _VERSION, _SCHEMA, "answers", ("key", "value", "used"), _KEEP)


@dataclass(frozen=True, slots=True)
class AnswersInfo:
    """What is kept.

    Attributes:
        path: The file; it may not be there yet.
        rows: How many answers: one for each passage that was screened, one for each second question.
        bytes: The size of the file with its log.
        oldest, newest: When they were given, seconds since the epoch; None without answers.
        clients: How many are of each client, by its identity; most first.
    """

    path: str
    rows: int = 0
    bytes: int = 0
    oldest: float | None = None
    newest: float | None = None
    clients: Mapping[str, int] = field(default_factory=dict)


class Answers(KeyedRows):
    """The answers that are kept in one folder, for all processes of a person; from any thread.

    A call may wait some seconds for another process: none belongs on an event loop.
    """

    def __init__(
        self,
        folder: str,
        *,
        max_rows: int = 200_000,
        clock: Callable[[], float] = time.time,
        shared: "SharedCache | None" = None,
    ) -> None:
        """Take the cache folder, which is made when it is needed, how many answers are kept in it, a shared cache."""
        super().__init__(folder, _FORM, max_rows=max_rows, clock=clock, shared=shared)

    @property
    def message(self) -> str:
        """What a person should be told, a sentence without a full stop; "" while all is well."""
        table = self._table
        if table.message:
            return table.message
        if table.aside:
            return f"{table.path} was damaged and was put aside as {table.aside}; what it held is asked for again"
        if self._unwritten:
            return f"{table.path} cannot be written, so new answers are not kept: {self._unwritten}"
        return ""

    def of(self, client: str) -> "KeptAnswers":
        """Give those of one client, by its identity: what another one said is none of its answers."""
        return KeptAnswers(self, client)

    def recall(self, client: str, keys: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """Give what is known of some keys; what cannot be read is not known."""
        wanted = {_key(client, key): key for key in keys}
        found = self._recall(list(wanted), _value)
        missing = [key for key in wanted if key not in found]
        for row in self._recall_shared(missing, lambda key, value: self._row_of(client, key, value)):
            value = _value(row)
            if value is not None:
                found[row[0]] = value
        return {wanted[key]: value for key, value in found.items()}

    def keep(self, client: str, known: Mapping[str, Mapping[str, Any]]) -> bool:
        """Keep answers of a client by their keys; False where they could not be written. A newer one replaces."""
        if not known:
            return True
        now = self._clock()
        written = {_key(client, key): text for key, value in known.items() if (text := _text(value)) is not None}
        if self._shared is not None:
            self._share({key: _shared(key, now, text) for key, text in written.items() if not _holds_keys(text)})
        return self._keep([(key, text, client, now, int(now)) for key, text in written.items()])

    def info(self) -> AnswersInfo:
        """Tell what is kept."""
        if not os.path.lexists(self.path):
            return AnswersInfo(self.path)
        with self._lock:
            return self._table.read(self._info, AnswersInfo(self.path))

    def _row_of(self, client: str, key: str, value: bytes) -> Row | None:
        """Give an answer of the shared cache as a row; None for what is none, or was given in the future."""
        now = self._clock()
        try:
            found = orjson.loads(value)
        except ValueError:
            return None
        if not isinstance(found, dict) or found.get("key") != key or not isinstance(found.get("value"), dict):
            return None
        at = found.get("at")
        if not isinstance(at, float) or not 0 <= at <= now + DAY:
            return None
        return key, orjson.dumps(found["value"]).decode(), client, at, int(now)

    def _info(self, database: sqlite3.Connection) -> AnswersInfo:
        count, oldest, newest = database.execute("SELECT count(*), min(at), max(at) FROM answers").fetchone()
        clients = database.execute("SELECT client, count(*) AS n FROM answers GROUP BY client ORDER BY n DESC, client")
        return AnswersInfo(self.path, count, self._bytes(), oldest, newest, dict(clients.fetchall()))


class KeptAnswers:
    """The answers of one client: what a run of a policy recalls and keeps (`policy.memory.Memory`)."""

    def __init__(self, answers: Answers, client: str) -> None:
        """Take where they are kept, and the client's identity."""
        self._answers = answers
        self._client = client

    def recall(self, keys: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
        """Give what is known of some keys."""
        return self._answers.recall(self._client, keys)

    def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep answers; what cannot be written is asked for again another time."""
        self._answers.keep(self._client, known)


def _key(client: str, key: str) -> str:
    digest = hashlib.sha256()
    for part in (client, key):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(encoded))
        digest.update(encoded)
    return digest.hexdigest()


def _shared(key: str, at: float, text: str) -> bytes:
    """Give an answer as it is shared: it names its key, so that none is taken for another one's."""
    return orjson.dumps({"key": key, "at": float(at), "value": orjson.Fragment(text)})


def _holds_keys(text: str) -> bool:
    """Whether an answer, as it is kept, quotes what looks like a key."""
    from cite_lsp.clients.redaction import kept_back  # noqa: PLC0415 - where a cache is shared only

    return kept_back(text)


def _text(value: Mapping[str, Any]) -> str | None:
    """Give an answer as it is kept; None for one that no file can hold: a model may write half of a character."""
    try:
        return orjson.dumps(value).decode()
    except orjson.JSONEncodeError:
        return None


def _value(row: Row) -> Mapping[str, Any] | None:
    try:
        value = orjson.loads(row[1])
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
