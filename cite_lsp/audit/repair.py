"""One bounded round of repair: what is unsupported is put right where somebody knows how, and everything is asked anew.

What was carried into the round is looked at again in the second pass, whatever else that takes: a repair that did not
repair is seen. Nothing here writes a file.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from cite_lsp.audit.asked import Resolve
from cite_lsp.audit.claim_texts import without_citations
from cite_lsp.audit.judgement import AskingJudge, Judged, Trouble
from cite_lsp.audit.nearby import Window, windows
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.proposals import Proposal, Repaired, repaired, sentence_place
from cite_lsp.audit.run import AuditReport, Limits, audit_document
from cite_lsp.audit.selecting import AuditRow, select_rows
from cite_lsp.audit.verdicts import Judge, Row, Verdict
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.document.ranges import Place
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.excerpt import language_of
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution, resolve_lines
from cite_lsp.snapshot.snapshot import Snapshot

__all__ = ["Proposal", "Repair", "RepairFailed", "RepairRequest", "Repairer", "RoundOutcome", "repair_round"]

AT_ONCE = 4
"""Citations that a repairer is asked about at the same time."""


@dataclass(frozen=True, slots=True)
class RepairRequest:
    """One citation that is not supported, and all that may be shown of what it cites.

    Attributes:
        document: The path of the document.
        citation: As it is written.
        sentence: The whole sentence as it is written, on one line; with `citations`, all that stand in it, in order.
        row: What was judged. Its `file` is there to be counted and must not be shown: `windows` may be.
        verdict: What was said of it.
        windows: Lines of the cited file, bounded (`nearby`).
        line_count: Lines of the cited file; 0 where it is not known.
    """

    document: str
    citation: str
    sentence: str
    citations: tuple[str, ...]
    row: Row
    verdict: Verdict
    windows: tuple[Window, ...]
    line_count: int


class Repairer(Protocol):
    """Who proposes repairs."""

    async def propose(self, request: RepairRequest) -> Proposal | None:
        """Propose the smallest edit; None, or a proposal of the kind `none`, where nothing comes to mind.

        Raises:
            RepairFailed: Nobody could be asked.
        """


class RepairFailed(Exception):  # noqa: N818 - a word of the field
    """A repairer that could not be asked, and why."""

    def __init__(self, trouble: Trouble) -> None:
        """Take the cause and the sentence."""
        super().__init__(trouble.message)
        self.trouble = trouble


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of one citation that was carried into the round.

    Attributes:
        row: It in the first pass.
        before: What the first pass said.
        edits: What was changed for it, offsets into the first document; none where nothing was.
        old, new: Its sentence on one line, before and after.
        why: Why it was changed so, or why it was not; a clause.
        verdict: What the second pass said; `before` where there was none.
        harm: What the change does besides, a clause: it makes another citation worse; "" where it does nothing.
    """

    row: AuditRow
    before: Verdict
    edits: tuple[Edit, ...]
    old: str
    new: str
    why: str
    verdict: Verdict
    harm: str = ""

    @property
    def good(self) -> bool:
        """Whether there is a change, it is supported, and no other citation is the worse for it."""
        return bool(self.edits) and self.verdict.label == "supported" and not self.harm

    @property
    def edit(self) -> Edit | None:
        """The change as one edit, None where there was none; for what shows one place only."""
        return self.edits[0] if self.edits else None


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """What a round came to.

    Attributes:
        document: With all repairs; the first one where nothing was changed.
        edits: All of them, offsets into the first document, in order and apart.
        report: The second pass; the first where there was no second.
        repairs: One for each citation that was carried, in the order of the report.
        trouble: Why the round came to nothing; the document is unchanged then.
    """

    document: Document
    edits: tuple[Edit, ...]
    report: AuditReport
    repairs: tuple[Repair, ...] = ()
    trouble: Trouble | None = None

    @property
    def survivors(self) -> tuple[Repair, ...]:
        """What was carried and is not supported after the round, or only at the cost of another citation."""
        return tuple(repair for repair in self.repairs if repair.verdict.label != "supported" or repair.harm)


