"""A judge that is asked on the machines of a cluster: the rows of a document go there, and verdicts come back.

Who carries the parcels is handed in (`Carrier`); what opens them there is the command line's (`cli/cluster_worker`).
What a day may cost is booked here, before a parcel goes, since the machines there know nothing of each other.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from cite_lsp import __version__
from cite_lsp.audit.judgement import AskingJudge, Heard, Judged, Judgement, Trouble, Usage, merged
from cite_lsp.audit.meta import DECLINED
from cite_lsp.audit.options import AuditOptions
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.config.settings import JudgeSettings
from cite_lsp.judges.making import estimate, model_options
from cite_lsp.judges.options import Ledger
from cite_lsp.judges.parcels import Answer, BadParcelError, Grant, Keys, Parcel

CAUSE = "cluster"
"""The cause of a trouble that the next document would meet as well."""
_MOST_ROWS = 100
_MOST_CHARACTERS = 8_000_000
"""Of the files that go with the rows of one parcel, where they go."""


class ClusterError(Exception):
    """A parcel did not come back.

    Attributes:
        message: A sentence without a full stop: what happened, where, and what to do.
        cause: A word that is the same for the same cause.
    """

    def __init__(self, message: str, cause: str = CAUSE) -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause


class _DeclinedError(Exception):
    """The limits of the day do not admit a parcel; the text says which."""


class Carrier(Protocol):
    """Who brings parcels to a cluster."""

    async def leaves(self) -> bool:
        """Whether parcels leave this machine; connects. Raises `ClusterError`."""

    async def answer(self, parcel: Callable[[], Awaitable[bytes]]) -> object:
        """Have a parcel opened, which is packed when there is somebody for it; give what came back.

        Cancelling ends the work there too. Raises `ClusterError`, and what packing raises.
        """


@dataclass(frozen=True, slots=True)
class ClusterJudge:
    """Asks a judge elsewhere. Never raises for what a cluster does.

    Attributes:
        carrier: Who brings parcels there.
        named: Who is asked there, made here for its name and what it reads: it is not asked here.
        settings: Of that judge.
        audit: Options that it heeds.
        ledger: Who keeps the limits of the day.
    """

    carrier: Carrier
    named: AskingJudge
    settings: JudgeSettings
    audit: AuditOptions
    ledger: Ledger

    @property
    def identity(self) -> str:
        """That of the judge."""
        return self.named.identity

    @property
    def reads_file(self) -> bool:
        """As the judge says."""
        return self.named.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows. Those of a model go in one parcel, so that it is asked in the requests that it is asked in here.

        Cancelling ends what is under way; what was told to `heard` stays.
        """
        parts = list(_parts(rows)) if self.reads_file else [range(len(rows))]
        asked = [asyncio.ensure_future(self._part(rows, part, heard)) for part in parts]
        try:
            judgements = await asyncio.gather(*asked)
        finally:
            for each in asked:
                each.cancel()
        return _joined([answer for each in judgements for answer in each.answers], judgements)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """End nothing: who carries the parcels is closed by who made it."""
        await self.named.close()

    async def _part(self, rows: Sequence[Row], part: range, heard: Heard | None) -> Judgement:
        given = [rows[index] for index in part]
        headers = tuple(sorted(self.settings.headers))
        grant: Grant | None = None

        async def parcel() -> bytes:
            nonlocal grant
            grant = await self._booked(given)
            return Parcel(__version__, self.identity, self.settings, self.audit, headers, tuple(given), grant).packed()

        try:
            answer = Answer.opened(await self.carrier.answer(parcel), given, time.time())
        except _DeclinedError as error:
            return replace(_failed(DECLINED, str(error), len(given)), declined=True)
        except ClusterError as error:
            return _failed(error.cause, error.message, len(given))
        except BadParcelError as error:
            return _failed("failed", f"the cluster sent {error}", len(given))
        await self._settle(grant, answer.used)
        for place, judged in zip(part, answer.judgement.answers, strict=True):
            if heard is not None and judged is not None:
                heard(place, judged)
        return answer.judgement

    # --- the limits of the day

    async def _booked(self, rows: Sequence[Row]) -> Grant | None:
        """Book what rows may take at the most, else what they take if nothing is asked twice; None without limits.

        What a lost parcel took is not known, so its booking stays. Raises `_DeclinedError`.
        """
        limits = self.settings.limits
        if not self._limited:
            return None
        needed = estimate(rows, model_options(self.settings, self.audit))
        cost = self.settings.est_cost
        refusal = ""
        for turns in dict.fromkeys((limits.max_turns, 1)):
            requests = needed.requests + needed.rows * (turns - 1)
            booked = needed.rows * turns
            refusal = await self._admit(booked, None if cost is None else cost * requests)
            if not refusal:
                return Grant(booked, (cost or 0.0) * requests)
        raise _DeclinedError(refusal)

    async def _settle(self, grant: Grant | None, used: Grant) -> None:
        """Give back what was not used; where nothing is limited, book what was."""
        known = grant or Grant()
        cost = used.cost - known.cost
        if self.settings.name != "embedded" and (used.rows != known.rows or cost):
            await self._admit(used.rows - known.rows, None if self.settings.est_cost is None else cost)

    async def _admit(self, rows: int, cost: float | None) -> str:
        return await asyncio.to_thread(self.ledger.admit, self.settings.name, rows, cost)

    @property
    def _limited(self) -> bool:
        limits = self.settings.limits
        if self.settings.name == "embedded":
            return False
        return limits.max_rows_per_day is not None or limits.max_cost_per_day is not None


