"""Which names and signs in a line of code say a word of prose, whatever the language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from cite_lsp.judges.embedded.lexicon import idiom_names, idiom_numbers, idiom_signs
from cite_lsp.judges.embedded.lexicon.endings import lemma

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LETTERS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST_LINE = 1000


@dataclass(frozen=True, slots=True)
class Idiom:
    """How code says a word.

    `names` are identifiers in lower case without separators ("tolowercase"), or pieces of one ("floor").
    `signs` is the source of a regular expression over one line of code, case matters, "" where there is none.
    """

    names: frozenset[str]
    signs: str


@cache
def idioms() -> Mapping[str, Idiom]:
    """Give how code says each word, by lemma; by lemmas with a space between where only several words name it."""
    names: dict[str, set[str]] = {}
    signs: dict[str, list[str]] = {}
    for line in idiom_names.NAMES:
        said, _, coded = line.partition(":")
        for word in map(lemma, said.split()):
            names.setdefault(word, set()).update(coded.split())
    for words, sign in idiom_signs.SIGNS:
        for word in map(lemma, words.split()):
            signs.setdefault(word, []).append(sign)
    for words, sign in idiom_numbers.numbers():
        for phrase in words.split(","):
            signs.setdefault(" ".join(map(lemma, phrase.split())), []).append(sign)
    return {
        word: Idiom(frozenset(names.get(word, ())), "|".join(signs.get(word, ())))
        for word in names.keys() | signs.keys()
    }


def spoken_by(word: str, line: str) -> bool:
    """Whether a line of code says a word, by a name or a sign; the first 1,000 characters are looked at.

    What numbers are called may be several words: "not found", "too many requests".
    """
    idiom = _idiom_of(word)
    if idiom is None:
        return False
    line = line[:_LONGEST_LINE]
    if idiom.names and not idiom.names.isdisjoint(_names_in(line)):
        return True
    return bool(idiom.signs) and _compiled(idiom.signs).search(line) is not None


@lru_cache(maxsize=2048)
def _idiom_of(word: str) -> Idiom | None:
    return idioms().get(" ".join(map(lemma, word.split())))


@lru_cache(maxsize=512)
def _names_in(line: str) -> frozenset[str]:
    found: set[str] = set()
    for name in _NAME.findall(line):
        found.add(name.replace("_", "").lower())
        found.update(piece.lower() for piece in LETTERS.findall(name))
    return frozenset(found)


@lru_cache(maxsize=512)
def _compiled(signs: str) -> re.Pattern[str]:
    return re.compile(signs)
