"""The verdicts of judges, kept under what the judge was given; and what each judge was asked on a day."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import orjson

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.row_data import verdict_from_data, verdict_to_data
from cite_lsp.store.keyed import DAY, Form, KeyedRows, Row
from cite_lsp.store.table import StoreError

if TYPE_CHECKING:
    from cite_lsp.store.shared import SharedCache

FILE = "verdicts-1.db"
_VERSION = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT PRIMARY KEY NOT NULL,
    label TEXT NOT NULL,
    kind TEXT,
    reason TEXT NOT NULL,
    basis TEXT NOT NULL,
    evidence TEXT NOT NULL,
    confidence REAL,
    judge TEXT NOT NULL,
    at REAL NOT NULL,
    used INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS verdicts_used ON verdicts (used);
CREATE TABLE IF NOT EXISTS spent (
    day TEXT NOT NULL,
    judge TEXT NOT NULL,
    rows INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (day, judge)
) WITHOUT ROWID;
"""
_COLUMNS = ("key", "label", "kind", "reason", "basis", "evidence", "confidence", "judge", "at", "used")
_NAMES = ", ".join(_COLUMNS)
_MARKS = ", ".join("?" * len(_COLUMNS))
_NEWER_STAYS = f"""
ON CONFLICT (key) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])}
WHERE excluded.at >= at OR at > excluded.used
"""
"""What was given in the future, as a file from elsewhere may say, is no newer: it would never be replaced."""
_KEEP = f"INSERT INTO verdicts ({_NAMES}) VALUES ({_MARKS}) {_NEWER_STAYS}"  # noqa: S608 - names of ours
_INCOMING = f"""
CREATE TEMP TABLE incoming ({_NAMES.replace("key,", "key TEXT PRIMARY KEY NOT NULL,")});
"""
_TAKE_IN = f"INSERT INTO incoming ({_NAMES}) VALUES ({_MARKS}) {_NEWER_STAYS}"  # noqa: S608
_MERGE = f"INSERT INTO verdicts ({_NAMES}) SELECT {_NAMES} FROM incoming WHERE true ORDER BY rowid {_NEWER_STAYS}"  # noqa: S608
_FORM = Form(FILE, _VERSION, _SCHEMA, "verdicts", _COLUMNS, _KEEP, beside=("spent",))
_DAYS_KEPT = 60


@dataclass(frozen=True, slots=True)
class Spent:
    """What a judge was asked on one day (UTC): rows, and their cost in the unit of `est_cost`."""

    judge: str
    rows: int
    cost: float


