"""`cite-lsp judge`: what a check finds, and whether the cited lines carry the claims (audit.md, cli.md)."""

import asyncio
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.text import Text

from cite_lsp.audit.meta import OUTCOMES, outcome
from cite_lsp.audit.run import AuditReport, audit_document
from cite_lsp.audit.verdicts import LABELS, Row, Verdict
from cite_lsp.cli.audited import Account, Audited, Said
from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.counting import Count, Silent, counting
from cite_lsp.cli.formats.as_text import TextForm, TextWriter, told_of_verdicts, visible
from cite_lsp.cli.formats.making import Form, Output, ReportFile, Writer
from cite_lsp.cli.judges import HoldingBack, Judges, leaves
from cite_lsp.cli.run import Report, Request, Run, UsageError, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.config import Settings
from cite_lsp.findings.check import Checked
from cite_lsp.findings.finding import Severity
from cite_lsp.findings.judged import VERDICT_CODES, WithVerdicts, with_verdicts
from cite_lsp.judges.sending import Sending
from cite_lsp.snapshot.ladder import joined

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge, Judged
    from cite_lsp.cli.dask_cluster import DaskCluster

DONE, FOUND, USAGE, UNFINISHED, INTERRUPTED = 0, 1, 2, 3, 130
_NOT_JUDGED = frozenset({"blank-line", "end-out-of-range"})
"""Citations that lead to lines which no claim can rest on."""
AT_ONCE = 8
"""Documents that are judged at the same time; how many requests that makes is the judge's to bound."""
AT_ONCE_ELSEWHERE = 512
"""Documents that are judged at the same time on a cluster, which bounds how many are on their way to it."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a person wants of `judge`."""

    output: str = "text"
    command_line: Mapping[str, Any] = field(default_factory=dict)
    """Settings that the command line gives, by their dotted names."""
    fail_level: Severity = Severity.ERROR
    level: Severity | None = None
    """None: warnings, and what the judge says whatever its severity."""
    excerpts: bool = False
    since: str | None = None
    estimate: bool = False
    write: bool = False
    cached: bool = True
    quiet: bool = False
    scheduler: str | None = None
    """The address of a Dask cluster whose workers judge."""
    report: str | None = None
    """A file that the report for people is written to besides."""
    jobs: int = 0
    """Processes of the embedded judge; 0: as many as the citations are worth."""


def judge_documents(
    paths: tuple[str, ...], wishes: Wishes, stdin: str | None, stdin_path: str | None, console: Console
) -> int:
    """Judge the documents that are named or lie below what is named; give the exit status. Raises `UsageError`."""
    started = time.perf_counter()
    run = prepare(Request(paths, stdin, stdin_path), wishes.command_line)
    if wishes.since is not None:
        from cite_lsp.cli.since import narrow  # noqa: PLC0415 - only here

        narrow(run, wishes.since)
    if wishes.write and run.settings.audit.on_found != "repair":
        raise UsageError("--write writes repairs; it goes with --on-found repair")
    judges = Judges(run, wishes.command_line, cached=wishes.cached, cluster=_cluster(wishes))
    judging = Judging(run, wishes, judges, console)
    if wishes.estimate:
        from cite_lsp.cli.estimating import tell_estimate  # noqa: PLC0415

        return tell_estimate(judging, console)
    if run.settings.audit.on_found == "repair":
        from cite_lsp.cli.repairing import repair_documents  # noqa: PLC0415

        return repair_documents(judging, started)
    return _report(judging, started)


def _cluster(wishes: Wishes) -> "DaskCluster | None":
    """Give the cluster that a person names. Raises `UsageError`."""
    if wishes.scheduler is None:
        return None
    if wishes.jobs:
        raise UsageError(
            "--jobs is about processes on this machine, and --scheduler judges on others: give one of them"
        )
    from cite_lsp.cli.dask_cluster import DaskCluster  # noqa: PLC0415 - only here

    return DaskCluster(wishes.scheduler)


def _report(judging: "Judging", started: float) -> int:
    run, wishes, console = judging.run, judging.wishes, judging.console
    file = ReportFile(wishes.report) if wishes.report is not None else None
    if file is not None:
        file.leave_out(run)
    outputs = list(_outputs(judging, file))
    for _, writer in outputs:
        writer.begin()
    if not all(each.refused for each in run.problems):
        run.notes = (*run.notes, "nothing is judged until the settings are mended")
    else:
        judging.all(lambda report, audited: [writer.write(form.of(report, audited)) for form, writer in outputs])
    seconds = time.perf_counter() - started
    summary, account = judging.summary, judging.account
    for _, writer in outputs:
        if not isinstance(writer, TextWriter):
            writer.end(summary, seconds, account)
        elif not wishes.quiet:
            lines = [*told_of_verdicts(summary), *told_of_judges(account), *_told_of_failing(judging)]
            writer.end(summary, seconds, lines, partly=account.interrupted)
    sys.stdout.flush()
    if file is not None:
        file.close()
    tell_troubles(judging, errors_of(console))
    return judging.status


