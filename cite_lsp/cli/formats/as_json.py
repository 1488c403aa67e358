"""The JSON output (cli.md): written document by document, so that a large run needs no memory for all of it."""

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import orjson

from cite_lsp import __version__
from cite_lsp.cli.run import Report, Run
from cite_lsp.cli.summary import DRIFTS, VERDICTS, Summary
from cite_lsp.config import Problem
from cite_lsp.document.columns import to_units
from cite_lsp.findings.finding import Finding, Severity
from cite_lsp.findings.places import Places

if TYPE_CHECKING:
    from cite_lsp.audit.options import AuditOptions
    from cite_lsp.cli.audited import Account, Audited, Said
    from cite_lsp.document.anchors import Anchor
    from cite_lsp.findings.by_block import Drifts
    from cite_lsp.findings.check import Checked
    from cite_lsp.snapshot.drift import Drift
    from cite_lsp.snapshot.resolve import Resolution

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_CHARACTERS = 2_000
Write = Callable[[bytes], object]


class JsonForm:
    """Gives a document as JSON; it writes nothing, so that a child process may do it."""

    def __init__(self, run: Run, *, excerpts: bool) -> None:
        self._run = run
        self._excerpts = excerpts

    def of(self, report: Report, audited: "Audited | None" = None) -> bytes:
        """Give one document, with what a judge said of it."""
        if report.checked is None:
            return dumps(_unread_document(report))
        return dumps(_document(report, report.checked, self._run, audited, excerpts=self._excerpts))


class JsonWriter:
    """Writes one JSON object to a byte stream."""

    def __init__(self, write: Write, run: Run) -> None:
        self._write = write
        self._run = run
        self._first = True

    def begin(self) -> None:
        """Write what comes before the first document, and the settings' problems as documents of their own."""
        tool = {"name": "cite-lsp", "version": __version__}
        head = dumps({"schema": 1, "tool": tool, "root": shown(os.path.relpath(self._run.root))})
        self._write(head[:-1] + b',"documents":[\n')
        for source in dict.fromkeys(problem.source for problem in self._run.problems):
            here = [problem for problem in self._run.problems if problem.source == source]
            self.write(dumps(problem_document(source, here, self._run.root)))

    def write(self, document: bytes) -> None:
        """Write one document."""
        self._write((b"" if self._first else b",\n") + document)
        self._first = False

    def end(self, summary: Summary, seconds: float, account: "Account | None" = None) -> None:
        """Write the summary, with what a run of judges took."""
        errors = len(self._run.problems)
        findings = {severity.value: summary.severities[severity] for severity in Severity}
        findings["error"] += errors
        totals: dict[str, Any] = {
            "documents": summary.documents,
            "unread": summary.unread,
            "anchors": summary.anchors,
            "resolved": summary.resolved,
            "foreign": summary.foreign,
            "unattached": summary.unattached,
            "findings": findings,
            "accepted": summary.accepted,
            "drift": {name: summary.drifts[name] for name in DRIFTS},
            "drift_in_records": {name: summary.drifts_in_records[name] for name in DRIFTS},
            "verdicts": {name: summary.verdicts[name] for name in VERDICTS},
            "seconds": round(seconds, 3),
        }
        if account is not None:
            totals["judging"] = _judging(summary, account)
        more = account.notes if account is not None else ()
        notes = [shown(note) for note in (*self._run.notes, *summary.notes, *more)]
        self._write(b'\n],"notes":' + dumps(notes) + b',"summary":' + dumps(totals) + b"}\n")


def _judging(summary: Summary, account: "Account") -> dict[str, Any]:
    usage = account.usage
    return {
        "judges": sorted(account.judges),
        "judged": summary.judged,
        "cached": account.cached,
        "requests": usage.requests,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "cost": usage.cost,
        "outcomes": dict(sorted(summary.outcomes.items())),
        "troubles": [{"cause": each.cause, "message": each.message, "rows": each.rows} for each in account.troubles],
        "interrupted": account.interrupted,
    }


