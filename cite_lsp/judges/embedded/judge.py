"""From a row to its verdict, by checks whose basis can be named."""

from collections.abc import Sequence

from cite_lsp.audit.verdicts import Evidence, Kind, Label, Row, Verdict
from cite_lsp.judges.embedded.claims import Claim, Clause
from cite_lsp.judges.embedded.conflicts import Conflict
from cite_lsp.judges.embedded.coverage import Covered, absent, covered
from cite_lsp.judges.embedded.facts import Line
from cite_lsp.judges.embedded.name_conflicts import (
    defined_elsewhere,
    environment_conflict,
    exception_conflict,
    family_conflict,
    text_conflict,
)
from cite_lsp.judges.embedded.reading import Reading
from cite_lsp.judges.embedded.value_conflicts import habit_conflict, number_conflict, truth_conflict

IDENTITY = "embedded/1"
_CHECKS = (
    number_conflict,
    truth_conflict,
    habit_conflict,
    text_conflict,
    environment_conflict,
    exception_conflict,
    family_conflict,
)


class EmbeddedJudge:
    """Judges by text rules, deterministically; what it cannot name a basis for is *unchecked*."""

    identity = IDENTITY
    reads_file = True

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row, in the order of the rows."""
        return [judge_row(row) for row in rows]

    def judge_row(self, row: Row) -> Verdict:
        """Give the verdict on one row."""
        return judge_row(row)


def judge_row(row: Row) -> Verdict:
    """Give the verdict on one row. Never raises, whatever the texts.

    A thin claim is borrowed from what stands around its sentence (anchors.md, Claims): where that cannot be decided,
    the sentence itself may be, as in "`MAX_ATTEMPTS` is five".
    """
    verdict = _judge(row.claim, row)
    if verdict.label == "unchecked" and row.sentence and row.claim not in row.sentence:
        own = _judge(row.sentence, row)
        return own if own.label != "unchecked" else verdict
    return verdict


def _judge(text: str, row: Row) -> Verdict:
    claim = Claim(text)
    if claim.refused:
        return _unchecked(claim.refused)
    reading = Reading(row)
    if reading.refused:
        return _unchecked(reading.refused)
    against = _conflict(claim, reading)
    if against is not None:
        return _against(claim, against, reading)
    found = covered(claim, reading)
    if found.complete:
        return _verdict("supported", f"The cited lines say so: {found.basis}.", found.basis, found.lines)
    return _half(claim, reading) or _unchecked(found.missing_basis)


def _conflict(claim: Claim, reading: Reading) -> Conflict | None:
    """Give the first named conflict of a claim with the cited lines."""
    found = (check(clause, reading) for clause in claim.clauses for check in _CHECKS)
    return next(filter(None, found), None) or defined_elsewhere(claim, reading)


def _half(claim: Claim, reading: Reading) -> Verdict | None:
    """Give *partial* where some clauses are carried and each other one names what is nowhere in the lines."""
    if len(claim.clauses) < 2 or reading.truncated:
        return None
    found = [(clause, covered(clause, reading)) for clause in claim.clauses]
    carried = [each for clause, each in found if each.complete]
    missing = [what for clause, each in found if not each.complete for what in absent(clause, reading)[:1]]
    if not carried or len(carried) + len(missing) < len(found):
        return None
    basis = "; ".join([*(each.basis for each in carried), f"{', '.join(map(repr, missing))} stands nowhere in them"])
    lines = [line for each in carried for line in each.lines]
    return _verdict("partial", f"Only a part is carried: {basis}.", basis, lines)


def _against(claim: Claim, against: Conflict, reading: Reading) -> Verdict:
    if reading.prose or (reading.truncated and reading.row.file is None):
        return _verdict("review", f"Look here: {against.basis}.", against.basis, against.lines)
    if len(claim.clauses) > 1 and against.clause is not claim:
        return _of_several(claim, against, reading)
    return _verdict(
        "unsupported", f"The cited lines say otherwise: {against.basis}.", against.basis, against.lines, against.kind
    )


def _of_several(claim: Claim, against: Conflict, reading: Reading) -> Verdict:
    """Give the verdict on a claim of which one clause is contradicted: *partial* needs another that is carried."""
    kept = _kept_clause(claim, against, reading)
    if kept is not None:
        clause, found = kept
        basis = f"{found.basis}; but {against.basis}"
        return _verdict(
            "partial", f"Only a part is carried ({clause.text}): {basis}.", basis, [*found.lines, *against.lines]
        )
    return _verdict("review", f"A part is contradicted: {against.basis}.", against.basis, against.lines)


def _kept_clause(claim: Claim, against: Conflict, reading: Reading) -> tuple[Clause, Covered] | None:
    """Give a clause other than the contradicted one that the lines carry entirely."""
    if len(claim.clauses) < 2:
        return None
    for clause in claim.clauses:
        if clause is not against.clause:
            found = covered(clause, reading)
            if found.complete:
                return clause, found
    return None


def _unchecked(basis: str) -> Verdict:
    return Verdict("unchecked", reason=f"Not checked: {basis}.", basis=basis, judge=IDENTITY)


def _verdict(label: Label, reason: str, basis: str, lines: Sequence[Line], kind: Kind | None = None) -> Verdict:
    unique = sorted({(line.excerpt, line.offset, line.text) for line in lines})
    return Verdict(label, kind, reason, basis, tuple(Evidence(*each) for each in unique), None, IDENTITY)
