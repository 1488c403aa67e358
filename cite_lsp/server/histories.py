"""Asks the worker about the past of open documents' citations, and lets what they showed count bit by bit."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cite_lsp.document.document import Document
from cite_lsp.findings.reading import as_of_setting
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.written_book import Places
from cite_lsp.snapshot.baseline_data import written_from_data
from cite_lsp.worker.client import Worker, WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_STEP = 0.002
"""Seconds that documents are compared with their past before other messages have their turn."""
_MOST_DEPARTURES = 16
"""Departures that are asked for together: a document that is opened meanwhile waits for no more."""
_RETRY = 15.0
"""Seconds after which a history that was not read is asked for once more."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A document as it was when its past was asked for."""

    document: Document
    text: str
    place: Place
    places: Places


class Histories:
    """The past of all open documents.

    `told` is called when one is known better, `note` when the error changed, `say` with what a person should know.
    """

    def __init__(
        self,
        worker: Worker,
        told: Callable[[OpenDocument], None],
        note: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self.error = ""
        """Why the last question was not answered, a sentence; "" when it was."""
        self._worker = worker
        self._told = told
        self._note = note
        self._say = say
        self._asking: dict[OpenDocument, asyncio.Task[None]] = {}
        self._advancing: dict[OpenDocument, asyncio.Task[None]] = {}
        self._departures: asyncio.Task[None] | None = None
        self._retries: dict[OpenDocument, asyncio.TimerHandle] = {}

    @property
    def busy(self) -> bool:
        """Whether anything is asked or compared."""
        departures = self._departures is not None and not self._departures.done()
        return bool(self._asking or self._advancing or departures)

    def close(self) -> None:
        """Stop everything."""
        for task in (*self._asking.values(), *self._advancing.values()):
            task.cancel()
        for retry in self._retries.values():
            retry.cancel()
        if self._departures is not None:
            self._departures.cancel()

    def forget(self, document: OpenDocument) -> None:
        """Stop what is under way for a document that was closed."""
        for task in (self._asking.pop(document, None), self._advancing.pop(document, None)):
            if task is not None:
                task.cancel()
        retry = self._retries.pop(document, None)
        if retry is not None:
            retry.cancel()

    # --- what git knows

    def ask(self, document: OpenDocument) -> None:
        """Ask for the past of a document's citations, if one of them was not asked for yet."""
        place, parsed = document.place, document.document
        written = document.written
        if place is None or parsed is None or document in self._asking or not (written.wanting or written.outdated):
            return
        if not place.settings.drift.enabled or not document.anchor_count:
            return
        written.follow(parsed)
        places = written.asked([block for block in parsed.blocks if block.anchors])
        asked = _Asked(parsed, document.buffer.text, place, places)
        task = asyncio.ensure_future(self._ask(document, asked))
        self._asking[document] = task
        task.add_done_callback(lambda done: self._ended(document, done))

    def _ended(self, document: OpenDocument, task: "asyncio.Task[None]") -> None:
        if self._asking.get(document) is task:
            del self._asking[document]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._fail(f"the history could not be read: {type(error).__name__}", error)
            self._retry(document)

    def _retry(self, document: OpenDocument) -> None:
        if document not in self._retries:
            self._retries[document] = asyncio.get_running_loop().call_later(_RETRY, self._ask_again, document)

    def _ask_again(self, document: OpenDocument) -> None:
        self._retries.pop(document, None)
        document.written.outdated = True
        self.ask(document)

    def _fail(self, message: str, error: BaseException | None = None) -> None:
        self.error = message
        log.warning("%s", message, exc_info=error)
        self._note()

    async def _ask(self, document: OpenDocument, asked: _Asked) -> None:
        place = asked.place
        count = sum(len(block.anchors) for block, _ in asked.places.blocks)
        answer: Mapping[str, Any] = {"none": "the document is no file"}
        if document.path is not None:
            try:
                answer = await self._worker.call("baselines", **question_of(place, asked.text, count))
                self._answered()
            except (WorkerLost, WorkerFailed) as error:
                answer = {"none": str(error), "unread": True, "later": True}
                self._fail(f"the history could not be read: {error}")
        if answer.get("later"):
            self._retry(document)
        data = answer.get("written", ())
        written = await asyncio.get_running_loop().run_in_executor(None, written_from_data, data, place.root)
        if answer.get("message"):
            self._say(str(answer["message"]))
        if "none" in answer or len(written) != count:
            log.info("no history of a document: %s", answer.get("none", "it was read otherwise"))
            document.written.nothing_known(asked.places, unread=answer.get("unread", "none" not in answer))
        else:
            place.space.commits[place.root].take_files(answer.get("files", {}))
            document.written.take(asked.places, written)
        document.forget_levels()
        self.advance(document)

    def _answered(self) -> None:
        if self.error:
            self.error = ""
            self._note()

    # --- comparing with it

    def advance(self, document: OpenDocument) -> None:
        """Compare what is to be compared, some at a time, and tell when all is done."""
        if document not in self._advancing:
            task = asyncio.ensure_future(self._advance(document))
            self._advancing[document] = task
            task.add_done_callback(lambda done: self._advanced(document, done))

    def _advanced(self, document: OpenDocument, task: "asyncio.Task[None] | None") -> None:
        if self._advancing.get(document) is task:
            del self._advancing[document]

    async def _advance(self, document: OpenDocument) -> None:
        while document.document is not None and document.place is not None:
            document.checks.update(document.document, document.place.snapshot)
            if not document.checks.advance(document.document, document.place.snapshot, _STEP):
                break
            await asyncio.sleep(0)
        self._advanced(document, asyncio.current_task())  # who is told may find that there is more to do by then
        self._told(document)

    # --- when texts went

    def ask_departures(self, documents: Sequence[OpenDocument]) -> None:
        """Ask when texts went of which that was wanted to be known; one round at a time."""
        if self._departures is None or self._departures.done():
            self._departures = asyncio.ensure_future(self._ask_departures(documents))

    async def _ask_departures(self, documents: Sequence[OpenDocument]) -> None:
        books = {
            (document.place.space, document.place.root): document.place.space.commits[document.place.root]
            for document in documents
            if document.place is not None and document.place.root
        }
        for (_, root), book in books.items():
            known = False
            while questions := book.questions():
                for low in range(0, len(questions), _MOST_DEPARTURES):
                    some = questions[low : low + _MOST_DEPARTURES]
                    data = [[list(baseline), anywhere] for baseline, anywhere in some]
                    try:
                        answers = await self._worker.call("departed", root=root, asked=data)
                    except (WorkerLost, WorkerFailed) as error:
                        self._fail(f"the history could not be read: {error}")
                        return
                    book.answer(some, [None if each is None else (each[0], each[1]) for each in answers])
                    known = True
            for document in documents if known else ():
                if document.place is not None and document.place.root == root and document.checks.departures_known():
                    self.advance(document)


def question_of(place: Place, text: str, count: int) -> dict[str, Any]:
    """Give what the worker is asked about the past of a document that has so many citations."""
    anchors = place.settings.anchors
    return {
        "root": place.root,
        "path": place.path,
        "text": text,
        "as_of": as_of_setting(place.settings, place.inside),
        "pattern": anchors.pattern,
        "in_fences": anchors.in_fences,
        "extensions": list(anchors.extensions),
        "foreign": list(anchors.foreign),
        "cache": place.settings.cache.folder,
        "anchors": count,
    }
