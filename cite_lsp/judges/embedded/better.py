"""Other lines of the same file that the claim of a row is supported by."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.embedded.claim.claims import Claim
from cite_lsp.judges.embedded.claim.words import stem, vocabulary
from cite_lsp.judges.embedded.judge import EmbeddedJudge
from cite_lsp.snapshot.excerpt import unit_excerpt

MOST = 3
MOST_CANDIDATES = 40
_MOST_LINES = 50_000


@dataclass(frozen=True, slots=True)
class Better:
    """Lines, 1-based and inclusive, and the verdict *supported* on them."""

    first: int
    last: int
    verdict: Verdict


def better_lines(
    row: Row,
    file: Sequence[str],
    first: int,
    last: int,
    *,
    judge: EmbeddedJudge | None = None,
    dropped: Callable[[], bool] = lambda: False,
) -> list[Better]:
    """Look for lines that support the claim of a row.

    Args:
        row: The row as it is cited now.
        file: All lines of the cited file.
        first: The first cited line, 1-based.
        last: The last one.
        judge: Who says whether lines support it.
        dropped: Asked before each candidate; True ends the search.

    Returns:
        At most three, the nearest first; none of them is the cited lines.
    """
    judge = judge or EmbeddedJudge()
    found: list[Better] = []
    seen: set[tuple[int, int]] = set()
    length = max(0, last - first) + 1
    judged = 0
    for line in _candidates(Claim(row.claim), file, first):
        if dropped() or len(found) >= MOST or judged >= MOST_CANDIDATES:
            break
        end = min(line + length - 1, len(file)) if length > 1 else None
        excerpt = unit_excerpt(file, line, end, language=row.language)
        if excerpt is None or excerpt.start_line <= first <= excerpt.end_line:
            continue
        span = (line, end or line)
        if (excerpt.start_line, excerpt.end_line) in seen:
            continue
        seen.add((excerpt.start_line, excerpt.end_line))
        judged += 1
        verdict = judge.judge_row(replace(row, excerpts=(excerpt,), file=tuple(file)))
        if verdict.label == "supported":
            found.append(Better(*_narrowed(span, verdict, excerpt.start_line), verdict))
    return found


def _narrowed(span: tuple[int, int], verdict: Verdict, start: int) -> tuple[int, int]:
    """Give a single line as the one that the verdict relies on; a range stays as it is."""
    if span[0] != span[1] or not verdict.evidence:
        return span
    line = start + verdict.evidence[0].offset
    return line, line


def _candidates(claim: Claim, file: Sequence[str], first: int) -> Iterator[int]:
    """Give lines on which the claim's rarest words stand, the nearest first."""
    wanted = {stem(word) for word in claim.content} | {word for name in claim.names for word in name.words}
    places: dict[str, list[int]] = {}
    for number, text in enumerate(file[:_MOST_LINES], 1):
        for word in vocabulary([text[:400]]) & wanted:
            places.setdefault(word, []).append(number)
    rare = sorted(places.values(), key=len)[:3]
    lines = {number for numbers in rare for number in numbers}
    yield from sorted(lines, key=lambda number: (abs(number - first), number))
