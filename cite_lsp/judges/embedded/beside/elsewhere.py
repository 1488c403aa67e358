"""Where else in the cited file a claim's words stand together: what a citation of a neighbour looks like."""

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, chain

from cite_lsp.judges.embedded.claim.terms import Term
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.lexicon.forms import BRITISH, IRREGULAR
from cite_lsp.judges.embedded.lexicon.shortened import SHORTENED
from cite_lsp.judges.embedded.lines.alignment import root_of, words_of_line

_MOST_LINES = 20_000
_LONGEST_LINE = 600
_COMMON = 0.2
"""Words on more than this share of a file's lines place nothing."""
_SHORT_ROOT = 3
_BENT = ("y", "e", "i", "z")
"""Last letters of roots that forms have another for: try and tries, size and sizing, normaliz and normalise."""
_LONGEST_TOKEN = 120
_MOST_HITS = 10_000
"""Of the beginning of a word: where it is as common as that, more of them tell nothing."""
_IN_TOKEN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$-")
_REST_OF_TOKEN = re.compile(r"[\w$-]{0,120}")
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_COUNTING = frozenset("123456789")


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, 1-based and inclusive, and how much of a claim stands there: the share by weight."""

    first: int
    last: int
    share: float
    words: tuple[str, ...]


class FileWords:
    """A file by its words. Looked for one by one: most words of most files nobody asks for."""

    def __init__(self, file: Sequence[str]) -> None:
        lines = file[:_MOST_LINES]
        if max(map(len, lines), default=0) > _LONGEST_LINE:
            lines = [line[:_LONGEST_LINE] for line in lines]
        self._text = "\n".join(lines)
        self._flat = _lowered(self._text)
        self._starts = [0, *accumulate(map((1).__add__, map(len, lines)))]
        self._known: dict[tuple[str, str], tuple[int, ...]] = {}
        self._weights: dict[tuple[str, str], float] = {}
        self.size = len(lines)

    def lines_of(self, term: Term) -> tuple[int, ...]:
        """Give the lines, 1-based, on which a term stands in the same words."""
        key = (term.kind, term.text)
        if key not in self._known:
            self._known[key] = tuple(index + 1 for index in sorted(self._find(term)))
        return self._known[key]

    def weight(self, term: Term) -> float:
        """Give what a term counts for: rare ones most, 1 for one that is nowhere, and names and values twice."""
        key = (term.kind, term.text)
        if key not in self._weights:
            rarity = math.log((self.size + 2) / (len(self.lines_of(term)) + 1)) / math.log(self.size + 2)
            self._weights[key] = rarity * (2.0 if term.kind != "word" else 1.0)
        return self._weights[key]

    def _find(self, term: Term) -> set[int]:
        if term.kind == "value":
            return set() if term.value is None else self._with_number(term.value)
        if term.kind == "quoted" or (term.kind == "name" and len(term.lemmas) != 1):
            spelled = {self._line_at(at) for at in _occurrences(self._flat, term.text.lower())}
            if spelled or not term.lemmas:
                return spelled
            return set.intersection(*(self._with_word(each)[0] for each in term.lemmas))
        if not term.lemmas:
            return set()
        same, related = self._with_word(term.lemmas[0])
        return same or related

    def _line_at(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1

    def _with_word(self, word: str) -> tuple[set[int], set[int]]:
        """Give the lines with a base form, and those with a word of its root."""
        root = root_of(word)
        beginning = root[: max(2, len(root) - root.endswith(_BENT))] if len(root) >= _SHORT_ROOT else word
        others = (form for form in _other_forms().get(root, ()) if not form.startswith(beginning))
        same: set[int] = set()
        related: set[int] = set()
        text, find, starts, rest_of = (
            self._text,
            self._flat.find,
            self._starts,
            _REST_OF_TOKEN.match,
        )
        known: dict[str, bool | None] = {}
        for wanted in sorted({beginning, *others}):
            at, hits, length, line = find(wanted), 0, len(wanted), 0
            while at >= 0 and (hits := hits + 1) <= _MOST_HITS:
                start, rest = at, rest_of(text, at)
                if at and text[at - 1] in _IN_TOKEN:
                    least = max(0, at - _LONGEST_TOKEN)
                    while start > least and text[start - 1] in _IN_TOKEN:
                        start -= 1
                token = text[start : rest.end() if rest else at]
                if token not in known:
                    known[token] = _is_form(token, word, root)
                how = known[token]
                if how is not None:
                    line = bisect_right(starts, at, line) - 1
                    (same if how else related).add(line)
                    at = starts[line + 1] if how else at + length
                else:
                    at += length
                at = find(wanted, at)
        return same, same | related

    def _with_number(self, value: Value) -> set[int]:
        """Give the lines with a number as it is written, or with what it amounts to, in digits or as one word."""
        written = {*_in_words(value.raw), *map(_digits, (value.raw, *value.amounts))}
        return {self._line_at(at) for each in written for at in _occurrences(self._flat, each) if self._apart(at, each)}

    def _apart(self, at: int, number: str) -> bool:
        """Whether digits are no part of a longer number; zeros around them may not count."""
        before, after = self._flat[at - 1 : at], self._flat[at + len(number) : at + len(number) + 1]
        return not number[-1].isdigit() or not (before in _COUNTING or after in _COUNTING)


def _in_words(amount: float) -> tuple[str, ...]:
    if amount not in range(100):
        return ()
    number = int(amount)
    return (_SMALL[number],) if number < len(_SMALL) else (_TENS[number // 10 - 2],) if not number % 10 else ()


def _lowered(text: str) -> str:
    """Give a text in lower case in which every character stays where it is."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(each.lower()[0] for each in text)


