"""A clause in terms: the words, names, values and quotations that cited lines can be asked for."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import Value, is_number_word
from cite_lsp.judges.embedded.claim.words import NAME_PIECE
from cite_lsp.judges.embedded.lexicon import glue, lemma, phrases, soft

TermKind = Literal["word", "name", "value", "quoted"]
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9'’]*")
_LONGEST_PHRASE = 4
_SLIGHT = frozenset(
    """not no never up out over off back end rest every each any all other another first last only both same much many
    more most less few own when after before until under above below without again once twice also even still yet else
    than as like way non neither either none away down against ever whatever wherever whoever kind
    nothing something anything everything nobody somebody anybody everybody further ones""".split()
)
"""Words that lines say by their order, by signs, or not at all."""


@dataclass(frozen=True, slots=True)
class Term:
    """Something that a clause says.

    Attributes:
        kind: What it is.
        text: As the clause has it.
        lemmas: Of a word its base form, of a phrase what it says, of a name those of its words.
        value: Of a value, the value.
        soft: Whether it carries little: what it says may be missing where the rest was found.
        start: Where in the clause it begins, in characters.
    """

    kind: TermKind
    text: str
    lemmas: tuple[str, ...]
    value: Value | None = None
    soft: bool = False
    start: int = 0


@lru_cache(maxsize=8192)
def pieces(name: str) -> tuple[str, ...]:
    """Give the base forms of a name's words: those of `maxRetries`, `MAX_RETRIES` and `max-retries` are the same."""
    return tuple(lemma(piece.lower()) for piece in NAME_PIECE.findall(name[:200]))


def slight(term: Term) -> bool:
    """Whether a term is a word of order, number or direction: where it is not found, nothing follows."""
    return term.kind == "word" and not _SLIGHT.isdisjoint((term.text.lower(), *term.lemmas))


@lru_cache(maxsize=64)
def terms_of(clause: Clause) -> tuple[Term, ...]:
    """Give the terms of a clause in its order; asked for again by each check, and so remembered for a few clauses."""
    text = clause.text
    taken = [False] * len(text)
    found: list[Term] = []

    def take(kind: TermKind, start: int, end: int, term: str, value: Value | None = None) -> None:
        if not any(taken[start:end]):
            taken[start:end] = [True] * (end - start)
            found.append(Term(kind, term, pieces(term), value, start=start))

    for value in clause.values:
        take("value", value.start, value.end, value.shown, value)
    for quoted in clause.quoted:
        at = text.find(quoted)
        take("quoted", at, at + len(quoted), quoted)
    for name in clause.names:
        at = text.find(name.text)
        if at >= 0:
            take("name", at, at + len(name.text), name.text)
    rest = "".join(" " if used else character for character, used in zip(text, taken, strict=True)) if found else text
    found.extend(_words(rest))
    return tuple(sorted(found, key=lambda term: term.start))


@cache
def _phrase_heads() -> frozenset[str]:
    return frozenset(phrase[0] for phrase in phrases())


def _words(text: str) -> list[Term]:
    words = [(match[0], match.start()) for match in _WORD.finditer(text)]
    lowered = [word.lower() for word, _ in words]
    lemmas = [lemma(word.replace("’", "'").removesuffix("'s")) for word in lowered]
    table = phrases()
    found: list[Term] = []
    at = 0
    begins = _phrase_heads()
    while at < len(words):
        longest = min(_LONGEST_PHRASE, len(words) - at) if lemmas[at] in begins else 1
        for length in range(longest, 1, -1):
            said = table.get(tuple(lemmas[at : at + length]))
            if said is not None:
                text_of = " ".join(word for word, _ in words[at : at + length])
                found.append(Term("word", text_of, (said,), soft=soft(said), start=words[at][1]))
                at += length
                break
        else:
            word, start = words[at]
            if len(word) > 1 and not glue(lowered[at]) and not is_number_word(lowered[at]):
                found.append(Term("word", word, (lemmas[at],), soft=soft(lemmas[at]), start=start))
            at += 1
    return found
