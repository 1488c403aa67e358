"""The judge on save: rows that are not known go to the worker, verdicts come back and are told.

A newer save ends the older run. Until a run is done the verdicts of the one before stand.
"""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cite_lsp.audit.row_data import row_to_data, verdict_from_data
from cite_lsp.document.document import Block, Document
from cite_lsp.judges.embedded import EmbeddedJudge
from cite_lsp.server.checks import BlockChecked
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.row_book import BlockRows, KeyedRow
from cite_lsp.server.verdicts import Judged
from cite_lsp.snapshot.snapshot import Snapshot
from cite_lsp.worker.client import Worker, WorkerFailed, WorkerLost

log = logging.getLogger(__name__)

_AT_ONCE = 32
"""Blocks whose rows are made before other messages have their turn, and rows that go to the worker together."""
_MOST_VERDICTS = 50_000


@dataclass(frozen=True, slots=True)
class Begun:
    """A document as it was when its run was started."""

    document: Document
    snapshot: Snapshot
    checked: Mapping[int, BlockChecked]

    @classmethod
    def of(cls, document: OpenDocument) -> "Begun | None":
        """Give a document that was checked as it is now; None for what is no document of ours."""
        if document.document is None or document.place is None:
            return None
        return cls(document.document, document.place.snapshot, document.checks.blocks)


class Judging:
    """Runs of the embedded judge, one for each document at most.

    `told` is called when a document has other verdicts; `note` when the counts of `queued` or `error` changed.
    """

    def __init__(self, worker: Worker, told: Callable[[OpenDocument], None], note: Callable[[], None]) -> None:
        judge = EmbeddedJudge()
        self.identity = judge.identity
        self.error = ""
        """Why the last run failed, a sentence; "" when it did not."""
        self.queued = 0
        self._worker = worker
        self._told = told
        self._note = note
        self._runs: dict[OpenDocument, asyncio.Task[Counter[str]]] = {}
        self._verdicts: OrderedDict[str, Judged] = OrderedDict()
        """By the key of the row."""

    def start(self, document: OpenDocument) -> "asyncio.Task[Counter[str]]":
        """Judge a document as it is now; an older run of it ends."""
        self.stop(document)
        begun = Begun.of(document)  # now: a change that has arrived already may come before the task has its turn
        task = asyncio.ensure_future(self._run(document, begun))
        self._runs[document] = task
        task.add_done_callback(lambda done: self._ended(document, done))
        return task

    def stop(self, document: OpenDocument) -> None:
        """End the run of a document, if there is one."""
        task = self._runs.pop(document, None)
        if task is not None:
            task.cancel()

    def forget(self, document: OpenDocument) -> None:
        """End the run of a document that was closed."""
        self.stop(document)

    def close(self) -> None:
        """End all runs."""
        for document in list(self._runs):
            self.stop(document)

    @property
    def busy(self) -> bool:
        """Whether a run is under way."""
        return bool(self._runs)

    def _ended(self, document: OpenDocument, task: "asyncio.Task[Counter[str]]") -> None:
        if self._runs.get(document) is task:
            del self._runs[document]
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.error = f"the judge failed: {type(error).__name__}"
            log.error("%s", self.error, exc_info=error)
            self._note()

    async def _run(self, open_document: OpenDocument, begun: "Begun | None") -> Counter[str]:
        if begun is None:
            return Counter()
        blocks = await rows_of(open_document, begun)
        for made in blocks:
            open_document.verdicts.prepare(made.block)
        rows = [row for made in blocks for row in made.rows if row is not None]
        unknown = list({row.key: row for row in rows if row.key not in self._verdicts}.values())
        if unknown:
            await self._ask(unknown)
        outcome = [(made.block, [self._verdict(row) for row in made.rows]) for made in blocks]
        open_document.verdicts.take(outcome)
        open_document.counts = _count(outcome, rows)
        log.info("judged a document: %s, %d rows asked", dict(open_document.counts), len(unknown))
        self._told(open_document)
        return open_document.counts

    async def _ask(self, rows: Sequence[KeyedRow]) -> None:
        """Put rows to the worker, some at a time; what came back is kept though the run be ended."""
        self.queued += len(rows)
        left = len(rows)
        self._note()
        try:
            for low in range(0, len(rows), _AT_ONCE):
                some = rows[low : low + _AT_ONCE]
                rows_data, files = data_of(some)
                await self._worker.call("judge", on_part=partial(self._keep, some), rows=rows_data, files=files)
                self.queued -= len(some)
                left -= len(some)
            self.error = ""
        except (WorkerLost, WorkerFailed) as error:
            self.error = f"the judge failed: {error}"
            log.warning("%s", self.error)
        finally:
            self.queued -= left
            self._note()

    def _keep(self, rows: Sequence[KeyedRow], part: Mapping[str, Any]) -> None:
        verdict = verdict_from_data(part["verdict"])
        self._verdicts[rows[part["index"]].key] = Judged(verdict, time.time())
        while len(self._verdicts) > _MOST_VERDICTS:
            self._verdicts.popitem(last=False)

    def _verdict(self, row: KeyedRow | None) -> Judged | None:
        return self._verdicts.get(row.key) if row is not None else None


async def rows_of(document: OpenDocument, begun: Begun) -> list[BlockRows]:
    """Give the rows of a document as it was begun with, made some at a time."""
    blocks: list[BlockRows] = []
    for number, made in enumerate(document.rows.rows(begun.document, begun.snapshot, begun.checked)):
        blocks.append(made)
        if number % _AT_ONCE == _AT_ONCE - 1:
            await asyncio.sleep(0)
    return blocks


def data_of(rows: Sequence[KeyedRow]) -> tuple[list[dict[str, Any]], list[Sequence[str]]]:
    """Give rows as plain data, and the files that they cite, each once."""
    data = [row_to_data(each.row, with_file=False) for each in rows]
    numbers: dict[str, int] = {}
    files: list[Sequence[str]] = []
    for each, made in zip(rows, data, strict=True):
        if each.row.file is not None:
            number = numbers.setdefault(each.row.file_sha256, len(files))
            if number == len(files):
                files.append(each.row.file)
            made["file"] = number
    return data, files


def _count(outcome: Sequence[tuple[Block, Sequence[Judged | None]]], rows: Sequence[KeyedRow]) -> Counter[str]:
    """Count the labels; a row that the judge did not come to is unchecked."""
    labels: Counter[str] = Counter(
        judged.verdict.label for _, verdicts in outcome for judged in verdicts if judged is not None
    )
    counted: Counter[str] = Counter({"rows": len(rows), **labels})
    counted["unchecked"] += len(rows) - sum(labels.values())
    return counted
