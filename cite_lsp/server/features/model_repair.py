"""A repair that a model proposes: carried out on a copy, judged by the session's judge, and only then shown."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from cite_lsp.audit.nearby import windows
from cite_lsp.audit.proposals import Proposal, Repaired, repaired
from cite_lsp.audit.repair import RepairFailed, cited_file, request_for, row_without_lines
from cite_lsp.audit.rows import row_of
from cite_lsp.audit.selecting import AuditRow
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.judges.cached import BookedLedger
from cite_lsp.judges.repairer import ModelRepairer, limits_of, make_repairer, names_a_model
from cite_lsp.server.features.repairs import Repair
from cite_lsp.server.hits import Hit
from cite_lsp.server.judging import UNLISTED, Run
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.progress import Progress
from cite_lsp.server.row_book import keyed
from cite_lsp.server.session import Session
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.resolve import Resolution, resolve_lines
from cite_lsp.snapshot.snapshot import Snapshot

_STEPS = 3
_UNJUDGED = Verdict("unchecked", reason="the judge did not answer")


@dataclass(frozen=True, slots=True)
class Answer:
    """What asking a model came to: a repair, or why there is none; `failed` where that is to be told as a fault."""

    repair: Repair | None = None
    why: str = ""
    failed: bool = False
    stopped: bool = False


async def propose(session: Session, document: OpenDocument, hit: Hit) -> Answer:
    """Ask the model of the settings for a repair of a citation, and have that judged."""
    place, parsed = document.place, document.document
    if place is None or parsed is None:
        return Answer()
    named = place.settings.repair.name
    if not names_a_model(place.settings.repair, place.settings.judge):
        return Answer(why=f"repair.name is {named!r}, which is no model that writes" if named is not None else "")
    why = _why_not(session, place, hit)
    if why:
        return Answer(why=why)
    target = _Target.of(parsed, place.snapshot, hit)
    return await _Asking(session, place, target).run() if target is not None else Answer()


def _why_not(session: Session, place: Place, hit: Hit) -> str:
    """Say why no model is shown the citation; "" where one may be."""
    if not (session.trusted and place.settings.server.trusted):
        return "this workspace is not trusted, so no model is asked and nothing is sent"
    if place.space.held_back:
        return UNLISTED
    sending = session.judging.sending(place, place.snapshot)
    full = f"{place.root}/{place.path}" if place.root else place.path
    return sending.document(full) or sending.cited(hit.resolution)


@dataclass(frozen=True, slots=True)
class _Target:
    """A citation with what it cites, as they were when the repair was asked for."""

    document: Document
    anchor: Anchor
    snapshot: Snapshot
    resolution: Resolution
    row: Row
    file: FileText

    @classmethod
    def of(cls, document: Document, snapshot: Snapshot, hit: Hit) -> "_Target | None":
        """Give the citation; None where it leads to no file that could be read."""
        start, end = hit.span
        anchor = next((each for each in document.anchors_between(start, end) if each.start == start), None)
        file = cited_file(snapshot, hit.resolution)
        if anchor is None or file is None:
            return None
        row = row_of(anchor, hit.resolution, snapshot) or row_without_lines(anchor, hit.resolution, snapshot)
        return cls(document, anchor, snapshot, hit.resolution, row, file) if row.file is not None else None

    @property
    def before(self) -> AuditRow:
        """The citation as it stands."""
        judged = self.row if self.row.excerpts else None
        return AuditRow(0, self.anchor, 0, self.resolution, judged)

    def after(self, made: Repaired) -> AuditRow:
        """Give the citation once it is repaired."""
        resolution = resolve_lines(made.anchor, self.file, self.resolution._replace(status="found"))
        return AuditRow(0, made.anchor, 0, resolution, row_of(made.anchor, resolution, self.snapshot))


class _Asking:
    """One question to a model, with a button at the client that ends it."""

    def __init__(self, session: Session, place: Place, target: _Target) -> None:
        self._session = session
        self._place = place
        self._target = target
        self._run = Run(judge=session.judging.judge_of(place))
        self._question: asyncio.Task[Proposal] | None = None
        self._stopped = False

    async def run(self) -> Answer:
        """Judge what there is, ask, carry out, judge again."""
        repairer = self._repairer()
        if repairer is None:
            return Answer()
        title = f"Asking {repairer.name} for a repair"
        progress = Progress(self._session.server, title, _STEPS, "steps", self._end)
        progress.begin()
        try:
            return await self._answer(repairer, progress.report)
        finally:
            progress.end("stopped" if self._stopped else "done")
            await repairer.close()

    def _repairer(self) -> ModelRepairer | None:
        settings = self._place.settings
        limits, section = limits_of(settings.repair, settings.judge)
        ledger = BookedLedger(self._session.judges.verdicts(settings), limits, section)
        return make_repairer(settings.repair, settings.judge, secrets=self._session.server.secrets, ledger=ledger)

    def _end(self) -> None:
        self._stopped = True
        self._run.end()
        if self._question is not None:
            self._question.cancel()

    def _is_ended(self) -> bool:
        """Say whether it was a person who ended the question, and nobody who ended this task."""
        task = asyncio.current_task()
        return self._stopped and not (task is not None and task.cancelling())

    async def _answer(self, repairer: ModelRepairer, report: Callable[[int], None]) -> Answer:
        target = self._target
        before = await self._judged(target.before)
        report(1)
        if self._stopped:
            return Answer(stopped=True)
        if before.label == "supported":
            return Answer(why="it is supported as it stands, so no model was asked")
        shown = await asyncio.to_thread(windows, target.row, target.anchor.spans)
        if self._stopped:
            return Answer(stopped=True)
        request = request_for(target.document, target.anchor, target.row, before, shown)
        self._question = asyncio.ensure_future(repairer.propose(request))
        try:
            proposal = await self._question
        except RepairFailed as failed:
            return Answer(why=failed.trouble.message, failed=True)
        except asyncio.CancelledError:
            self._question.cancel()
            if not self._is_ended():
                raise
            return Answer(stopped=True)
        if self._stopped:
            return Answer(stopped=True)
        report(2)
        made = repaired(target.document, target.anchor, proposal, len(target.file.lines))
        if isinstance(made, str):
            return Answer(why=f"{repairer.name} proposed nothing that can be written: {made}")
        after = await self._judged(target.after(made))
        return Answer(stopped=True) if self._stopped else Answer(self._repair(repairer, proposal, made, after))

    async def _judged(self, citation: AuditRow) -> Verdict:
        """Have a citation judged by the judge of the session: what it has said of one is not asked again."""
        judging, judge = self._session.judging, self._run.judge
        if citation.row is None or judge is None:
            return citation.known or _UNJUDGED
        row = keyed(citation.row)
        unknown = judging.unknown(judge, [row])
        if unknown:
            await judging.ask(self._run, judge, unknown)
        word = judging.word(row, judge)
        return word.verdict if word is not None else _UNJUDGED

    def _repair(self, repairer: ModelRepairer, proposal: Proposal, made: Repaired, verdict: Verdict) -> Repair:
        lines = proposal.kind == "lines"
        return Repair(
            title=f"Cite {made.anchor.text}" if lines else "Rewrite the sentence",
            old=self._target.anchor.text if lines else made.old,
            written=made.anchor.text if lines else made.new,
            edits=made.edits,
            label=verdict.label,
            why=verdict.basis or verdict.reason,
            model=repairer.name,
            reason=proposal.reason,
            cited=self._target.file,
        )
