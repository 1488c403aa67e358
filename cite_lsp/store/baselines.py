"""The baselines of documents, kept from run to run."""

import sqlite3
import time
from collections.abc import Mapping, Sequence

from cite_lsp.store.table import Table

_AT_ONCE = 400
"""Keys of one question; SQLite takes 999 variables in old builds."""
_KEPT_SHARE = 0.75
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