@dataclass(frozen=True, slots=True)
class Info:
    """What is kept.

    Attributes:
        path: The file; it may not be there yet.
        rows: How many verdicts.
        bytes: The size of the file with its log.
        oldest, newest: When they were given, seconds since the epoch; None without verdicts.
        judges: How many are of each judge, by its identity; most first.
        spent: What was asked today.
    """

    path: str
    rows: int = 0
    bytes: int = 0
    oldest: float | None = None
    newest: float | None = None
    judges: Mapping[str, int] = field(default_factory=dict)
    spent: tuple[Spent, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to: verdicts in the file, those that were not known, those that replaced an older one."""

    rows: int
    added: int
    renewed: int


class Verdicts(KeyedRows):
    """The verdicts that are kept in one folder, for all processes of a person; from any thread.

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
        """Take the cache folder, which is made when it is needed, how many verdicts are kept in it, a shared cache."""
        super().__init__(folder, _FORM, max_rows=max_rows, clock=clock, shared=shared)

    @property
    def message(self) -> str:
        """What a person should be told, a sentence without a full stop; "" while all is well."""
        table = self._table
        if table.message:
            return f"{table.message}; the limits of a day count what this process asks"
        if table.aside:
            lost = "what it held, and what was spent today, is not known any more"
            return f"{table.path} was damaged and was put aside as {table.aside}; {lost}"
        if self._unwritten:
            return f"{table.path} cannot be written, so new verdicts are not kept: {self._unwritten}"
        return ""

    # --- verdicts

    def recall(self, keys: Iterable[str]) -> dict[str, Judged]:
        """Give what is known of some keys, as `cached`."""
        wanted = list(dict.fromkeys(keys))
        found = self._recall(wanted, _judged)
        for row in self._recall_shared([key for key in wanted if key not in found], self._row_of):
            judged = _judged(row)
            if judged is not None:
                found[row[0]] = judged
        return found

    def keep(self, verdicts: Mapping[str, Judged]) -> bool:
        """Keep verdicts by their keys; False where they could not be written. A newer one of the same key stays."""
        if not verdicts:
            return True
        now = int(self._clock())
        rows = [_row(key, judged, now) for key, judged in verdicts.items()]
        if self._shared is not None:
            self._share(_shared(rows))
        return self._keep(rows)

    def shareable(self) -> dict[str, bytes]:
        """Give all verdicts as they are shared, by their keys; without those that quote what looks like a key."""
        none: list[Row] = []
        with self._lock:
            question = f"SELECT {_NAMES} FROM verdicts ORDER BY used, rowid"  # noqa: S608 - names of ours
            rows = self._table.read(lambda database: database.execute(question).fetchall(), none)
        return _shared(rows)

    def info(self) -> Info:
        """Tell what is kept."""
        if not os.path.lexists(self.path):
            return Info(self.path)
        with self._lock:
            return self._table.read(self._info, Info(self.path))

    # --- what is spent

    def admit(
        self,
        judge: str,
        rows: int,
        cost: float,
        *,
        most_rows: int | None = None,
        most_cost: float | None = None,
        section: str = "judge.limits",
    ) -> str:
        """Book a request of a judge on today (UTC), unless that would pass a limit of the day.

        Args:
            judge: Its identity; each judge has limits of its own.
            rows: How many rows the request asks; negative, like the cost, to give back what was never sent.
            cost: What it costs, in the unit of `est_cost`.
            most_rows: How many rows a day may have; None is no limit.
            most_cost: What a day may cost; None is no limit.
            section: Where the limits are set, for the message.

        Returns:
            "" when it is booked; else why not, a sentence without a full stop. All processes count together.
        """
        now = self._clock()
        today = _day(now)
        refusal = ""

        def book(database: sqlite3.Connection) -> None:
            nonlocal refusal
            question = "SELECT rows, cost FROM spent WHERE day = ? AND judge = ?"
            asked, spent = database.execute(question, (today, judge)).fetchone() or (0, 0.0)
            refusal = _over(judge, section, ("rows_per_day", asked, rows, most_rows), "rows were asked")
            refusal = refusal or _over(judge, section, ("cost_per_day", spent, cost, most_cost), "was spent")
            if not refusal:
                after = (today, judge, max(asked + rows, 0), max(spent + cost, 0.0))
                database.execute("INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?)", after)
                database.execute("DELETE FROM spent WHERE day < ?", (_day(now - _DAYS_KEPT * DAY),))

        with self._lock:
            if self._table.write(book):
                return refusal
            if most_rows is None and most_cost is None:
                return ""
            why = self._table.failure
        return f"what was spent today is not known, so {section} cannot be kept: {self.path} cannot be written ({why})"

    # --- files

    def export_to(self, path: str) -> int:
        """Write all verdicts into a file, as JSON lines, gzipped where its name ends in ".gz"; give how many.

        The file is written whole or not at all, and takes the place of an earlier export and of nothing else.

        Raises:
            StoreError: It cannot be written, or the verdicts not be read.
        """
        from cite_lsp.store import transfer  # noqa: PLC0415 - pydantic is loaded for it

        with self._lock, transfer.writing(path) as write:
            aside = self._table.aside
            count = self._table.read(lambda database: _export(database, write), -1)
            self._check_kept()
            if self._table.aside != aside:  # what was written is not what there was
                raise StoreError(self.message)
            if count < 0:
                raise StoreError(f"{self.path} cannot be read: {self._table.failure}")
        return count

    def import_from(self, path: str) -> Imported:
        """Take in the verdicts of a file that `export_to` wrote; of two of the same key the newer one stays.

        Raises:
            StoreError: A line is wrong, the file cannot be read, or the verdicts not be written: nothing was taken in.
        """
        from cite_lsp.store import transfer  # noqa: PLC0415

        now = int(self._clock())
        with self._lock:
            self._table.read(self._count, 0)
            self._check_kept()
            lines = (_row(key, judged, now) for key, judged in transfer.read(path))
            done: list[Imported] = []
            with self._incoming(lines):
                if not self._table.write(lambda database: done.append(self._merge(database))):
                    raise StoreError(f"{self.path} cannot be written: {self._table.failure}")
        return done[-1]

    # --- what is shared

    def _row_of(self, key: str, value: bytes) -> Row | None:
        """Give a verdict of the shared cache as a row; None for what is none, or was given in the future."""
        from cite_lsp.store import transfer  # noqa: PLC0415

        now = self._clock()
        judged = transfer.judged_of(key, value)
        return None if judged is None or judged.at > now + DAY else _row(key, judged, int(now))

    # --- within the lock

    def _info(self, database: sqlite3.Connection) -> Info:
        count, oldest, newest = database.execute("SELECT count(*), min(at), max(at) FROM verdicts").fetchone()
        judges = database.execute("SELECT judge, count(*) AS n FROM verdicts GROUP BY judge ORDER BY n DESC, judge")
        today = (_day(self._clock()),)
        spent = database.execute("SELECT judge, rows, cost FROM spent WHERE day = ? ORDER BY judge", today)
        asked = tuple([Spent(*each) for each in spent])
        return Info(self.path, count, self._bytes(), oldest, newest, dict(judges.fetchall()), asked)

    @contextmanager
    def _incoming(self, rows: Iterable[Row]) -> Iterator[None]:
        """Put rows into a table of this connection alone, so that no other process waits for the file to be read."""

        def fill(database: sqlite3.Connection) -> bool:
            database.execute("DROP TABLE IF EXISTS temp.incoming")
            database.execute(_INCOMING)
            database.execute("BEGIN")
            try:
                database.executemany(_TAKE_IN, rows)
            finally:
                database.execute("COMMIT")
            return True

        try:
            if not self._table.read(fill, False):
                raise StoreError(f"the verdicts cannot be taken in: {self._table.failure}")
            yield
        finally:
            self._table.read(lambda database: database.execute("DROP TABLE IF EXISTS temp.incoming"), None)

    def _merge(self, database: sqlite3.Connection) -> Imported:
        older = "SELECT count(*) FROM incoming JOIN verdicts USING (key) WHERE incoming.at > verdicts.at"
        (renewed,) = database.execute(older).fetchone()
        (arrived,) = database.execute("SELECT count(*) FROM incoming").fetchone()
        before = self._count(database)
        database.execute(_MERGE)
        added = self._count(database) - before
        self._shorten(database)
        return Imported(arrived, added, renewed)


def _export(database: sqlite3.Connection, write: Callable[[int, Iterable[tuple[str, Judged]]], int]) -> int:
    database.execute("BEGIN")  # the same rows twice, whoever writes meanwhile
    try:
        return write(sum(1 for _ in _all(database)), _all(database))
    finally:
        database.execute("COMMIT")


def _all(database: sqlite3.Connection) -> Iterator[tuple[str, Judged]]:
    for row in database.execute(f"SELECT {_NAMES} FROM verdicts ORDER BY used, rowid"):  # noqa: S608 - names of ours
        judged = _judged(row)
        if judged is not None:
            yield row[0], judged


def _row(key: str, judged: Judged, used: int) -> Row:
    data = verdict_to_data(judged.verdict)
    evidence = [[excerpt, offset, _plain(text)] for excerpt, offset, text in data["evidence"]]
    texts = [_plain(data[name]) for name in ("reason", "basis")]
    written = orjson.dumps(evidence).decode()
    return (
        key,
        data["label"],
        data["kind"],
        *texts,
        written,
        data["confidence"],
        _plain(data["judge"]),
        judged.at,
        used,
    )


def _judged(row: Row) -> Judged | None:
    """Give what a row says; None for one that says nothing that we know."""
    data = dict(zip(_COLUMNS, row, strict=True))
    try:
        data["evidence"] = orjson.loads(data["evidence"])
        return Judged(verdict_from_data(data), float(data["at"]), cached=True)
    except (KeyError, TypeError, ValueError):
        return None


def _shared(rows: Iterable[Row]) -> dict[str, bytes]:
    from cite_lsp.store import transfer  # noqa: PLC0415 - pydantic is loaded for it

    found = [(row[0], judged) for row in rows if (judged := _judged(row)) is not None]
    return {key: transfer.line_of(key, judged) for key, judged in found if not _holds_keys(judged)}


def _holds_keys(judged: Judged) -> bool:
    """Whether a verdict quotes what looks like a key, as one of a program on this machine may."""
    from cite_lsp.clients.redaction import kept_back  # noqa: PLC0415 - where a cache is shared only

    verdict = judged.verdict
    texts = (verdict.reason, verdict.basis, *(each.text for each in verdict.evidence))
    return any(kept_back(line) for text in texts for line in text.splitlines())


def _plain(text: str) -> str:
    """Give a text without halves of characters, which a model may write and no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _over(judge: str, section: str, limit: tuple[str, float, float, float | None], what: str) -> str:
    """Say that a limit would be passed; "" where it would not. `limit`: name, spent, to be spent, the most."""
    name, spent, more, most = limit
    if most is None or spent + more <= most * (1 + 1e-9):  # ten times 0.1 is one
        return ""
    return (
        f"{section}.max_{name} is {most:,g} and {spent:,g} {what} of {judge} today (UTC), "
        f"so a request of {more:,g} more is not sent; raise the limit or wait for the next day"
    )


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
