"""The judge on save: rows that are not known are asked, verdicts come back bit by bit and are told.

A newer save ends the older run; what was heard by then is kept. Until a run is done the verdicts of the one before
stand beside those that it has brought so far.
"""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from cite_lsp.audit.judgement import Judged, Judgement, Trouble, Usage
from cite_lsp.audit.verdicts import Verdict
from cite_lsp.document.document import Block, Document, Piece
from cite_lsp.judges.sending import Sending
from cite_lsp.server.checks import BlockChecked, PieceChecked
from cite_lsp.server.judges import Judges, NoJudge, leaves
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.progress import SOON, Progress
from cite_lsp.server.row_book import BlockRows, KeyedRow, keyed
from cite_lsp.server.verdicts import Said
from cite_lsp.snapshot.snapshot import Snapshot

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge
    from cite_lsp.server.protocol import Server

log = logging.getLogger(__name__)

_TURN = 0.002
"""Seconds that rows are made, or sentences cut, before other messages have their turn."""
_PLANNED_AT_ONCE = 256
"""Blocks of which it is said what is to be judged before other messages have their turn."""
_MOST_VERDICTS = 50_000
_PARTS = 0.2
"""Seconds between two publishes of what was heard while a run goes on."""
_FEW = 8
"""So many rows are asked elsewhere before it is told at once how far that is."""
_WARNING = 2
UNLISTED = "it is not known yet which files git ignores, so nothing was sent to the judge"


@dataclass(frozen=True, slots=True)
class Begun:
    """A document as it was when its run was started."""

    document: Document
    snapshot: Snapshot
    checked: Mapping[int, BlockChecked]
    pieces: Mapping[Piece, PieceChecked]
    place: Place

    @classmethod
    def of(cls, document: OpenDocument) -> "Begun | None":
        """Give a document that was checked as it is now; None for what is no document of ours."""
        if document.document is None or document.place is None:
            return None
        checks, place = document.checks, document.place
        return cls(document.document, place.snapshot, checks.blocks, dict(checks.pieces), place)


Planned: TypeAlias = KeyedRow | Judged | None
"""What is to be judged of one citation: a row; that its text is withheld, and why; nothing."""


@dataclass(slots=True)
class Run:
    """One run over a document."""

    blocks: list[tuple[Block, list[Planned]]] = field(default_factory=list)
    judge: "AskingJudge | None" = None
    asked: int = 0
    heard: int = 0
    news: bool = False
    """Whether something was heard that was not told yet."""
    ended: bool = False
    """Whether a person has ended it."""
    asking: "asyncio.Task[Judgement] | None" = None
    timer: asyncio.TimerHandle | None = None

    def end(self) -> None:
        """End it: nothing more is asked, what was heard is told."""
        self.ended = True
        if self.asking is not None:
            self.asking.cancel()


