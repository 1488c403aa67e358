"""Two branches of one condition: the claim says of one what the cited lines do in the other."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.guards import (
    MISSING,
    NOT,
    SHOWN_CHARS,
    asks_for_presence,
    atom_of,
    facts_of_kind,
)
from cite_lsp.judges.embedded.conflicts.refusals import atom_said
from cite_lsp.judges.embedded.conflicts.role_conflicts import conflict_of
from cite_lsp.judges.embedded.lines.code_reading import Told, code_words, said_words, sided
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.snapshot.code_facts import CodeFact

_ELSE = (
    r"(?:otherwise|else|failing that|in (?:every|any|all|each) other cases?|(?:any(?:thing|one)?|everything|all) else"
    r"|in all others|for (?:all|any|every) others?|the others?|if not|others)"
)
_IN_CASE = r"(?:if|when|where|for|on|with)\s(?P<case>[^,;]{3,100}?)"
_THEN = r"(?P<then>[^;]{3,120}?)"
_AND = r"(?:[,;]\s(?:and |but |or )?|\s(?:and |but |or )?)"
_FORKED = tuple(
    re.compile(rf"^{form}$", re.IGNORECASE)
    for form in (
        rf"{_IN_CASE},\s{_THEN}{_AND}{_ELSE},?\s(?P<other>[^;]{{3,120}})",
        rf"{_THEN},?\s{_IN_CASE}{_AND}{_ELSE},?\s(?P<other>[^;]{{3,120}})",
        rf"{_THEN},?\s{_IN_CASE}(?:[,;]\s(?:and |but )?| and | but )(?P<other>[^;]{{3,120}}?),?\s{_ELSE}",
        rf"{_IN_CASE},\s{_THEN}(?:[,;]\s(?:and |but )?| and | but )(?P<other>[^;]{{3,120}}?),?\s{_ELSE}",
    )
)
"""One thing in a case, and another otherwise, in whatever order a sentence has these."""
_CHOSEN = re.compile(r"(?P<case>[^?:]{1,120}?)\s\?\s(?P<then>[^?:]{1,120}?)\s:\s(?P<other>[^?:]{1,120})$")
_INLINE = re.compile(r"(?P<then>.{1,120}?)\sif\s(?P<case>.{1,120}?)\selse\s(?P<other>.{1,120})$")


@dataclass(frozen=True, slots=True)
class Fork:
    """What is done where a condition holds, and what where it does not; `at` are the numbers of the lines."""

    case: str
    then: str
    other: str
    at: tuple[int, ...]


def forked_conflict(claim: Clause, reading: Reading) -> Conflict | None:
    """What the lines do where the condition does not hold, said of where it does."""
    said = next(filter(None, (pattern.match(claim.text.strip().rstrip(".")) for pattern in _FORKED)), None)
    if said is None or reading.prose:
        return None
    told: dict[bool, Told] = {}
    for fork in _forks(reading):
        straight = same_case(said["case"], fork.case)
        side = sided(said["then"], said["other"], code_words(fork.then), code_words(fork.other), either=True)
        if straight is None or not side:
            continue
        holds = straight == (side > 0)
        shown = f"line {fork.at[0]} does {fork.then.strip()[:SHOWN_CHARS]!r} if {fork.case[:SHOWN_CHARS]}"
        told.setdefault(holds, Told(holds, repr(said["then"]) + " if " + repr(said["case"]), shown, fork.at))
    return conflict_of(told[False], claim, reading) if list(told) == [False] else None


def _forks(reading: Reading) -> Iterator[Fork]:
    guards = facts_of_kind(reading, "guard")
    for guard in guards:
        if guard.sign != "if":
            continue
        other = next(
            (each for each in guards if each.sign == "else" and each.value == guard.value and each.first > guard.last),
            None,
        )
        if other is not None:
            yield Fork(guard.value, _code_in(guard, reading), _code_in(other, reading), (guard.first, other.first))
    for fact in facts_of_kind(reading, "value", "return"):
        match = _CHOSEN.search(fact.value) or _INLINE.search(fact.value)
        if match is not None:
            yield Fork(match["case"].lstrip("( "), match["then"], match["other"], (fact.first,))


def _code_in(guard: CodeFact, reading: Reading) -> str:
    return " ".join(line.code.strip() for line in reading.code_lines if guard.first <= line.number <= guard.last)


def same_case(said: str, case: str) -> bool | None:
    """Whether a condition in words asks for the same as one in code; False for the opposite, None for neither."""
    if re.search(r"[<>]|\band\b|\bor\b|&&|\|\|", case):
        return None
    words = said_words(said)
    if not words & code_words(case):
        return None
    atom = atom_of(case)
    if atom is not None:
        state = asks_for_presence(said)
        return atom_said(atom, said, words) if state is None else state == atom.present
    return bool(NOT.search(said) or MISSING.search(said)) == bool(re.search(r"!=|^!|\bnot\b", case))
