"""One SQLite file of the cache folder: opened when first used, put aside when damaged, memory where it cannot be."""

import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

_BUSY_SECONDS = 5.0
_LOCK_SECONDS = 5.0
_STALE_LOCK_SECONDS = 60.0
_CACHE_KIB = 512
"""KiB of a file that stay in memory here: the system keeps what is read often, and each process would once more."""
_DAMAGED = ("malformed", "not a database", "corrupt", "disk image")

_Value = TypeVar("_Value")


class StoreError(Exception):
    """What was asked of a store could not be done; the message says what, where and what to do, without a full stop."""


class Table:
    """One SQLite file with a schema of its own; `database` is opened when first used. For one thread at a time.

    Attributes:
        message: What a person should be told about it, a sentence without a full stop; "" while all is well.
        aside: Where the file was put by this object because it was damaged; "" where it was not.
        failure: Why the last question or change came to nothing, in SQLite's words; "" where it did not.
    """

    def __init__(self, folder: str, name: str, schema: str, *, version: int = 0, any_thread: bool = False) -> None:
        """Take the folder, the file's name with the schema's number (`baselines-1.db`), and what creates the schema.

        `version`: written into the file; one that holds a higher one is left alone, 0 asks nothing. `any_thread`: who
        calls sees to it that no two threads do so at once; else all calls must come from one thread.
        """
        self.path = os.path.join(folder, name)
        self.message = ""
        self.aside = ""
        self.failure = ""
        self._schema = schema
        self._version = version
        self._any_thread = any_thread
        self._database: sqlite3.Connection | None = None

    def read(self, question: Callable[[sqlite3.Connection], _Value], otherwise: _Value) -> _Value:
        """Give the answer to a question; `otherwise` where the file cannot be read."""
        for _ in range(2):
            database = self._opened()
            try:
                self.failure = ""
                return question(database)
            except sqlite3.DatabaseError as error:
                self.failure = str(error)
                if not self._put_aside(error):
                    return otherwise
        return otherwise

    def write(self, change: Callable[[sqlite3.Connection], None]) -> bool:
        """Make a change as one transaction; False where it was not made, for another writer's sake say."""
        for _ in range(2):
            database = self._opened()
            try:
                self.failure = ""
                with _transaction(database):
                    change(database)
            except sqlite3.DatabaseError as error:
                self.failure = str(error)
                if not self._put_aside(error):
                    return False
            else:
                return True
        return False

    def empty(self, *, but: Collection[str] = ()) -> bool:
        """Forget all rows of all tables, `but` those of some, and give the room back; False where it was not done."""

        def change(database: sqlite3.Connection) -> None:
            question = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
            for (name,) in database.execute(question).fetchall():
                if name not in but:
                    database.execute('DELETE FROM "{}"'.format(name.replace('"', '""')))  # noqa: S608 - as it is called

        if not self.write(change):
            return False
        with suppress(sqlite3.Error):  # another process may be reading: then the room is used again later
            database = self._opened()
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

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
                database = sqlite3.connect(
                    self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=not self._any_thread
                )
                written = self._written_by(database)
                mode = database.execute("PRAGMA journal_mode=WAL").fetchone()
                if mode is None or mode[0] != "wal":
                    raise sqlite3.OperationalError("the write-ahead log is refused")
                database.execute("PRAGMA synchronous=NORMAL")
                database.execute(f"PRAGMA cache_size=-{_CACHE_KIB}")
                database.executescript(self._schema)
                if written < self._version:
                    database.execute(f"PRAGMA user_version={self._version}")
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

    def _written_by(self, database: sqlite3.Connection) -> int:
        """Give the version that the file holds, 0 for a new one. Raises `OSError` for one that is newer than ours."""
        if not self._version:
            return 0
        found: int = database.execute("PRAGMA user_version").fetchone()[0]
        if found > self._version:
            raise OSError(
                f"a newer cite-lsp has written it (version {found} of its form; this one knows {self._version})"
            )
        return found

    def _in_memory(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=not self._any_thread)
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
            self.aside = aside
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
