"""Rows that are kept under keys in one SQLite file: recalled some at a time, those used least lately dropped."""

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from cite_lsp.store.table import StoreError, Table

if TYPE_CHECKING:
    from cite_lsp.store.shared import SharedCache

Row = tuple[Any, ...]

_AT_ONCE = 400
"""Keys of one question; SQLite takes 999 variables in old builds."""
_KEPT_SHARE = 0.9
"""So much is left when there is too much: what is dropped at a time makes room for many writes."""
DAY = 24 * 3600

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Form:
    """What a file of such rows looks like.

    Attributes:
        file: Its name, with the schema's number.
        version, schema: As in `Table`.
        name: Of the table that holds the rows.
        columns: What is read of a row: the key first, and last `used`, when it was recalled last (seconds).
        keep: The statement that writes a row.
        beside: Other tables of the file, which `clear` leaves alone.
    """

    file: str
    version: int
    schema: str
    name: str
    columns: Sequence[str]
    keep: str
    beside: tuple[str, ...] = ()


class KeyedRows:
    """What is kept in one folder under keys; each kind says what its rows hold. From any thread.

    What is not in the folder may be in a cache that is shared with others: what is found there is kept here as well.
    """

    def __init__(
        self,
        folder: str,
        form: Form,
        *,
        max_rows: int,
        clock: Callable[[], float],
        shared: "SharedCache | None" = None,
    ) -> None:
        """Take the cache folder, which is made when it is needed, the form, how many rows are kept, and a shared cache.

        The shared cache is not closed here: several kinds of rows may share one.
        """
        self._shared = shared
        self._form = form
        self._table = Table(folder, form.file, form.schema, version=form.version, any_thread=True)
        self._max_rows = max_rows
        self._clock = clock
        self._lock = Lock()
        self._unwritten = ""
        """Why the rows that were to be kept last are not, "" where they are."""

    @property
    def path(self) -> str:
        """The file."""
        return self._table.path

    def clear(self) -> int:
        """Forget all rows; give how many there were. What else is in the file stays. Raises `StoreError`."""
        with self._lock:
            if not os.path.lexists(self.path):
                return 0
            count = self._table.read(self._count, 0)
            self._check_kept()
            if not self._table.empty(but=self._form.beside):
                raise StoreError(f"{self.path} cannot be cleared: {self._table.failure}")
        return count

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._table.close()

    def _recall(self, keys: Sequence[str], read: Callable[[Row], _Value | None]) -> dict[str, _Value]:
        """Give what is known of some keys, each of which is there once; a row of which `read` makes None is not."""
        now = int(self._clock())
        found: dict[str, _Value] = {}
        touched: list[tuple[int, str]] = []
        with self._lock:
            for low in range(0, len(keys), _AT_ONCE):
                for row in self._rows(keys[low : low + _AT_ONCE]):
                    value = read(row)
                    if value is not None:
                        found[row[0]] = value
                        if row[-1] < now - DAY:  # so seldom that reading does not always write
                            touched.append((now, row[0]))
            if touched:
                self._table.write(lambda database: self._touch(database, touched))
        return found

    def _keep(self, rows: Sequence[Row]) -> bool:
        """Keep rows; False where they could not be written."""

        def change(database: sqlite3.Connection) -> None:
            database.executemany(self._form.keep, rows)
            self._shorten(database)

        with self._lock:
            done = self._table.write(change)
            self._unwritten = self._table.failure
        return done

    def _recall_shared(self, keys: Sequence[str], read: Callable[[str, bytes], Row | None]) -> list[Row]:
        """Give the rows of some keys that others have shared, and keep them; what `read` makes None of is not used."""
        if self._shared is None:
            return []
        found = self._shared.get(self._kind, keys)
        rows = [row for key, value in found.items() if (row := read(key, value)) is not None]
        self._shared.refuse(len(found) - len(rows))
        if rows:
            self._keep(rows)
        return rows

    def _share(self, values: Mapping[str, bytes]) -> None:
        """Share values by their keys, without waiting for it."""
        if self._shared is not None and values:
            self._shared.put(self._kind, values)

    @property
    def _kind(self) -> str:
        """The name of the rows in the shared cache, with the number of their form."""
        return self._form.file.removesuffix(".db")

    # --- within the lock

    def _rows(self, keys: Sequence[str]) -> list[Row]:
        names, marks = ", ".join(self._form.columns), ",".join("?" * len(keys))
        question = f"SELECT {names} FROM {self._form.name} WHERE key IN ({marks})"  # noqa: S608 - names of ours
        none: list[Row] = []
        return self._table.read(lambda database: database.execute(question, keys).fetchall(), none)

    def _touch(self, database: sqlite3.Connection, used: Sequence[tuple[int, str]]) -> None:
        database.executemany(f"UPDATE {self._form.name} SET used = ? WHERE key = ?", used)  # noqa: S608 - a name of ours

    def _count(self, database: sqlite3.Connection) -> int:
        count: int = database.execute(f"SELECT count(*) FROM {self._form.name}").fetchone()[0]  # noqa: S608
        return count

    def _shorten(self, database: sqlite3.Connection) -> None:
        count, name = self._count(database), self._form.name
        if count > self._max_rows:
            drop = count - max(int(self._max_rows * _KEPT_SHARE), 1)
            oldest = f"SELECT rowid FROM {name} ORDER BY used, rowid LIMIT ?"  # noqa: S608 - a name of ours
            database.execute(f"DELETE FROM {name} WHERE rowid IN ({oldest})", (drop,))  # noqa: S608

    def _check_kept(self) -> None:
        """Raise `StoreError` where there is no file to work with."""
        if self._table.message:
            raise StoreError(self._table.message)

    def _bytes(self) -> int:
        """Give the size of the file with its log."""
        return sum(_size(self.path + ending) for ending in ("", "-wal", "-shm"))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116
    except OSError:
        return 0
