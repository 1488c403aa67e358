"""Bounds under which something is refused: the claim puts it on the other side, or draws another line."""

import re
from collections.abc import Iterator

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.values import amount_of
from cite_lsp.judges.embedded.clipped import clipped
from cite_lsp.judges.embedded.conflicts.guards import ACCEPTS, REFUSES, facts_of_kind, raised_in
from cite_lsp.judges.embedded.lines.code_reading import Told, code_words, said_words
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.snapshot.code_facts import CodeFact

_MORE = (
    r"more than|over|above|beyond|longer than|larger than|greater than|bigger than|higher than|older than|exceed\w*"
    r"|at least|no less than|no fewer than|from .{1,20}? (?:up|upwards)"
)
_LESS = (
    r"fewer than|less than|under|below|shorter than|smaller than|lower than|younger than|newer than|at most|up to"
    r"|no more than|no longer than|not more than"
)
COMPARED = re.compile(
    rf"\b(?:(?P<less>{_LESS})|(?P<more>{_MORE}))\s(?:the |an? |its )?`?(?P<bound>[\w$.,]{{1,60}})`?", re.IGNORECASE
)
_TURNED = re.compile(r"\b(?:not|never)\s{1,3}\Z", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_INCLUSIVE = re.compile(r"at least|at most|up to|no (?:less|fewer|more|longer)|not more", re.IGNORECASE)
_JOINED = re.compile(r"&&|\|\||\band\b|\bor\b")


def other_side(clause: Clause, reading: Reading) -> Told | None:
    """More or less than a bound, where something is refused or accepted for it."""
    match = COMPARED.search(clause.text)
    if match is None or _TURNED.search(clause.text[: match.start()]) or not reading.may_raise:
        return None
    refuses = bool(REFUSES.search(clause.text)) or any(
        fact.name and fact.name in clause.text for fact in facts_of_kind(reading, "raise")
    )
    if refuses == bool(ACCEPTS.search(clause.text)):
        return None
    asked = list(_refusing(reading))
    for compare, guard, raised in asked:
        shown = f"line {compare.first} says {clipped(guard.value)}, and line {raised.first} raises {raised.name}"
        at = compare.first, raised.first
        above = _direction(compare, match["bound"])
        turned = guard.sign != "if"
        if above is not None:
            holds = (above != turned) == (bool(match["more"]) == refuses)
            itself = ("=" in compare.sign) != turned  # whether the bound itself is refused
            included = _INCLUSIVE.match(match[0]) is not None
            if holds and itself != (included == refuses):
                return Told(False, _said(match), shown, at) if included or _ONLY.search(clause.text) else None
            return Told(holds, _said(match), shown, at)
        if len(asked) == 1 and refuses and not turned and _another_bound(clause, match, compare):
            return Told(False, _said(match), shown, at)
    return None


def _said(match: re.Match[str]) -> str:
    return repr(match[0].rstrip(".,"))


def _refusing(reading: Reading) -> Iterator[tuple[CodeFact, CodeFact, CodeFact]]:
    """Give comparisons that are the whole of a condition, with the guard and what is raised under it."""
    guards = [each for each in facts_of_kind(reading, "guard") if each.sign in ("if", "else", "unless")]
    for compare in facts_of_kind(reading, "compare"):
        for guard in guards:
            raised = raised_in(guard, reading)
            if raised is None or compare.sign not in (">", ">=", "<", "<=") or compare.value not in guard.value:
                continue
            if guard.first - 4 <= compare.first <= guard.first and not _JOINED.search(guard.value):
                yield compare, guard, raised


def _another_bound(clause: Clause, match: re.Match[str], compare: CodeFact) -> bool:
    """Whether the same thing is compared the same way about with another whole number."""
    values = Clause(f"{match['bound']} x").values
    there = amount_of(compare.value) if re.fullmatch(r"[0-9]{1,9}", compare.value) else None
    if there is None or len(clause.values) != 1 or not values or clause.values[0].kind != "number":
        return False
    if (compare.sign[0] == ">") != bool(match["more"]) or not said_words(clause.text) & code_words(compare.name):
        return False
    step = 1 if match["more"] else -1
    said = values[0].raw - step * (_INCLUSIVE.match(match[0]) is not None)
    return said != there - step * ("=" in compare.sign)


def _direction(compare: CodeFact, bound: str) -> bool | None:
    """Whether a comparison holds above a bound; None where it is no such comparison, or of another bound."""
    if compare.sign not in (">", ">=", "<", "<="):
        return None
    if _same_bound(compare.value, bound):
        return compare.sign[0] == ">"
    return compare.sign[0] == "<" if _same_bound(compare.name, bound) else None


def _same_bound(source: str, bound: str) -> bool:
    bound = bound.rstrip(".,")
    if source == bound or (bound.isidentifier() and len(bound) > 3 and source.rsplit(".", maxsplit=1)[-1] == bound):
        return True
    amount = amount_of(source) if re.fullmatch(r"[0-9_]{1,12}", source) else None
    said = Clause(f"{bound} x").values
    return amount is not None and bool(said) and said[0].raw == amount
