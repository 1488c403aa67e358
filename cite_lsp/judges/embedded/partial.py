"""Claims of which one part is carried and another one is not: what of it stands nowhere in the lines is named."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from cite_lsp.judges.embedded.beside.laid import WORDED, Laid, LaidClause
from cite_lsp.judges.embedded.claim.terms import Term, slight
from cite_lsp.judges.embedded.claim.values import Value
from cite_lsp.judges.embedded.lines.alignment import Found
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import flat
from cite_lsp.judges.embedded.off_topic import listed

_REST_OF_UNIT = 40
_LEAST_ABSENT = 2
_LEAST_WEIGHT = 1.8
_STATED = ((0.4, 0.2), (0.5, 0.4))
"""Of a statement before it so much must be carried, and of the last one at most so much, for it to be missing."""
_REASONED = (0.2, 0.35)
"""The same of causes, purposes and widenings: lines rarely say why, nor for whom else."""
_NAMES = {"cause": "the cause", "purpose": "the purpose", "scope": "the reach"}
_MEASURED = 0.35
"""How much of the other terms must be carried where only an amount is missing."""
_STATUSES = frozenset(map(int, HTTPStatus))
_MOST_TERMS = 18
"""Sentences that say more than this have more parts than one citation stands for."""
_NO_AMOUNT = frozenset(":§#`/-–")
"""What stands before the number of a line, a section or an issue."""
_MOST_COUNTED = 5.0
"""Code has as many as this of something without saying how many."""


@dataclass(frozen=True, slots=True)
class Half:
    """What is carried by which lines, and what is missing."""

    basis: str
    lines: tuple[Line, ...]


def half_carried(laid: Laid) -> Half | None:
    """Give which part the lines carry and what of another one they do not have; None where that cannot be said.

    What is said of several places, or after the citation, need not be in the cited lines.
    """
    claim = laid.claim
    if claim.cited > 1 or claim.goes_on or laid.whole_claim.of_table or len(laid.telling) > _MOST_TERMS:
        return None
    return _part_missing(laid) or _amount_missing(laid)


def _part_missing(laid: Laid) -> Half | None:
    """A statement goes too far at its end, as measured; a cause and the like may be missing anywhere."""
    for at, part in enumerate(laid.parts[1:], 1):
        last = at == len(laid.parts) - 1
        if part.clause.role == "quantity" or (part.clause.role == "claim" and not last):
            continue
        if len(part.lacking) < _LEAST_ABSENT:
            continue
        carried = max(laid.parts[:at], key=lambda each: each.carried)
        if not _missing(part, carried, last=last):
            continue
        absent = [term for term in part.lacking if not _further_on(term.text, laid)]
        lines = line_holding(carried.pairs, laid)
        if lines and _enough(absent, part, laid):
            name = _NAMES.get(part.clause.role, "")
            what = f"{name} {part.clause.text.strip(' .,;')!r}".lstrip()
            return Half(f"{line_says(lines)}; of {what} the cited lines have no {listed(absent)}", lines)
    return None


def _missing(part: LaidClause, carried: LaidClause, *, last: bool) -> bool:
    if part.clause.role == "claim":
        return last and any(carried.carried >= least and part.carried <= most for least, most in _STATED)
    least, most = _REASONED
    return carried.carried >= least and part.carried <= most


def _enough(absent: Sequence[Term], part: LaidClause, laid: Laid) -> bool:
    least = _LEAST_WEIGHT if part.clause.role == "claim" else 0.0
    return len(absent) >= _LEAST_ABSENT and sum(map(laid.weight, absent)) >= least


def _amount_missing(laid: Laid) -> Half | None:
    """An amount that is said of something where the lines have no number at all: it is hidden behind a name."""
    if laid.reading.numbers - {0.0, 1.0}:
        return None
    amount = next(_amounts(laid), None)
    if amount is None:
        return None
    rest = tuple((term, found) for term, found in laid.pairs if term.kind != "value" and not slight(term))
    whole = sum(laid.weight(term) for term, _ in rest)
    held = sum(laid.weight(term) for term, found in rest if found is not None and found.how in WORDED)
    lines = line_holding(rest, laid)
    if not lines or held < _MEASURED * whole:
        return None
    return Half(f"{line_says(lines)}; the cited lines have no number for {amount.text!r}", lines)


def _amounts(laid: Laid) -> Iterator[Term]:
    """Give the values that are measures, not counts of what code may simply have so many of."""
    for part in laid.parts:
        for term in part.lacking:
            value = term.value
            if value is None or _said_by_name(value, laid) or part.clause.text[: term.start][-1:] in _NO_AMOUNT:
                continue
            if _further_on(term.text, laid):
                continue
            if value.kind != "number" or value.raw > _MOST_COUNTED or part.clause.role == "quantity":
                yield term


def _said_by_name(value: Value, laid: Laid) -> bool:
    """Whether a number may be the one of a status that the lines name: NOT_FOUND is 404."""
    if value.kind != "number" or value.raw not in _STATUSES:
        return False
    text = flat(" ".join(line.text[:600] for line in laid.reading.lines))
    return any(flat(status.name) in text for status in HTTPStatus)


def _further_on(text: str, laid: Laid) -> bool:
    """Whether a word stands in the rest of a unit that was cut."""
    file = laid.reading.row.file
    if not laid.reading.truncated or file is None:
        return False
    end = laid.reading.row.excerpts[-1].end_line
    return any(text.lower() in line.lower() for line in file[end : end + _REST_OF_UNIT])


def line_says(lines: Sequence[Line]) -> str:
    """Give what the first of some lines says, as a basis names it."""
    return f"line {lines[0].number} says {lines[0].text.strip()[:80]}"


def line_holding(pairs: Sequence[tuple[Term, Found | None]], laid: Laid) -> tuple[Line, ...]:
    """Give the line that holds the most of some terms; none where no line holds any."""
    counts: dict[int, float] = {}
    for term, found in pairs:
        if found is not None and found.how in WORDED:
            for at in found.at:
                counts[at] = counts.get(at, 0.0) + laid.weight(term)
    if not counts:
        return ()
    return (laid.line(max(counts, key=lambda at: (counts[at], -at))),)