class Judging:
    """Runs of judges, one for each document at most.

    `told` is called when a run has ended, `heard` when it has brought something meanwhile; `note` when the counts of
    `queued`, `error` or `usage` changed.
    """

    def __init__(
        self,
        server: "Server",
        judges: Judges,
        told: Callable[[OpenDocument], None],
        heard: Callable[[OpenDocument], None],
        note: Callable[[], None],
    ) -> None:
        self.error = ""
        """Why rows of the last run were not answered, a sentence; "" when all were."""
        self.queued = 0
        self.usage = Usage()
        """What was asked elsewhere in this session."""
        self.declined = 0
        """Rows that the limits of a day left unasked in this session."""
        self._server = server
        self._judges = judges
        self._told = told
        self._heard = heard
        self._note = note
        self._runs: dict[OpenDocument, asyncio.Task[Counter[str]]] = {}
        self._outdated: set[OpenDocument] = set()
        """Documents with a run under way that hangs on lines which have changed since."""
        self._verdicts: OrderedDict[str, Judged] = OrderedDict()
        """By the key of the row."""
        self._said: dict[str, frozenset[str]] = {}
        """By judge the causes that a person was told and that still hold."""

    def start(self, document: OpenDocument, *, known_only: bool = False) -> "asyncio.Task[Counter[str]]":
        """Judge a document as it is now; an older run of it ends.

        `known_only`: nobody is asked. Then a run that is under way is not ended, but looked over when it is done.
        """
        under_way = self._runs.get(document)
        if known_only and under_way is not None:
            self._outdated.add(document)
            return under_way
        self.stop(document)
        begun = Begun.of(document)  # now: a change that has arrived already may come before the task has its turn
        task = asyncio.ensure_future(self._run(document, begun, known_only=known_only))
        self._runs[document] = task
        task.add_done_callback(lambda done: self._ended(document, done))
        return task

    def stop(self, document: OpenDocument) -> None:
        """End the run of a document, if there is one."""
        self._outdated.discard(document)
        task = self._runs.pop(document, None)
        if task is not None:
            task.cancel()

    def forget(self, document: OpenDocument) -> None:
        """End the run of a document that was closed."""
        self.stop(document)

    def forget_verdicts(self) -> None:
        """Forget what was said: who is judged next is asked again."""
        self._verdicts.clear()

    def close(self) -> None:
        """End all runs, and what they ask."""
        for document in list(self._runs):
            self.stop(document)
        self._judges.close()

    def is_judging(self, document: OpenDocument) -> bool:
        """Whether a run over a document is under way."""
        return document in self._runs

    async def outcome(self, document: OpenDocument, run: "asyncio.Task[Counter[str]]") -> "Counter[str]":
        """Give the counts that a run comes to, or the newer one that has taken its place; cancelling ends the run."""
        while True:
            try:
                return await run
            except asyncio.CancelledError:
                newer = self._runs.get(document, run)
                if newer is run or asyncio.current_task().cancelling():  # type: ignore[union-attr]
                    raise
                run = newer

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return bool(self._runs)

    def _ended(self, document: OpenDocument, task: "asyncio.Task[Counter[str]]") -> None:
        if self._runs.get(document) is task:
            del self._runs[document]
            if document in self._outdated:
                self._outdated.discard(document)
                self._server.session.rounds.start(document, known_only=True)  # what is checked may be behind
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.error = f"the judge failed: {type(error).__name__}"
            log.error("%s", self.error, exc_info=error)
            self._note()

    # --- one run

    async def _run(self, open_document: OpenDocument, begun: "Begun | None", *, known_only: bool) -> Counter[str]:
        if begun is None:
            return Counter()
        await self._judges.load(begun.place.settings)
        run = Run(judge=self.judge_of(begun.place))
        blocks = await rows_of(open_document, begun)
        await prepare(open_document.verdicts, blocks)
        run.blocks = await self._planned(begun, blocks, run.judge)
        judge = run.judge
        if judge is not None and not known_only:
            rows = self.unknown(judge, _rows(run))
            if rows:
                await self._ask(open_document, run, judge, rows)
            else:
                self.error = ""
        outcome = [(block, [self.word(each, judge) for each in planned]) for block, planned in run.blocks]
        open_document.verdicts.take(outcome)
        open_document.counts = _count(outcome, run)
        open_document.decided = _is_decided(outcome, begun)
        log.info("judged a document: %s, %d rows asked", dict(open_document.counts), run.asked)
        self._told(open_document)
        return open_document.counts

    def judge_of(self, place: Place) -> "AskingJudge | None":
        """Give the judge of a place; where there is none, say why, once."""
        try:
            return self._judges.of(place.settings)
        except NoJudge as error:
            self.error = str(error)
            self._say_new(f"none {place.settings.judge.name}", [Trouble(str(error), str(error))])
            self._note()
            return None

    async def _planned(
        self, begun: Begun, blocks: Sequence[BlockRows], judge: "AskingJudge | None"
    ) -> list[tuple[Block, list[Planned]]]:
        """Say of each citation what is to be judged: those of a sample only, where the settings say so."""
        sample = await self._sample(begun)
        place = begun.place
        sending = self.sending(place, begun.snapshot) if judge is not None and leaves(place.settings) else None
        if sample is None and sending is None:
            return [(made.block, list(made.rows)) for made in blocks]
        document = f"{place.root}/{place.path}" if place.root else place.path
        whole = (
            ""
            if sending is None
            else UNLISTED
            if place.space.held_back or place.space.rules_changed
            else sending.document(document)
        )
        planned: list[tuple[Block, list[Planned]]] = []
        first = 0
        for number, made in enumerate(blocks):
            words: list[Planned] = []
            for index, row in enumerate(made.rows):
                chosen = row if sample is None else sample.get(first + index)
                if chosen is not None and sending is not None:
                    why = whole or sending.cited(begun.checked[id(made.block)].known.resolutions[index])
                    words.append(withheld(why) if why else chosen)
                else:
                    words.append(chosen)
            planned.append((made.block, words))
            first += len(made.rows)
            if number % _PLANNED_AT_ONCE == _PLANNED_AT_ONCE - 1:
                await asyncio.sleep(0)
        return planned

    def sending(self, place: Place, snapshot: Snapshot) -> Sending:
        """Give what says which texts may be sent."""
        folder = place.loaded.root if place.loaded.project_file is not None else place.root
        return Sending(snapshot, place.settings.judge.exclude, folder)

    async def _sample(self, begun: Begun) -> dict[int, KeyedRow] | None:
        """Give the rows of the sample by the numbers of their anchors; None where all are judged."""
        options = begun.place.settings.audit
        if options.scope == "all":
            return None
        from cite_lsp.audit.selecting import select_rows  # noqa: PLC0415 - few have it

        resolutions = [
            resolution
            for block in begun.document.blocks
            if block.anchors
            for resolution in begun.checked[id(block)].known.resolutions
        ]
        rows = select_rows(begun.document, begun.snapshot, options, resolutions=resolutions)
        await asyncio.sleep(0)
        return {each.index: keyed(each.row) for each in rows if each.row is not None}

    # --- asking

    async def _ask(self, document: OpenDocument, run: Run, judge: "AskingJudge", rows: Mapping[str, KeyedRow]) -> None:
        """Ask about rows; what comes back is kept though the run be ended."""
        title = f"Judging {document.place.path}" if document.place is not None else "Judging"
        progress = Progress(self._server, title, len(rows), "citations", run.end)
        progress.begin(0 if judge is not self._judges.local and len(rows) > _FEW else SOON)
        run.timer = asyncio.get_running_loop().call_later(_PARTS, self._tell_part, document, run, progress)
        try:
            await self.ask(run, judge, rows)
        finally:
            run.timer.cancel()
            progress.end("stopped" if run.ended else f"{run.heard:,} of {run.asked:,} citations")

    def unknown(self, judge: "AskingJudge", rows: Iterable[KeyedRow]) -> dict[str, KeyedRow]:
        """Give the rows that a judge has not been heard of, by their keys, those that are the same once."""
        return {key: row for row in rows if (key := row.key_for(judge)) not in self._verdicts}

    async def ask(self, run: Run, judge: "AskingJudge", rows: Mapping[str, KeyedRow]) -> Judgement | None:
        """Ask a judge about rows by their keys, and note what that took and what went wrong.

        None where a person ended it; what was heard by then is known all the same.
        """
        keys = list(rows)
        run.asked, run.heard = len(keys), 0
        self.queued += len(keys)
        self._note()
        run.asking = asyncio.ensure_future(
            judge.ask([row.row for row in rows.values()], partial(self._hear, run, keys, set()))
        )
        try:
            judgement = await run.asking
            self._take(judge, judgement, run)
        except asyncio.CancelledError:
            if not run.ended or asyncio.current_task().cancelling():  # type: ignore[union-attr]
                raise
            return None
        else:
            return judgement
        finally:
            self.queued -= run.asked - run.heard
            self._note()

    def _hear(self, run: Run, keys: Sequence[str], known: set[int], index: int, judged: Judged) -> None:
        if index not in known:  # the worker may say it again, after it was lost
            known.add(index)
            run.heard += 1
            self.queued -= 1
        run.news = True
        self._verdicts[keys[index]] = judged
        while len(self._verdicts) > _MOST_VERDICTS:
            self._verdicts.popitem(last=False)

    def _tell_part(self, document: OpenDocument, run: Run, progress: Progress) -> None:
        """Have told what was heard since the last time."""
        run.timer = asyncio.get_running_loop().call_later(_PARTS, self._tell_part, document, run, progress)
        progress.report(run.heard)
        if not run.news:
            return
        run.news = False
        heard = [(block, [self.word(each, run.judge) for each in planned]) for block, planned in run.blocks]
        document.verdicts.hear([(block, words) for block, words in heard if any(words)])
        self._heard(document)
        self._note()

    def word(self, planned: Planned, judge: "AskingJudge | None") -> Judged | None:
        """Give what is known of a citation."""
        if isinstance(planned, KeyedRow):
            return self._verdicts.get(planned.key_for(judge)) if judge is not None else None
        return planned

    def _take(self, judge: "AskingJudge", judgement: Judgement, run: Run) -> None:
        """Note what a run took, and say what went wrong: once for each cause, until it has worked in between."""
        self.usage += judgement.usage
        self.declined += sum(each.rows for each in judgement.troubles if each.cause == "declined")
        self.error = next((each.message for each in judgement.troubles), "")
        if self.error:
            log.warning("%s", self.error)
        if judge is not self._judges.local and (judgement.troubles or run.heard):
            self._say_new(judge.identity, judgement.troubles)
            self._say_new("cache", [Trouble(message, message) for message in self._judges.messages])

    def _say_new(self, judge: str, troubles: Sequence[Trouble]) -> None:
        """Tell causes that were not there when it was asked before: the words may differ each time, by a count say."""
        before, self._said[judge] = self._said.get(judge, frozenset()), frozenset(each.cause for each in troubles)
        for cause in dict.fromkeys(each.cause for each in troubles if each.cause not in before):
            those = [each for each in troubles if each.cause == cause]
            rows = sum(each.rows for each in those)
            left = f"; {rows:,} citation{'s were' if rows > 1 else ' was'} not checked" if rows else ""
            params = {"type": _WARNING, "message": f"cite-lsp: {those[0].message}{left}"}
            self._server.send_raw("window/showMessage", params)


