"""What the last check of a document came to: it is told again while nothing that it hangs on has changed.

It hangs on the document, the settings, the list of files and what git tracks of them, the history, the accepted
findings, the shape of the output, this program; on the content of every file that is cited or was; and on what is,
or is not, on disk where a path was looked up beside the list. All of it is compared, contents by their hash.
"""

import hashlib
import os
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any

import orjson

from cite_lsp import __version__
from cite_lsp.cli.summary import NUMBERS, Summary
from cite_lsp.findings.finding import Severity
from cite_lsp.snapshot.baseline import FLEETING
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.store import Table

if TYPE_CHECKING:
    from cite_lsp.cli.jobs import Piece, Shape, Share
    from cite_lsp.cli.run import Report, Run

_SCHEMA = """
CREATE TABLE IF NOT EXISTS checks (
    place TEXT NOT NULL, document TEXT NOT NULL, key BLOB NOT NULL, hangs_on BLOB NOT NULL, outcome BLOB NOT NULL,
    PRIMARY KEY (place, document)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lookups (place TEXT PRIMARY KEY, key BLOB NOT NULL, paths BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS used (place TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
"""
_MOST_PLACES = 40
"""Roots and shapes of output that something is kept for; those used longest ago are forgotten."""


class Remembered:
    """The outcomes kept for one root and one shape of output; for one process."""

    def __init__(self, run: "Run", shape: "Shape") -> None:
        self._run = run
        self._shape = shape
        self._table = Table(run.settings.cache.folder, "checks-1.db", _SCHEMA)
        self._sums: dict[str, str] = {}
        self._settings: dict[int, bytes] = {}
        self._kept: list[tuple[str, bytes, bytes, bytes]] = []

    def recall(self, path: str) -> "Share | None":
        """Give what a document came to, if nothing has changed since."""
        if not self._stands:
            return None
        row = self._rows.get(path)
        if row is None or row[0] != self._key_of(path):
            return None
        hangs_on: Mapping[str, str] = orjson.loads(row[1])
        if any(self._sum_of(file) != known for file, known in hangs_on.items()):
            return None
        return _share_of(orjson.loads(zlib.decompress(row[2])))

    def keep(self, report: "Report", share: "Share") -> None:
        """Keep what a document came to; `write` puts it down."""
        hangs_on = self._hangs_on(report)
        key = self._key_of(report.path)
        if hangs_on is not None and key is not None:
            outcome = zlib.compress(orjson.dumps(_data_of(share)), 1)
            self._kept.append((report.path, key, orjson.dumps(hangs_on), outcome))

    def write(self) -> None:
        """Put down what is to be kept, with all that was looked up on disk for it."""
        if not self._kept:
            return
        rows, self._kept = self._kept, []
        paths = self._looked_up()

        def change(database: Connection) -> None:
            known = database.execute("SELECT key, paths FROM lookups WHERE place = ?", (self._place,)).fetchone()
            merged = {**(orjson.loads(known[1]) if known and known[0] == self._common else {}), **paths}
            if known and known[0] != self._common:
                database.execute("DELETE FROM checks WHERE place = ?", (self._place,))
            row = (self._place, self._common, orjson.dumps(merged))
            database.execute("INSERT OR REPLACE INTO lookups VALUES (?, ?, ?)", row)
            database.executemany(
                "INSERT OR REPLACE INTO checks VALUES (?, ?, ?, ?, ?)", [(self._place, *each) for each in rows]
            )
            database.execute("INSERT OR REPLACE INTO used VALUES (?, ?)", (self._place, int(time.time())))
            self._forget_others(database)

        self._table.write(change)
        self.close()

    def close(self) -> None:
        """Close the file: no child is to inherit it."""
        self._table.close()

    @staticmethod
    def _forget_others(database: Connection) -> None:
        old = database.execute("SELECT place FROM used ORDER BY at DESC LIMIT -1 OFFSET ?", (_MOST_PLACES,)).fetchall()
        for table in ("checks", "lookups", "used"):
            database.executemany(f"DELETE FROM {table} WHERE place = ?", old)  # noqa: S608 - names of ours

    # --- what all documents hang on

    @cached_property
    def _place(self) -> str:
        return f"{self._run.root}\0{self._shape.place}"

    @cached_property
    def _common(self) -> bytes:
        run = self._run
        seen = hashlib.sha256()
        for part in (__version__, _program(), time.strftime("%Y", time.gmtime()), self._place, run.head):
            seen.update(part.encode("utf-8", "surrogatepass") + b"\0")
        for index in run.snapshot.indexes:
            tracked = index.tracked
            differs = ("none",) if tracked is None else (*sorted(tracked.missing), "\0", *sorted(tracked.more))
            seen.update("\0".join((index.root, *index.paths, "\0", *differs)).encode("utf-8", "surrogatepass"))
        return seen.digest()

    @cached_property
    def _rows(self) -> Mapping[str, tuple[bytes, bytes, bytes]]:
        question = "SELECT document, key, hangs_on, outcome FROM checks WHERE place = ?"
        none: list[tuple[Any, ...]] = []
        rows = self._table.read(lambda database: database.execute(question, (self._place,)).fetchall(), none)
        return {row[0]: row[1:] for row in rows}

    @cached_property
    def _stands(self) -> bool:
        """Whether what was looked up on disk beside the list of files is still so."""
        run = self._run
        if run.snapshot.scope.repositories or run.overlaid:
            return False
        question = "SELECT key, paths FROM lookups WHERE place = ?"
        row = self._table.read(lambda database: database.execute(question, (self._place,)).fetchone(), None)
        if row is None or row[0] != self._common:
            return False
        looked_up: Mapping[str, bool] = orjson.loads(row[1])
        return all(os.path.isfile(path) == there for path, there in looked_up.items())  # noqa: PTH113 - thousands

    def _looked_up(self) -> dict[str, bool]:
        """Give what was asked of the disk for paths that the list of files does not hold."""
        run = self._run
        known = {joined(index.root, path) for index in run.snapshot.indexes for path in index.paths}
        asked = {path: there for path, there in run.snapshot.reader.looked_up() if path not in known}
        return {path: there for path, there in asked.items() if _is_text(path)}

    # --- what one document hangs on

    def _key_of(self, path: str) -> bytes | None:
        run = self._run
        settings, inside = run.settings_for(path)
        text = run.snapshot.read_document(run.root, path, settings.files.max_document_bytes)
        if isinstance(text, Unread):
            return None
        known = self._settings.get(id(settings))
        if known is None:
            known = self._settings[id(settings)] = hashlib.sha256(settings.model_dump_json().encode()).digest()
        accepted = run.accepted_for(path).sha256
        more = f"{path}\0{inside}\0{accepted}\0{text.sha256}\0{path in run.named}"
        return hashlib.sha256(self._common + known + more.encode("utf-8", "surrogatepass")).digest()

    def _hangs_on(self, report: "Report") -> dict[str, str] | None:
        """Give the hashes of all files that were read for a document; None for what may change by itself."""
        checked = report.checked
        if checked is None or self._run.overlaid or not _is_text(report.path):
            return None
        reader, root = self._run.snapshot.reader, self._run.root
        found: dict[str, str] = {}
        paths = [joined(each.root, each.path) for each in checked.present if each.path and each.root]
        baselines = [each for past in checked.written if past is not None for each in past.baselines]
        if any(each.reason.startswith(FLEETING) for each in baselines):
            return None
        paths += [joined(root, each.now) for each in baselines if each.now]
        for path in dict.fromkeys(paths):
            file = reader.read(path)
            if not _is_text(path) or (isinstance(file, Unread) and file.status != "missing"):
                return None
            found[path] = file.sha256 if isinstance(file, FileText) else ""
        return found

    def _sum_of(self, path: str) -> str:
        known = self._sums.get(path)
        if known is None:
            known = self._sums[path] = self._run.snapshot.reader.sum_of(path)
        return known


