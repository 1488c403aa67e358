"""Conditions the other way about: what is raised, given back or done, and when; what must be given, what is awaited."""

from collections.abc import Callable

from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.conflicts.bounds import other_side
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.manners import awaited, needed, sorted_order
from cite_lsp.judges.embedded.conflicts.outcomes import given_back, on_system, other_case
from cite_lsp.judges.embedded.conflicts.refusals import accepted_case, another_error, named_error, refused_case
from cite_lsp.judges.embedded.conflicts.role_conflicts import conflict_of
from cite_lsp.judges.embedded.lines.code_reading import Told
from cite_lsp.judges.embedded.lines.reading import Reading

_RULES = (other_side, another_error, other_case)
_MORE_RULES = (
    refused_case,
    accepted_case,
    on_system,
    given_back,
    awaited,
    needed,
    sorted_order,
)
"""Each looks at the claim first: what the code says costs a parse."""


def condition_conflict(clause: Clause, reading: Reading) -> Conflict | None:
    """A condition, or what hangs on it, that the cited lines give the other way about."""
    told = _first(_RULES, clause, reading)
    if told is None:
        told = _first(_MORE_RULES, clause, reading)
        if told is not None and not told.holds and named_error(clause, reading) is not None:
            return None
    return None if told is None or told.holds else conflict_of(told, clause, reading)


def condition_told(clause: Clause, reading: Reading) -> Told | None:
    """Give what the lines say of the conditions in a claim; None where they say nothing, or both."""
    return _first((*_RULES, named_error, *_MORE_RULES), clause, reading)


def _first(
    rules: tuple[Callable[[Clause, Reading], Told | None], ...],
    clause: Clause,
    reading: Reading,
) -> Told | None:
    return next((told for rule in rules if (told := rule(clause, reading)) is not None), None)