def request_for(
    document: Document, anchor: Anchor, row: Row, verdict: Verdict, shown: tuple[Window, ...] | None = None
) -> RepairRequest:
    """Make the request for a citation of a document.

    `shown`: what `windows` gives for the row, if the cited file was looked through already.
    """
    low, high = sentence_place(document, anchor)
    beside = document.anchors_between(low, high)
    cited = tuple(" ".join(each.text.split()) for each in beside if low <= each.start and each.end <= high)
    return RepairRequest(
        document=document.path,
        citation=anchor.text,
        sentence=anchor.sentence,
        citations=cited,
        row=row,
        verdict=verdict,
        windows=windows(row, anchor.spans) if shown is None else shown,
        line_count=len(row.file) if row.file is not None else 0,
    )


def cited_file(snapshot: Snapshot, resolution: Resolution) -> FileText | None:
    """Give the text of the file that a citation leads to, though the cited lines be past its end."""
    if resolution.status == "line-out-of-range" and resolution.line_count is not None:
        resolution = resolution._replace(status="found")
    return snapshot.file(resolution)


def row_without_lines(anchor: Anchor, resolution: Resolution, snapshot: Snapshot) -> Row:
    """Give the row of a citation of which no lines are judged: without excerpts, with the file where that is known."""
    file = cited_file(snapshot, resolution)
    citations = anchor.context.citations if anchor.context is not None else frozenset()
    return Row(
        claim=without_citations(anchor.claim, citations),
        excerpts=(),
        sentence=without_citations(anchor.sentence, citations),
        section=anchor.section,
        path=resolution.path,
        language=language_of(resolution.path),
        file=file.lines if file is not None else None,
    )


async def repair_round(  # noqa: PLR0913 - all that a round hangs on
    document: Document,
    snapshot: Snapshot,
    report: AuditReport,
    judge: Judge | AskingJudge,
    repairer: Repairer,
    options: AuditOptions,
    *,
    resolve: Resolve | None = None,
    limits: Limits | None = None,
    held_back: Callable[[AuditRow], str] = lambda _: "",
    resolutions: Sequence[Resolution] = (),
) -> RoundOutcome:
    """Repair what a report calls unsupported, and audit the document once more.

    What the first pass was answered is not asked again.

    Args:
        document: What was audited.
        snapshot: What it cites.
        report: The first pass.
        judge: Who judges again.
        repairer: Who proposes. One that fails ends the round, and the document stays as it is.
        options: Those of the first pass.
        resolve: Answers for cited lines in place of the snapshot, as in `audit_document`.
        limits: As there.
        held_back: Says why a repairer may not be shown a row; "" where it may.
        resolutions: As in `audit_document`, of the first pass.
    """
    carried = [
        (row, verdict)
        for row, verdict in zip(report.rows, report.verdicts, strict=True)
        if verdict.label == "unsupported"
    ]
    if not carried or report.meta.judge_failed or report.meta.judge_declined:
        return RoundOutcome(document, (), _counted(report, passes=1, rounds=0))
    requests = [_request(document, snapshot, row, verdict) for row, verdict in carried]
    try:
        proposals = await _proposals(repairer, requests, [held_back(row) for row, _ in carried])
    except RepairFailed as failed:
        left = [_left(row, verdict, failed.trouble.message) for row, verdict in carried]
        trouble = replace(failed.trouble, rows=len(carried))
        return RoundOutcome(document, (), _counted(report, passes=1, rounds=0), tuple(left), trouble)
    made = _apply(document, [row for row, _ in carried], requests, proposals)
    if not made.repaired:
        left = [_left(row, verdict, made.refused[row.index]) for row, verdict in carried]
        return RoundOutcome(document, (), _counted(report, passes=1, rounds=1, first=len(carried)), tuple(left))
    places = {index: sentence_place(document, document.anchors[index]) for index in made.repaired}
    pinned = _pinned(report, [row.index for row, _ in carried], places.values())
    second = await audit_document(
        made.document,
        snapshot,
        judge,
        options,
        resolve=resolve,
        pinned=pinned,
        limits=limits,
        resolutions=_resolutions(resolutions, made, snapshot),
        known=_answered(report, judge),
    )
    after = {row.index: verdict for row, verdict in zip(second.rows, second.verdicts, strict=True)}
    harm = _harm(report, after, places)
    repairs = [_repair(row, verdict, made, after[row.index], harm.get(row.index, "")) for row, verdict in carried]
    if any(each.good for each in repairs):
        alone = _alone(document, repairs)
        rows = select_rows(alone, snapshot, options, None, resolve, pinned, _resolutions(resolutions, made, snapshot))
        repairs = _as_judged(repairs, second.rows, rows)
    edits = sorted((edit for each, _ in made.repaired.values() for edit in each.edits), key=lambda edit: edit.start)
    return RoundOutcome(
        made.document, tuple(edits), _counted(second, passes=2, rounds=1, first=len(carried)), tuple(repairs)
    )


