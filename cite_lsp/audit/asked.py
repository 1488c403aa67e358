"""Cited lines that a function answers for, in place of a snapshot: the host's resolver of the reference audit."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.rows import bound_row
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.excerpt import Excerpt, language_of, unit_excerpt, window_excerpt
from cite_lsp.snapshot.resolve import Resolution, unresolved, worst

Resolve = Callable[[str, int], str | None]
"""Gives a line of a file without its end, by the path as a document writes it and the 1-based number; None where there
is no such line. It answers the same for as long as an audit goes on."""

_LOOK = 2_000
"""Lines above and below a cited range that are asked for at most: no excerpt reaches so far."""
_WITH_LINES = frozenset({"found", "blank-line", "end-out-of-range"})


class _Run(NamedTuple):
    """Lines in a row that are there: `lines[0]` is line `first`, 1-based."""

    first: int
    lines: tuple[str, ...]
    ended: bool
    """Whether there is no line behind them."""

    @property
    def end(self) -> int:
        """The number of the last line."""
        return self.first + len(self.lines) - 1

    @property
    def whole(self) -> bool:
        """Whether they are all lines of the file."""
        return self.first == 1 and self.ended

    def cited(self, span: Span) -> tuple[str, ...]:
        """Give those of a span that begins among them."""
        return self.lines[span[0] - self.first : span[1] - self.first + 1]


class AskedLines:
    """Makes rows from what a function answers; as in the reference, blank lines and ranges past the end are judged."""

    def __init__(self, resolve: Resolve, options: AuditOptions) -> None:
        self._resolve = resolve
        self._options = options
        self._runs: dict[str, list[_Run]] = {}

    def row_of(self, anchor: Anchor) -> tuple[Resolution, Row | None]:
        """Give what an anchor means, and its row where all of its spans begin on a line that is there."""
        path = anchor.path
        base = Resolution("found", (), path=path)
        if anchor.defect:
            return unresolved(anchor, "malformed", base), None
        runs = [self._run(path, span) for span in anchor.spans]
        statuses = tuple([self._status(path, span, run) for span, run in zip(anchor.spans, runs, strict=True)])
        resolution = base._replace(status=worst(statuses), spans=statuses)
        if resolution.status not in _WITH_LINES:
            return resolution, None
        shown = [
            self._excerpt(path, span, run) for span, run in zip(anchor.spans, runs, strict=True) if run is not None
        ]
        file = next((run.lines for run in runs if run is not None and run.whole), None)
        return resolution, bound_row(anchor, path, tuple(shown), file)

    def _status(self, path: str, span: Span, run: _Run | None) -> str:
        if run is None:
            return "missing" if self._resolve(path, 1) is None else "line-out-of-range"
        if span[1] > run.end and run.ended:
            return "end-out-of-range"
        return "found" if any(map(str.strip, run.cited(span))) else "blank-line"

    def _excerpt(self, path: str, span: Span, run: _Run) -> Excerpt:
        above = run.first - 1
        first, last = span[0] - above, span[1] - above
        end = last if last > first else None
        if self._options.resolver == 1:
            found = window_excerpt(run.lines, first, end, window=self._options.window)
        else:
            found = unit_excerpt(run.lines, first, end, language=language_of(path))
        assert found is not None  # noqa: S101 - the run holds the first line
        lines = tuple([(number + above, text) for number, text in found.lines])
        return replace(
            found,
            start_line=found.start_line + above,
            end_line=found.end_line + above,
            lines=lines,
            cited=found.cited + above if found.cited else 0,
        )

    def _run(self, path: str, span: Span) -> _Run | None:
        """Give the lines around a span, up and down to where there are none, or far enough."""
        known = self._runs.setdefault(path, [])
        for run in known:
            if run.whole and span[0] <= run.end:
                return run
        down = self._lines(path, range(span[0], min(span[1], span[0] + _LOOK) + _LOOK))
        if not down:
            return None
        up = self._lines(path, range(span[0] - 1, max(0, span[0] - 1 - _LOOK), -1))
        ended = self._resolve(path, span[0] + len(down)) is None
        known.append(_Run(span[0] - len(up), (*reversed(up), *down), ended))
        return known[-1]

    def _lines(self, path: str, numbers: Iterable[int]) -> list[str]:
        """Give lines up to the first that is not there."""
        found: list[str] = []
        for number in numbers:
            line = self._resolve(path, number)
            if line is None:
                break
            found.append(line)
        return found
