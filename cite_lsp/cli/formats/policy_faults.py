"""What is wrong with policy files, as text and as JSON."""

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len

from cite_lsp.cli.formats.as_json import Positions, shown
from cite_lsp.cli.formats.as_text import GUTTER, STYLES, Line, crop, visible
from cite_lsp.findings.finding import Severity
from cite_lsp.findings.places import Places
from cite_lsp.policy.file_faults import FileFault

_PLACE = 7
_STYLE = STYLES[Severity.ERROR]


def lines_of_faults(path: str, text: str, faults: Sequence[FileFault], width: int) -> list[Line]:
    """Give the faults of one file, each with its line and a caret; `text` is the file's, "" where it has none."""
    lines: list[Line] = [((visible(path), "bold underline"),)]
    places = Places(text)
    for fault in faults:
        place = f"{fault.line}:{fault.column}"
        lines.append(
            (
                (f"  {place:<{_PLACE}} ", "bold"),
                ("error   ", _STYLE),
                f"{visible(fault.message)}  ",
                ("policy-file", "dim"),
            )
        )
        lines += _source(fault, places, max(40, width))
    return [*lines, ()]


def _source(fault: FileFault, places: Places, width: int) -> list[Line]:
    if fault.line > places.line_count:
        return []
    line = places.line_text(fault.line - 1)
    if not line.strip():
        return []
    start = min(fault.column - 1, len(line))
    end = min(max(fault.end_column - 1, start + 1), len(line))
    low, high = crop(line, start, end, width - GUTTER - 6)
    lead, more = "…" if low else "", "…" if high < len(line) else ""
    before, here, after = (visible(part) for part in (line[low:start], line[start : min(end, high)], line[end:high]))
    carets = "^" * max(1, cell_len(here))
    return [
        ((f"{fault.line:>{GUTTER}} │ ", "dim"), lead, before, (here, "bold"), after, more),
        ((" " * GUTTER + " │ ", "dim"), " " * cell_len(lead + before), (carets, _STYLE)),
    ]


def faults_data(text: str, faults: Sequence[FileFault]) -> list[dict[str, Any]]:
    """Give the faults of one file in the shape of findings."""
    places, starts = Positions(text), Places(text)

    def offset(line: int, column: int) -> int:
        return min(starts.start(line - 1) + column - 1, len(text)) if line <= starts.line_count else len(text)

    return [
        {
            "code": "policy-file",
            "severity": "error",
            "message": shown(each.message),
            "range": places.range(offset(each.line, each.column), offset(each.line, each.end_column)),
        }
        for each in faults
    ]
