"""The judge over all documents of the workspace folders, closed ones too: read in a thread, some at a time."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from cite_lsp.audit.judgement import Judged, Judgement
from cite_lsp.audit.meta import OUTCOMES, Outcome, meta_of, outcome
from cite_lsp.audit.rows import audited_hash
from cite_lsp.audit.selecting import AuditRow, select_rows
from cite_lsp.audit.verdicts import LABELS, Verdict
from cite_lsp.document.document import Document
from cite_lsp.findings.reading import as_of_setting, parse_document, scope_of
from cite_lsp.judges.sending import Sending
from cite_lsp.server.commit_book import CommitBook
from cite_lsp.server.histories import question_of
from cite_lsp.server.judges import leaves
from cite_lsp.server.judging import Run, withheld
from cite_lsp.server.open_document import Place, relative
from cite_lsp.server.progress import Progress
from cite_lsp.server.row_book import KeyedRow, keyed
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.baseline_data import written_from_data
from cite_lsp.snapshot.lines import Unread
from cite_lsp.snapshot.snapshot import Snapshot
from cite_lsp.worker.client import WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.audit.judgement import AskingJudge
    from cite_lsp.server.session import Session

log = logging.getLogger(__name__)

_TURN = 0.003
"""Seconds after which others have their turn while documents are looked for."""
_ROWS_AT_ONCE = 64
_DOCUMENTS_AT_ONCE = 16
_REQUEST_FAILED = -32803


@dataclass(slots=True)
class _Read:
    """A document that was read: its rows in the audit's order, each with what is to be judged of it."""

    place: Place
    hash: str
    rows: tuple[AuditRow, ...]
    planned: list[KeyedRow | Judged | None]


@dataclass(slots=True)
class _Tally:
    """What was found so far."""

    labels: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[Outcome] = field(default_factory=Counter)

    def to_data(self, total: int, *, cancelled: bool) -> dict[str, Any]:
        """Give the answer of the command; documents that were not come to count as not judged."""
        counted = Counter(self.outcomes)
        counted["not-judged"] += total - counted.total()
        return {
            "rows": self.labels.total(),
            "labels": {label: self.labels[label] for label in LABELS},
            "documents": {word: counted[word] for word in OUTCOMES},
            "cancelled": cancelled,
        }


