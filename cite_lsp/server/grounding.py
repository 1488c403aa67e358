"""Whether what claims name stands in the cited lines: asked of the worker after opening, saving and edits of code."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from cite_lsp.audit.grounding import Grounding, grounding_from_data
from cite_lsp.document.ranges import Span
from cite_lsp.server.judges import data_of
from cite_lsp.server.judging import Begun, prepare, rows_of
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.row_book import BlockRows, KeyedRow
from cite_lsp.worker.client import Worker, WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_AT_ONCE = 64
"""Rows that go to the worker together."""
_MOST_UNUSED = 2_000
"""Answers that are kept beside twice as many as open documents hold: a claim that is edited and saved makes another."""

_Key = tuple[str, tuple[Span, ...], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Question:
    """One citation: its row, its spans, and the rows that share its sentence."""

    row: KeyedRow
    spans: tuple[Span, ...]
    beside: tuple[KeyedRow, ...]

    @property
    def key(self) -> _Key:
        return self.row.key, self.spans, tuple(each.key for each in self.beside)


class GroundingRuns:
    """Runs over open documents, one for each at most. `told` is called when something new is to be told of one."""

    def __init__(self, worker: Worker, told: Callable[[OpenDocument], None]) -> None:
        self.error = ""
        """Why the last run failed, a sentence; "" when it did not."""
        self._worker = worker
        self._told = told
        self._runs: dict[OpenDocument, asyncio.Task[None]] = {}
        self._known: OrderedDict[_Key, Grounding | None] = OrderedDict()
        """Those used last are the last."""
        self._used: WeakKeyDictionary[OpenDocument, int] = WeakKeyDictionary()
        """How many citations of each document were asked about."""

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return bool(self._runs)

    def start(self, document: OpenDocument) -> None:
        """Look at a document as it is now; an older run of it ends."""
        self.stop(document)
        begun = Begun.of(document)
        if begun is None or document.levels is None or document.levels.of("wrong-lines") == "off":
            return
        task = asyncio.ensure_future(self._run(document, begun))
        self._runs[document] = task
        task.add_done_callback(lambda done: self._ended(document, done))

    def stop(self, document: OpenDocument) -> None:
        """End the run of a document, if there is one."""
        task = self._runs.pop(document, None)
        if task is not None:
            task.cancel()

    def close(self) -> None:
        """End all runs."""
        for document in list(self._runs):
            self.stop(document)

    def _ended(self, document: OpenDocument, task: "asyncio.Task[None]") -> None:
        if self._runs.get(document) is task:
            del self._runs[document]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.error = f"claims could not be compared with the cited lines: {type(error).__name__}"
            log.error("%s", self.error, exc_info=error)

    async def _run(self, document: OpenDocument, begun: Begun) -> None:
        blocks = await rows_of(document, begun)
        asked = [list(_questions(made)) for made in blocks]
        await prepare(document.groundings, blocks)
        unknown = {each.key: each for questions in asked for each in questions if each and each.key not in self._known}
        if unknown:
            await self._ask(list(unknown.values()))
        outcome = [
            (made.block, [None if each is None else self._recall(each.key) for each in questions])
            for made, questions in zip(blocks, asked, strict=True)
        ]
        self._used[document] = sum(map(len, asked))
        self._let_go()
        before = bool(document.groundings)
        document.groundings.take(outcome)
        if before or document.groundings:
            self._told(document)

    async def _ask(self, questions: Sequence[_Question]) -> None:
        try:
            for low in range(0, len(questions), _AT_ONCE):
                some = questions[low : low + _AT_ONCE]
                rows: dict[str, KeyedRow] = {}
                for each in some:
                    rows.update((row.key, row) for row in (each.row, *each.beside))
                await self._ask_some(some, list(rows.values()))
            self.error = ""
        except (WorkerLost, WorkerFailed) as error:
            self.error = f"claims could not be compared with the cited lines: {error}"
            log.warning("%s", self.error)

    async def _ask_some(self, questions: Sequence[_Question], rows: Sequence[KeyedRow]) -> None:
        """Ask about citations; one row may stand behind several of them, so each is sent with its own."""
        numbers = {row.key: number for number, row in enumerate(rows)}
        sent = [*rows, *(each.row for each in questions)]
        data, files = data_of([each.row for each in sent])
        spans = [*(None for _ in rows), *(each.spans for each in questions)]
        beside = [*([] for _ in rows), *([numbers[other.key] for other in each.beside] for each in questions)]
        keep = partial(self._keep, len(rows), questions)
        await self._worker.call("grounding", on_part=keep, rows=data, files=files, spans=spans, beside=beside)

    def _keep(self, first: int, questions: Sequence[_Question], part: Mapping[str, Any]) -> None:
        found = part["found"]
        self._known[questions[part["index"] - first].key] = None if found is None else grounding_from_data(found)

    def _recall(self, key: _Key) -> Grounding | None:
        if key in self._known:
            self._known.move_to_end(key)
        return self._known.get(key)

    def _let_go(self) -> None:
        most = _MOST_UNUSED + 2 * sum(self._used.values())
        while len(self._known) > most:
            self._known.popitem(last=False)


def _questions(made: BlockRows) -> Iterator[_Question | None]:
    """Give what is asked of each anchor of a block; None where it, or one in its sentence, has no row."""
    for number, (anchor, row) in enumerate(zip(made.block.anchors, made.rows, strict=True)):
        beside = [made.rows[other] for other in made.beside[number]]
        known = tuple(other for other in beside if other is not None)
        yield None if row is None or len(known) < len(beside) else _Question(row, anchor.spans, known)