def _outputs(judging: "Judging", file: ReportFile | None) -> "Iterator[tuple[Form, Writer | TextWriter]]":
    run, wishes, console = judging.run, judging.wishes, judging.console
    level = Severity.WARNING if wishes.level is None else wishes.level
    always = VERDICT_CODES if wishes.level is None else frozenset[str]()
    if wishes.output == "text":
        writer = TextWriter(console, run, level, judges=True, verdicts=bool(always))
        yield TextForm(level, console.width, always), writer
    else:
        output = Output(wishes.output, level, always, wishes.excerpts, wishes.quiet, "judge")
        yield output.form(run, console.width), output.writer(write_bytes, run, console)
    if file is not None:
        output = Output("markdown", level, always, command="judge")
        yield output.form(run, console.width), output.writer(file.write, run, console)


# What is judged


@dataclass(frozen=True, slots=True)
class Subject:
    """A document that is to be judged: as a check knows it, and under its settings, with the judge that is asked."""

    report: Report
    checked: Checked
    settings: Settings
    inside: str
    """Its path relative to the folder of its settings."""
    folder: str
    """That folder, absolute."""


Outcome = TypeVar("Outcome")
Told = Callable[[Report, Audited | None], object]
"""Is told of each document, in the order of the paths."""


class Judging:
    """A run of `judge`: the documents are checked, then judged some at a time, and told of in order."""

    def __init__(self, run: Run, wishes: Wishes, judges: Judges, console: Console) -> None:
        self.run = run
        self.wishes = wishes
        self.judges = judges
        self.console = console
        self.summary = Summary()
        self.account = Account()
        self.failing = 0
        """Citations that let the run fail under `on_found = "fail"`, of the run or of the document."""
        self._reached = False
        """Whether such a document has a finding at or above the level that fails."""
        self._bar: Count = Silent()
        self._sendings: dict[str, Sending] = {}
        self._now = time.time()

    @property
    def status(self) -> int:
        """The exit status."""
        if self.account.interrupted:
            return INTERRUPTED
        if self.run.problems:
            return USAGE
        if self.failing or self._reached:
            return FOUND
        return UNFINISHED if self.summary.unfinished or self.account.troubles else DONE

    @property
    def _at_once(self) -> int:
        """How many documents are judged at a time: a program is started for each, so by default for one."""
        if self.judges.cluster is not None:
            return AT_ONCE_ELSEWHERE
        judge = self.judges.settled(self.run.settings).judge
        return judge.limits.concurrency or 1 if judge.name == "command" else AT_ONCE

    def _jobs(self, subjects: Sequence[Subject]) -> int:
        """Give the number of processes that the embedded judge works in."""
        from cite_lsp.cli.judge_processes import processes_for  # noqa: PLC0415

        return processes_for(sum(_rows_of(each) for each in subjects if not leaves(each.settings)), self.wishes.jobs)

    def refused(self) -> int:
        """Say what is wrong with the settings, under which nothing is asked; give the exit status."""
        TextWriter(errors_of(self.console), self.run, Severity.HINT).begin()
        return USAGE

    def checked(self) -> list[Report]:
        """Check all documents, which asks nobody."""
        reports = []
        with counting(self.console, "checking", len(self.run.documents), quiet=self.wishes.quiet) as bar:
            for report in self.run.reports(self.run.documents):
                reports.append(report)
                bar.advance()
        return reports

    def subject(self, report: Report) -> Subject | None:
        """Give a document that was read and may be judged; None for one that is not."""
        settings, inside = self.run.settings_for(report.path)
        if report.checked is None or settings.judge.run == "off":
            return None
        folder = joined(self.run.root, report.path.removesuffix(inside).rstrip("/")).rstrip("/")
        return Subject(report, report.checked, self.judges.settled(settings), inside, folder)

    def all(self, told: Told) -> None:
        """Check and judge all documents, and tell of each; an interrupt ends that, and is not raised."""
        self.each(self.audit, lambda report, subject, audit: told(*self._known(report, subject, audit)))

    def each(
        self,
        work: Callable[[Subject], Awaitable[Outcome]],
        told: Callable[[Report, Subject | None, Outcome | None], object],
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """Check all documents, do some work for those that may be judged, and tell of each in order.

        An interrupt ends that, and is not raised: what is done is told. `close` is called at the end.
        """
        reports = self.checked()
        subjects = [self.subject(report) for report in reports]
        rows = sum(_rows_of(subject) for subject in subjects if subject is not None)
        self.judges.jobs = self._jobs([subject for subject in subjects if subject is not None])
        for subject in filter(None, subjects):
            self.judges.of(subject.settings)  # now: who cannot be asked is said before anybody is
        with counting(self.console, "judging", rows, quiet=self.wishes.quiet) as self._bar:
            asyncio.run(self._done(list(zip(reports, subjects, strict=True)), work, told, close))

    async def _done(
        self,
        pairs: Sequence[tuple[Report, Subject | None]],
        work: Callable[[Subject], Awaitable[Outcome]],
        told: Callable[[Report, Subject | None, Outcome | None], object],
        close: Callable[[], Awaitable[None]] | None,
    ) -> None:
        free = asyncio.Semaphore(self._at_once)

        async def one(subject: Subject | None) -> Outcome | None:
            if subject is None:
                return None
            async with free:
                return await work(subject)

        tasks = [asyncio.ensure_future(one(subject)) for _, subject in pairs]
        left = deque(zip(tasks, pairs, strict=True))
        try:
            while left:
                await left[0][0]
                task, (report, subject) = left.popleft()
                told(report, subject, task.result())
        except asyncio.CancelledError:
            self.account.interrupted = True
            for task, (report, subject) in left:
                if task.done() and not task.cancelled() and task.exception() is None:
                    told(report, subject, task.result())
                else:
                    self.account.left += 1
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if close is not None:
                await close()
            await self.judges.close()

    async def audit(self, subject: Subject) -> AuditReport:
        """Audit one document."""
        expected, heard = _rows_of(subject), 0

        def hear(_: int, __: "Judged") -> None:
            nonlocal heard
            heard += 1
            self._bar.advance()

        report = await audit_document(
            subject.checked.document,
            self.run.snapshot,
            self.judge_of(subject),
            subject.settings.audit,
            heard=hear,
            limits=None if subject.settings.judge.batch else subject.settings.judge.limits,
            resolutions=subject.checked.resolutions,
        )
        judged = sum(row.row is not None for row in report.rows)
        self._bar.settle(judged - expected, judged - heard)
        return report

    def judge_of(self, subject: Subject) -> "AskingJudge":
        """Give the judge of a document, that is given no row whose text stays here."""
        if not leaves(subject.settings):
            return self.judges.staying(subject.settings, self.held_back(subject))
        return HoldingBack(self.judges.of(subject.settings), self.held_back(subject), self._now)

    def held_back(self, subject: Subject) -> Callable[[Row], str]:
        """Give what says why a row of a document is not given to somebody else; "" where it is."""
        sending = self.sending(subject)
        whole = sending.named_document(joined(self.run.root, subject.report.path))
        reasons: dict[str, str] = {}
        for resolution in subject.checked.resolutions:
            if resolution.resolved:
                reasons[resolution.path] = whole or reasons.get(resolution.path) or sending.cited(resolution)
        return lambda row: reasons.get(row.path, whole)

    def sending(self, subject: Subject) -> Sending:
        """Give what says of files whether their text may be sent, under the settings of a document."""
        if subject.folder not in self._sendings:
            exclude = subject.settings.judge.exclude
            self._sendings[subject.folder] = Sending(self.run.snapshot, exclude, subject.folder)
        return self._sendings[subject.folder]

    # --- what it came to

    def _known(
        self, report: Report, subject: Subject | None, audit: AuditReport | None
    ) -> tuple[Report, Audited | None]:
        if subject is not None and audit is not None:
            return self.take(subject, audit)
        self.summary.add(report)
        self._look(report, 0)
        if report.checked is None or not report.checked.anchors:
            return report, None
        self.account.switched_off += 1
        return report, Audited()

    def take(self, subject: Subject, audit: AuditReport) -> tuple[Report, Audited]:
        """Count the audit of a document; give the document with its findings, and what was said of it."""
        said = _said(audit, self.held_back(subject) if leaves(subject.settings) else None)
        known = self.told(subject, {number: each.verdict for number, each in said.items()})
        report = replace(subject.report, checked=known.checked)
        judge = self.judges.of(subject.settings).identity
        audited = Audited(said, _outcome(subject, audit, known), audit.meta.to_data(), judge, known.moved)
        self.summary.add(report)
        self.summary.add_audit(report, audited)
        self.account.add(audited, audit.judgement, subject.settings.audit.scope)
        self.account.kept_back += sum(each.kept_back for each in said.values())
        self._look(report, _failing(subject, audit, known))
        return report, audited

    def _look(self, report: Report, failing: int) -> None:
        """Note whether a document lets the run fail; settings of a folder may ask for it where the root's do not."""
        settings, _ = self.run.settings_for(report.path)
        if "fail" not in (self.run.settings.audit.on_found, settings.audit.on_found):
            return
        self.failing += failing
        findings = report.checked.findings if report.checked is not None else ()
        self._reached = self._reached or any(each.severity.at_least(self.wishes.fail_level) for each in findings)

    def told(self, subject: Subject, verdicts: Mapping[int, Verdict]) -> WithVerdicts:
        """Give what is told of a document with verdicts, by the index of the anchor."""
        return with_verdicts(
            subject.checked,
            verdicts,
            self.run.snapshot,
            subject.settings,
            subject.inside,
            self.run.accepted_for(subject.report.path),
        )


def _rows_of(subject: Subject) -> int:
    """Give about how many rows a document has: what its bar begins with."""
    resolved = sum(each.resolved and each.status not in _NOT_JUDGED for each in subject.checked.resolutions)
    options = subject.settings.audit
    return resolved if options.scope == "all" else min(resolved, options.max_sampled)


def _said(audit: AuditReport, held_back: Callable[[Row], str] | None) -> dict[int, Said]:
    """Give what was said, by the index of the anchor."""
    answers = iter(audit.judgement.answers)
    said: dict[int, Said] = {}
    for row, verdict in zip(audit.rows, audit.verdicts, strict=True):
        answer = next(answers) if row.row is not None else None
        judged_at, cached = (answer.at, answer.cached) if answer is not None else (None, False)
        kept = held_back is not None and row.row is not None and bool(held_back(row.row))
        said[row.index] = Said(verdict, row.row, judged_at, cached, kept)
    return dict(sorted(said.items()))


def _outcome(subject: Subject, audit: AuditReport, known: WithVerdicts) -> str:
    """Give the one word for a document: of what the judge and of what the check found, whichever comes first."""
    silenced = known.silenced
    meta = replace(
        audit.meta,
        unsupported=audit.meta.unsupported - silenced["unsupported"],
        partial=audit.meta.partial - silenced["partial"],
        review=audit.meta.review - silenced["review"],
    )
    word = outcome(meta, [label for label in LABELS for _ in range(known.accepted[label])])
    return min(word, subject.checked.outcome, key=OUTCOMES.index)


def _failing(subject: Subject, audit: AuditReport, known: WithVerdicts) -> int:
    """Count the citations of a document that let a run fail: those that nobody lets stand."""
    labels = ("unsupported", "partial") if subject.settings.audit.fail_on_partial else ("unsupported",)
    stand = known.accepted + known.silenced
    return sum(max(0, getattr(audit.meta, label) - stand[label]) for label in labels)


# What is said beside the documents


def told_of_judges(account: Account, *more: str) -> Iterator[str]:
    """Give who judged, and what that took, as a line."""
    if account.judges:
        took = ", ".join(filter(None, (account.effort, *more)))
        yield f"judge: {', '.join(sorted(account.judges))}" + (f"; {took}" if took else "")


def _told_of_failing(judging: "Judging") -> Iterator[str]:
    """Say that citations let the run fail: their findings may be hints, or not told since the text moved."""
    if judging.failing:
        many = "1 citation fails" if judging.failing == 1 else f"{judging.failing:,} citations fail"
        yield f"{many} this run (audit.on_found)"


def errors_of(console: Console) -> Console:
    """Make the console of standard error."""
    return Console(stderr=True, no_color=console.no_color or None, soft_wrap=True, emoji=False, markup=False)


def tell_troubles(judging: "Judging", errors: Console) -> None:
    """Say on standard error why citations were not judged: a line for each cause."""
    for name in judging.judges.unset:
        judging.account.warnings.append(f"{name} of the settings is meant for another judge or address: not used")
    if judging.judges.message:
        judging.account.warnings.append(judging.judges.message)
    for note in judging.account.notes:
        errors.print(Text(f"cite-lsp: {visible(note)}"), highlight=False)
