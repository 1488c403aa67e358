"""What of a cited file somebody who repairs a citation is shown: the cited lines, and a few bounded windows beside."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cite_lsp.audit.grounding import ground
from cite_lsp.audit.verdicts import Row
from cite_lsp.document.ranges import Span
from cite_lsp.snapshot.excerpt import Excerpt, unit_excerpt

MOST_WINDOWS = 6
MOST_CHARS = 4800
"""Characters of all windows of one citation together, in the form `L24: …` (reference audit, 1.12)."""
AROUND = 12
"""Lines above and below the cited ones that are shown."""
_MOST_AROUND = 40
MOST_LINES = 50_000
"""Lines of a file in which the words of a claim are looked for."""
_MOST_WIDTH = 400
_LIKELY = 3
_WINDOW_LINES = 12
_WINDOW_CHARS = 800
_WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d+(?:\.\d+)?")
_STOP = frozenset(
    "the and for that this with are was not from its has have each all any which when where than then into one only "
    "see can may must will does line lines file".split()
)

Line = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of the cited file.

    Attributes:
        why: `cited`; `around`, what stands beside the cited lines; `named`, lines that hold a name of the claim;
            `likely`, lines that share its rarest words.
        lines: (1-based number, text) of each; numbers may jump.
    """

    why: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """The reference's form: `L24: …` a line, joined by LF."""
        return "\n".join(f"L{number}: {text}" for number, text in self.lines)


def windows(row: Row, spans: Sequence[Span]) -> tuple[Window, ...]:
    """Give the windows of a row, the cited lines first; no line is shown twice.

    Args:
        row: The claim, its excerpts and the lines of the file. Without these there are the excerpts only.
        spans: The cited lines as written, 1-based.

    Returns:
        At most `MOST_WINDOWS`, of at most `MOST_CHARS` characters together: the first that would pass ends the list.
    """
    kept: list[Window] = []
    seen: set[int] = set()
    room = MOST_CHARS
    for why, lines in _candidates(row, spans):
        new = Window(why, tuple([(number, text) for number, text in lines if number not in seen]))
        if not new.lines:
            continue
        room -= len(new.text) + (1 if kept else 0)
        if room < 0 or len(kept) == MOST_WINDOWS:
            break
        kept.append(new)
        seen.update(number for number, _ in new.lines)
    return tuple(kept)


def _candidates(row: Row, spans: Sequence[Span]) -> Iterator[tuple[str, Sequence[Line]]]:
    for excerpt in row.excerpts:
        yield "cited", excerpt.lines
    file = row.file
    if file is None:
        return
    found = ground(row, spans) if row.excerpts else None
    for place in found.places if found is not None else ():
        yield "named", _unit(row, file, place.line)
    for line in _likely(row, file, spans):
        yield "likely", _unit(row, file, line)
    for first, last in [(each.start_line, each.end_line) for each in row.excerpts] or spans:
        low, high = max(1, min(first, len(file)) - AROUND), min(len(file), last + AROUND, first + _MOST_AROUND)
        yield "around", [(number, file[number - 1][:_MOST_WIDTH]) for number in range(low, high + 1)]


def _unit(row: Row, file: Sequence[str], line: int) -> Sequence[Line]:
    found: Excerpt | None = unit_excerpt(
        file, line, None, language=row.language, max_lines=_WINDOW_LINES, max_chars=_WINDOW_CHARS
    )
    return found.lines if found is not None else ()


def _likely(row: Row, file: Sequence[str], spans: Sequence[Span]) -> Iterator[int]:
    """Give the lines that share most of the claim's words with it, rare ones counting more; the nearest first."""
    wanted = _words(row.claim)
    if not wanted:
        return
    holding = [(number, _words(text[:_MOST_WIDTH]) & wanted) for number, text in enumerate(file[:MOST_LINES], 1)]
    often = Counter(word for _, words in holding for word in words)
    weight = {word: math.log(1 + len(file) / count) for word, count in often.items()}
    first = spans[0][0] if spans else 1
    best = [(-sum(weight[word] for word in words), abs(number - first), number) for number, words in holding if words]
    yield from (number for _, _, number in sorted(best)[:_LIKELY])


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text)) - _STOP
