"""`cite-lsp policy run`: which documents, what it will take, asking, and how it ends (policy.md, cli.md)."""

import asyncio
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from cite_lsp.cli.console import write_bytes
from cite_lsp.cli.counting import Count, Silent, counting
from cite_lsp.cli.formats.as_text import visible
from cite_lsp.cli.formats.making import OF_ENTRIES
from cite_lsp.cli.interrupts import be_patient, cancelled_once
from cite_lsp.cli.judges import Judges
from cite_lsp.cli.judging import DONE, FOUND, INTERRUPTED, UNFINISHED, USAGE, errors_of
from cite_lsp.cli.policy_account import Account, Unchecked
from cite_lsp.cli.policy_asked import Asked, Job, Subject, Telling, Wishes
from cite_lsp.cli.policy_checking import Refusal, usable
from cite_lsp.cli.policy_clients import Clients, Counted
from cite_lsp.cli.policy_shelf import Shelf, read_any
from cite_lsp.cli.run import Request, Run, UsageError, absolute, prepare
from cite_lsp.document.blocks import syntax_of
from cite_lsp.findings.check import Levels, as_finding, find_ignores, is_tracked
from cite_lsp.findings.places import Places
from cite_lsp.findings.policing import told_of
from cite_lsp.findings.reading import parse_document
from cite_lsp.judges.policies import NO_INPUT, CitedLines, PolicyOutcome, cited_lines, not_asked, plan, run_policy
from cite_lsp.judges.sending import Sending
from cite_lsp.policy.progress import Progress, Stop
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.lines import Unread

if TYPE_CHECKING:
    from cite_lsp.cli.formats.policy_entries import PolicyEntriesWriter
    from cite_lsp.cli.formats.policy_json import PolicyJsonWriter
    from cite_lsp.cli.formats.policy_text import PolicyTextWriter
    from cite_lsp.config import Settings
    from cite_lsp.policy.files import PolicyFile
    from cite_lsp.policy.options import RunOptions
    from cite_lsp.policy.splitting import Piece

AT_ONCE = 8
"""Documents that are asked about at the same time; how many requests that makes is the client's to bound."""
_INTERRUPTED = "the run was interrupted"
_ASK_ANYWAY = "; with --ignored it is"
_SWITCHED_OFF = 'judge.run is "off" there'
_LEAST_SECONDS = 0.001


def ask_policies(
    paths: tuple[str, ...], wishes: Wishes, stdin: str | None, stdin_path: str | None, console: Console
) -> int:
    """Ask the policies of the documents that are named or lie below what is named; give the exit status.

    Raises:
        UsageError: The command cannot be run as it was called.
    """
    started = time.perf_counter()
    request = Request(paths, stdin, stdin_path)
    run = prepare(request, {**wishes.command_line, "drift.enabled": False})
    if wishes.estimate and wishes.output in OF_ENTRIES:
        raise UsageError(f"--estimate is written as text or json, not as {wishes.output}")
    shelf = usable(run, wishes.policies, console)
    if isinstance(shelf, Refusal):
        return _refuse(shelf, wishes, started, console)
    asking = Asking(run, wishes, shelf, console)
    jobs = asking.jobs()
    run.notes = (*run.snapshot.notes, *shelf.notes(len(jobs)))
    if wishes.estimate:
        from cite_lsp.cli.policy_estimating import tell_estimate  # noqa: PLC0415 - only here

        return tell_estimate(asking, jobs)
    return _report(asking, jobs, started)


def _refuse(refusal: Refusal, wishes: Wishes, started: float, console: Console) -> int:
    """Write what a program reads of a run in which nothing is asked; give the exit status."""
    if wishes.json and wishes.estimate:
        from cite_lsp.cli.formats.policy_json import write_data  # noqa: PLC0415

        write_data(refusal.data(estimate=None))
    elif wishes.json:
        from cite_lsp.cli.formats.policy_json import PolicyJsonWriter  # noqa: PLC0415

        writer = PolicyJsonWriter(write_bytes, refusal.run)
        writer.begin(refusal.policies)
        writer.end(Account(), time.perf_counter() - started, (*refusal.run.notes, refusal.note))
    elif wishes.output in OF_ENTRIES:
        from cite_lsp.cli.formats.policy_entries import PolicyEntriesWriter  # noqa: PLC0415

        nothing = PolicyEntriesWriter(write_bytes, refusal.run, console, wishes)
        nothing.begin()
        nothing.refuse(refusal.note)
    sys.stdout.flush()
    return USAGE