def shown(text: str) -> str:
    """Give `text` without lone surrogates: bytes of a file name that are no UTF-8 show as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _cut(text: str) -> str:
    """Give a text that many anchors may share: whole, it would make the output quadratic."""
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"


def dumps(value: object) -> bytes:
    """Give a value as JSON; text in it that no file can hold is shown as far as it goes."""
    try:
        return orjson.dumps(value)
    except (TypeError, orjson.JSONEncodeError):
        return orjson.dumps(cleaned(value))


def cleaned(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Give a value without lone surrogates, as `shown` does for each text of it."""
    if isinstance(value, str):
        return shown(value)
    if isinstance(value, dict):
        return {key: cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    return value


class Positions:
    """Turns offsets into positions. Each is counted from the one before, so a long line is not read again for each."""

    def __init__(self, text: str) -> None:
        self._places = Places(text)
        self._plain = text.isascii()
        self._line, self._offset, self._units = 0, 0, 0

    def range(self, start: int, end: int) -> dict[str, Any]:
        """Give a range by code-point offsets."""
        return {"start": self._position(start), "end": self._position(end)}

    def _position(self, offset: int) -> dict[str, int]:
        line = self._places.line(offset)
        if self._plain:  # every unit is one character
            return {"line": line, "character": offset - self._places.start(line)}
        if line != self._line:
            self._line, self._offset, self._units = line, self._places.start(line), 0
        low, high = sorted((self._offset, offset))
        units = to_units(self._places.text[low:high], high - low, "utf-16")
        self._units += units if offset == high else -units
        self._offset = offset
        return {"line": line, "character": self._units}


def _document(
    report: Report, checked: "Checked", run: Run, audited: "Audited | None", *, excerpts: bool
) -> dict[str, Any]:
    places = Positions(checked.text)
    said = audited.said if audited is not None else {}
    audit = run.settings_for(report.path)[0].audit if excerpts else None
    anchors = enumerate(zip(checked.anchors, checked.resolutions, checked.drifts, strict=True))
    return {
        "path": report.path,
        "sha256": report.sha256,
        "outcome": checked.outcome if audited is None else audited.outcome,
        "unattached": checked.document.unattached,
        "anchors": [
            {**_anchor(*known, places, run, audit), "verdict": _verdict(said.get(number))} for number, known in anchors
        ],
        "findings": [finding_data(finding, places) for finding in checked.findings],
        "audit": None if audited is None else audited.meta,
    }


def _anchor(
    anchor: "Anchor",
    resolution: "Resolution",
    drifts: "Drifts | None",
    places: Positions,
    run: Run,
    audit: "AuditOptions | None",
) -> dict[str, Any]:
    """Give an anchor, with its excerpts as an audit under these options has them where there are any."""
    shape: dict[str, Any] = {
        "range": places.range(anchor.start, anchor.end),
        "text": anchor.text,
        "form": anchor.form,
        "path": anchor.path,
        "spans": anchor.spans,
        "resolution": {
            "status": resolution.status,
            "spans": resolution.spans,
            "path": resolution.path or None,
            "via": resolution.via or None,
            "candidates": resolution.candidates,
            "line_count": resolution.line_count,
        },
        "drift": None if drifts is None else [_drift(drift) for drift in drifts],
        "claim": {"text": _cut(anchor.claim), "sentence": _cut(anchor.sentence), "section": _cut(anchor.section)},
    }
    if audit is not None:
        found = run.snapshot.excerpts(resolution, anchor, audit.resolver, audit.window)
        shape["excerpts"] = [
            excerpt
            and {
                "start_line": excerpt.start_line,
                "end_line": excerpt.end_line,
                "unit": excerpt.unit,
                "truncated": excerpt.truncated,
                "text": excerpt.text,
            }
            for excerpt in found
        ]
    return shape


def _verdict(said: "Said | None") -> dict[str, Any] | None:
    if said is None:
        return None
    verdict = said.verdict
    return {
        "label": verdict.label,
        "kind": verdict.kind,
        "basis": verdict.basis or None,
        "reason": _cut(verdict.reason),
        "confidence": verdict.confidence,
        "evidence": [{"line": line, "text": text} for line, text in said.evidence],
        "judge": verdict.judge,
        "judged_at": None if said.at is None else moment(said.at),
        "cached": said.cached,
    }


def moment(seconds: float) -> str:
    """Give a time as ISO 8601 writes it, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _drift(drift: "Drift") -> dict[str, Any]:
    return {
        "status": drift.status,
        "places": [{"path": place.path, "span": [place.first, place.last]} for place in drift.places],
        "baseline": drift.baseline or None,
        "reformatted": drift.reformatted,
        "as_of": drift.as_of or None,
        "reason": drift.reason or None,
    }


def finding_data(finding: Finding, places: Positions) -> dict[str, Any]:
    """Give a finding."""
    return {
        "code": finding.code,
        "severity": finding.severity.value,
        "message": finding.message,
        "range": places.range(finding.start, finding.end),
        "anchor": finding.anchor,
        "fixes": [
            {
                "title": fix.title,
                "edits": [{"range": places.range(edit.start, edit.end), "text": edit.text} for edit in fix.edits],
                "preferred": fix.preferred,
            }
            for fix in finding.fixes
        ],
    }


def _unread_document(report: Report) -> dict[str, Any]:
    return {
        "path": report.path,
        "sha256": None,
        "outcome": "unread",
        "unattached": 0,
        "anchors": [],
        "findings": [],
        "audit": None,
        "reason": report.unread,
    }


def problem_document(source: str, problems: Sequence[Problem], root: str) -> dict[str, Any]:
    """Give a settings file and what is wrong in it in the shape of a document."""
    findings: list[dict[str, Any]] = []
    for problem in problems:
        place = {"line": (problem.line or 1) - 1, "character": (problem.column or 1) - 1}
        findings.append(
            {
                "code": "setting",
                "severity": "error",
                "message": problem.message,
                "range": {"start": place, "end": place},
                "anchor": None,
                "fixes": [],
            }
        )
    path = source.removeprefix(root + "/")
    return {
        "path": path,
        "sha256": None,
        "outcome": "findings",
        "unattached": 0,
        "anchors": [],
        "findings": findings,
        "audit": None,
    }
