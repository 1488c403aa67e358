"""Sentences of the cited lines that say a claim the other way round: negated, or with the word for the opposite."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.polarity import Signed, hedged, opposite_in, signed_words
from cite_lsp.judges.embedded.lexicon import kin, soft
from cite_lsp.judges.embedded.lines.alignment import root_of
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.lines.sentences import Sentence

_LEAST = 0.5
_LEAST_OPPOSED = 0.65
_LEAST_REVERTED = 0.75
_LEAST_BESIDES = 2
_WHOLE = 0.9
_MOST_SHOWN = 120
_SIDES = 3
_NARROWS = re.compile(
    r"\b(?:unless|until|till|except|only|other than|besides|if|when|while|where|once|instead|yet|still|may|might|can"
    r"|could|some|sometimes|always|every|all|necessarily|fully|entirely|should)\b",
    re.IGNORECASE,
)
"""Words that narrow what is said: where one side has one that the other has not, both may hold."""
_ORDER = re.compile(r"\b(before|after)\b", re.IGNORECASE)
_BY = frozenset({"by", "from"})
_TOLD = re.compile(
    r"\b(?:help|desc|description|doc|usage|summary|about|epilog|describe)\w{0,8}[\"']?\s{0,4}[=:(]", re.IGNORECASE
)
"""Before a text in code that describes, and is no message about what went wrong."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A clause beside one sentence.

    Attributes:
        share: The share of the clause's words that the sentence has, by weight.
        shared: The words of the clause that it has, names and those of weight.
        turned: Word of the clause and word of the sentence that are the same, and turned on one side only.
        crossed: Words of the clause that are turned on one side only, whatever the negation is aimed at.
        opposed: Word of the clause and word of the sentence that exclude each other, turned on both sides or on none.
        sentence: The sentence.
    """

    share: float
    shared: tuple[str, ...]
    turned: tuple[tuple[Signed, Signed], ...]
    opposed: tuple[tuple[Signed, Signed], ...]
    crossed: tuple[str, ...]
    sentence: Sentence


def sentence_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """Give the sentence of the cited lines that says a clause the other way round."""
    if not reading.sentences or hedged(clause.text) or _UNDOES.search(clause.text):
        return None
    words, mine = signed_words(clause.text), _narrowing(clause.text)
    for sentence in reading.sentences:
        if _narrowing(sentence.text) != mine or hedged(sentence.text):
            continue
        if sentence.quoted and not any(_describes(line.text[:300]) for line in sentence.lines):
            continue
        near = beside(words, sentence)
        said = _against(clause, near)
        if said is not None:
            line = _line_with(said[1].text, sentence)
            claimed = clipped(clause.text.strip(" .,;"), _MOST_SHOWN)
            basis = f"the claim says {claimed!r}, line {line.number} says {clipped(sentence.text, _MOST_SHOWN)!r}"
            return Conflict(basis, [line], clause)
    return None


@lru_cache(maxsize=128)
def _describes(code: str) -> bool:
    """Whether a line holds a text that describes; asked again for each clause."""
    return bool(_TOLD.search(code))


@lru_cache(maxsize=256)
def _narrowing(text: str) -> frozenset[str]:
    """Give the words by which a text narrows what it says."""
    return frozenset(map(str.lower, _NARROWS.findall(text)))


def _against(clause: Clause, near: Beside) -> tuple[Signed, Signed] | None:
    if near.share < _LEAST:
        return None
    besides = len(near.shared)
    if (
        reverted(clause, near.sentence)
        and besides > _LEAST_BESIDES
        and (near.share >= _LEAST_OPPOSED or _said_of(near.sentence, clause) >= _LEAST_REVERTED)
    ):
        word = signed_words(near.sentence.text)[0]
        return word, word
    enough = besides > _LEAST_BESIDES or (besides == _LEAST_BESIDES and near.share >= _WHOLE)
    if near.turned and not near.opposed and near.share >= _LEAST and enough:
        return near.turned[0]
    if (
        near.opposed
        and not near.turned
        and _as_often(clause, near.sentence)
        and near.share >= _LEAST_OPPOSED
        and besides >= _LEAST_BESIDES
    ):
        return near.opposed[0]
    return _other_order(clause, near)


def _as_often(clause: Clause, sentence: Sentence) -> bool:
    """Whether both negate something or neither: "older than 3 is not supported" says what "3 or newer" does."""
    return any(word.turned for word in signed_words(clause.text)) == any(
        word.turned for word in signed_words(sentence.text)
    )


def _other_order(clause: Clause, near: Beside) -> tuple[Signed, Signed] | None:
    if near.share < _WHOLE or near.crossed or not ordered_otherwise(clause.text, near.sentence.text):
        return None
    return signed_words(clause.text)[0], signed_words(near.sentence.text)[0]


def ordered_otherwise(mine: str, theirs: str) -> bool:
    """Whether one text has one thing before another, and the other text has it after that."""
    one, other = _ORDER.split(mine), _ORDER.split(theirs)
    if len(one) != _SIDES or len(other) != _SIDES:
        return False
    left, right, before, behind = (signed_words(side) for side in (one[0], one[2], other[0], other[2]))
    straight = _share(left, before) and _share(right, behind)
    crossed = _share(left, behind) and _share(right, before)
    same_word = one[1].lower() == other[1].lower()
    return straight != crossed and (crossed if same_word else straight)


def _share(mine: Sequence[Signed], theirs: Sequence[Signed]) -> bool:
    return any(_literal(word, other) for word in mine for other in theirs)


_REVERTS = re.compile(r"\s*(?:[\w.:-]{1,30}:\s+)?(?:Revert(?:s|ed)?|Back(?:ed)? out|Undo)\b")
_UNDOES = re.compile(
    r"\b(?:revert\w*|undo\w*|undid|roll\w* back|back\w* out|remov\w+|dropp?\w*|withdr\w+|again)\b", re.IGNORECASE
)


def _said_of(sentence: Sentence, clause: Clause) -> float:
    """Give the share of what a sentence undoes, its first word, that a clause speaks of."""
    undone, mine = signed_words(sentence.text)[1:], signed_words(clause.text)
    return sum(1 for word in undone if any(same(word, other) for other in mine)) / len(undone) if undone else 0.0


def reverted(clause: Clause, sentence: Sentence) -> bool:
    """Whether a sentence undoes what the clause may say was done."""
    return bool(_REVERTS.match(sentence.text)) and not _UNDOES.search(clause.text)


def swapped(
    clause: Sequence[Signed], sentence: Sentence, *, loose: bool = False
) -> tuple[Signed, Signed, Signed] | None:
    """Give a word of the clause, what the clause has behind it, and the word of the clause that the sentence has there.

    "A overrides B" against "B overrides A": the same word, joined in the same way to the other one.

    Args:
        clause: The words of a clause.
        sentence: What is cited.
        loose: Whether the other one may be missing from the sentence, which may have "it" for it.
    """
    said = signed_words(sentence.text)
    if loose and (voices := _other_voice(clause, said)):
        return voices
    for head, tail in pairwise(clause):
        if tail.link is None or head.part != tail.part:
            continue
        for at, other in enumerate(said[:-1]):
            behind = said[at + 1]
            if behind.link != tail.link or behind.part != other.part or not _literal(head, other) or same(tail, behind):
                continue
            if loose and tail.name and not tail.link and _only_before(tail, said, at):
                return head, tail, behind
            exchanged = next((word for word in clause if word not in (head, tail) and _literal(word, behind)), None)
            before = any(_literal(tail, word) for word in said[:at]) or (loose and bool(tail.link))
            if exchanged is not None and before and not any(_literal(tail, word) for word in said[at + 1 :]):
                return head, tail, exchanged
    return None


def _other_voice(clause: Sequence[Signed], said: Sequence[Signed]) -> tuple[Signed, Signed, Signed] | None:
    """Give what one has done by another, where the sentence has it do the same: "A is called by B", "A calls B"."""
    for (first, head), tail in zip(pairwise(clause), clause[2:], strict=False):
        for (one, other), behind in zip(pairwise(said), said[2:], strict=False):
            if (tail.link in _BY) is (behind.link in _BY) or "" not in (tail.link, behind.link):
                continue
            if first.name and _literal(first, one) and head.lemmas and _literal(head, other):
                return head, tail, behind
    return None


def _only_before(tail: Signed, said: Sequence[Signed], at: int) -> bool:
    return any(_literal(tail, word) for word in said[:at]) and not any(_literal(tail, word) for word in said[at + 1 :])


def beside(clause: Sequence[Signed], sentence: Sentence) -> Beside:
    """Lay the words of a clause beside a sentence."""
    said = signed_words(sentence.text)
    whole = held = 0.0
    shared: list[str] = []
    turned: list[tuple[Signed, Signed]] = []
    opposed: list[tuple[Signed, Signed]] = []
    crossed: list[str] = []
    known, roots = _lemmas_and_roots(sentence.text)
    own = frozenset(lemma for word in clause for lemma in word.lemmas)
    for word in clause:
        weight = _weight(word)
        whole += weight
        alike = [other for other in said if same(word, other)] if _is_among(word, known, roots) else []
        literal = [other for other in alike if _literal(word, other)]
        if alike:
            held += weight
            if weight or word.aim or any(other.aim for other in literal):
                shared.append(word.text)
            if literal and all(other.turned != word.turned for other in alike):
                crossed.append(word.text)
                aims = [other for other in literal if other.aim or word.aim]
                turned.extend((word, other) for other in aims[:1])
            continue
        opposite = opposite_in(word.lemmas[0], known - own) if len(word.lemmas) == 1 else ""
        if opposite:
            held += weight
            others = [other for other in said if opposite in other.lemmas]
            if all(other.turned == word.turned for other in others):
                opposed.append((word, others[0]))
    return Beside(
        held / whole if whole else 0.0, tuple(shared), tuple(turned), tuple(opposed), tuple(crossed), sentence
    )


@lru_cache(maxsize=128)
def _lemmas_and_roots(text: str) -> tuple[frozenset[str], frozenset[str]]:
    known = frozenset(lemma for word in signed_words(text) for lemma in word.lemmas)
    return known, frozenset(map(root_of, known))


def _is_among(word: Signed, known: frozenset[str], roots: frozenset[str]) -> bool:
    """Whether some word of a sentence may be the same as a word, by all base forms and roots of that sentence."""
    if word.name or len(word.lemmas) != 1:
        return known.issuperset(word.lemmas)
    lemma = word.lemmas[0]
    return lemma in known or root_of(lemma) in roots or not kin(lemma).isdisjoint(known)


def _weight(word: Signed) -> float:
    if word.name:
        return 2.0
    return 0.0 if not word.lemmas or soft(word.lemmas[0]) else 1.0


def same(word: Signed, other: Signed) -> bool:
    """Whether two words are the same, of one root, or say nearly the same."""
    return _literal(word, other) or (
        len(word.lemmas) == 1 and not word.name and not kin(word.lemmas[0]).isdisjoint(other.lemmas)
    )


def _literal(word: Signed, other: Signed) -> bool:
    if word.name or len(word.lemmas) != 1:
        return bool(word.lemmas) and set(word.lemmas) <= set(other.lemmas)
    return word.lemmas[0] in other.lemmas or root_of(word.lemmas[0]) in {root_of(each) for each in other.lemmas}


def _line_with(text: str, sentence: Sentence) -> Line:
    return next((line for line in sentence.lines if text in line.text), sentence.lines[0])
