"""A case that the claim says is dealt with, and in which the cited lines do nothing but raise an error."""

import re
from collections.abc import Iterator

from cite_lsp.judges.embedded.beside.laid import WORDED
from cite_lsp.judges.embedded.claim.claims import Clause
from cite_lsp.judges.embedded.claim.terms import slight, terms_of
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.guards import REFUSES, SHOWN_CHARS, atom_of, facts_of_kind
from cite_lsp.judges.embedded.conflicts.refusals import atom_said
from cite_lsp.judges.embedded.lines.alignment import Index
from cite_lsp.judges.embedded.lines.code_reading import said_words, split_at
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.snapshot.code_facts import CodeFact

_RAISED = re.compile(
    r"\b(?:raise\s+\w|throw\s+\w|reject\(\s?new\b"
    r"|(?:done|cb|callback|next|reject)\(\s?(?:new\s)?\w*Error\b|return Err\(|panic!\()"
)
_WITHIN = re.compile(
    r"\b(?:must|ha(?:s|ve) to|need\w*|requir\w*|check\w*|verif\w*|valid\w*|ensur\w*|guard\w*|expect\w*|only"
    r"|either|unless|until|except|otherwise|enforc\w*|demand\w*|insist\w*|limit\w*|at most|up to|restrict\w*|prevent\w*"
    r"|stop\w*|abort\w*|exit\w*"
    r"|return\w* an|report\w*|tell\w*|told|warn\w*|complain\w*|block\w*|bar(?:s|red)?|rule[sd]? out|exclud\w*|unknown"
    r"|wrong|bad|mandatory|response|status|detect\w*|catch\w*|caught|surface\w*|propagat\w*|signal\w*|may|should|never|mistake\w*)\b",
    re.IGNORECASE,
)
"""What says, in other words, that something is refused, or that speaks of another case than the one refused."""
_MOST_LINES = 12
_LEAST = 0.3
_LEAST_HELD = 2


def dealt_with(clause: Clause, reading: Reading) -> Conflict | None:
    """Something done in a case in which the lines raise an error at once."""
    text = clause.text
    if reading.prose or not reading.may_raise or len(reading.code_lines) > _MOST_LINES:
        return None
    if REFUSES.search(text) or _WITHIN.search(text):
        return None
    raising = [line for line in reading.code_lines if _RAISED.search(line.code[:400])]
    if len(raising) != 1 or any(re.split(r"\.|::", name.text)[-1] in raising[0].code for name in clause.names):
        return None
    guard = _around(raising[0], reading)
    if guard is None or not _speaks_of(clause, guard, reading):
        return None
    shown = raising[0].code.strip()[:SHOWN_CHARS]
    basis = (
        f"the claim says {text.strip(' .,;')!r}, line {raising[0].number} says {shown!r} if {guard.value[:SHOWN_CHARS]}"
    )
    return Conflict(basis, raising, clause)


def _around(line: Line, reading: Reading) -> CodeFact | None:
    guards = [fact for fact in facts_of_kind(reading, "guard") if fact.first <= line.number <= fact.last]
    guard = min(guards, key=lambda each: (each.last - each.first, -each.first), default=None)
    return guard if guard is not None and guard.sign == "if" and guard.last - guard.first < 6 else None


def _speaks_of(clause: Clause, guard: CodeFact, reading: Reading) -> bool:
    said = said_words(clause.text)
    for part in split_at(guard.value, (" and ", "&&", " or ", "||")):
        atom = atom_of(part)
        if atom is None:
            if re.search(r"[<>]|!=", part):
                return False
            continue
        if not atom.present and not atom_said(atom, clause.text, said):
            return False
    terms = [term for term in terms_of(clause) if term.kind != "value" and not term.soft and not slight(term)]
    index = Index(
        [
            guard.value,
            *(each.code for each in reading.code_lines if guard.first <= each.number <= guard.last),
            *_made_above(guard, reading),
        ]
    )
    found = [index.find(term) for term in terms]
    held = sum(1 for each in found if each is not None and each.how in WORDED)
    condition = Index([guard.value, *_made_above(guard, reading)])
    asked = any(each is not None and each.how in WORDED for each in map(condition.find, terms))
    return asked and held >= _LEAST_HELD and held >= _LEAST * len(terms)


def _made_above(guard: CodeFact, reading: Reading) -> Iterator[str]:
    """Give the lines that make what a condition asks for."""
    names = set(re.findall(r"[A-Za-z_$][\w$]*", guard.value))
    for fact in facts_of_kind(reading, "value"):
        if fact.name in names and fact.first < guard.first:
            yield fact.value
