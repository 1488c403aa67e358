"""What a named conflict is, and what holds one back."""

import re
from dataclasses import dataclass

from cite_lsp.audit.verdicts import Kind
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import Value, is_number_word
from cite_lsp.judges.embedded.claim.words import GLUE, SOFT, stem
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.lines.facts import Fact, Line, facts_of, lines_of
from cite_lsp.judges.embedded.lines.reading import Reading, flat
from cite_lsp.snapshot.excerpt import Excerpt

NEAR = 60
"""Lines around the cited ones in which another value of the same name holds a verdict back."""
_CASE = re.compile(
    r"\b(?:on|for|in|under|during|with|within|inside)\s+(?:the |an? |its |all |every )?`?([A-Za-z][\w-]{1,40})",
    re.IGNORECASE,
)

_OPENING = re.compile(r"\s*(?:with|for|in|on|under|during|within|inside|while|as|given|among)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """What contradicts a claim: where, in which clause, and a sentence that names both sides."""

    basis: str
    lines: list[Line]
    clause: Clause
    kind: Kind = "contradicted"
    weak: bool = False
    """Whether it asks a person where the lines are prose: right half the time in other people's prose, as measured."""


def says(claimed: str, fact: Fact, clause: Clause, kind: Kind = "contradicted") -> Conflict:
    """Give the conflict of what is claimed with a fact."""
    basis = f"the claim says {claimed}, line {fact.line.number} says {clipped(fact.shown)}"
    return Conflict(basis, [fact.line], clause, kind)


def given_elsewhere(fact: Fact, value: Value, reading: Reading) -> bool:
    """Whether lines near the cited ones give the same name the claimed value."""
    file = reading.row.file
    if file is None:
        return False
    start = max(0, fact.line.number - 1 - NEAR)
    near = tuple(enumerate(file[start : fact.line.number + NEAR], start + 1))
    if not near:
        return False
    around = facts_of(lines_of((Excerpt(near[0][0], near[-1][0], "window", False, near),)))
    return any(flat(other.name) == flat(fact.name) and other.value.agrees(value) for other in around)


def another_case(clause: Clause, reading: Reading) -> bool:
    """Whether the clause speaks of a case ("on Windows", "for uploads") that the lines say nothing of."""
    if _OPENING.match(clause.without_default):
        return True
    for word in _CASE.findall(clause.without_default):
        plain = word.lower()
        if plain in GLUE or plain in SOFT or is_number_word(plain):
            continue
        if stem(plain) not in reading.words and stem(plain) not in reading.context_words:
            return True
    return False
