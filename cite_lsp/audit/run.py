"""One audit of a document: rows are selected, judged where that is needed, and counted (audit.md)."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from cite_lsp.audit.asked import Resolve
from cite_lsp.audit.guard import OUTPUT_CAP, guard
from cite_lsp.audit.judgement import AskingJudge, Heard, Judged, Judgement, Trouble
from cite_lsp.audit.meta import Meta, Outcome, meta_of, outcome
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.rows import audited_hash
from cite_lsp.audit.selecting import AuditRow, select_rows
from cite_lsp.audit.verdicts import LABELS, Judge, Row, Verdict
from cite_lsp.document.document import Document
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

log = logging.getLogger(__name__)

_UNSOUND = frozenset({"partial", "unsupported"})


class Limits(Protocol):
    """What of a judge's limits an audit looks at."""

    @property
    def max_output_tokens_per_turn(self) -> int | None:
        """The declared output cap of a request; None where none is declared."""


@dataclass(frozen=True, slots=True)
class Unsound:
    """A row whose citation does not carry its claim, or only a part of it: a finding of the reference audit."""

    row: AuditRow
    verdict: Verdict

    def to_data(self) -> dict[str, Any]:
        """Give it in the reference's names; `row` is the row's number."""
        return {
            "row": self.row.number,
            "section": self.row.section,
            "sentence": self.row.anchor.sentence,
            "anchor": self.row.anchor.text,
            "verdict": self.verdict.label,
            "reason": self.verdict.reason,
        }


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit came to.

    Attributes:
        rows: The audited citations in the reference's order.
        verdicts: One a row; `unchecked` for a row that nobody could or did judge.
        unsound: The reference's findings: partial and unsupported rows, those that needed no judge first.
        meta: The numbers.
        judgement: Of the rows that were to be judged, in their order: what it took, and what went wrong.
    """

    rows: tuple[AuditRow, ...]
    verdicts: tuple[Verdict, ...]
    unsound: tuple[Unsound, ...]
    meta: Meta
    judgement: Judgement

    @property
    def outcome(self) -> Outcome:
        """The one word for it, where nothing is accepted."""
        return outcome(self.meta)


async def audit_document(  # noqa: PLR0913 - all that an audit hangs on
    document: Document,
    snapshot: Snapshot,
    judge: Judge | AskingJudge,
    options: AuditOptions | None = None,
    *,
    seed: str | None = None,
    resolve: Resolve | None = None,
    pinned: Iterable[int] = (),
    limits: Limits | None = None,
    heard: Heard | None = None,
    resolutions: Sequence[Resolution] = (),
    known: Mapping[str, Judged] | None = None,
) -> AuditReport:
    """Audit the citations of a document: do the cited lines carry the claims?

    Only rows with lines go to the judge, in one call; without any it is not asked. What a judge does never raises: its
    failure leaves rows *unchecked* and is told in `judgement.troubles`. Cancelling ends it.

    Args:
        document: The audited document.
        snapshot: What its citations point at.
        judge: Who is asked.
        options: The defaults where None.
        seed: What a sample is drawn by; the document's hash where None.
        resolve: Answers for cited lines in place of the snapshot: `(path, line)` to the line's text or None.
        pinned: Places in `document.anchors` that are judged beside the selected ones.
        limits: The limits of a judge that is given all rows in one request: under a declared output cap that cannot
            carry them nothing is asked, or only a warning is logged, as `judge_output_cap_guard` says.
        heard: Is told of each verdict of the judge as it comes: the place in `rows`, and the answer.
        resolutions: What each of `document.anchors` means, where that is known from a check: as of a commit, say.
        known: Answers of this judge by the key of their row: about these rows it is not asked.

    Raises:
        IndexError: `pinned` names a citation that the document does not have.
    """
    began = time.perf_counter()
    options = options or AuditOptions()
    rows = select_rows(document, snapshot, options, seed, resolve, pinned, resolutions)
    places = [place for place, row in enumerate(rows) if row.row is not None]
    judged = [row.row for row in rows if row.row is not None]
    refusal = _refusal(len(judged), options, limits)
    if refusal is not None:
        judgement = Judgement((None,) * len(judged), troubles=(refusal,))
    elif judged:
        judgement = await _ask_unknown(judge, judged, heard and _at_places(heard, places), known or {})
    else:
        judgement = Judgement(())
    if options.strict:
        judgement = _all_or_nothing(judgement)
    answers = dict(zip(places, judgement.verdicts, strict=True))
    verdicts = tuple([row.known or answers[place] for place, row in enumerate(rows)])
    meta = meta_of(
        rows,
        verdicts,
        judgement,
        options,
        audited_hash(document.text),
        invoked=bool(judged) and refusal is None,
        seconds=time.perf_counter() - began,
    )
    return AuditReport(rows, verdicts, _unsound(rows, verdicts), meta, judgement)


def failing(report: AuditReport, options: AuditOptions) -> bool:
    """Whether an audit fails under its options: never under "report".

    Else an unsupported row fails, a partial one where `fail_on_partial` says so, and an audit whose judge failed or was
    declined: that nothing is known is never good.
    """
    meta = report.meta
    if options.on_found == "report":
        return False
    return bool(
        meta.judge_failed
        or meta.judge_declined
        or meta.unsupported
        or (options.fail_on_partial and meta.partial)
    )  # fmt: skip


def _unsound(rows: Sequence[AuditRow], verdicts: Sequence[Verdict]) -> tuple[Unsound, ...]:
    found = [Unsound(row, verdict) for row, verdict in zip(rows, verdicts, strict=True) if verdict.label in _UNSOUND]
    return tuple(sorted(found, key=lambda each: not each.row.mechanical))


def _refusal(rows: int, options: AuditOptions, limits: Limits | None) -> Trouble | None:
    mode = options.judge_output_cap_guard
    sentence = guard(rows, limits.max_output_tokens_per_turn if limits is not None else None, mode)
    if not sentence:
        return None
    if mode == "warn":
        log.warning("%s", sentence)
        return None
    return Trouble(OUTPUT_CAP, sentence, rows)


# ------------------------------------------------------------------------------------------------ asking


def _at_places(heard: Heard, places: Sequence[int]) -> Heard:
    return lambda index, answer: heard(places[index], answer)


async def _ask_unknown(
    judge: Judge | AskingJudge, rows: Sequence[Row], heard: Heard | None, known: Mapping[str, Judged]
) -> Judgement:
    """Ask about the rows whose answer is not known."""
    if not known:
        return await _ask(judge, rows, heard)
    answers = [known.get(row.key(judge.identity, reads_file=judge.reads_file)) for row in rows]
    for index, answer in enumerate(answers):
        if answer is not None and heard is not None:
            heard(index, answer)
    left = [index for index, answer in enumerate(answers) if answer is None]
    if not left:
        return Judgement(tuple(answers))
    judgement = await _ask(judge, [rows[index] for index in left], heard and _at_places(heard, left))
    for index, answer in zip(left, judgement.answers, strict=True):
        answers[index] = answer
    return replace(judgement, answers=tuple(answers))


async def _ask(judge: Judge | AskingJudge, rows: Sequence[Row], heard: Heard | None) -> Judgement:
    """Ask either kind of judge; whatever it raises is why the rows have no answer."""
    try:
        if hasattr(judge, "ask"):
            judgement = await cast("AskingJudge", judge).ask(rows, heard)
            return _fitting(judgement, len(rows))
        return _judgement(await judge.judge(rows), len(rows), heard)
    except Exception as error:
        log.debug("the judge failed", exc_info=error)
        return _failed(f"the judge failed: {type(error).__name__}", len(rows))


def _fitting(judgement: Judgement, count: int) -> Judgement:
    if len(judgement.answers) != count:
        return _misfit(len(judgement.answers), count)
    answers = [each if each is not None and _is_verdict(each.verdict) else None for each in judgement.answers]
    odd = answers.count(None) - judgement.answers.count(None)
    if not odd:
        return judgement
    return replace(judgement, answers=tuple(answers), troubles=(*judgement.troubles, _no_verdict(odd)))


def _judgement(verdicts: Sequence[Verdict], count: int, heard: Callable[[int, Judged], None] | None) -> Judgement:
    if len(verdicts) != count:
        return _misfit(len(verdicts), count)
    now = time.time()
    answers = [Judged(verdict, now) if _is_verdict(verdict) else None for verdict in verdicts]
    for index, answer in enumerate(answers):
        if heard is not None and answer is not None:
            heard(index, answer)
    missing = answers.count(None)
    return Judgement(tuple(answers), troubles=(_no_verdict(missing),) if missing else ())


def _no_verdict(rows: int) -> Trouble:
    return Trouble("failed", "the judge gave something that is no verdict", rows)


def _is_verdict(given: object) -> bool:
    return isinstance(given, Verdict) and given.label in LABELS


def _misfit(given: int, count: int) -> Judgement:
    return _failed(f"the judge gave {given:,} verdicts for {count:,} rows", count)


def _failed(message: str, count: int) -> Judgement:
    return Judgement((None,) * count, troubles=(Trouble("failed", message, count),))


def _all_or_nothing(judgement: Judgement) -> Judgement:
    """Give no answer at all where one row has none."""
    if None not in judgement.answers:
        return judgement
    return replace(judgement, answers=(None,) * len(judgement.answers))