def _counted(report: AuditReport, *, passes: int, rounds: int, first: int = 0) -> AuditReport:
    meta = replace(report.meta, passes=passes, citation_repair_rounds=rounds, first_pass_findings=first)
    return replace(report, meta=meta)


# --- the second pass


def _pinned(first: AuditReport, carried: Iterable[int], places: Collection[Place]) -> list[int]:
    """Give what is looked at again: what was carried, and what stands in the same sentences as a repair."""
    beside = [row.index for row in first.rows if any(low <= row.anchor.start < high for low, high in places)]
    return list(dict.fromkeys([*carried, *beside]))


def _answered(first: AuditReport, judge: Judge | AskingJudge) -> dict[str, Judged]:
    """Give what the judge answered in the first pass, by the key of the row."""
    rows = [each.row for each in first.rows if each.row is not None]
    return {
        row.key(judge.identity, reads_file=judge.reads_file): replace(answer, cached=True)
        for row, answer in zip(rows, first.judgement.answers, strict=True)
        if answer is not None
    }


def _resolutions(known: Sequence[Resolution], made: "_Made", snapshot: Snapshot) -> list[Resolution]:
    """Give what the citations of the new document mean: those that name other lines now lead to the same file."""
    found = list(known)
    for index in made.repaired if known else ():
        anchor, file = made.document.anchors[index], cited_file(snapshot, known[index])
        if file is not None:
            found[index] = resolve_lines(anchor, file, known[index]._replace(status="found"))
    return found


def _harm(first: AuditReport, after: Mapping[int, Verdict], places: Mapping[int, Place]) -> dict[int, str]:
    """Say, by the index of the repair, which other citation is worse than it was: of the sentence, or the nearest."""
    found: dict[int, str] = {}
    for row, before in zip(first.rows, first.verdicts, strict=True):
        now = after.get(row.index, before)
        if _is_worse(before, now):
            start = row.anchor.start
            blamed = min(places, key=lambda index: max(places[index][0] - start, start - places[index][1] + 1, 0))
            why = now.basis or now.reason
            what = f"`{' '.join(row.anchor.text.split())}` would be {now.label}"
            found.setdefault(blamed, f"{what}: {why}" if why else what)
    return found


def _alone(document: Document, repairs: Iterable[Repair]) -> Document:
    """Give the document with the good repairs only: the others were in it when it was judged, and are not written."""
    edits = [edit for each in repairs if each.good for edit in each.edits]
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        document = document.edit(edit.start, edit.end, edit.text)
    return document


def _as_judged(repairs: Sequence[Repair], judged: Iterable[AuditRow], alone: Iterable[AuditRow]) -> list[Repair]:
    """Call a repair good only where it was judged as it stands without those that are not."""
    before, now = ({row.index: row.row for row in rows} for rows in (judged, alone))
    return [
        replace(each, harm="what it says hangs on another repair that is not good")
        if each.good and before[each.row.index] != now[each.row.index]
        else each
        for each in repairs
    ]


