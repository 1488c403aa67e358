"""What is told of a document before its severity is known, and the words that all tellers share."""

from dataclasses import dataclass

from cite_lsp.document.ranges import Span
from cite_lsp.findings.finding import Fix, Level

_SHOWN = 60

REPLACED = frozenset({"line-out-of-range", "end-out-of-range", "missing", "blank-line"})
"""Codes of the layer *resolve* that `moved` replaces: it knows the answer."""


@dataclass(frozen=True, slots=True)
class Told:
    """A finding before its severity is known; offsets are code points into the document, `end` exclusive."""

    code: str
    message: str
    start: int
    end: int
    anchor: int | None
    """Index in `document.anchors`; None when it is about no anchor."""
    fixes: tuple[Fix, ...] = ()
    as_of: bool = False
    """It is about the moment that the citation is read as of."""
    replaced: bool = False
    """`moved` knows the answer to this: it is told only where that code is switched off."""
    level: Level | None = None
    """The severity where no setting says otherwise; None means the catalogue's."""
    doubtful: bool = False
    """A person should look: a hint, whatever severity settings give the code; "off" is off."""


def lines_in_words(span: Span) -> str:
    """Name 1-based lines: `line 3`, `lines 3-9`."""
    first, last = span
    return f"line {first}" if first == last else f"lines {first}-{last}"


def as_written(text: str) -> str:
    """Give what an author wrote as a message shows it: on one line, and cut when long."""
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
