"""A judge whose answers are kept: what it was asked before, it is not asked again.

The embedded judge is asked all the same: it answers as fast as a file is read, and always the same.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from cite_lsp.audit.judgement import AskingJudge, Heard, Judged, Judgement, Usage, merged
from cite_lsp.audit.verdicts import Row, Verdict, rests_on

if TYPE_CHECKING:
    from cite_lsp.config.settings import LimitSettings
    from cite_lsp.store.verdicts import Verdicts

_Value = TypeVar("_Value")

_REST = 0.5
"""Seconds after which what was heard is written at the latest."""
_AT_ONCE = 32
"""Answers that are written without waiting for more."""


class CachedJudge:
    """Answers the rows that are known, and asks another judge for the rest; for one event loop.

    What is heard is kept as it comes, also when the run is cancelled half way; *unchecked* too, since it was asked for
    and paid for. A row that nobody answered is not kept.
    """

    def __init__(self, judge: AskingJudge, verdicts: "Verdicts") -> None:
        """Take the judge, which `close` closes, and where its answers are kept, which others may use as well."""
        self._judge = judge
        self._verdicts = verdicts
        self._writer = _Writer(verdicts)
        self._asked: dict[str, asyncio.Future[Judged | None]] = {}
        """What the judge is being asked, by key; None comes of what it did not answer."""
        self._watching: list[dict[str, asyncio.Future[Judged | None]]] = []

    @property
    def identity(self) -> str:
        """That of the judge."""
        return self._judge.identity

    @property
    def reads_file(self) -> bool:
        """Whether the judge reads the cited file: the file is part of the key then."""
        return self._judge.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows; of rows that give the judge the same it is asked for one, though several runs ask at once."""
        if self.identity.startswith("embedded"):
            return await self._judge.ask(rows, heard)
        with self._watched() as under_way:
            keys, known = await self._writer.run(partial(self._recall, tuple(rows)))
        run = _Run(keys, heard, self._writer)
        run.answer(known)
        judgements = []
        left = [key for key in run.places if key not in known]
        while left:
            others = {key: under_way[key] for key in left if key in under_way}
            mine = [key for key in left if key not in others]
            if mine:
                judgements.append(await self._put(run, mine, rows))
            if others:
                await asyncio.wait(others.values())
            said = {key: each.result() for key, each in others.items()}
            run.answer({key: judged for key, judged in said.items() if judged is not None})
            left = [key for key, judged in said.items() if judged is None]
            under_way = self._asked
        return run.outcome(judgements)

    @contextmanager
    def _watched(self) -> Iterator[dict[str, asyncio.Future[Judged | None]]]:
        """Give what the judge is being asked, and what is put to it and even answered until the context ends."""
        seen = dict(self._asked)
        self._watching.append(seen)
        try:
            yield seen
        finally:
            self._watching = [each for each in self._watching if each is not seen]

    async def _put(self, run: "_Run", keys: Sequence[str], rows: Sequence[Row]) -> Judgement:
        """Put rows to the judge; other runs that want the same wait for what comes of it."""
        asked: dict[str, asyncio.Future[Judged | None]] = {
            key: asyncio.get_running_loop().create_future() for key in keys
        }
        for known in (self._asked, *self._watching):
            known.update(asked)

        def hear(number: int, judged: Judged) -> None:
            run.hear(keys[number], judged)
            if not asked[keys[number]].done():
                asked[keys[number]].set_result(judged)

        try:
            judgement = await self._judge.ask([rows[run.places[key][0]] for key in keys], hear)
            for number, answer in enumerate(judgement.answers):
                if answer is not None:
                    hear(number, answer)
        finally:
            self._writer.flush()
            for key, each in asked.items():
                del self._asked[key]
                if not each.done():
                    each.set_result(None)
        return judgement

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def rest(self) -> None:
        """Wait until all that was heard by now is written."""
        await self._writer.run(_nothing)

    async def close(self) -> None:
        """Wait until all is written, and close the judge; the verdicts stay open."""
        try:
            await self._judge.close()
        finally:
            await self._writer.close()

    def _recall(self, rows: Sequence[Row]) -> tuple[list[str], Mapping[str, Judged]]:
        identity, reads_file = self.identity, self.reads_file
        keys = [row.key(identity, reads_file=reads_file) for row in rows]
        unwritten = self._writer.unwritten
        known = self._verdicts.recall(key for key in keys if key not in unwritten)
        rows_by_key = dict(zip(keys, rows, strict=True))
        stands = {key: judged for key, judged in known.items() if rests_on(judged.verdict, rows_by_key[key])}
        return keys, stands | {key: unwritten[key] for key in rows_by_key if key in unwritten}


