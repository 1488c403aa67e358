"""What a clause says, laid beside lines: which of its terms stand where, in the same words or in words for the same."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import Term, pieces, terms_of
from cite_lsp.judges.embedded.claim.values import Value, numbers_in_code, stands_in, values_in_prose
from cite_lsp.judges.embedded.lexicon import kin, short_for, spoken_by

How = Literal["same", "joined", "root", "kin", "idiom"]
_TOKEN = re.compile(r"[A-Za-z_$][\w$]*(?:-[A-Za-z_][\w]*)*|[0-9]+")
_LONGEST_LINE = 600
_ROOT_ENDINGS = (
    "ability", "ibility", "ations", "ation", "itions", "ition", "ments", "ment", "ness", "ance", "ence", "ancy", "ency",
    "ably", "ibly", "able", "ible", "ally", "ity", "ive", "ion", "ors", "ers", "or", "er", "al", "ic", "ly", "ing",
    "ed", "es", "y", "e", "s",
)  # fmt: skip
_SHORTEST_ROOT = 4


_BY_LAST = {last: tuple(each for each in _ROOT_ENDINGS if each[-1] == last) for last in {e[-1] for e in _ROOT_ENDINGS}}


@lru_cache(maxsize=16384)
def root_of(word: str) -> str:
    """Give what is left of a base form without the endings by which words of one root differ: pickle, pickleable."""
    for ending in _BY_LAST.get(word[-1:], ()):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_ROOT:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST_ROOT and (word[-1] == word[-2] or word[-1] in "ei") else word


@lru_cache(maxsize=8192)
def words_of_line(text: str) -> frozenset[str]:
    """Give the base forms of all that stands in a line: of each part of a name, of its short forms, of neighbours."""
    return frozenset().union(*map(_words_of_token, _TOKEN.findall(text[:_LONGEST_LINE])))


@lru_cache(maxsize=8192)
def _words_of_token(token: str) -> frozenset[str]:
    parts = pieces(token)
    found = {*parts, *(first + second for first, second in pairwise(parts))}
    if len(parts) > 2:
        found.add("".join(parts))
    for part in parts:
        found.update(short_for(part))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Found:
    """How a term stands in some lines, and in which of them, from 0."""

    how: How
    at: tuple[int, ...]
    word: str = ""
    """What stands there for it, where that is another word."""


class Index:
    """Some lines by their words."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.words = [words_of_line(line) for line in lines]

    @cached_property
    def at(self) -> dict[str, list[int]]:
        """The lines of each base form."""
        return _gathered(self.words)

    @cached_property
    def roots(self) -> dict[str, list[int]]:
        """The lines of each root."""
        return _gathered([frozenset(map(root_of, words)) for words in self.words])

    @cached_property
    def numbers(self) -> list[frozenset[float]]:
        """The numbers of each line."""
        return [_numbers_in(line[:_LONGEST_LINE]) for line in self.lines]

    @cached_property
    def values(self) -> list[tuple[Value, ...]]:
        """The values of each line, as sentences write them."""
        return [_values_in(line[:_LONGEST_LINE]) for line in self.lines]

    def find(self, term: Term) -> Found | None:
        """Look for a term; the strongest way in which it stands there."""
        if term.kind == "value":
            return self._value(term)
        if term.kind == "quoted" or (term.kind == "name" and len(term.lemmas) != 1):
            return self._spelled(term)
        return self._word(term.lemmas[0]) if term.lemmas else None

    def _value(self, term: Term) -> Found | None:
        value = term.value
        if value is None:
            return None
        by_line = enumerate(zip(self.numbers, self.values, self.words, strict=True))
        at = tuple(index for index, line in by_line if stands_in(value, *line))
        return Found("same", at) if at else None

    def _spelled(self, term: Term) -> Found | None:
        flat = term.text.lower()
        at = tuple(index for index, line in enumerate(self.lines) if flat in line[:_LONGEST_LINE].lower())
        if at:
            return Found("same", at)
        if not term.lemmas:
            return None
        together = tuple(index for index, words in enumerate(self.words) if words.issuperset(term.lemmas))
        return Found("joined", together) if together else None

    def _word(self, word: str) -> Found | None:
        if word in self.at:
            return Found("same", tuple(self.at[word]))
        root = root_of(word)
        if root in self.roots:
            return Found("root", tuple(self.roots[root]), root)
        near = kin(word) & self.at.keys()
        if near:
            return Found("kin", tuple(sorted({index for other in near for index in self.at[other]})), min(near))
        at = _by_idiom(word, self.lines)
        return Found("idiom", at) if at else None


def _by_idiom(word: str, lines: Sequence[str]) -> tuple[int, ...]:
    return tuple(index for index, line in enumerate(lines) if spoken_by(word, line[:_LONGEST_LINE]))


def _gathered(lines: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, words in enumerate(lines):
        for word in words:
            if word in found:
                found[word].append(index)
            else:
                found[word] = [index]
    return found


@lru_cache(maxsize=1024)
def _numbers_in(line: str) -> frozenset[float]:
    return frozenset(numbers_in_code(line))


@lru_cache(maxsize=1024)
def _values_in(line: str) -> tuple[Value, ...]:
    return tuple(values_in_prose(line))


@dataclass(frozen=True, slots=True)
class Alignment:
    """The terms of a clause beside lines, in the clause's order."""

    pairs: tuple[tuple[Term, Found | None], ...] = field(default=())


def weight(term: Term) -> float:
    """Give what a term counts for: names, values and quotations more than words, soft words little."""
    if term.kind != "word":
        return 2.0
    return 0.25 if term.soft else 1.0


def align(clause: Clause, index: Index) -> Alignment:
    """Lay a clause beside lines."""
    return Alignment(tuple((term, index.find(term)) for term in terms_of(clause)))
