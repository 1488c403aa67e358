"""What is kept from run to run, in SQLite files of the cache folder; several processes may read and write at once.

A file that is damaged is put aside, never deleted, and another one is begun. Where no file can be kept (a folder that
may not be written, a network home that refuses the write-ahead log) everything is kept in memory, with one message.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

_BUSY_SECONDS = 5.0
_LOCK_SECONDS = 5.0
_STALE_LOCK_SECONDS = 60.0
_AT_ONCE = 400
"""Keys of one question; SQLite takes 999 variables in old builds."""
_DAMAGED = ("malformed", "not a database", "corrupt", "disk image")
_KEPT_SHARE = 0.75

_Value = TypeVar("_Value")


class Table:
    """One SQLite file with a schema of its own; `database` is opened when first used. For one thread.

    Attributes:
        message: What a person should be told about it, a sentence without a full stop; "" while all is well.
    """

    def __init__(self, folder: str, name: str, schema: str) -> None:
        """Take the folder, the file's name with the schema's number (`baselines-1.db`), and what creates the schema."""
        self.path = os.path.join(folder, name)
        self.message = ""
        self._schema = schema
        self._database: sqlite3.Connection | None = None

    def read(self, question: Callable[[sqlite3.Connection], _Value], otherwise: _Value) -> _Value:
        """Give the answer to a question; `otherwise` where the file cannot be read."""
        for _ in range(2):
            database = self._opened()
            try:
                return question(database)
            except sqlite3.DatabaseError as error:
                if not self._put_aside(error):
                    return otherwise
        return otherwise

    def write(self, change: Callable[[sqlite3.Connection], None]) -> bool:
        """Make a change as one transaction; False where it was not made, for another writer's sake say."""
        for _ in range(2):
            database = self._opened()
            try:
                with _transaction(database):
                    change(database)
            except sqlite3.DatabaseError as error:
                if not self._put_aside(error):
                    return False
            else:
                return True
        return False

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = self._on_disk() or self._in_memory()
        return self._database

    def _on_disk(self) -> sqlite3.Connection | None:
        end = time.monotonic() + _BUSY_SECONDS
        repaired = False
        while True:
            database = None
            try:
                Path(self.path).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)
                mode = database.execute("PRAGMA journal_mode=WAL").fetchone()
                if mode is None or mode[0] != "wal":
                    raise sqlite3.OperationalError("the write-ahead log is refused")
                database.execute("PRAGMA synchronous=NORMAL")
                database.executescript(self._schema)
            except (sqlite3.Error, OSError, ValueError) as error:
                if database is not None:
                    database.close()
                if _is_busy(error) and time.monotonic() < end:  # two begin it at once: no busy timeout waits for that
                    time.sleep(0.02)
                elif not repaired and self._damaged(error) and self._move_away():
                    repaired = True
                else:
                    self.message = f"{self.path} cannot be used, so what was found out is not kept: {error}"
                    return None
            else:
                return database

    def _in_memory(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", isolation_level=None)
        database.executescript(self._schema)
        return database

    # --- damage

    @staticmethod
    def _damaged(error: Exception) -> bool:
        return isinstance(error, sqlite3.DatabaseError) and any(sign in str(error) for sign in _DAMAGED)

    def _put_aside(self, error: sqlite3.DatabaseError) -> bool:
        """Put a damaged file aside; False when the file is not damaged."""
        if not self._damaged(error):
            return False
        self.close()
        return self._move_away()

    def _move_away(self) -> bool:
        """Rename the file and its log, one process at a time, unless another process has begun a good one since."""
        with _locked(self.path + ".lock") as locked:
            if not locked:
                return False
            if self._is_good():
                return True
            aside = f"{self.path}.corrupt-{time.time_ns()}"
            try:
                os.replace(self.path, aside)  # noqa: PTH105
            except OSError:
                return not os.path.lexists(self.path)
            for ending in ("-wal", "-shm"):
                with suppress(OSError):
                    os.replace(self.path + ending, aside + ending)  # noqa: PTH105
            return True

    def _is_good(self) -> bool:
        try:
            database = sqlite3.connect(self.path, timeout=_BUSY_SECONDS)
        except sqlite3.Error:
            return False
        try:
            found = database.execute("PRAGMA quick_check(1)").fetchone()
        except sqlite3.Error:
            return False
        else:
            return found is not None and found[0] == "ok"
        finally:
            database.close()


def _is_busy(error: Exception) -> bool:
    return isinstance(error, sqlite3.OperationalError) and ("locked" in str(error) or "busy" in str(error))


@contextmanager
def _transaction(database: sqlite3.Connection) -> Iterator[None]:
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


@contextmanager
def _locked(path: str) -> Iterator[bool]:
    """Hold a lock file; one that was left behind by a process that died is taken over."""
    end = time.monotonic() + _LOCK_SECONDS
    held = False
    while not held and time.monotonic() < end:
        try:
            Path(path).touch(0o600, exist_ok=False)
            held = True
        except FileExistsError:
            with suppress(OSError):
                if time.time() - os.stat(path).st_mtime > _STALE_LOCK_SECONDS:  # noqa: PTH116
                    os.unlink(path)  # noqa: PTH108 - the lock, not what it guards
            time.sleep(0.02)
        except OSError:
            break
    try:
        yield held
    finally:
        if held:
            with suppress(OSError):
                os.unlink(path)  # noqa: PTH108


_BASELINES = """
CREATE TABLE IF NOT EXISTS baselines (
    place TEXT NOT NULL,
    key TEXT NOT NULL,
    head TEXT NOT NULL,
    used INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (place, key, head)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS baselines_used ON baselines (used);
"""
_MOST_BYTES = 200_000_000
_HEADS = 4
"""Of so many commits the answers for one document are given: the branches that a person switches between."""


_FORGET = f"""
DELETE FROM baselines WHERE place = ? AND key = ? AND head NOT IN (
    SELECT head FROM baselines WHERE place = ? AND key = ? ORDER BY used DESC LIMIT {_HEADS}
)
"""  # noqa: S608 - a number of ours


class Store:
    """The baselines of documents, kept under what they depend on (`snapshot.remembering.Remembered`)."""

    def __init__(self, folder: str, *, most_bytes: int = _MOST_BYTES) -> None:
        """Take the cache folder; it is made when something is kept."""
        self._table = Table(folder, "baselines-1.db", _BASELINES)
        self._most_bytes = most_bytes

    @property
    def message(self) -> str:
        """What a person should be told, a sentence without a full stop; "" while all is well."""
        return self._table.message

    def recall(self, place: str, keys: Sequence[str]) -> dict[str, list[tuple[str, bytes]]]:
        """Give for each of the keys that are known the HEADs under which something was kept, the latest first."""
        found: dict[str, list[tuple[str, bytes]]] = {}
        for low in range(0, len(keys), _AT_ONCE):
            part = keys[low : low + _AT_ONCE]
            marks = ",".join("?" * len(part))
            question = f"SELECT key, head, data FROM baselines WHERE place = ? AND key IN ({marks}) ORDER BY used DESC"  # noqa: S608
            rows: list[tuple[str, str, bytes]] = []
            rows = self._table.read(lambda database: database.execute(question, (place, *part)).fetchall(), rows)  # noqa: B023
            for key, head, data in rows:
                heads = found.setdefault(key, [])
                if len(heads) < _HEADS:
                    heads.append((head, data))
        return found

    def remember(self, place: str, head: str, values: Mapping[str, bytes]) -> None:
        """Keep values of a HEAD; what was used longest ago goes when there is too much."""
        if not values:
            return
        now = time.time_ns()
        rows = [(place, key, head, now, data) for key, data in values.items()]

        def change(database: sqlite3.Connection) -> None:
            database.executemany("INSERT OR REPLACE INTO baselines VALUES (?, ?, ?, ?, ?)", rows)
            database.executemany(_FORGET, [(place, key, place, key) for key in values])
            self._shorten(database)

        self._table.write(change)

    def close(self) -> None:
        """Close the file."""
        self._table.close()

    def _shorten(self, database: sqlite3.Connection) -> None:
        pages, free, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
        if (pages - free) * size <= self._most_bytes:
            return
        (count,) = database.execute("SELECT count(*) FROM baselines").fetchone()
        drop = count - int(count * _KEPT_SHARE * self._most_bytes / ((pages - free) * size))
        row = database.execute(
            "SELECT used FROM baselines ORDER BY used LIMIT 1 OFFSET ?", (max(drop - 1, 0),)
        ).fetchone()
        if row is not None:
            database.execute("DELETE FROM baselines WHERE used <= ?", row)