class JudgingAll:
    """Runs over the workspace of a session, one at a time."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._running = False

    async def run(self) -> dict[str, Any]:
        """Judge all documents; give the counts of labels and of the documents' outcomes.

        What is known is not asked again. Documents that are open show what was said.
        """
        if self._running:
            raise JsonRpcException("the workspace is being judged already", _REQUEST_FAILED)
        self._running = True
        try:
            return await self._run()
        finally:
            self._running = False

    async def _run(self) -> dict[str, Any]:
        session = self._session
        session.settle()
        await session.rounds.listed(session.workspace)
        if session.workspace.held_back and session.workspace.error:
            raise JsonRpcException(f"nothing was judged: {session.workspace.error}", _REQUEST_FAILED)
        places = await self._places()
        run, tally = Run(), _Tally()
        progress = Progress(session.server, "Judging the workspace", len(places), "documents", run.end)
        progress.begin(0 if any(leaves(place.settings) for place in places) else 0.5)
        done = 0
        try:
            async for some in self._reading(places, run):
                await self._judge([each for each in some if each is not None], run, tally)
                done += len(some)
                progress.report(done)
                if run.ended:
                    break
        finally:
            progress.end("stopped" if run.ended else f"{len(places):,} documents")
        for document in list(session.documents.values()):
            if document.place is not None and document.place.settings.judge.run != "off":
                session.rounds.start(document, known_only=run.ended or leaves(document.place.settings))
        return tally.to_data(len(places), cancelled=run.ended)

    # --- which documents

    async def _places(self) -> list[Place]:
        """Give the documents of the workspace folders."""
        space, found = self._session.workspace, []
        turn = time.perf_counter() + _TURN
        for index in space.snapshot.indexes:
            if index.root not in space.roots:
                continue
            for path in index.paths:
                if time.perf_counter() > turn:
                    await asyncio.sleep(0)
                    turn = time.perf_counter() + _TURN
                place = self._place(index.root, path)
                if place is not None:
                    found.append(place)
        return found

    def _place(self, root: str, path: str) -> Place | None:
        full = f"{root}/{path}"
        if self._session.workspace.holds(full) != root:
            return None  # a folder inside a folder: it is the inner one's
        loaded = self._session.settings.of(full, root)
        inside = relative(full, loaded.root if loaded.project_file is not None else root)
        if not loaded.settings.is_document(inside):
            return None
        return Place(self._session.workspace, root, path, loaded, inside)

    # --- reading

    async def _reading(self, places: Sequence[Place], run: Run) -> "Any":  # noqa: ANN401 - an asynchronous generator
        """Give documents as they are read, so many together that a question is worth it; None for one not judged."""
        reader = _Reader(self._session)
        some: list[_Read | None] = []
        rows = 0
        for place in places:
            if run.ended:
                return
            now = self._place(place.root, place.path)  # under the settings as they are by now
            read = await self._read(reader, now) if now is not None and now.settings.judge.run != "off" else None
            some.append(read)
            rows += len(read.rows) if read is not None else 0
            if rows >= _ROWS_AT_ONCE or len(some) >= _DOCUMENTS_AT_ONCE:
                yield some
                some, rows = [], 0
        if some:
            yield some

    async def _read(self, reader: "_Reader", place: Place) -> _Read | None:
        parsed = await asyncio.to_thread(reader.parse, place)
        if parsed is None:
            return None
        written: Sequence[Written] = ()
        if place.settings.drift.enabled and _is_about_the_past(parsed, place):
            written = await self._written(reader, place, parsed)
        return await asyncio.to_thread(reader.read, place, parsed, written)

    async def _written(self, reader: "_Reader", place: Place, document: Document) -> Sequence[Written]:
        """Give what citations meant as of the commit that they are read at; nothing where that is not known."""
        question = question_of(place, document.text, len(document.anchors))
        try:
            answer = await self._session.worker.call("baselines", **question)
        except (WorkerLost, WorkerFailed) as error:
            log.warning("the history of a document could not be read: %s", error)
            return ()
        reader.books[place.root].take_files(answer.get("files", {}))
        written = written_from_data(answer.get("written", ()), place.root)
        return written if len(written) == len(document.anchors) else ()

    # --- judging

    async def _judge(self, documents: Sequence[_Read], run: Run, tally: _Tally) -> None:
        """Ask the judges of some documents what is not known, and count."""
        by_judge: dict[str, tuple[AskingJudge | None, list[_Read]]] = {}
        for each in documents:
            await self._session.judges.load(each.place.settings)
            judge = self._session.judging.judge_of(each.place)
            by_judge.setdefault(judge.identity if judge is not None else "", (judge, []))[1].append(each)
        for judge, those in by_judge.values():
            unknown: dict[str, KeyedRow] = {}
            if judge is not None and not run.ended:
                unknown = self._session.judging.unknown(judge, _rows(those))
            judgement = Judgement(())
            if unknown and judge is not None:
                judgement = await self._session.judging.ask(run, judge, unknown) or judgement
            for each in those:
                self._count(each, judge, judgement, tally)

    def _count(self, read: _Read, judge: "AskingJudge | None", judgement: Judgement, tally: _Tally) -> None:
        judging = self._session.judging
        said = [judging.word(each, judge) for each in read.planned]
        answers = tuple([answer for row, answer in zip(read.rows, said, strict=True) if row.row is not None])
        verdicts: list[Verdict] = [
            row.known or (answer.verdict if answer is not None else Verdict("unchecked"))
            for row, answer in zip(read.rows, said, strict=True)
        ]
        troubles = judgement.troubles if None in answers else ()
        own = Judgement(answers, troubles=troubles)
        meta = meta_of(read.rows, verdicts, own, read.place.settings.audit, read.hash, invoked=bool(answers))
        tally.outcomes[outcome(meta)] += 1
        tally.labels.update(verdict.label for verdict in verdicts)


def _is_about_the_past(document: Document, place: Place) -> bool:
    """Say whether citations of a document may be read as of a commit: those of a record, and links to one."""
    record = as_of_setting(place.settings, place.inside)
    return bool(document.anchors) and (bool(record) or any(anchor.repository for anchor in document.anchors))


def _rows(documents: Sequence[_Read]) -> Iterator[KeyedRow]:
    return (each for read in documents for each in read.planned if isinstance(each, KeyedRow))


class _Reader:
    """Reads documents and makes their rows, in another thread: its snapshots are its own."""

    def __init__(self, session: "Session") -> None:
        space = session.workspace
        self._held_back = space.held_back
        self._snapshots: Mapping[str, Snapshot] = {
            root: space.apart(root, scope_of(session.settings.of(f"{root}/", root).settings)) for root in space.roots
        }
        self.books = {root: CommitBook() for root in space.roots}
        """Files as they were, by root."""
        for root, snapshot in self._snapshots.items():
            snapshot.commits = self.books[root]
        self._sending: dict[tuple[str, str, tuple[str, ...]], Sending] = {}

    def parse(self, place: Place) -> Document | None:
        """Read a document; None where it cannot be read."""
        settings, snapshot = place.settings, self._snapshots[place.root]
        text = snapshot.read_document(place.root, place.path, settings.files.max_document_bytes)
        if isinstance(text, Unread):
            return None
        return parse_document(text.text, place.path, snapshot.known, settings)

    def read(self, place: Place, document: Document, written: Sequence[Written]) -> _Read:
        """Cut out what a document cites. `written`: of each citation, where some are read as of a commit."""
        settings, snapshot = place.settings, self._snapshots[place.root]
        resolutions = [
            past.resolution or snapshot.resolve(anchor, document)
            for anchor, past in zip(document.anchors, written, strict=False)
        ]
        rows = select_rows(document, snapshot, settings.audit, resolutions=resolutions)
        sending = self._sending_of(place, snapshot) if leaves(settings) else None
        whole = sending.document(f"{place.root}/{place.path}") if sending is not None else ""
        planned: list[KeyedRow | Judged | None] = []
        for each in rows:
            why = "" if sending is None or each.row is None else whole or sending.cited(each.resolution)
            planned.append(withheld(why) if why else None if each.row is None else keyed(each.row))
        return _Read(place, audited_hash(document.text), rows, planned)

    def _sending_of(self, place: Place, snapshot: Snapshot) -> Sending:
        folder = place.loaded.root if place.loaded.project_file is not None else place.root
        key = place.root, folder, place.settings.judge.exclude
        if key not in self._sending:
            self._sending[key] = Sending(snapshot, place.settings.judge.exclude, folder)
        return self._sending[key]
