"""What is wrong with policies in open files, told while they are typed: policy files, and `[[policy]]` of settings.

What is wrong with the other settings is told of the file as it was saved; where such a file is open, both are published
together, and what was told of the saved file moves along with its lines until it is told anew.
"""

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from cite_lsp.config import PROJECT_FILE, PYTHON_FILE, LoadedSettings, severity_of
from cite_lsp.document.columns import from_units, to_units
from cite_lsp.document.toml_places import Path
from cite_lsp.findings.finding import Level, Severity
from cite_lsp.server.convert import diagnostic, range_of
from cite_lsp.server.timers import Timers
from cite_lsp.snapshot.globs import matches

if TYPE_CHECKING:
    from cite_lsp.policy.files import FileFault, PolicyRead
    from cite_lsp.server.open_document import OpenDocument, Place
    from cite_lsp.server.settings_reports import SettingsReports

log = logging.getLogger(__name__)

CODE = "policy-file"
_SHIPPED = "shipped:"
_AT_ONCE = 8_000
"""Characters up to which a file is read with each key stroke; a larger one is read in a thread, when typing rests. The
first file is read there too, since what reads it has to be loaded.
"""
MOST_CHARACTERS = 1_000_000
"""Of a file that is looked at at all."""
_REST = 0.25
"""Seconds of that rest."""

Diagnostics = list[dict[str, Any]]


class PolicyFiles:
    """The open files that hold policies.

    reports: what is wrong with the other settings of files.
    touch: has an open document published anew.
    """

    def __init__(self, reports: "SettingsReports", touch: Callable[["OpenDocument"], None]) -> None:
        self._reports = reports
        reports.with_document = self._tells
        self._touch = touch
        self._open: dict[OpenDocument, PolicyText] = {}
        self._timers = Timers()
        self._tasks: set[asyncio.Task[None]] = set()

    def get(self, document: "OpenDocument") -> "PolicyText | None":
        """Give what is known of an open file that holds policies, or may; None of any other document."""
        return self._open.get(document)

    def is_policy_file(self, document: "OpenDocument") -> bool:
        """Say whether a document is a policy file, and no settings file."""
        known = self._open.get(document)
        return known is not None and known.tables is None

    @property
    def busy(self) -> bool:
        """Whether a file waits to be read."""
        return bool(self._tasks or self._timers.waiting)

    def close(self) -> None:
        """Stop what is under way."""
        self._timers.close()
        for task in self._tasks:
            task.cancel()

    def place(self, document: "OpenDocument", place: "Place") -> None:
        """Find out whether a file holds policies, from where it is looked at, be it a document of ours or not."""
        tables, inside, settings = _tables_of(document, place.loaded), place.inside, place.settings
        globs = tuple([glob for glob in settings.policies.files if not glob.startswith(_SHIPPED)])
        if document.path is None or (tables is None and not matches(globs, inside)):
            self._open.pop(document, None)
            return
        known = self._open.setdefault(document, PolicyText(inside))
        known.path, known.tables = inside, tables
        known.level = severity_of(CODE, inside, settings, Severity.ERROR)
        known.limit = settings.server.max_diagnostics

    def forget(self, document: "OpenDocument") -> None:
        """A document is closed."""
        self._open.pop(document, None)

    def diagnostics(self, document: "OpenDocument") -> Diagnostics | None:
        """Give what is wrong with a document that holds policies; None while that is being found out."""
        known = self._open.get(document)
        if known is None:
            return []
        if not known.is_of(document):
            text = document.buffer.text
            if len(text) > _AT_ONCE or "cite_lsp.policy.files" not in sys.modules:
                rest = _REST if known.reads else 0.0
                self._timers.after_rest(document.uri, rest, lambda: self._read_apart(document))
                return None
            known.take(text, _read(text, known.path, known.tables))
        found = known.told(document)
        if known.tables is not None:
            found = [*known.reports.now(self._reports.of(document.path or ""), document.buffer.lines), *found]
        return found

    def _tells(self, path: str) -> bool:
        """Have what is wrong with a settings file published with its policies, where it is open; say whether it is."""
        document = next((each for each in self._open if each.path == path), None)
        if document is not None:
            self._touch(document)
        return document is not None and document.published is not None

    def _read_apart(self, document: "OpenDocument") -> None:
        known = self._open.get(document)
        if known is not None:
            task = asyncio.ensure_future(self._read_in_thread(document, known))
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("a policy file could not be read: %s", type(error).__name__, exc_info=error)

    async def _read_in_thread(self, document: "OpenDocument", known: "PolicyText") -> None:
        text = document.buffer.text
        reads = await asyncio.to_thread(_read, text, known.path, known.tables)
        if self._open.get(document) is known:
            known.take(text, reads)
            self._touch(document)  # where it was typed in meanwhile, it is read again after the next rest


class _Reports:
    """What was told of a settings file as it was saved, moved along with its lines."""

    def __init__(self) -> None:
        self._told: Diagnostics = []
        self._now: Diagnostics = []
        self._lines: list[str] = []

    def now(self, told: Diagnostics, lines: Sequence[str]) -> Diagnostics:
        if told != self._told:
            self._told = self._now = told
        elif self._now:
            self._now = _moved(self._now, self._lines, lines)
        self._lines = list(lines) if self._now else []
        return self._now