async def rows_of(document: OpenDocument, begun: Begun) -> list[BlockRows]:
    """Give the rows of a document as it was begun with, made some at a time."""
    blocks: list[BlockRows] = []
    until = time.perf_counter() + _TURN
    for made in document.rows.rows(begun.document, begun.snapshot, begun.pieces):
        blocks.append(made)
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + _TURN
    return blocks


async def prepare(words: Said[Any], blocks: Iterable[BlockRows]) -> None:
    """Have the sentences of blocks cut ahead of `Said.take`, some at a time."""
    until = time.perf_counter() + _TURN
    for made in blocks:
        words.prepare(made.block)
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + _TURN


def _rows(run: Run) -> Iterator[KeyedRow]:
    return (each for _, planned in run.blocks for each in planned if isinstance(each, KeyedRow))


def withheld(why: str) -> Judged:
    """Give the word for a citation whose text is not sent."""
    return Judged(Verdict("unchecked", reason=why), time.time())


def _count(outcome: Sequence[tuple[Block, Sequence[Judged | None]]], run: Run) -> Counter[str]:
    """Count the labels; a row that the judge did not come to, or was not shown, is unchecked."""
    labels: Counter[str] = Counter(
        judged.verdict.label for _, verdicts in outcome for judged in verdicts if judged is not None
    )
    rows = sum(each is not None for _, planned in run.blocks for each in planned)
    counted: Counter[str] = Counter({"rows": rows, **labels})
    counted["unchecked"] += rows - sum(labels.values())
    return counted


def _is_decided(outcome: Sequence[tuple[Block, Sequence[Judged | None]]], begun: Begun) -> bool:
    """Say whether every citation that leads to lines has a verdict: else no ignore comment can be called unused."""
    return all(
        judged is not None and judged.verdict.label != "unchecked"
        for block, verdicts in outcome
        for judged, resolution in zip(verdicts, begun.checked[id(block)].known.resolutions, strict=True)
        if resolution.resolved
    )