def _report(asking: "Asking", jobs: Sequence[Job], started: float) -> int:
    from cite_lsp.cli.policy_estimating import announce  # noqa: PLC0415

    writer = _writer(asking)
    writer.begin()
    try:
        announce(asking, jobs)
    except KeyboardInterrupt:
        be_patient()
        asking.account.interrupted = True
    asking.all(jobs, writer.write)
    writer.end(asking.account, time.perf_counter() - started, asking.notes)
    sys.stdout.flush()
    asking.tell_warnings()
    return asking.status


def _writer(asking: "Asking") -> "PolicyTextWriter | PolicyJsonWriter | PolicyEntriesWriter":
    wishes = asking.wishes
    if wishes.output in OF_ENTRIES:
        from cite_lsp.cli.formats.policy_entries import PolicyEntriesWriter  # noqa: PLC0415

        return PolicyEntriesWriter(write_bytes, asking.run, asking.console, wishes)
    if wishes.json:
        from cite_lsp.cli.formats.policy_json import PolicyJsonWriter  # noqa: PLC0415

        return PolicyJsonWriter(write_bytes, asking.run)
    from cite_lsp.cli.formats.policy_text import PolicyTextWriter  # noqa: PLC0415

    return PolicyTextWriter(asking.console, asking.run, wishes.level, quiet=wishes.quiet)


