"""Policies on save, and by command: the passages of an open file are asked about, and what is found is told there.

Nothing of it is loaded before the settings want it or a person asks for it. A newer save ends the older run; what was
answered by then is kept, so that only passages that nobody has heard of are asked about again. What could not be asked
stays as it was known: it is *not checked*, which the status says, and never *no*.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cite_lsp.audit.judgement import Trouble, Usage
from cite_lsp.server.judging import UNLISTED, Begun, rows_of
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.policy_book import Asked
from cite_lsp.server.policy_clients import NotAsked, PolicyClients
from cite_lsp.server.policy_made import made_of
from cite_lsp.server.policy_runs import PolicyCount, Ran, Run, asked_by, is_about, why_too_large
from cite_lsp.server.policy_shelf import hashes_of, is_not_listed, read_policies, reader_of
from cite_lsp.server.progress import Progress
from cite_lsp.server.uris import key
from cite_lsp.snapshot.ladder import joined
from cite_lsp.worker.giving_back import give_back

if TYPE_CHECKING:
    from cite_lsp.judges.policies import CitedLines, Plan, PolicyClient, PolicyOutcome
    from cite_lsp.policy.files import PolicyFile, PolicyRead
    from cite_lsp.policy.progress import Progress as Progressed
    from cite_lsp.server.session import Session

log = logging.getLogger(__name__)

_WARNING = 2
_AT_ONCE = 64
"""Citations that are read before other messages have their turn."""
_REREAD_REST = 0.1
"""Seconds of rest after which policy files that changed are read again."""
_SILENT = frozenset({"withheld", "cancelled"})
"""Causes that nobody is told of in a message: the status has them."""


class Policies:
    """Runs of policies, one for each open file at most."""

    def __init__(self, session: "Session") -> None:
        """Take the session, which is complete by the time that anything is asked."""
        self.queued = 0
        self.usage = Usage()
        """What was asked in this session."""
        self.clients = PolicyClients(session.judges, secrets=session.server.secrets)
        self._session = session
        self._troubles: dict[OpenDocument, str] = {}
        """Of open files why passages were not checked as they were asked about last, a sentence."""
        self._refused: dict[str | None, str] = {}
        """By the folder of its settings which policy file is not asked as it is faulty, a sentence."""
        self._changes = 0
        """How often policy files may have changed."""
        self._runs: dict[OpenDocument, tuple[Run, asyncio.Task[Ran]]] = {}
        self._reading: asyncio.Task[None] | None = None
        self._changed_again = False
        self._said: dict[str, frozenset[str]] = {}
        """By client the causes that a person was told and that still hold."""

    @property
    def error(self) -> str:
        """Why something was not checked, a sentence; "" when all was."""
        places = [document.place or document.beside for document in self._session.documents.values()]
        refused = [self._refused.get(place.loaded.root, "") for place in places if place is not None]
        return next(filter(None, (*self._troubles.values(), *refused)), "")

    @property
    def busy(self) -> bool:
        """Whether a run is under way, or policy files are being read."""
        return bool(self._runs) or self._reading is not None

    def close(self) -> None:
        """End all runs, and what they ask."""
        for document in list(self._runs):
            self.stop(document)
        if self._reading is not None:
            self._reading.cancel()
        self.clients.close()

    # --- when

    def saved(self, document: OpenDocument) -> None:
        """Ask the policies of a file that was saved, if the user wants that."""
        place = self._place(document)
        if place is not None and place.settings.policies.run == "save":
            self.start(document)

    def start(self, document: OpenDocument, *, by_hand: bool = False) -> "asyncio.Task[Ran]":
        """Ask the policies of a file as it is now; an older run of it ends, unless it is about the same.

        `by_hand`: a person asked for it.
        """
        session = self._session
        session.settle()
        place = self._place(document)
        known = self._runs.get(document)
        if known is not None and place is not None and is_about(known[0], document, place):
            known[0].again = not by_hand  # what is being asked is paid for, and what it cites may have changed
            known[0].by_hand = known[0].by_hand or by_hand
            return known[1]
        self.stop(document)
        if place is None:
            return asyncio.ensure_future(_nothing())
        if document.place is None:
            document.beside = place = replace(place, space=session.space_at(place.root))
        # now: a change that has arrived already may come before the task has its turn
        since = document.policies.begin()
        run = Run(place, document.buffer.text, Begun.of(document), since, by_hand)
        task = asyncio.ensure_future(self._run(document, run))
        self._runs[document] = (run, task)
        task.add_done_callback(lambda done: self._ended(document, run, done))
        return task

    def stop(self, document: OpenDocument) -> None:
        """End the run over a file at once, if there is one: what it has heard is not told."""
        known = self._runs.pop(document, None)
        if known is not None:
            known[1].cancel()

    def end(self, document: OpenDocument) -> None:
        """Have the run over a file ended, if there is one: what it has heard is told."""
        known = self._runs.get(document)
        if known is not None:
            known[0].end()

    def forget(self, document: OpenDocument) -> None:
        """End the run over a file that was closed."""
        self.stop(document)
        self._troubles.pop(document, None)

    def listed(self) -> None:
        """Look over what runs, now that files were listed anew: git may ignore what is being sent."""
        for document, (run, _) in list(self._runs.items()):
            if run.sends and self._why_withheld(run.place):
                self.stop(document)
                asyncio.get_running_loop().call_soon(self._start_anew, document, run.by_hand)

    def _start_anew(self, document: OpenDocument, by_hand: bool) -> None:
        if self._session.documents.get(key(document.uri)) is document:
            self.start(document, by_hand=by_hand)

    async def outcome(self, document: OpenDocument, task: "asyncio.Task[Ran]") -> Ran:
        """Give what a run comes to, or the newer one that has taken its place; cancelling this ends the run softly."""
        while True:
            try:
                return await asyncio.shield(task)
            except asyncio.CancelledError:
                if asyncio.current_task().cancelling():  # type: ignore[union-attr]
                    self.end(document)
                    raise
                newer = self._runs.get(document, (None, task))[1]
                if newer is task:
                    raise
                task = newer

    def placed(self) -> None:
        """Look over what runs and what is shown, now that settings were read anew."""
        for document in self._session.documents.values():
            if document.beside is not None:
                beside = self._place(document)
                document.beside = beside and replace(beside, space=self._session.space_at(beside.root))
            known = self._runs.get(document)
            if known is not None and asked_by(known[0].place) != asked_by(document.place or document.beside):
                self.stop(document)
                if not known[0].by_hand:
                    self.saved(document)
        places = [document.place or document.beside for document in self._session.documents.values()]
        self.clients.close_others([place.settings for place in places if place is not None])
        self._read_soon()

    def files_changed(self, paths: Sequence[str]) -> None:
        """Take note that files changed, appeared or vanished: policies may be among them."""
        if any(path.endswith(".toml") for path in paths):
            self._changes += 1
            self._read_soon()

    def _place(self, document: OpenDocument) -> Place | None:
        """Give where a file is looked at from, be it a document of ours or not; None for one that is no file."""
        if document.place is not None:
            return None if document.refusal else document.place
        return None if document.path is None else self._session.place_beside(document.path)

    # --- which policies

    def _read_soon(self) -> None:
        """Read the policy files again once they rest, where something hangs on them: what is outdated vanishes."""
        if any(map(self._hangs_on_policies, self._session.documents.values())):
            self._session.timers.after_rest("policy files", _REREAD_REST, self._read_now)

    def _hangs_on_policies(self, document: OpenDocument) -> bool:
        place = document.place or document.beside
        refused = place is not None and place.loaded.root in self._refused
        return bool(document.policies.asked) or document in self._runs or refused

    def _read_now(self) -> None:
        if self._reading is not None:
            self._changed_again = True
            return
        self._reading = asyncio.ensure_future(self._read_again())
        self._reading.add_done_callback(self._read_ended)

    def _read_ended(self, task: "asyncio.Task[None]") -> None:
        self._reading = None
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("policy files could not be read: %s", type(error).__name__, exc_info=error)
        if self._changed_again and not task.cancelled():
            self._changed_again = False
            self._read_soon()

    async def _read_again(self) -> None:
        read: dict[tuple[str, int], Sequence[PolicyRead]] = {}
        for document in list(self._session.documents.values()):
            place = document.place or document.beside
            if place is None or not self._hangs_on_policies(document):
                continue
            name = place.loaded.root, id(place.loaded)
            if name not in read:
                read[name] = await self._read(place)
            self._keep_only(document, read[name])
            known = self._runs.get(document)
            if known is not None and known[0].hashes not in (None, hashes_of(read[name])):
                self.stop(document)
                self.start(document, by_hand=known[0].by_hand)

    def _keep_only(self, document: OpenDocument, read: "Sequence[PolicyRead]") -> None:
        if document.policies.keep_only(hashes_of(read)):
            self._told(document)
        if not document.policies.asked:
            self._troubles.pop(document, None)
        self._session.status_soon()

    async def _read(self, place: Place) -> "Sequence[PolicyRead]":
        """Read the policies that the settings of a place name, as they are on disk, in a thread."""
        index = next((each for each in place.snapshot.indexes if each.root == place.root), None)
        paths = index.paths if index is not None else ()
        changes = -1
        while changes != self._changes:  # what was read meanwhile may be as it was before
            changes = self._changes
            read = await asyncio.to_thread(read_policies, place, paths)
        self._refused.pop(place.loaded.root, None)
        for each in read:
            if each.file is None:
                self._refused.setdefault(place.loaded.root, f"{each.path} is faulty, so it is not asked")
        return read

    # --- one run

    async def _run(self, document: OpenDocument, run: Run) -> Ran:
        await self._session.rounds.listed(run.place.space)
        await self.clients.load(run.place.settings)
        from cite_lsp.judges.policies import applies  # noqa: PLC0415 - it is loaded by now

        read = await self._read(run.place)
        self._keep_only(document, read)
        run.hashes = hashes_of(read)
        run.ran.refused = [each.path for each in read if each.file is None]
        is_document = document.place is not None
        known = [each.file for each in read if each.file is not None]
        files = [file for file in known if applies(file, run.place.inside, is_document=is_document)]
        trouble = ""
        if files and not is_document and (trouble := why_too_large(document, run.place)):
            run.ran.why = trouble
        elif files:
            await self._list_a_new_file(run.place)
            plans = [await self._plan(document, run, file) for file in files]
            outcomes = await self._ask(document, run, plans)
            trouble = next((each.message for each in _loud(outcomes)), "")
        self._troubles[document] = trouble
        self._session.status_soon()
        return run.ran

    async def _list_a_new_file(self, place: Place) -> None:
        """Have the files listed once more where a file is not among them: it is new, or git ignores it."""
        if is_not_listed(place):
            await place.space.list_now()

    def _ended(self, document: OpenDocument, run: Run, task: "asyncio.Task[Ran]") -> None:
        document.policies.end(run.since)
        self.queued -= run.queued
        if self._runs.get(document, (None, None))[0] is run:
            del self._runs[document]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._troubles[document] = f"asking policies failed: {type(error).__name__}"
            log.error("%s", self._troubles[document], exc_info=error)
        if run.again and not task.cancelled():
            asyncio.get_running_loop().call_soon(self._save_again, document)
        if not task.cancelled():  # whoever has cancelled it tells what there is
            self._session.status_soon()
            if not self._runs:
                asyncio.get_running_loop().run_in_executor(None, give_back)

    def _save_again(self, document: OpenDocument) -> None:
        if self._session.documents.get(key(document.uri)) is document and document not in self._runs:
            self.saved(document)

    def _count(self, run: Run, queued: int) -> None:
        self.queued += queued - run.queued
        run.queued = queued
        self._session.status_soon()

    # --- what is asked about

    async def _plan(self, document: OpenDocument, run: Run, file: "PolicyFile") -> "Plan":
        from cite_lsp.judges.policies import plan  # noqa: PLC0415 - it is loaded by now

        place = run.place
        await self._session.rounds.listed(place.space)
        why = self._why_withheld(place)
        run.sends = not why
        cited: Sequence[CitedLines] | None = None
        if file.input == "cited" and run.begun is not None and not why:
            cited = await self._cited(document, run.begun, run.place)
        return await asyncio.to_thread(plan, file, run.text, place.path, withheld=why, cited=cited)

    def _why_withheld(self, place: Place) -> str:
        """Say why nothing of a file is sent, a sentence without a full stop; "" where it may be."""
        if place.space.held_back or place.space.rules_changed:
            return UNLISTED
        return self._session.judging.sending(place, place.snapshot).named_document(joined(place.root, place.path))

    async def _cited(self, document: OpenDocument, begun: Begun, place: Place) -> "Sequence[CitedLines]":
        """Read what the citations of a document lead to, some at a time."""
        from cite_lsp.judges.policies import cited_by  # noqa: PLC0415 - it is loaded by now

        sending = self._session.judging.sending(place, begun.snapshot)
        anchors = iter(begun.document.anchors)
        found: list[CitedLines] = []
        for made in await rows_of(document, begun):
            resolutions = begun.checked[id(made.block)].known.resolutions
            for row, resolution in zip(made.rows, resolutions, strict=True):
                found.append(cited_by(next(anchors).start, None if row is None else row.row, resolution, sending))
                if len(found) % _AT_ONCE == 0:
                    await asyncio.sleep(0)
        return found

    # --- asking

    async def _ask(self, document: OpenDocument, run: Run, plans: "Sequence[Plan]") -> "list[PolicyOutcome]":
        """Ask about each plan, and tell what each came to as it comes."""
        from cite_lsp.judges.policies import not_asked  # noqa: PLC0415 - it is loaded by now

        settings = run.place.settings
        try:
            client = self.clients.of(settings)
        except NotAsked as error:
            run.ran.why = str(error)
            outcomes = [not_asked(planned, run.ran.why) for planned in plans]
            for outcome in outcomes:
                await self._take(document, run, outcome)
            if not run.by_hand:
                self._say_new("nobody", _loud(outcomes))
            return outcomes
        progress = self._progress(run, plans)
        outcomes = []
        done = 0
        try:
            for planned in plans:
                outcomes.append(await self._asked(document, run, client, planned, _Told(self, run, progress, done)))
                done += len(planned.source.passages)
        finally:
            progress.end("stopped" if run.ran.ended else f"{done:,} passages")
        self._say_new(client.identity, _loud(outcomes))
        self._say_new("kept answers", [Trouble(message, message) for message in self.clients.messages])
        return outcomes

    def _progress(self, run: Run, plans: "Sequence[Plan]") -> Progress:
        total = sum(len(planned.source.passages) for planned in plans)
        self._count(run, total)
        progress = Progress(self._session.server, f"Asking about {run.place.path}", total, "passages", run.end)
        progress.begin()
        return progress

    async def _asked(
        self,
        document: OpenDocument,
        run: Run,
        client: "PolicyClient",
        planned: "Plan",
        told: "_Told",
    ) -> "PolicyOutcome":
        from cite_lsp.judges.policies import bands_of, not_asked, run_policy  # noqa: PLC0415 - it is loaded by now
        from cite_lsp.policy.progress import Stop  # noqa: PLC0415

        if run.ran.ended:
            outcome = not_asked(planned, "the run was ended before this was asked", "cancelled")
        else:
            run.stop = Stop()
            place = run.place
            reader = reader_of(place)
            bands = await asyncio.to_thread(bands_of, planned.file, client.identity, reader)
            outcome = await run_policy(
                client,
                planned,
                memory=self.clients.answers(place.settings).of(client.identity),
                bands=bands,
                booking=self.clients.booking(place.settings),
                progress=told.take,
                stop=run.stop,
            )
            run.stop = None
            for stale in outcome.stale[:1]:
                self._session.reports.say_once(stale)
            report = outcome.report
            tokens = (report.usage.input_tokens, report.usage.output_tokens) if report.usage else (0, 0)
            self.usage += Usage(report.requests, *tokens)
        await self._take(document, run, outcome)
        return outcome

    # --- what it came to

    async def _take(self, document: OpenDocument, run: Run, outcome: "PolicyOutcome") -> None:
        """Take what a policy came to, and tell it."""
        from cite_lsp.findings.policing import codes_of, why_unchecked  # noqa: PLC0415 - it is loaded by now

        planned, file = outcome.plan, outcome.plan.file
        made = await asyncio.to_thread(made_of, outcome, run.text)
        codes = frozenset(codes_of(file).values())
        why = why_unchecked(outcome.unchecked)
        asked = Asked(file.hash, codes, len(planned.pieces), outcome.passages_unchecked, why)
        book = document.policies
        book.place(made.spots, run.since, document.buffer.lines, run.place.path)
        book.take(file.name, asked, made.found, made.unknown)
        found = len(made.found) - made.review
        count = PolicyCount(file.name, asked.passages, asked.unchecked, found, made.review, why)
        run.ran.counts.append(count)
        log.info("policy %s: %d passages, %d unchecked", file.name, asked.passages, asked.unchecked)
        self._told(document)

    def _told(self, document: OpenDocument) -> None:
        session = self._session
        if session.documents.get(key(document.uri)) is document:
            document.published_version = None  # who waits for the outcome of a save is told, though it be the same
            session.touch(document)

    def _say_new(self, client: str, troubles: Sequence[Trouble]) -> None:
        """Tell causes that were not there when it was asked before, each once."""
        before, self._said[client] = self._said.get(client, frozenset()), frozenset(each.cause for each in troubles)
        for cause in dict.fromkeys(each.cause for each in troubles if each.cause not in before):
            those = [each for each in troubles if each.cause == cause]
            rows = sum(each.rows for each in those)
            left = f"; {rows:,} passage{'s were' if rows > 1 else ' was'} not checked" if rows else ""
            params = {"type": _WARNING, "message": f"cite-lsp: {those[0].message}{left}"}
            self._session.server.send_raw("window/showMessage", params)


class _Told:
    """Tells how far a run is, of policies that are asked one after the other."""

    def __init__(self, policies: Policies, run: Run, progress: Progress, before: int) -> None:
        """`before`: how many passages the policies before this one had."""
        self._policies = policies
        self._run = run
        self._progress = progress
        self._before = before
        self._total = run.queued + before

    def take(self, how_far: "Progressed") -> None:
        """Take how far a round is; the second one is about few."""
        if how_far.round == "screen":
            done = self._before + how_far.passages_done
            self._policies._count(self._run, max(self._total - done, 0))
            self._progress.report(done)


def _loud(outcomes: "Sequence[PolicyOutcome]") -> list[Trouble]:
    """Give why passages were not checked, where a person should hear of it."""
    return [trouble for each in outcomes for trouble in each.troubles if trouble.cause not in _SILENT]


async def _nothing() -> Ran:
    return Ran()
