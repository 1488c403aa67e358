"""From an anchor to its resolution: which file and lines it means, or why none."""

from collections.abc import Sequence
from typing import NamedTuple

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.lines import FileText

PRECEDENCE = (
    "malformed",
    "outside",
    "missing",
    "elsewhere",
    "ambiguous",
    "not-text",
    "too-large",
    "unreadable",
    "not-available",
    "line-out-of-range",
    "end-out-of-range",
    "blank-line",
    "case-differs",
    "ignored-target",
    "untracked-target",
    "foreign",
    "found",
)
"""Worst first; where two statuses hold, the first of them (findings.md)."""

_RANK = {status: rank for rank, status in enumerate(PRECEDENCE)}

_FOUND = ("found",)

_BLANK_LOOK = 10_000
"""Longer ranges are not said to be blank: many of them over one file of blank lines would cost its length each."""

RESOLVED = frozenset({"found", "case-differs", "ignored-target", "untracked-target", "blank-line", "end-out-of-range"})
"""Statuses under which there are lines to show."""


class Resolution(NamedTuple):
    """What an anchor means."""

    status: str
    """`found`, `foreign`, or the code of a finding: the worst of the spans' and of the path's."""
    spans: tuple[str, ...]
    """A status for each span."""
    root: str = ""
    """The root that holds the file: an absolute folder, "" in memory."""
    path: str = ""
    """POSIX, relative to `root`; of `outside` the absolute path."""
    via: str = ""
    """The rung that found it: absolute, relative, root, document-folder, ancestor, suffix, same-document, basename or
    permalink."""
    candidates: tuple[str, ...] = ()
    """Of `ambiguous`: up to five paths."""
    line_count: int | None = None
    near: tuple[int, ...] = ()
    """Of `blank-line`: the nearest lines, 1-based, that are not blank, before and after."""
    reason: str = ""
    """Of a file that was not read: the rest of a sentence that begins with its name."""
    left_out: int = 0
    """Of `ambiguous`: how many more candidates there are."""
    as_of: str = ""
    """Of a citation that is read as of a commit: that commit, in full hexadecimal; "" where the present counts."""
    as_of_time: int = 0
    """When that commit was made: seconds since the epoch."""
    blob: str = ""
    """The object that holds the cited file as of that commit."""

    @property
    def resolved(self) -> bool:
        """Whether there are lines to show."""
        return self.line_count is not None and self.status in RESOLVED


def worst(statuses: Sequence[str]) -> str:
    """Give the first by precedence."""
    return min(statuses, key=_RANK.__getitem__, default="found")


def unresolved(anchor: Anchor, status: str, base: Resolution) -> Resolution:
    """Give a resolution under which no span has lines; a malformed anchor stays malformed."""
    status = "malformed" if anchor.defect else status
    return base._replace(status=status, spans=(status,) * len(anchor.spans))


def resolve_lines(anchor: Anchor, file: FileText, base: Resolution) -> Resolution:
    """Give the resolution of an anchor whose file was read; `base.status` is the path's own."""
    lines = file.lines
    if anchor.defect:
        return unresolved(anchor, "malformed", base)._replace(line_count=len(lines))
    spans = tuple([_span_status(span, lines, anchor) for span in anchor.spans])
    near: tuple[int, ...] = ()
    if "blank-line" in spans:
        first, last = anchor.spans[spans.index("blank-line")]
        near = _near(lines, first, last)
    status = base.status if spans == _FOUND else worst((*spans, base.status))
    return base._replace(status=status, spans=spans, line_count=len(lines), near=near)


def _span_status(span: Span, lines: Sequence[str], anchor: Anchor) -> str:
    first, last = span
    count = len(lines)
    if first > count:
        # `:8080` may be a port, and `~300` does not claim to be exact
        return "end-out-of-range" if anchor.approximate or anchor.form == "continuation" else "line-out-of-range"
    if last > count:
        return "end-out-of-range"
    if anchor.approximate or last - first >= _BLANK_LOOK or any(lines[at].strip() for at in range(first - 1, last)):
        return "found"
    return "blank-line"


def _near(lines: Sequence[str], first: int, last: int) -> tuple[int, ...]:
    """Find the nearest lines with text before and after, at most 50 away."""
    found: list[int] = []
    for numbers in (range(first - 1, max(0, first - 51), -1), range(last + 1, min(len(lines), last + 50) + 1)):
        found += next(([number] for number in numbers if lines[number - 1].strip()), [])
    return tuple(found)