class Asking:
    """A run of `policy run`: documents are asked about some at a time, and told of in order."""

    def __init__(self, run: Run, wishes: Wishes, shelf: Shelf, console: Console) -> None:
        self.run = run
        self.wishes = wishes
        self.shelf = shelf
        self.console = console
        self.account = Account()
        self.clients = Clients(run, Judges(run, wishes.command_line, cached=wishes.cached), cached=wishes.cached)
        self._given = _read_input(wishes.given, run)
        self._sendings: dict[str, Sending] = {}
        self._bar: Count = Silent()
        self._stops: set[Stop] = set()
        self._ends: float | None = None
        self._no_text: set[str] = set()
        """Files that a glob took in, and that are no text."""
        self._reading = asyncio.Lock()
        """Files are read by one thread at a time."""

    @property
    def status(self) -> int:
        """The exit status."""
        if self.account.interrupted:
            return INTERRUPTED
        if self.run.problems:
            return USAGE
        if self.account.reaches(self.wishes.fail_level):
            return FOUND
        return UNFINISHED if self.account.unfinished else DONE

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of the run; in JSON also what is said on standard error."""
        left_out = sorted(self._no_text)
        more = f" and {len(left_out) - 1:,} more" if left_out[1:] else ""
        said = [f"left out, as NUL bytes are no text (UTF-16 is not read): {path}{more}" for path in left_out[:1]]
        return (*self.run.notes, *said, *(self.warnings if self.wishes.json else ()))

    # --- which documents

    def jobs(self) -> list[Job]:
        """Give each document with each policy that it is asked under, in the order in which they are told of."""
        found = [Job(path, file) for path, file in self.shelf.documents()]
        order = {id(file): number for number, file in enumerate(self.shelf.files)}
        if self.wishes.json:
            return sorted(found, key=lambda job: (order[id(job.file)], job.path))
        return sorted(found, key=lambda job: (job.path, order[id(job.file)]))

    def subject(self, job: Job) -> Subject | Unchecked | None:
        """Read a document and plan what is asked; or say why not. None for what is no text and nobody named."""
        settings, inside = self.run.settings_for(job.path)
        read = self.run.snapshot.read_document(self.run.root, job.path, settings.files.max_document_bytes)
        if isinstance(read, Unread):
            if read.status == "not-text" and job.path not in self.run.named and not self._is_document(job.path):
                self._no_text.add(job.path)
                return None
            return Unchecked(job.path, job.file.name, f"the document {read.reason}")
        document = parse_document(read.text, job.path, self.run.snapshot.known, settings)
        sending = self._sending(job.path, inside, settings)
        cited: tuple[CitedLines, ...] = ()
        if job.file.input == "cited":
            resolutions = [self.run.snapshot.resolve(anchor, document) for anchor in document.anchors]
            cited = cited_lines(document, resolutions, self.run.snapshot, sending)
        withheld = self._why_withheld(sending, joined(self.run.root, job.path))
        planned = plan(job.file, read.text, job.path, withheld=withheld, cited=cited, given=self._given)
        return Subject(read.text, read.sha256, document, settings, inside, planned)

    def _is_document(self, path: str) -> bool:
        """Say whether a file is one that a check would miss too: `.txt` is taken in by its ending alone."""
        settings, inside = self.run.settings_for(path)
        return settings.is_document(inside) and syntax_of(path) != "text"

    def _why_withheld(self, sending: Sending, full: str) -> str:
        """Say why the text of a document is not sent; "" where it may be."""
        if not sending.is_ignored(full):
            return sending.document(full)
        return sending.document(full) or ("" if self.wishes.ignored else f"{sending.named_document(full)}{_ASK_ANYWAY}")

    def why_not(self, subject: Subject) -> tuple[str, bool]:
        """Say why nobody is asked about a document, and whether that is as it was wished; "" where somebody is."""
        if subject.settings.judge.run == "off":
            return _SWITCHED_OFF, True
        return self.clients.why_not(subject.settings), False

    def options(self, file: "PolicyFile") -> "RunOptions":
        """Give how a policy is asked, with what the command line says."""
        options = self.clients.options(file)
        if self.wishes.window is None:
            return options
        window = self.wishes.window
        return replace(options, window=window, overlap=min(options.overlap, window - 1))

    def _sending(self, path: str, inside: str, settings: "Settings") -> Sending:
        folder = joined(self.run.root, path.removesuffix(inside).rstrip("/")).rstrip("/")
        if folder not in self._sendings:
            self._sendings[folder] = Sending(self.run.snapshot, settings.judge.exclude, folder)
        return self._sendings[folder]

    # --- asking

    def all(self, jobs: Sequence[Job], told: Callable[[Asked], None]) -> None:
        """Ask about all documents, and tell of each in order; an interrupt ends that, and is not raised."""
        for job in jobs:
            self.clients.make(self.run.settings_for(job.path)[0])  # who cannot be asked is said before anybody is
        passages = self.account.planned
        if self.wishes.deadline is not None:
            self._ends = time.monotonic() + self.wishes.deadline
        with counting(self.console, "asking", passages, quiet=self.wishes.quiet) as self._bar:
            asyncio.run(self._done(jobs, told))

    async def _done(self, jobs: Sequence[Job], told: Callable[[Asked], None]) -> None:
        free = asyncio.Semaphore(AT_ONCE)

        async def one(job: Job) -> Asked | None:
            async with free:
                return await self._ask(job)

        left = deque([asyncio.ensure_future(one(job)) for job in jobs])
        try:
            with cancelled_once():
                while left:
                    await self._wait_for(left[0])
                    asked = left.popleft().result()
                    if asked is not None:
                        self._take(asked)
                        told(asked)
        finally:
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            await self.clients.close()

    async def _wait_for(self, task: "asyncio.Future[Asked | None]") -> None:
        """Wait for a task; an interrupt ends all runs early, and what they know by then is waited for."""
        while not task.done():
            try:
                await asyncio.wait({task})
            except asyncio.CancelledError:
                self.account.interrupted = True
                for stop in self._stops:
                    stop.end("interrupted", _INTERRUPTED)

    async def _ask(self, job: Job) -> Asked | None:
        if self.account.interrupted:
            return Asked(job.path, job.file, unchecked=(Unchecked(job.path, job.file.name, _INTERRUPTED),))
        async with self._reading:
            subject = await asyncio.to_thread(self.subject, job)
        if subject is None or isinstance(subject, Unchecked):
            return None if subject is None else Asked(job.path, job.file, unchecked=(subject,))
        why, wished = self.why_not(subject)
        if why:
            return self._asked(job, subject, not_asked(subject.plan, why), wished=wished)
        lost = self.clients.of(subject.settings).lost
        if lost is not None:
            return self._asked(job, subject, not_asked(subject.plan, lost[1], lost[0]))
        return self._asked(job, subject, await self._outcome(subject))

    async def _outcome(self, subject: Subject) -> PolicyOutcome:
        client, stop = self.clients.of(subject.settings), Stop()
        if self.account.interrupted:
            stop.end("interrupted", _INTERRUPTED)
        self._stops.add(stop)
        counted, seen = Counted(client), 0

        def progress(each: Progress) -> None:
            nonlocal seen
            if client.lost is not None:
                stop.end(*client.lost)
            if each.round == "screen":
                self._bar.advance(each.passages_done - seen)
                seen = each.passages_done
            elif counted.screened is None:
                counted.screened = counted.sent

        file = subject.plan.file
        known = self.shelf.shelved(file).bands(client.identity)
        try:
            return await run_policy(
                counted,
                subject.plan,
                options=replace(self.options(file), deadline=self._left()),
                memory=self.clients.memory(subject.settings),
                bands=known,
                booking=self.clients.booking(subject.settings),
                progress=progress,
                stop=stop,
            )
        finally:
            self._stops.discard(stop)
            self.account.requests += counted.sent
            self.account.screened += counted.sent if counted.screened is None else counted.screened

    def _left(self) -> float | None:
        return None if self._ends is None else max(_LEAST_SECONDS, self._ends - time.monotonic())

    # --- what it came to

    def _asked(self, job: Job, subject: Subject, outcome: PolicyOutcome, *, wished: bool = False) -> Asked:
        levels = Levels(subject.inside, subject.settings, tracked=is_tracked(subject.document, self.run.snapshot))
        ignores = find_ignores(subject.document, subject.text)
        places = Places(subject.text)
        told = []
        for each in told_of(outcome):
            if ignores.comments and ignores.covers(each.told.code, places.line(each.told.start)) is not None:
                continue
            finding = as_finding(each.told, levels)
            if finding is not None:
                told.append(Telling(finding, each))
        unchecked = tuple(_unchecked(job, outcome, wished=wished))
        return Asked(job.path, job.file, subject.text, subject.sha256, outcome, tuple(told), unchecked)

    def _take(self, asked: Asked) -> None:
        """Count what came of a document."""
        account, report = self.account, asked.report
        account.documents.add(asked.path)
        account.policies[asked.file.path, asked.file.name] = None
        account.unchecked += asked.unchecked
        account.severities.update(each.finding.severity for each in asked.told)
        account.passages += len(asked.pieces)
        if asked.outcome is None or report is None:
            return
        account.checked += len(asked.pieces) - asked.outcome.passages_unchecked
        account.recalled += report.recalled
        account.models |= dict.fromkeys(report.models)
        account.verdicts.update(each.verdict for each in report.findings)
        if asked.outcome.identity:
            account.judges[asked.outcome.identity] = None
        if report.usage is not None:
            account.counted = True
            account.tokens_in += report.usage.input_tokens
            account.tokens_out += report.usage.output_tokens
        account.warnings += [each for each in asked.outcome.stale if each not in account.warnings]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What went otherwise than a person may think, a sentence without a full stop each."""
        lines = [*self.account.warnings, *self.clients.warnings]
        if self.account.interrupted:
            kept = "what was answered is kept, and a second run asks for the rest"
            lines.append(f"interrupted: {kept if self.wishes.cached else 'nothing is kept of what was answered'}")
        return tuple(lines)

    def tell_warnings(self) -> None:
        """Say on standard error what else a person should know; for JSON also what was not checked."""
        errors = errors_of(self.console)
        for line in (*(() if self.wishes.output == "text" else self.account.told_unchecked()), *self.warnings):
            errors.print(Text(f"cite-lsp: {visible(line)}"), highlight=False)


def _unchecked(job: Job, outcome: PolicyOutcome, *, wished: bool) -> Iterator[Unchecked]:
    """Give what was not checked, one for each reason and concern."""
    groups: dict[tuple[str, str, bool], list[Piece]] = {}
    for each in outcome.unchecked:
        stays = each.cause == "withheld" and each.why != NO_INPUT and not each.why.endswith(_ASK_ANYWAY)
        as_wished = wished or stays
        groups.setdefault((each.why, each.concern or "", as_wished), []).append(each.piece)
    for (why, concern, as_wished), pieces in groups.items():
        ids, lines = tuple(each.id for each in pieces), tuple(each.line for each in pieces)
        yield Unchecked(job.path, job.file.name, why, ids, lines, concern, as_wished)


def _read_input(path: str | None, run: Run) -> str | None:
    if path is None:
        return None
    full = absolute(path)
    if Sending(run.snapshot, run.settings.judge.exclude, run.root).document(full):
        raise UsageError(f"--input {path} is under judge.exclude, so nothing can be asked beside it")
    read = read_any(full)
    if isinstance(read, Unread):
        raise UsageError(f"--input {path} {read.reason}")
    return read.text