def _program() -> str:
    """Give what tells this program from another one of the same version: its newest file."""
    top = Path(__file__).parents[1]
    times = (entry.stat().st_mtime_ns for folder in _folders(top) for entry in os.scandir(folder) if entry.is_file())
    return str(max(times, default=0))


def _folders(top: Path) -> Iterator[str]:
    yield str(top)
    for entry in os.scandir(top):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _folders(Path(entry.path))


def _is_text(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _data_of(share: "Share") -> dict[str, Any]:
    summary = share.summary
    return {
        "pieces": [piece.decode() if isinstance(piece, bytes) else piece for piece in share.pieces],
        **{name: getattr(summary, name) for name in NUMBERS},
        "unfinished": summary.unfinished,
        "severities": {severity.value: count for severity, count in summary.severities.items()},
        "drifts": dict(summary.drifts),
        "drifts_in_records": dict(summary.drifts_in_records),
    }


def _share_of(data: Mapping[str, Any]) -> "Share":
    from cite_lsp.cli.jobs import Share  # noqa: PLC0415 - each knows the other

    summary = Summary(**{name: data[name] for name in NUMBERS}, unfinished=data["unfinished"])
    summary.severities.update({Severity(name): count for name, count in data["severities"].items()})
    summary.drifts.update(data["drifts"])
    summary.drifts_in_records.update(data["drifts_in_records"])
    return Share([piece.encode() if isinstance(piece, str) else _lines(piece) for piece in data["pieces"]], summary)


def _lines(piece: Iterable[Sequence[Any]]) -> "Piece":
    return [tuple(part if isinstance(part, str) else (part[0], part[1]) for part in line) for line in piece]
