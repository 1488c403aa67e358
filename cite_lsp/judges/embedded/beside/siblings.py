"""Lines of one shape: settings, branches, keys and items of a list that differ in what they are of."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from cite_lsp.judges.embedded.beside.laid import Laid
from cite_lsp.judges.embedded.claim.terms import Term
from cite_lsp.judges.embedded.lines.alignment import words_of_line
from cite_lsp.judges.embedded.lines.facts import Line

_TOKEN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\w\s]")
_LONGEST = 300
_MOST_LINES = 40
"""Of cited ones: where it is one among so many, the claim may be about any."""
_MOST_PLACES = 8
"""On more lines than that a word names none of them."""
_NEAR = 40
_ALIKE = 0.7
"""The share of what two lines have in common, as measured: their order counts."""
_LEAST_WORDS = 2


@dataclass(frozen=True, slots=True)
class Sibling:
    """A line that has a claim's word where a cited line has another one."""

    term: Term
    number: int
    cited: Line
    instead: str


def sibling_of(laid: Laid) -> Sibling | None:
    """Find a line near the cited ones that is like one of them but for a word of the claim which none of them has."""
    excerpts, file = laid.reading.row.excerpts, laid.reading.row.file
    if (
        not laid.plain
        or file is None
        or laid.file is None
        or len(excerpts) > 1
        or len(laid.reading.lines) > _MOST_LINES
    ):
        return None
    first, last = excerpts[0].start_line, excerpts[0].end_line
    lines: list[tuple[Line, tuple[str, ...]]] = []
    for term, found in laid.telling:
        if found is not None or term.kind not in ("word", "name") or laid.around(term):
            continue
        places = [number for number in laid.file.lines_of(term) if not first <= number <= last]
        for number in places if len(places) <= _MOST_PLACES else ():
            if not first - _NEAR <= number <= last + _NEAR:
                continue
            lines = lines or [(line, _tokens(line.text)) for line in laid.reading.lines]
            instead = next(_instead(term, _tokens(file[number - 1]), lines, laid), None)
            if instead is not None:
                return Sibling(term, number, *instead)
    return None


@lru_cache(maxsize=2048)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in _TOKEN.findall(text[:_LONGEST]))


def _instead(
    term: Term, other: tuple[str, ...], lines: Sequence[tuple[Line, tuple[str, ...]]], laid: Laid
) -> Iterator[tuple[Line, str]]:
    """Give the cited lines that are like another one, each with what it has in place of a word."""
    said = {lemma for each, _ in laid.pairs for lemma in each.lemmas}
    for line, cited in lines:
        least = _ALIKE * (len(cited) + len(other)) / 2
        if min(len(cited), len(other)) < least or _common(cited, other) < least:
            continue
        matcher = SequenceMatcher(None, other, cited, autojunk=False)
        blocks = matcher.get_matching_blocks()
        alike = [token for block in blocks for token in other[block.a : block.a + block.size]]
        if len(alike) < least or sum(map(str.isalnum, alike)) < _LEAST_WORDS:
            continue
        changes = [each for each in matcher.get_opcodes() if each[0] != "equal"]
        gone = " ".join(token for _, start, end, _, _ in changes for token in other[start:end])
        instead = " ".join(token for _, _, _, start, end in changes for token in cited[start:end])
        has = words_of_line(instead)
        if has and has.isdisjoint(said) and not words_of_line(gone).isdisjoint(term.lemmas):
            yield line, instead


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    return sum((Counter(one) & Counter(other)).values())
