"""Checks one document: its anchors, what they resolve to, and the findings that need no judge."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from cite_lsp.audit.grounding import besides, ground, names_something
from cite_lsp.audit.rows import row_of
from cite_lsp.config import Settings, severity_of
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.accepted import NOTHING, Accepted
from cite_lsp.findings.by_block import BlockTold, Drifts, as_of, moved, tell_block
from cite_lsp.findings.catalogue import CATALOGUE
from cite_lsp.findings.comments import MARK, Ignore, Ignores, ignore_findings, parse_ignores
from cite_lsp.findings.documenting import whole_findings
from cite_lsp.findings.finding import Finding, Level, Severity, sort_findings
from cite_lsp.findings.grounding import CODE as WRONG_LINES
from cite_lsp.findings.grounding import tell_grounding
from cite_lsp.findings.places import Places
from cite_lsp.findings.reading import as_of_setting
from cite_lsp.findings.reference_checks import ALL_OFF, ReferenceChecks
from cite_lsp.findings.told import Told
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

LAYERS = frozenset({"resolve", "document", "drift", "grounding"})
"""The layers that every check looks for; those of the reference are looked for where they are switched on."""

LOOKED_FOR = frozenset(code.name for code in CATALOGUE.values() if code.layer in LAYERS)
"""Their codes."""

_DRIFTS = frozenset(code.name for code in CATALOGUE.values() if code.layer == "drift")


def looked_for(drifts: Iterable[Drifts | None], reference: ReferenceChecks = ALL_OFF) -> frozenset[str]:
    """Give the codes that were looked for in a document: those of drift where the past of all citations is known."""
    statuses = {drift.status for known in drifts for drift in known or ()}
    known = bool(statuses) and "unknown" not in statuses
    return (LOOKED_FOR if known else LOOKED_FOR - _DRIFTS) | reference.codes


_NO_COMMENTS = frozenset({"fence", "code", "front-matter", "raw-html"})


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a document: anchors and resolutions run in parallel; findings in list order."""

    document: Document
    text: str
    anchors: tuple[Anchor, ...]
    resolutions: tuple[Resolution, ...]
    findings: tuple[Finding, ...]
    drifts: tuple[Drifts | None, ...]
    """How each anchor drifted; None where that was not looked for."""
    written: tuple[Written | None, ...] = ()
    """What is known of each anchor's past; empty where drift was not looked for."""
    present: tuple[Resolution, ...] = ()
    """What each anchor means at present; of one that is read as of a commit, `resolutions` has that."""
    accepted: int = 0
    """How many findings are not among `findings` because they are accepted."""
    told: tuple[Told, ...] = ()
    """What was told before settings, comments and accepted findings were asked."""

    @property
    def outcome(self) -> str:
        """One word: findings, accepted (no others), vacuous or clean."""
        if any(finding.severity is not Severity.HINT for finding in self.findings):
            return "findings"
        if self.accepted:
            return "accepted"
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
        self._known_of: dict[tuple[str, Level], Level] = {}

    def of(self, code: str) -> Level:
        """Give the severity that settings leave a code, or "off"."""
        if code not in self._known:
            self._known[code] = severity_of(code, self._path, self._settings, self._default(code))
        return self._known[code]

    def of_told(self, told: Told) -> Level:
        """Give the severity that settings leave a finding whose teller may have given it one, or "off"."""
        if told.level is None:
            return self.of(told.code)
        name = told.code, told.level
        if name not in self._known_of:
            self._known_of[name] = severity_of(told.code, self._path, self._settings, told.level)
        level = self._known_of[name]
        return Severity.HINT if told.doubtful and level != "off" else level

    def _default(self, code: str) -> Level:
        if code == "ignored-target" and self._tracked:
            return Severity.WARNING
        if self.record and code in AGED:
            return Severity.INFORMATION
        return CATALOGUE[code].default_severity


def check_document(document: Document, snapshot: Snapshot, settings: Settings | None = None) -> tuple[Finding, ...]:
    """Give the findings of a document that need no judge, errors first, then by position. May run git."""
    settings = settings or Settings()
    as_of = as_of_setting(settings, document.path)
    written = snapshot.written(document, as_of) if settings.drift.enabled else ()
    return examine(document, snapshot, settings, None, written).findings


