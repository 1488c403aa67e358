"""From a row to its verdict, by checks whose basis can be named."""

from collections.abc import Sequence

from cite_lsp.audit.verdicts import Evidence, Kind, Label, Row, Verdict
from cite_lsp.judges.embedded.beside.laid import Laid
from cite_lsp.judges.embedded.claim.claims import Claim, Clause, claim_of
from cite_lsp.judges.embedded.conflicts.branches import forked_conflict
from cite_lsp.judges.embedded.conflicts.condition_conflicts import condition_conflict
from cite_lsp.judges.embedded.conflicts.conflict import Conflict
from cite_lsp.judges.embedded.conflicts.dealt_with import dealt_with
from cite_lsp.judges.embedded.conflicts.name_conflicts import (
    defined_elsewhere,
    environment_conflict,
    exception_conflict,
    family_conflict,
    text_conflict,
)
from cite_lsp.judges.embedded.conflicts.other_values import OTHER_VALUES
from cite_lsp.judges.embedded.conflicts.role_conflicts import role_conflict
from cite_lsp.judges.embedded.conflicts.sentence_conflicts import sentence_conflict
from cite_lsp.judges.embedded.conflicts.undone import left_undone, removed
from cite_lsp.judges.embedded.conflicts.value_conflicts import habit_conflict, number_conflict, truth_conflict
from cite_lsp.judges.embedded.identity import IDENTITY, READS_FILE
from cite_lsp.judges.embedded.lines.facts import Line
from cite_lsp.judges.embedded.lines.reading import Reading
from cite_lsp.judges.embedded.off_topic import off_topic
from cite_lsp.judges.embedded.partial import half_carried, line_holding, line_says
from cite_lsp.judges.embedded.support.given import given
from cite_lsp.judges.embedded.support.support import supported
from cite_lsp.snapshot.code_facts import FactsOf

_LEAST_OF_PART = 4
_CARRIED = 0.6
"""Of a clause so much must stand in the lines for it to be carried where another one is contradicted."""
_CHECKS = (
    number_conflict,
    truth_conflict,
    habit_conflict,
    text_conflict,
    environment_conflict,
    exception_conflict,
    family_conflict,
    *OTHER_VALUES,
    condition_conflict,
    dealt_with,
    removed,
    left_undone,
    sentence_conflict,
)