def _occurrences(text: str, wanted: str) -> Iterator[int]:
    at, hits = text.find(wanted) if wanted else -1, 0
    while at >= 0 and (hits := hits + 1) <= _MOST_HITS:
        yield at
        at = text.find(wanted, at + len(wanted))


def _digits(amount: float) -> str:
    if not math.isfinite(amount):
        return ""
    if abs(amount - round(amount)) <= 1e-9 * abs(amount):
        return str(round(amount))
    shown = f"{amount:.9g}".lstrip("0")
    return "" if "e" in shown else shown


@cache
def _other_forms() -> dict[str, frozenset[str]]:
    """The irregular and the short forms that words of a root have."""
    bent = [(line.split()[0], form) for line in IRREGULAR for form in line.split()[1:]]
    british = [(pair.split(":")[1], pair.split(":")[0]) for pair in BRITISH]
    short = [(long, line.split()[0]) for line in SHORTENED for long in line.split()[1:]]
    found: dict[str, set[str]] = {}
    for word, form in chain(bent, british, short):
        found.setdefault(root_of(word), set()).add(form)
    return {root: frozenset(forms) for root, forms in found.items()}


def _is_form(token: str, word: str, root: str) -> bool | None:
    """Say whether a token has a base form, or but a word of its root; None where it has neither."""
    words = words_of_line(token)
    return True if word in words else False if root in map(root_of, words) else None


@lru_cache(maxsize=8)
def file_words(file: tuple[str, ...]) -> FileWords:
    """Give a file by its words; remembered for a few files, since rows come file by file."""
    return FileWords(file)


def best_place(terms: Sequence[Term], file: FileWords, length: int, without: tuple[int, int]) -> Place | None:
    """Find where the most of some terms stands within `length` lines.

    Args:
        terms: What to look for.
        file: Where.
        length: Lines that a place may have.
        without: First and last line, 1-based, that are no place.
    """
    weights = [file.weight(term) for term in terms]
    events: list[tuple[int, int]] = []
    for number, term in enumerate(terms):
        at = file.lines_of(term)
        if len(at) <= max(3, _COMMON * file.size):
            events.extend((line, number) for line in at if not without[0] <= line <= without[1])
    if not events or not sum(weights):
        return None
    return _densest(sorted(events), weights, length, terms)


def _densest(events: list[tuple[int, int]], weights: list[float], length: int, terms: Sequence[Term]) -> Place:
    whole = sum(weights)
    here: Counter[int] = Counter()
    total, best, left = 0.0, (0.0, 0, 0), 0
    kept: tuple[int, ...] = ()
    for line, number in events:
        if not here[number]:
            total += weights[number]
        here[number] += 1
        while events[left][0] <= line - length:
            old = events[left][1]
            here[old] -= 1
            if not here[old]:
                total -= weights[old]
            left += 1
        if total > best[0] + 1e-9:
            best = (total, events[left][0], line)
            kept = tuple(number for number, count in here.items() if count)
    return Place(best[1], best[2], best[0] / whole, tuple(terms[number].text for number in sorted(kept)))
