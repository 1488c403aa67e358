"""Claims of which one part is carried and another one is not: what of it stands nowhere in the lines is named."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from cite_lsp.judges.embedded.beside.laid import STRONG, WORDED, Laid, LaidClause
from cite_lsp.judges.embedded.claim.terms import Term, pieces, slight
from cite_lsp.judges.embedded.claim.values import STATUSES, Value
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.lexicon import lemma
from cite_lsp.judges.embedded.lines.alignment import Found
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import flat
from cite_lsp.judges.embedded.off_topic import listed

_MOST_OF_CLAUSE = 100
_LEAST_ABSENT = 2
_LEAST_WEIGHT = 1.5
_MOSTLY = 0.8
_HARDLY = 0.3
_LEAST_WEIGHT_OF_ONE = 0.9
"""Where so much of one part is carried and so little of the other, one word is enough, a rare one of the file."""
_STATED = ((0.25, 0.3), (0.5, 0.4))
"""Of a statement before it so much must be carried, and of the last one at most so much in its own words, for it to be
missing."""
_REASONED = ((0.1, 0.35),)
"""The same of causes, purposes and widenings: lines rarely say why, nor for whom else."""
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_$][\w$]{0,80}){0,4}")
_COUNTED_THINGS = re.compile(r"(?:\s[a-z]{2,30}){1,2}")
_LIMITS = frozenset("max maximum min minimum limit count num number default threshold depth size total".split())
_AMOUNTS = {
    "time": frozenset("timeout delay interval ttl age wait period expiry lifetime grace backoff".split()),
    "bytes": frozenset("size limit length max maximum buffer threshold".split()),
}
"""Words of names that stand for amounts of a kind."""
_NAMES = {"cause": "the cause", "purpose": "the purpose", "scope": "the reach"}
_MEASURED = 0.35
"""How much of the other terms must be carried where only an amount is missing."""
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

    What is said of several places, or after the citation, need not be in the cited lines; nor what notes add to it.
    """
    if laid.claim.cited > 1 or laid.claim.goes_on or laid.whole_claim.of_table or not laid.plain:
        return None
    return _part_missing(laid) or _amount_named(laid) or _amount_missing(laid)


def _part_missing(laid: Laid) -> Half | None:
    """A statement goes too far at its end, as measured; a cause and the like may be missing anywhere."""
    for at, part in enumerate(laid.parts[1:], 1):
        last = at == len(laid.parts) - 1
        if not part.lacking or part.clause.role == "quantity" or (part.clause.role == "claim" and not last):
            continue
        carried = max(laid.parts[:at], key=lambda each: each.carried)
        absent = _missing(part, carried, laid)
        lines = line_holding(carried.pairs, laid) if absent else ()
        if lines:
            name = _NAMES.get(part.clause.role, "")
            what = f"{name} {clipped(part.clause.text.strip(' .,;'), _MOST_OF_CLAUSE)!r}".lstrip()
            return Half(f"{line_says(lines)}; of {what} the cited lines have no {listed(absent)}", lines)
    return None


def _missing(part: LaidClause, carried: LaidClause, laid: Laid) -> list[Term]:
    """Give the words of a part for which it is missing, where another one is carried; none where it is not."""
    held, is_claim = part.share_in(STRONG), part.clause.role == "claim"
    if not any(carried.carried >= least and held <= most for least, most in (_STATED if is_claim else _REASONED)):
        return []
    is_named = any(term.kind == "name" for term in part.lacking)  # which no number stands for
    if is_claim and not is_named and laid.in_numbers(part.clause.text):
        return []
    absent = [term for term in part.lacking if not _countable(term) and not _said_around(term, laid)]
    if len(absent) < _LEAST_ABSENT:
        return absent if sum(map(laid.weight, absent)) >= _LEAST_WEIGHT_OF_ONE and _clear(part, carried, laid) else []
    return absent if not is_claim or sum(map(laid.weight, absent)) >= _LEAST_WEIGHT else []


def _clear(part: LaidClause, carried: LaidClause, laid: Laid) -> bool:
    """Whether the one part is carried so much, and the other so little, that one absent word tells."""
    others = sum(1 for _, found in part.telling if found is not None)
    if laid.in_numbers(part.clause.text) or others * 2 > len(part.telling):
        return False
    return carried.carried >= _MOSTLY and part.share_in(STRONG) <= _HARDLY


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


def _amount_named(laid: Laid) -> Half | None:
    """An amount in whose place the lines have a bare name: five redirects, where they say `maxRedirects`."""
    if laid.reading.prose or laid.reading.numbers - {0.0, 1.0}:
        return None
    if not any(found is not None and found.how in WORDED and not slight(term) for term, found in laid.pairs):
        return None
    for part in laid.parts:
        for term in part.lacking:
            if term.value is None or part.clause.text[: term.start][-1:] in _NO_AMOUNT:
                continue
            thing = _COUNTED_THINGS.match(part.clause.text, term.start + len(term.text))
            things = frozenset(lemma(word.lower()) for word in thing[0].split()) if thing else frozenset()
            line, name = next(_names_for(term.value, things, laid), (None, ""))
            if line is not None:
                basis = f"line {line.number} has {name} where the claim says {term.text!r}, and no number"
                return Half(basis, (line,))
    return None


def _names_for(value: Value, things: frozenset[str], laid: Laid) -> Iterator[tuple[Line, str]]:
    """Give the names of code that are names of amounts like this one."""
    kind = _AMOUNTS.get(value.kind, frozenset())
    for line in laid.reading.code_lines:
        for name in _IDENTIFIER.findall(line.code[:600]):
            words = pieces(name)
            counts = value.kind == "number" and not things.isdisjoint(words) and not _LIMITS.isdisjoint(words)
            if counts or not kind.isdisjoint(words):
                yield line, name


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
    if value.kind != "number" or value.raw not in STATUSES:
        return False
    text = flat(" ".join(line.text[:600] for line in laid.reading.lines))
    return any(flat(status.name) in text for status in HTTPStatus)


def _countable(term: Term) -> bool:
    """Whether a term is a number of things: code has so many of something without saying how many."""
    value = term.value
    return value is not None and value.kind == "number" and value.raw <= _MOST_COUNTED and value.raw == int(value.raw)


def _said_around(term: Term, laid: Laid) -> bool:
    return _further_on(term.text, laid) or laid.introduced(term)


def _further_on(text: str, laid: Laid) -> bool:
    """Whether a word stands in the rest of a unit that was cut."""
    file = laid.reading.row.file
    if not laid.reading.truncated or file is None:
        return False
    end = laid.reading.row.excerpts[-1].end_line
    return any(text.lower() in line.lower() for line in file[end : laid.reading.may_end])


def line_says(lines: Sequence[Line]) -> str:
    """Give what the first of some lines says, as a basis names it."""
    return f"line {lines[0].number} says {clipped(lines[0].text)}"


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
