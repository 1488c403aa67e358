"""What the lexicon is asked: one look-up in a table a question; the tables are built when first asked for."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain

from cite_lsp.judges.embedded.lexicon import (
    kin_actions,
    kin_states,
    kin_things,
    opposites,
    plain,
    sayings,
    scales,
    shortened,
)
from cite_lsp.judges.embedded.lexicon.endings import lemma

_NONE: frozenset[str] = frozenset()


def kin(word: str) -> frozenset[str]:
    """Give the lemmas that say nearly the same as a word in prose about software; the word's own lemma is not one.

    A word of several senses has the kin of all of them. Kin of kin are no kin.
    """
    return _kin().get(lemma(word), _NONE)


def opposed(word: str) -> frozenset[str]:
    """Give the lemmas that say the opposite on the same scale: where one holds, the other does not."""
    return _opposed().get(lemma(word), _NONE)


def phrases() -> Mapping[tuple[str, ...], str]:
    """Give what several words say as one lemma: ("hand", "back") is "return". Keys are lemmas of two to five words."""
    return _phrases()


def short_for(piece: str) -> frozenset[str]:
    """Give the lemmas that a piece of an identifier may stand for: "cfg" is "configuration"."""
    return _shortened().get(piece.lower(), _NONE)


def soft(word: str) -> bool:
    """Whether a word carries nothing in a claim that a line of code could show, "simply" or "helper"."""
    return word.lower() in _soft() or lemma(word) in _soft()


def glue(word: str) -> bool:
    """Whether a word only joins others: articles, pronouns, auxiliaries, most prepositions."""
    return word.lower() in _glue() or lemma(word) in _glue()


@cache
def _kin() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in chain(kin_actions.GROUPS, kin_states.GROUPS, kin_things.GROUPS):
        group = line.split()
        for word in group:
            found.setdefault(word, set()).update(group)
    return {word: frozenset(group - {word}) for word, group in found.items()}


@cache
def _opposed() -> Mapping[str, frozenset[str]]:
    return _across(chain(opposites.POLAR, scales.SCALES))


def _across(lines: Iterable[str]) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _sides(lines):
        for word in one:
            found.setdefault(word, set()).update(other)
        for word in other:
            found.setdefault(word, set()).update(one)
    return {word: frozenset(others) for word, others in found.items()}


def _sides(lines: Iterable[str]) -> Iterator[tuple[list[str], list[str]]]:
    for line in lines:
        sides = [side.split() for side in line.split("|")]
        for place, side in enumerate(sides):
            for other in sides[place + 1 :]:
                yield side, other


@cache
def _phrases() -> Mapping[tuple[str, ...], str]:
    found: dict[tuple[str, ...], str] = {}
    for line in sayings.SAYINGS:
        said, _, meant = line.partition("=")
        for phrase in said.split(","):
            found[tuple(map(lemma, phrase.split()))] = meant.strip()
    return found


@cache
def _shortened() -> Mapping[str, frozenset[str]]:
    return {line.split()[0]: frozenset(line.split()[1:]) for line in shortened.SHORTENED}


@cache
def _soft() -> frozenset[str]:
    return frozenset(chain.from_iterable(text.split() for text in plain.SOFT))


@cache
def _glue() -> frozenset[str]:
    return frozenset(plain.GLUE.split())