@dataclass(frozen=True, slots=True)
class Staying:
    """The embedded judge on a cluster: rows whose text is to stay on this machine are judged here, and say the same.

    Attributes:
        asked: Who is asked there.
        here: Who is asked here.
        carrier: Who says whether texts leave.
        why: Says why the text of a row stays; "" where it may leave.
        keys: Finds what looks like a key.
    """

    asked: AskingJudge
    here: AskingJudge
    carrier: Carrier
    why: Callable[[Row], str]
    keys: Keys = field(default_factory=Keys)

    @property
    def identity(self) -> str:
        """That of the judge."""
        return self.here.identity

    @property
    def reads_file(self) -> bool:
        """As the judge says."""
        return self.here.reads_file

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows."""
        try:
            leaves = await self.carrier.leaves()
        except ClusterError as error:
            return _failed(error.cause, error.message, len(rows))
        if not leaves:
            return await self.asked.ask(rows, heard)
        stays = [bool(self.why(row)) or self.keys.in_row(row) for row in rows]
        answers: list[Judged | None] = [None] * len(rows)
        judgements = []
        for judge, kept in ((self.asked, False), (self.here, True)):
            places = [index for index, stay in enumerate(stays) if stay is kept]
            if places:
                judgement = await judge.ask([rows[index] for index in places], _at(places, heard))
                judgements.append(judgement)
                for index, answer in zip(places, judgement.answers, strict=True):
                    answers[index] = answer
        return _joined(answers, judgements)

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""
        return (await self.ask(rows)).verdicts

    async def close(self) -> None:
        """Leave the judges, which others ask, as they are."""


def _joined(answers: Iterable[Judged | None], judgements: Sequence[Judgement]) -> Judgement:
    """Give what several questions came to, whose answers are in the order of the rows."""
    return Judgement(
        tuple(answers),
        sum((each.usage for each in judgements), Usage()),
        merged(trouble for each in judgements for trouble in each.troubles),
        declined=any(each.declined for each in judgements),
    )


def _at(places: Sequence[int], heard: Heard | None) -> Heard | None:
    return None if heard is None else lambda number, judged: heard(places[number], judged)


def _parts(rows: Sequence[Row]) -> Iterator[range]:
    """Cut rows into parcels of some rows each, with files of some length; a row with a longer one is one by itself."""
    first, files, characters = 0, set[int](), 0
    for index, row in enumerate(rows):
        new = 0 if row.file is None or id(row.file) in files else sum(map(len, row.file)) + len(row.file)
        if index > first and (index - first >= _MOST_ROWS or characters + new > _MOST_CHARACTERS):
            yield range(first, index)
            first, files, characters = index, set(), 0
            new = 0 if row.file is None else sum(map(len, row.file)) + len(row.file)
        files.add(id(row.file))
        characters += new
    if rows:
        yield range(first, len(rows))


def _failed(cause: str, message: str, rows: int) -> Judgement:
    return Judgement((None,) * rows, troubles=(Trouble(cause, message, rows),))
