"""Baselines made of a file's lines: what a span shows, what stands around it, and where the same lines stand again."""

from dataclasses import dataclass

from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.baseline import CONTEXT, MOST_TWINS, Baseline, Twin
from cite_lsp.snapshot.kept import Kept
from cite_lsp.snapshot.lines import FileText

_MOST_COMPARED = 2_000
"""Lines of a longer span are not looked for elsewhere in its file."""
_KEPT_LINES = 200_000


@dataclass(frozen=True, slots=True)
class Moment:
    """A commit in full hexadecimal, and when it was made: seconds since the epoch."""

    commit: str
    time: int


class Copies:
    """Finds the other places of a file where the same lines stand; keeps what it needs of the latest files."""

    def __init__(self) -> None:
        self._ended: Kept[str, list[str]] = Kept(_KEPT_LINES)

    def of(self, file: FileText, first: int, last: int) -> tuple[Twin, ...]:
        """Give up to `MOST_TWINS` places with the lines from `first` to `last`, but for white space at their ends."""
        if last - first >= _MOST_COMPARED:
            return ()
        ended = self._ended.get(file.sha256)
        if ended is None:
            ended = [line.rstrip() for line in file.lines]
            self._ended.put(file.sha256, ended, len(ended) + 1)
        block = ended[first - 1 : last]
        found: list[Twin] = []
        at = -1
        while len(found) < MOST_TWINS:
            try:
                at = ended.index(block[0], at + 1)
            except ValueError:
                break
            end = at + len(block)
            if at != first - 1 and ended[at:end] == block:
                found.append(Twin(file.lines[max(0, at - CONTEXT) : at], file.lines[end : end + CONTEXT]))
        return tuple(found)


def baseline_of(span: Span, moment: Moment, path: str, file: FileText, now: str, copies: Copies) -> Baseline:
    """Give the baseline of a span that lies in its file."""
    first, last = span
    lines = file.lines
    return Baseline(
        "text", moment.commit, moment.time, path, now, first, last, lines[first - 1 : last],
        lines[max(0, first - 1 - CONTEXT) : first - 1], lines[last : last + CONTEXT], copies.of(file, first, last),
    )  # fmt: skip