@dataclass(slots=True)
class PolicyText:
    """What is known of one open file.

    Attributes:
        path: Relative to the folder of its settings.
        tables: In a settings file, the keys that lead to its policies; None of a policy file.
        reads: What was read last: of a policy file one, of a settings file one for each of its policies.
    """

    path: str
    tables: tuple[str, ...] | None = None
    level: Level = Severity.ERROR
    limit: int = 0
    reads: "tuple[PolicyRead, ...]" = ()
    reports: _Reports = field(default_factory=_Reports)
    _text: str | None = None

    def take(self, text: str, reads: "tuple[PolicyRead, ...]") -> None:
        """Take what was read of a text."""
        self._text, self.reads = text, reads

    def is_of(self, document: "OpenDocument") -> bool:
        """Whether what was read last is what the document holds now."""
        return self._text is not None and document.buffer.text == self._text

    def prefix(self, path: Path) -> Path:
        """Give the part of a path in the file that leads to a policy."""
        return path[: len(self.tables) + 1] if self.tables is not None else ()

    def inside(self, path: Path) -> Path | None:
        """Give the rest of a path in the file, within a policy; None of one that leads elsewhere."""
        prefix = self.prefix(path)
        if self.tables is not None and (prefix[:-1] != self.tables or not isinstance(prefix[-1], int)):
            return None
        return path[len(prefix) :]

    def read_of(self, document: "OpenDocument", path: Path) -> "PolicyRead | None":
        """Give what was read of the policy that a path in the file leads into; None where that is out of date."""
        number = path[len(self.tables)] if self.tables is not None else 0
        known = isinstance(number, int) and number < len(self.reads) and self.is_of(document)
        return self.reads[number] if known and isinstance(number, int) else None

    def told(self, document: "OpenDocument") -> Diagnostics:
        """Give the faults as diagnostics of the document; of very many the first, and how many more there are."""
        if not isinstance(self.level, Severity):
            return []
        faults = [fault for read in self.reads for fault in read.faults]
        found = [_diagnostic(fault, document, self.level) for fault in faults[: self.limit]]
        more = len(faults) - self.limit
        if more > 0:
            said = f"{more:,} more faults of policies are not shown here (server.max_diagnostics)"
            found.append(diagnostic(range_of((0, 0), (0, 0)), Severity.INFORMATION, CODE, said))
        return found


def _moved(told: Diagnostics, before: Sequence[str], lines: Sequence[str]) -> Diagnostics:
    """Move what was told of lines to where they are now; of lines that are gone, to where they were."""
    most = min(len(before), len(lines))
    same = next((number for number in range(most) if before[number] != lines[number]), most)
    grown = len(lines) - len(before)
    if not grown:
        return told
    tail = next((n for n in range(most - same) if before[-1 - n] != lines[-1 - n]), most - same)
    changed = range(same, len(before) - tail)
    return [_shifted(each, grown if each["range"]["start"]["line"] >= changed.stop else 0) for each in told]


def _shifted(told: dict[str, Any], lines: int) -> dict[str, Any]:
    start, end = told["range"]["start"], told["range"]["end"]
    where = range_of((start["line"], start["character"]), (end["line"], end["character"]), lines)
    return {**told, "range": where}


def _tables_of(document: "OpenDocument", loaded: LoadedSettings) -> tuple[str, ...] | None:
    """Give where policies stand in a settings file; None of a document that is none."""
    path = document.path or ""
    name = PurePosixPath(path).name
    if name != PROJECT_FILE and path not in (loaded.project_file, loaded.user_file):
        return None
    return ("tool", "cite-lsp", "policy") if name == PYTHON_FILE else ("policy",)


def _read(text: str, path: str, tables: tuple[str, ...] | None) -> "tuple[PolicyRead, ...]":
    """Read the policies of a file; of a settings file that is no TOML none: its own report says so."""
    if tables is not None:
        return _read_tables(text, path, tables) if tables[-1] in text else ()
    from cite_lsp.policy.files import read_policy  # noqa: PLC0415 - most sessions have no policy

    return (read_policy(text, path),)


def _read_tables(text: str, path: str, tables: tuple[str, ...]) -> "tuple[PolicyRead, ...]":
    from cite_lsp.document.toml_text import read_toml  # noqa: PLC0415 - as above
    from cite_lsp.policy.files import Places, read_policy_table  # noqa: PLC0415

    places = Places(text)
    found: object = read_toml(places.toml)
    for key in tables:
        found = found.get(key) if isinstance(found, Mapping) else None
    given = enumerate(found) if isinstance(found, list) else ()
    return tuple(
        read_policy_table(table, places, path, (*tables, number))
        for number, table in given
        if isinstance(table, Mapping)
    )


def offset_at(document: "OpenDocument", line: int, units: int) -> int:
    """Give the code-point offset of a position of the client; past the end counts as the end."""
    lines = document.buffer.lines
    before = sum(map(len, lines[:line]))
    if line >= len(lines):
        return before
    return before + from_units(document.buffer.line(line), units, document.encoding)


def position_at(document: "OpenDocument", offset: int) -> tuple[int, int]:
    """Give the 0-based line of a code-point offset, and its column in the client's units."""
    start = 0
    for number, line in enumerate(document.buffer.lines):
        if offset < start + len(line) or number == document.buffer.line_count - 1:
            return number, to_units(line, offset - start, document.encoding)
        start += len(line)
    return 0, 0


def _diagnostic(fault: "FileFault", document: "OpenDocument", level: Severity) -> dict[str, Any]:
    line = fault.line - 1
    text = document.buffer.line(line)
    start, end = (to_units(text, column - 1, document.encoding) for column in (fault.column, fault.end_column))
    return diagnostic(range_of((line, start), (line, end)), level, CODE, fault.message)
