"""Claims that one fact of the cited lines says entirely: its value, on or off, what it does, which version it needs."""

import re
from collections.abc import Iterator

from cite_lsp.judges.embedded.claim.claims import Claim, Clause
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.claim.words import SOFT, stem
from cite_lsp.judges.embedded.conflicts.conflict import another_case
from cite_lsp.judges.embedded.conflicts.polarity import negations
from cite_lsp.judges.embedded.conflicts.requirements import meets
from cite_lsp.judges.embedded.conflicts.subjects import measured_alike, named
from cite_lsp.judges.embedded.conflicts.value_conflicts import bound_of_another, bounds_otherwise, truth_said
from cite_lsp.judges.embedded.lines.facts import Fact, Line
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.support.markers import marked

_SOFT = frozenset(map(stem, SOFT)) | frozenset(map(stem, "on off true false active inactive yes asked".split()))
_NOT_OURS = re.compile(r"\b(?:only|rather|instead|except|always|because|since|so that|in order to)\b", re.IGNORECASE)
_NOT = re.compile(r"\bnot\b", re.IGNORECASE)
_PRECISE = {"time": (1.0, 1000.0), "bytes": (1.0,)}
"""What a bare number may count: seconds, milliseconds, bytes."""
_NEAR = 1e-9
_LEAST_JOINED = 4
_NO_NAMES = frozenset(map(stem, "no not non without dis disable never".split()))
_FEWEST_WORDS = 2
_OF_VERSIONS = frozenset(
    map(
        stem,
        """version newer later higher above require need minimum least oldest support pin exact exactly install build
        release compatible locked fixed package project dependency dependencies engine engines field manifest ask
        range""".split(),
    )
)


def given(claim: Claim, reading: Reading) -> tuple[str, tuple[Line, ...]] | None:
    """Give the basis and the lines of a claim of which facts say each clause; None where one is not said so."""
    found = [_said(clause, reading) for clause in claim.clauses]
    told = [each for each in found if each is not None]
    limited = len(told) == 1 and marked(claim, reading) is not None
    if not told or len(told) < len(found) or (not limited and _NOT_OURS.search(claim.text)):
        return None
    shown = dict.fromkeys(f"line {line.number} says {text}" for line, text in told)
    return "; ".join(shown), tuple(dict.fromkeys(line for line, _ in told))


def _said(clause: Clause, reading: Reading) -> tuple[Line, str] | None:
    limited = marked(clause, reading)
    if limited is not None:
        return limited
    required = meets(clause, reading)
    if required is not None and not _rest(clause, required.name) - _OF_VERSIONS:
        return required.line, required.shown
    if clause.compared or clause.quoted or another_case(clause, reading):
        return None
    if not all(reading.spells(name.text) for name in clause.names) or Clause(_NOT.sub(" ", clause.text)).unsaid:
        return None
    fact = next(filter(None, (_value(clause, reading), _truth(clause, reading), _habit(clause, reading))), None)
    return None if fact is None else (fact.line, fact.shown)


def _rest(clause: Clause, name: str) -> frozenset[str]:
    """Give what a clause says beside a name, by stems."""
    own = Clause(f"`{name}`").stems
    return frozenset(
        stem(word)
        for word in clause.content
        if stem(word) not in own and not any(len(word) >= _LEAST_JOINED and stem(word) in each for each in own)
    )


def _value(clause: Clause, reading: Reading) -> Fact | None:
    """The number of a thing that the clause says nothing else of."""
    if len(clause.values) != 1 or negations(clause.without_default):
        return None
    value = clause.values[0]
    facts = [fact for fact in named(clause, reading) if measured_alike(clause, value, fact)]
    if len({fact.name for fact in facts}) != 1 or not all(fact.value.agrees(value) for fact in facts):
        return None
    fact = facts[0]
    if fact.value.kind == "number" and not _meant(value, fact.value.raw):
        return None
    if bound_of_another(clause, fact) or bounds_otherwise(clause, fact) or _rest(clause, fact.name) - _SOFT:
        return None
    return fact


def _meant(value: Value, number: float) -> bool:
    """Whether a number without a unit is a value that has one, in the units that need none."""
    factors = _PRECISE.get(value.kind, (1.0,))
    return any(abs(amount * factor - number) <= _NEAR * number for amount in value.amounts for factor in factors)


def _truth(clause: Clause, reading: Reading) -> Fact | None:
    """Whether a switch that the clause says nothing else of is on."""
    said = truth_said(clause, reading)
    if said is None or not said[0].agrees(said[1].value) or _rest(clause, said[1].name) - _SOFT:
        return None
    return said[1]


def _habit(clause: Clause, reading: Reading) -> Fact | None:
    """What a switch does, in the words of its name: `keep_backups=False` and "backups are not kept"."""
    if clause.values or clause.names:
        return None
    said = frozenset(stem(word) for word in clause.content)
    facts = [fact for fact in _switches(clause, reading) if said <= set(fact.words) <= clause.stems]
    value = float(negations(clause.without_default) % 2 == 0)
    if not facts or any(fact.value.amounts[0] != value for fact in facts):
        return None
    return facts[0]


def _switches(clause: Clause, reading: Reading) -> Iterator[Fact]:
    for fact in named(clause, reading):
        if fact.value.kind == "truth" and len(fact.words) >= _FEWEST_WORDS and _NO_NAMES.isdisjoint(fact.words):
            yield fact
