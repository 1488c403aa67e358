"""More or less than a bound: the claim puts what happens on the other side of it than the cited lines do."""

import re
from dataclasses import dataclass

from cite_lsp.judges.embedded.beside.laid import WORDED
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import numbers_in_code, values_in_prose
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.polarity import negations
from cite_lsp.judges.embedded.lines.alignment import Index, align, weight
from cite_lsp.judges.embedded.lines.reading import Reading, flat
from cite_lsp.judges.embedded.lines.sentences import sentences_of

_SIDE = re.compile(
    r"\b(?:(?P<up>(?:more|greater|longer|larger|bigger|higher|older|later|newer) than|over|above|exceed(?:s|ing)?"
    r"|beyond|at least|no less than|no fewer than)"
    r"|(?P<down>(?:less|fewer|shorter|smaller|lower|younger|earlier) than|under|below|at most|up to|no more than"
    r"|no longer than|no larger than))\s+(?:an? |the )?"
    r"(?P<bound>`[^`\n]{1,80}`|[A-Za-z_$][\w$.]{2,60}|[0-9][0-9,._]{0,20}\s?[A-Za-z%]{0,12}|\w{3,12})",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"\b(?:reject|refus|rais|throw|fail|error|den(?:y|ie)|invalid|abort|disallow|forbid"
    r"|forbidden|too (?:large|long|big|small|short))\w*\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(r"\b(?:accept|allow|permit|valid|fine|admit|tolerat|pass)\w*\b", re.IGNORECASE)
_COMPARED = re.compile(
    r"(?P<left>[\w.$()\[\]]{1,80})\s?(?P<sign><=|>=|<|>)\s?(?P<right>[\w.$]{1,80}(?:\s?\*\s?[0-9]{1,9}){0,3})"
)
_RAISES = re.compile(r"\b(?:raise|throw|panic!?|Err\(|reject|return (?:an? )?err)", re.IGNORECASE)
_IF = re.compile(r"\s*+(?:(?:\}\s*)?(?:el)?(?:se )?if|unless)\b")
_LEAST = 0.8
_LEAST_HELD = 1


@dataclass(frozen=True, slots=True)
class Side:
    """On which side of which bound something is, and the words for it."""

    up: bool
    bound: str
    shown: str


def comparator_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """The other side of the same bound."""
    sides = _sides(clause.text)
    if len(sides) != 1 or re.search(r"\b(?:or|between|unless|except)\b", clause.text, re.IGNORECASE):
        return None
    return _of_sentences(clause, sides[0], reading) or _of_guards(clause, sides[0], reading)


def _sides(text: str) -> list[Side]:
    return [Side(bool(match["up"]), match["bound"].strip("`"), match[0]) for match in _SIDE.finditer(text)]


def _same_bound(one: str, other: str) -> bool:
    if flat(one) == flat(other):
        return True
    first, second = next(values_in_prose(one), None), next(values_in_prose(other), None)
    return first is not None and second is not None and first.raw == second.raw and first.agrees(second)


def _of_sentences(clause: Clause, side: Side, reading: Reading) -> Conflict | None:
    for sentence in sentences_of(reading.lines, prose=reading.prose):
        sides = _sides(sentence.text)
        if len(sides) != 1 or sides[0].up == side.up or not _same_bound(side.bound, sides[0].bound):
            continue
        pairs = align(clause, Index([sentence.text])).pairs
        rest = [
            (term, found)
            for term, found in pairs
            if not term.soft and term.kind != "value" and term.text.lower() not in side.shown.lower()
        ]
        held = [term for term, found in rest if found is not None and found.how in WORDED]
        enough = sum(map(weight, held)) >= _LEAST * sum(weight(term) for term, _ in rest)
        if len(held) >= _LEAST_HELD and enough and negations(sentence.text) == negations(clause.text):
            line = sentence.lines[0]
            basis = f"the claim says {side.shown}, line {line.number} says {clipped(sentence.text, 100)!r}"
            return Conflict(basis, list(sentence.lines), clause)
    return None


def _of_guards(clause: Clause, side: Side, reading: Reading) -> Conflict | None:
    refused, taken = bool(_REFUSED.search(clause.text)), bool(_TAKEN.search(clause.text))
    if refused == taken or (clause.negated and not refused) or negations(clause.text) or reading.prose:
        return None
    found: list[Conflict] = []
    lines = reading.code_lines
    for at, line in enumerate(lines):
        match = _COMPARED.search(line.code[:600])
        if match is None or not _IF.match(line.code) or " not " in line.code or "!" in line.code:
            continue
        if re.search(r"\b(?:and|or)\b|&&|\|\|", line.code) or not any(
            _RAISES.search(each.code) for each in lines[at : at + 3]
        ):
            continue
        up = match["sign"].startswith(">")
        if _is_bound(side.bound, match["left"]):
            up = not up
        elif not _is_bound(side.bound, match["right"]):
            continue
        if up == (side.up == refused):
            return None
        fate = "refused" if refused else "let through"
        basis = f"the claim says {side.shown} is {fate}, line {line.number} says {clipped(line.code)}"
        found.append(Conflict(basis, [line], clause))
    return found[0] if len(found) == 1 else None


def _is_bound(bound: str, code: str) -> bool:
    if flat(bound) == flat(code.rpartition(".")[2]):
        return True
    value = next(values_in_prose(bound), None)
    return value is not None and bool({value.raw, *value.amounts} & set(numbers_in_code(code)))
