"""Rows and verdicts as plain data, for pipes and stores, and back."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from cite_lsp.audit.verdicts import KINDS, LABELS, Evidence, Kind, Label, Row, Verdict
from cite_lsp.snapshot.excerpt import Excerpt


def row_to_data(row: Row, *, with_file: bool = True) -> dict[str, Any]:
    """Give a row as maps, lists, texts and numbers. `with_file` False leaves out the lines of the whole file."""
    return {
        "claim": row.claim,
        "sentence": row.sentence,
        "part": row.part,
        "citations": row.citations,
        "section": row.section,
        "path": row.path,
        "language": row.language,
        "excerpts": [_excerpt_to_data(excerpt) for excerpt in row.excerpts],
        "file": list(row.file) if with_file and row.file is not None else None,
    }


def row_from_data(data: Mapping[str, Any]) -> Row:
    """Give the row that `row_to_data` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is not one.
    """
    file = data.get("file")
    return Row(
        claim=data["claim"],
        excerpts=tuple(_excerpt_from_data(each) for each in data["excerpts"]),
        sentence=data.get("sentence") or "",
        section=data.get("section") or "",
        path=data.get("path") or "",
        language=data.get("language"),
        file=None if file is None else tuple(file),
        part=data.get("part") or "",
        citations=int(data.get("citations") or 0),
    )


def verdict_to_data(verdict: Verdict) -> dict[str, Any]:
    """Give a verdict as maps, lists, texts and numbers."""
    return {
        "label": verdict.label,
        "kind": verdict.kind,
        "reason": verdict.reason,
        "basis": verdict.basis,
        "evidence": [[each.excerpt, each.offset, each.text] for each in verdict.evidence],
        "confidence": verdict.confidence,
        "judge": verdict.judge,
    }


def verdict_from_data(data: Mapping[str, Any]) -> Verdict:
    """Give the verdict that `verdict_to_data` wrote.

    Raises:
        KeyError, TypeError, ValueError: It is not one; a label or kind that is not known is none.
    """
    label, kind = data["label"], data.get("kind")
    if label not in LABELS:
        raise ValueError(f"label: {label!r} is none of {', '.join(LABELS)}")
    if kind is not None and kind not in KINDS:
        raise ValueError(f"kind: {kind!r} is none of {', '.join(KINDS)}")
    confidence = data.get("confidence")
    return Verdict(
        label=cast("Label", label),
        kind=cast("Kind | None", kind),
        reason=data.get("reason") or "",
        basis=data.get("basis") or "",
        evidence=tuple(_evidence(each) for each in data.get("evidence") or ()),
        confidence=None if confidence is None else float(confidence),
        judge=data.get("judge") or "",
    )


def _evidence(data: Sequence[Any]) -> Evidence:
    excerpt, offset, text = data
    return Evidence(int(excerpt), int(offset), str(text))


def _excerpt_to_data(excerpt: Excerpt) -> dict[str, Any]:
    return {
        "start_line": excerpt.start_line,
        "end_line": excerpt.end_line,
        "unit": excerpt.unit,
        "truncated": excerpt.truncated,
        "lines": [[number, text] for number, text in excerpt.lines],
        "clipped": excerpt.clipped,
        "cited": excerpt.cited,
    }


def _excerpt_from_data(data: Mapping[str, Any]) -> Excerpt:
    return Excerpt(
        int(data["start_line"]),
        int(data["end_line"]),
        data["unit"],
        bool(data["truncated"]),
        tuple((int(number), str(text)) for number, text in data["lines"]),
        bool(data["clipped"]),
        int(data.get("cited", 0)),
    )
