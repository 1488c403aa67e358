"""Checks one document: its anchors, what they resolve to, and the findings that need no judge."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cite_lsp.config import Settings, severity_of
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.by_block import moved, tell_block
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.comments import MARK, Ignore, Ignores, ignore_findings, parse_ignores
from cite_lsp.findings.documenting import whole_findings
from cite_lsp.findings.finding import Finding, Level, Severity, sort_findings
from cite_lsp.findings.places import Places
from cite_lsp.findings.told import Told
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

LAYERS = frozenset({"resolve", "document"})
"""The layers that a check looks for so far."""

LOOKED_FOR = frozenset(code.name for code in CATALOGUE.values() if code.layer in LAYERS)
"""Their codes."""

_NO_COMMENTS = frozenset({"fence", "code", "front-matter", "raw-html"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a document: anchors and resolutions run in parallel; findings in list order."""

    document: Document
    text: str
    anchors: tuple[Anchor, ...]
    resolutions: tuple[Resolution, ...]
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> str:
        """One word: findings, vacuous or clean."""
        if any(finding.severity is not Severity.HINT for finding in self.findings):
            return "findings"
        return "clean" if self.anchors else "vacuous"


AGED = frozenset({
    "missing", "ambiguous", "line-out-of-range", "end-out-of-range", "blank-line", "case-differs",
    "unsupported", "partial",
})  # fmt: skip
"""Codes that time brings about: in a record they may have been right when they were written."""


class Levels:
    """Severities of codes in one document."""

    def __init__(self, path: str, settings: Settings, *, tracked: bool) -> None:
        self._path = path
        self._settings = settings
        self._tracked = tracked
        self.record = settings.is_record(path)
        self._known: dict[str, Level] = {}

    def of(self, code: str) -> Level:
        """Give the severity that settings leave a code, or "off"."""
        if code not in self._known:
            self._known[code] = severity_of(code, self._path, self._settings, self._default(code))
        return self._known[code]

    def _default(self, code: str) -> Level:
        if code == "ignored-target" and self._tracked:
            return Severity.WARNING
        if self.record and code in AGED:
            return Severity.INFORMATION
        return CATALOGUE[code].default_severity


def check_document(document: Document, snapshot: Snapshot, settings: Settings | None = None) -> tuple[Finding, ...]:
    """Give the findings of a document that need no judge, errors first, then by position."""
    return examine(document, snapshot, settings or Settings()).findings


def examine(document: Document, snapshot: Snapshot, settings: Settings, path: str | None = None) -> Checked:
    """Resolve every anchor of a document and give all that a check knows of it.

    `path` is the document's, relative to the folder of its settings file; its own path where that is the root.
    """
    path = document.path if path is None else path
    text = document.text
    anchors = document.anchors
    resolutions: list[Resolution] = []
    told: list[Told] = []
    offset = 0
    for block in document.blocks:
        if block.anchors:
            known = tell_block(block, document, snapshot)
            told += [moved(each, offset, len(resolutions)) for each in known.told]
            resolutions += known.resolutions
        offset += len(block.text)
    cites = bool(anchors)
    told += whole_findings(overrun=document.overrun, cites=cites, must_cite=settings.must_cite(path))
    levels = Levels(path, settings, tracked=is_tracked(document, snapshot))
    ignores = find_ignores(document, text)
    findings = keep(told, levels, ignores, text)
    return Checked(document, text, anchors, tuple(resolutions), sort_findings(findings))


def is_tracked(document: Document, snapshot: Snapshot) -> bool:
    """Whether git tracks the document itself."""
    tracked = snapshot.indexes[snapshot.home(document).root].tracked
    return tracked is not None and document.path in tracked


def find_ignores(document: Document, text: str) -> Ignores:
    """Find the ignore comments of a document, `text` being its text; those that are only shown in code do not count."""
    if MARK not in text:
        return Ignores()
    silent: list[tuple[int, int]] = []
    offset = 0
    for block in document.blocks:
        if block.kind in _NO_COMMENTS:
            silent.append((offset, offset + len(block.text)))
        offset += len(block.text)
    starts = [start for start, _ in silent]

    def excluded(position: int) -> bool:
        index = bisect_right(starts, position) - 1
        return index >= 0 and position < silent[index][1]

    return parse_ignores(text, excluded)


def keep(
    told: Iterable[Told], levels: Levels, ignores: Ignores, text: str, looked_for: frozenset[str] = LOOKED_FOR
) -> list[Finding]:
    """Drop what settings or comments silence; the rest are findings, in no order.

    `looked_for`: the codes that this run can have told; a comment for another one is not called unused.
    """
    kept: list[Finding] = []
    used: set[tuple[Ignore, str]] = set()
    places = Places(text) if ignores.comments else None
    for each in told:
        comment = ignores.covers(each.code, places.line(each.start)) if places else None
        if comment is not None:
            used.add((comment, each.code))
        elif (finding := as_finding(each, levels)) is not None:
            kept.append(finding)
    if ignores.comments:
        kept += ignore_findings(text, ignores, used, looked_for, levels.of)
    return kept


def as_finding(told: Told, levels: Levels) -> Finding | None:
    """Give what is told the severity that the settings leave it; None where they switch it off."""
    level = levels.of(told.code)
    if level == "off":
        return None
    if levels.record and told.code in AGED:
        told = _in_record(told)
    return Finding(told.code, level, told.message, told.start, told.end, told.anchor, told.fixes)


def _in_record(told: Told) -> Told:
    """Say what a record's citation may have been; to mend it unasked would falsify the record."""
    message = f"{told.message} (in a record: it may have been right when it was written)"
    return replace(told, message=message, fixes=tuple(replace(fix, preferred=False) for fix in told.fixes))
