"""The cited lines as a judge is shown them: nothing hidden, nothing that a model takes for a command, no keys."""

from collections.abc import Sequence
from dataclasses import dataclass

from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.redaction import kept_back, kept_back_lines
from cite_lsp.clients.shown_text import visible

__all__ = ["KEPT_BACK", "ShownLine", "said", "shown_lines", "visible", "why_not_shown"]

KEPT_BACK = "(this line is kept back: it looks like a key)"
_MOST_SHOWN = 40_000
"""Characters of a row's lines, two dozen of the longest excerpts: a list of citations has no end, and is paid for."""
_BESIDE = 8
"""Characters that each line takes beside its text."""


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A cited line.

    Attributes:
        excerpt: Index into the row's excerpts, from 0.
        number: Its 1-based number in the file.
        offset: The number less the excerpt's `start_line`.
        raw: The line as it stands in the file; None where it is kept back.
        shown: The line as the judge is shown it.
    """

    excerpt: int
    number: int
    offset: int
    raw: str | None
    shown: str


def shown_lines(row: Row) -> tuple[ShownLine, ...]:
    """Give all lines of a row's excerpts in order."""
    found: list[ShownLine] = []
    for index, excerpt in enumerate(row.excerpts):
        secret = kept_back_lines([text for _, text in excerpt.lines])
        for place, (number, text) in enumerate(excerpt.lines):
            raw, shown = (None, KEPT_BACK) if place in secret else (text, visible(text))
            found.append(ShownLine(index, number, number - excerpt.start_line, raw, shown))
    return tuple(found)


def why_not_shown(row: Row, lines: Sequence[ShownLine]) -> str:
    """Give why a row cannot be sent at all, or ""."""
    if not row.claim.strip():
        return "there is no claim to check"
    if not lines:
        return "no lines are cited"
    if kept_back(row.claim):
        return "the claim looks as if it held a key, so it is kept back"
    if sum(len(line.shown) + _BESIDE for line in lines) > _MOST_SHOWN:
        return f"the cited lines have more than {_MOST_SHOWN:,} characters, too many for one question: cite fewer"
    if all(line.raw is None for line in lines):
        return "the cited lines look like keys, so they are kept back"
    return ""


def said(text: str, limit: int = 400) -> str:
    """Give what a judge says as one line for a person: white space as single spaces, nothing hidden, cut when long."""
    line = visible(" ".join(text.split())) if text else ""
    return line if len(line) <= limit else line[: limit - 1] + "…"