def examine(
    document: Document,
    snapshot: Snapshot,
    settings: Settings,
    path: str | None = None,
    written: Sequence[Written | None] = (),
    accepted: Accepted = NOTHING,
) -> Checked:
    """Resolve every anchor of a document and give all that a check knows of it.

    `path` is the document's, relative to the folder of its settings file; its own path where that is the root.
    `written`: what is known of the past of each anchor; empty where drift is not looked for.
    `accepted`: what is accepted under these settings.
    """
    path = document.path if path is None else path
    text = document.text
    anchors = document.anchors
    resolutions: list[Resolution] = []
    present: list[Resolution] = []
    drifts: list[Drifts | None] = []
    told: list[Told] = []
    levels = Levels(path, settings, tracked=is_tracked(document, snapshot))
    grounds = levels.of(WRONG_LINES) != "off"
    reference = ReferenceChecks.of(settings, path)
    offset = 0
    for block in document.blocks:
        if block.anchors:
            here = slice(len(resolutions), len(resolutions) + len(block.anchors))
            known = tell_block(block, document, snapshot, written[here])
            told += [moved(each, offset, len(resolutions)) for each in known.told]
            if grounds:
                told += _grounding(anchors[here], known, here.start, snapshot)
            if reference:
                told += [moved(each, offset, here.start) for each in reference.of_block(block, known, snapshot)]
            resolutions += known.resolutions
            present += known.present
            drifts += known.drifts or [None] * len(block.anchors)
        if reference and anchors:
            told += [moved(each, offset) for each in reference.of_text(block)]
        offset += len(block.text)
    cites = bool(anchors)
    told += whole_findings(overrun=document.overrun, cites=cites, must_cite=settings.must_cite(path))
    told += reference.of_whole(document)
    ignores = find_ignores(document, text)
    kept = keep(told, levels, ignores, text, looked_for(drifts, reference))
    left = accepted.left(kept, path, anchors, resolutions, snapshot)
    return Checked(
        document,
        text,
        anchors,
        tuple(resolutions),
        sort_findings(left),
        tuple(drifts),
        tuple(written),
        tuple(present),
        len(kept) - len(left),
        tuple(told),
    )


def _grounding(anchors: Sequence[Anchor], known: BlockTold, first: int, snapshot: Snapshot) -> Iterator[Told]:
    """Tell which claims of a block name what stands on other lines; `first`: the number of its first anchor.

    What is known to have moved is left out: that its lines are wrong is said already.
    """
    pairs = list(zip(anchors, known.resolutions, strict=True))
    if not any(resolution.resolved and names_something(anchor) for anchor, resolution in pairs):
        return
    rows = [row_of(anchor, resolution, snapshot) for anchor, resolution in pairs]
    gone = {each.anchor for each in known.told if each.code == "moved"}
    for number, (anchor, row, beside) in enumerate(zip(anchors, rows, besides(anchors, rows), strict=True)):
        found = ground(row, anchor.spans, beside) if row is not None and number not in gone else None
        if found is not None:
            yield as_of(tell_grounding(found, anchor, first + number), known.resolutions[number])


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
    told: Iterable[Told], levels: Levels, ignores: Ignores, text: str, codes: frozenset[str] = LOOKED_FOR
) -> list[Finding]:
    """Drop what settings or comments silence; the rest are findings, in no order.

    `codes`: the codes that this run can have told; a comment for another one is not called unused.
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
        kept += ignore_findings(text, ignores, used, codes, levels.of)
    return kept


def as_finding(told: Told, levels: Levels) -> Finding | None:
    """Give what is told the severity that the settings leave it; None where they switch it off."""
    level = levels.of_told(told)
    if level == "off" or (told.replaced and levels.of("moved") != "off"):
        return None
    if levels.record and told.code in AGED:
        told = _in_record(told)
    return Finding(told.code, level, told.message, told.start, told.end, told.anchor, told.fixes)


def _in_record(told: Told) -> Told:
    """Say what a record's citation may have been; to mend it unasked would falsify the record."""
    doubt = "" if told.as_of else " (in a record: it may have been right when it was written)"
    message = told.message + doubt
    return replace(told, message=message, fixes=tuple(replace(fix, preferred=False) for fix in told.fixes))