def _is_worse(before: Verdict, now: Verdict) -> bool:
    if now.label == "unsupported":
        return before.label != "unsupported"
    return before.label == "supported" and now.label != "supported"


# --- asking


def _request(document: Document, snapshot: Snapshot, row: AuditRow, verdict: Verdict) -> RepairRequest:
    judged = row.row if row.row is not None else row_without_lines(row.anchor, row.resolution, snapshot)
    return request_for(document, row.anchor, judged, verdict)


async def _proposals(
    repairer: Repairer, requests: Sequence[RepairRequest], why_not: Sequence[str]
) -> list[Proposal | None]:
    """Ask about each that may be shown, some at a time; the first failure ends all. Raises RepairFailed."""
    free = asyncio.Semaphore(AT_ONCE)

    async def ask(request: RepairRequest, why: str) -> Proposal | None:
        if why or (request.line_count == 0 and not request.windows):
            return Proposal("none", reason=why or "nothing is known of the cited file, so nobody was asked")
        async with free:
            return await repairer.propose(request)

    tasks = [asyncio.ensure_future(ask(request, why)) for request, why in zip(requests, why_not, strict=True)]
    try:
        return list(await asyncio.gather(*tasks))
    except RepairFailed:
        raise
    except Exception as error:
        message = f"the repair failed: {type(error).__name__}: {error}"
        raise RepairFailed(Trouble("failed", message)) from error
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# --- applying


@dataclass(frozen=True, slots=True)
class _Made:
    """The document with what could be carried out: by the index of the anchor what was, and why the rest was not."""

    document: Document
    repaired: Mapping[int, tuple[Repaired, str]]
    refused: Mapping[int, str]


def _apply(
    document: Document,
    rows: Sequence[AuditRow],
    requests: Sequence[RepairRequest],
    proposals: Iterable[Proposal | None],
) -> _Made:
    """Carry out proposals, one for each sentence at most: from the end, so that offsets before stay what they are."""
    chosen: dict[int, tuple[AuditRow, Proposal, int]] = {}
    refused: dict[int, str] = {}
    taken: set[tuple[int, int]] = set()
    for row, request, proposal in sorted(zip(rows, requests, proposals, strict=True), key=lambda each: each[0].index):
        place = sentence_place(document, row.anchor)
        outcome = _carried_out(document, row.anchor, proposal, request.line_count)
        if isinstance(outcome, str) or proposal is None:
            refused[row.index] = str(outcome)
        elif place in taken:
            refused[row.index] = "its sentence has another repair in this round"
        else:
            taken.add(place)
            chosen[row.index] = (row, proposal, request.line_count)
    done: dict[int, tuple[Repaired, str]] = {}
    for index, (row, proposal, count) in sorted(chosen.items(), reverse=True):
        anchor = next(
            each for each in document.anchors_between(row.anchor.start, row.anchor.end) if _is(each, row.anchor)
        )
        outcome = repaired(document, anchor, proposal, count)
        if isinstance(outcome, str):
            refused[index] = outcome
        else:
            done[index] = (outcome, proposal.reason)
            document = outcome.document
    return _Made(document, done, refused)


def _is(one: Anchor, other: Anchor) -> bool:
    return one.start == other.start and one.index == other.index


def _carried_out(document: Document, anchor: Anchor, proposal: Proposal | None, line_count: int) -> Repaired | str:
    return "nothing was proposed" if proposal is None else repaired(document, anchor, proposal, line_count)


def _left(row: AuditRow, verdict: Verdict, why: str) -> Repair:
    return Repair(row, verdict, (), row.anchor.sentence, row.anchor.sentence, why, verdict)


def _repair(row: AuditRow, before: Verdict, made: _Made, after: Verdict, harm: str) -> Repair:
    if row.index not in made.repaired:
        return replace(_left(row, before, made.refused[row.index]), verdict=after)
    outcome, why = made.repaired[row.index]
    return Repair(row, before, outcome.edits, outcome.old, outcome.new, why, after, harm)