class _Run:
    """The rows of one question, by their keys."""

    def __init__(self, keys: Sequence[str], heard: Heard | None, writer: "_Writer") -> None:
        self.places: dict[str, list[int]] = {}
        self.answers: list[Judged | None] = [None] * len(keys)
        self._heard = heard
        self._writer = writer
        for index, key in enumerate(keys):
            self.places.setdefault(key, []).append(index)

    def answer(self, known: Mapping[str, Judged]) -> None:
        """Give the answers that are known from before."""
        for key, indexes in self.places.items():
            judged = known.get(key)
            if judged is not None:
                self._tell(indexes, judged)

    def hear(self, key: str, judged: Judged) -> None:
        """Take an answer of the judge: tell it to all rows that it is for, and keep it."""
        indexes = self.places[key]
        if self.answers[indexes[0]] != judged:
            self._writer.add(key, judged)
            self._tell(indexes, judged)

    def outcome(self, judgements: Sequence[Judgement]) -> Judgement:
        """Give what the judge's answers come to for all rows."""
        troubles = merged(trouble for each in judgements for trouble in each.troubles)
        if len(troubles) == 1:
            troubles = (replace(troubles[0], rows=sum(each is None for each in self.answers)),)
        usage = sum((each.usage for each in judgements), Usage())
        declined = any(each.declined for each in judgements)
        return Judgement(tuple(self.answers), usage, troubles, declined=declined)

    def _tell(self, indexes: Sequence[int], judged: Judged) -> None:
        for index in indexes:
            self.answers[index] = judged
            if self._heard is not None:
                self._heard(index, judged)


class _Writer:
    """Writes answers in a thread of its own, some at a time, in the order in which they came."""

    def __init__(self, verdicts: "Verdicts") -> None:
        self.unwritten: dict[str, Judged] = {}
        """What could not be written, until it can. For the thread alone."""
        self._verdicts = verdicts
        self._heard: dict[str, Judged] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._thread: ThreadPoolExecutor | None = None

    async def run(self, do: Callable[[], _Value]) -> _Value:
        """Have something done in the thread, after all that was heard before was written."""
        self.flush()
        return await asyncio.get_running_loop().run_in_executor(self._executor, do)

    def add(self, key: str, judged: Judged) -> None:
        """Take an answer that is to be kept."""
        self._heard[key] = judged
        if len(self._heard) >= _AT_ONCE:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_REST, self.flush)

    def flush(self) -> None:
        """Begin to write what was heard; returns at once."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._heard:
            batch, self._heard = self._heard, {}
            self._executor.submit(self._write, batch)

    async def close(self) -> None:
        """Wait until all is written, and end the thread; another answer begins it again."""
        self.flush()
        if self._thread is not None:
            await self.run(partial(self._write, {}))
            thread, self._thread = self._thread, None
            thread.shutdown(wait=False)

    @property
    def _executor(self) -> ThreadPoolExecutor:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "verdicts")
        return self._thread

    def _write(self, batch: Mapping[str, Judged]) -> None:
        self.unwritten.update(batch)
        if self._verdicts.keep(self.unwritten):
            self.unwritten = {}


def _nothing() -> None:
    pass


class BookedLedger:
    """Admits requests to a judge while the limits of the day last, whichever process sends them."""

    def __init__(self, verdicts: "Verdicts", limits: "LimitSettings", section: str = "judge.limits") -> None:
        """Take where it is booked, the limits, and the name of the settings that they are from."""
        self._verdicts = verdicts
        self._limits = limits
        self._section = section

    def admit(self, judge: str, rows: int, cost: float | None) -> str:
        """Book a request; "" when it may be sent, else a sentence that says why not. May wait for another process."""
        if cost is None and self._limits.max_cost_per_day is not None:
            declared = f"{self._section.removesuffix('.limits')}.est_cost"
            return (
                f"{self._section}.max_cost_per_day is set and {declared}, what one request costs, is not, so the limit"
                " could not be kept: declare it, or take the limit away"
            )
        return self._verdicts.admit(
            judge,
            rows,
            cost or 0.0,
            most_rows=self._limits.max_rows_per_day,
            most_cost=self._limits.max_cost_per_day,
            section=self._section,
        )
