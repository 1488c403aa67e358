"""Between the product's words and the protocol's: severities, ranges, edits, diagnostics.

What is sent in numbers (diagnostics, edits) is built as plain maps, because building the protocol's own objects costs
more than finding what they say.
"""

from collections.abc import Iterable
from typing import Any

from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.findings.finding import Edit, Severity
from cite_lsp.findings.places import Places

SOURCE = "cite-lsp"

Range = dict[str, dict[str, int]]
"""A range of the protocol: 0-based lines, columns in the client's units."""

_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFORMATION: 3, Severity.HINT: 4}


def severity_number(severity: Severity) -> int:
    """Give the protocol's number of a severity."""
    return _SEVERITIES[severity]


def position(places: Places, offset: int, encoding: Encoding) -> tuple[int, int]:
    """Give the 0-based line of a code-point offset, and its column in units of `encoding`."""
    line = places.line(offset)
    start = places.start(line)
    return line, to_units(places.text[start:offset], offset - start, encoding)


def range_of(start: tuple[int, int], end: tuple[int, int], line: int = 0) -> Range:
    """Give a range of the protocol from two (line, column), `line` lines further down."""
    return {
        "start": {"line": start[0] + line, "character": start[1]},
        "end": {"line": end[0] + line, "character": end[1]},
    }


def range_at(places: Places, start: int, end: int, encoding: Encoding) -> Range:
    """Give the range of two code-point offsets."""
    return range_of(position(places, start, encoding), position(places, end, encoding))


def text_edits(places: Places, edits: Iterable[Edit], encoding: Encoding) -> list[dict[str, Any]]:
    """Give edits in the protocol's form, in the order of the text."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    return [{"range": range_at(places, edit.start, edit.end, encoding), "newText": edit.text} for edit in ordered]


def diagnostic(where: Range, severity: Severity, code: str, message: str) -> dict[str, Any]:
    """Give a diagnostic."""
    return {
        "range": where,
        "severity": _SEVERITIES[severity],
        "code": code,
        "source": SOURCE,
        "message": message,
    }