class EmbeddedJudge:
    """Judges by checks, deterministically; what it cannot name a basis for is *unchecked*.

    Args:
        facts_of: Who parses the cited files; None: text rules read them. Only a parser in a process of its own should
            be handed in, since some texts crash parsers.
    """

    identity = IDENTITY
    reads_file = READS_FILE

    def __init__(self, facts_of: FactsOf | None = None) -> None:
        self._facts_of = facts_of

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row, in the order of the rows."""
        return [self.judge_row(row) for row in rows]

    def judge_row(self, row: Row) -> Verdict:
        """Give the verdict on one row. Never raises, whatever the texts.

        A thin claim is borrowed from what stands around its sentence (anchors.md, Claims): where that cannot be
        decided, the sentence itself may be, as in "`MAX_ATTEMPTS` is five". By itself it is too little to be called
        off-topic.
        """
        reading = Reading(row, self._facts_of)
        verdict = _judged(row.claim, reading)
        if not row.sentence or row.claim in row.sentence:
            return verdict
        is_strange = verdict.kind == "off-topic" and row.sentence not in row.claim  # it is of another sentence's lines
        if verdict.label == "unchecked" or is_strange:
            own = _judged(row.sentence, reading, alone=False)
            return own if own.label != "unchecked" or is_strange else verdict
        return verdict


def _judged(text: str, reading: Reading, *, alone: bool = True) -> Verdict:
    claim = claim_of(text)
    refused = claim.refused or reading.refused
    if refused:
        return _unchecked(refused)
    against = _conflict(claim, reading)
    if against is not None:
        return _against(claim, against, reading)
    laid = Laid(claim, reading)
    part = reading.row.part
    own = Laid(claim_of(part), reading) if part and text == reading.row.claim else laid
    return (_of_words(own) if alone else None) or _of_support(laid, own)


def _of_words(laid: Laid) -> Verdict | None:
    """Give the verdict on a claim whose words are not here, or of which one clause is not."""
    elsewhere = off_topic(laid)
    if elsewhere is not None:
        reason = f"The cited lines are about something else: {elsewhere.basis}."
        return _verdict("unsupported", reason, elsewhere.basis, elsewhere.lines, "off-topic")
    half = half_carried(laid)
    if half is not None:
        return _verdict("partial", f"Only a part is carried: {half.basis}.", half.basis, half.lines)
    return None


def _of_support(laid: Laid, own: Laid) -> Verdict:
    """Give *supported* where the lines carry the claim, or the part of it that stands at this citation."""
    found = supported(laid)
    # What is named at a citation may be what the sentence denies behind it: by itself it has to say something.
    if found.why_not and own is not laid and (laid.reading.row.citations > 1 or len(own.telling) >= _LEAST_OF_PART):
        found = supported(own)
    if found.why_not:
        return _unchecked(found.why_not)
    return _verdict("supported", f"The cited lines say so: {found.basis}.", found.basis, found.lines)


def _conflict(claim: Claim, reading: Reading) -> Conflict | None:
    """Give the first named conflict of a claim with the cited lines."""
    found = (check(clause, reading) for clause in claim.clauses for check in _CHECKS)
    roles = role_conflict(claim, reading) or forked_conflict(claim, reading)
    return roles or next(filter(None, found), None) or defined_elsewhere(claim, reading)


def _against(claim: Claim, against: Conflict, reading: Reading) -> Verdict:
    if (reading.prose and against.weak) or (reading.truncated and reading.row.file is None):
        return _verdict("review", f"Look here: {against.basis}.", against.basis, against.lines)
    if len(claim.clauses) > 1 and against.clause is not claim:
        return _of_several(claim, against, reading)
    return _verdict(
        "unsupported", f"The cited lines say otherwise: {against.basis}.", against.basis, against.lines, against.kind
    )


def _of_several(claim: Claim, against: Conflict, reading: Reading) -> Verdict:
    """Give the verdict on a claim of which one clause is contradicted: *partial* needs another that is carried."""
    for clause in claim.clauses:
        told = None if _same_text(clause, against.clause) else given(Claim(clause.text), reading)
        if told is not None:
            return _partly(clause, told[0], told[1], against)
    laid = Laid(claim, reading)
    other = (part for part in laid.parts if not _same_text(part.clause, against.clause) and part.carried >= _CARRIED)
    kept = next(other, None)
    lines = () if kept is None else line_holding(kept.pairs, laid)
    if kept is None or not lines:
        return _verdict("review", f"A part is contradicted: {against.basis}.", against.basis, against.lines)
    return _partly(kept.clause, line_says(lines), lines, against)


def _partly(kept: Clause, says: str, lines: Sequence[Line], against: Conflict) -> Verdict:
    basis = f"{says}; but {against.basis}"
    reason = f"Only a part is carried ({kept.text.strip()}): {basis}."
    return _verdict("partial", reason, basis, [*lines, *against.lines])


def _same_text(one: Clause, other: Clause) -> bool:
    return one.text in other.text or other.text in one.text


def _unchecked(basis: str) -> Verdict:
    return Verdict("unchecked", reason=f"Not checked: {basis}.", basis=basis, judge=IDENTITY)


def _verdict(label: Label, reason: str, basis: str, lines: Sequence[Line], kind: Kind | None = None) -> Verdict:
    unique = sorted({(line.excerpt, line.offset, line.text) for line in lines})
    return Verdict(label, kind, reason, basis, tuple(Evidence(*each) for each in unique), None, IDENTITY)
