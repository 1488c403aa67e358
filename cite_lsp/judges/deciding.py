"""One run of a decision model over some rows: two requests a row side by side, answers told as they come."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from cite_lsp.audit.judgement import Heard, Judgement, Trouble, Usage
from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.client import DecisionClient
from cite_lsp.clients.reasons import cost_nothing
from cite_lsp.judges.directions import Bands, verdict_of
from cite_lsp.judges.model_run import ModelRun
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.shown_lines import ShownLine, said
from cite_lsp.judges.sides import Sides, why_not_asked
from cite_lsp.judges.weighing import guarded, named_conflict, unchecked
from cite_lsp.policy.answers import lacking
from cite_lsp.policy.asking import TOO_LARGE, Request
from cite_lsp.policy.calling import Heard as Answered
from cite_lsp.policy.calling import read
from cite_lsp.policy.report import Usage as Tokens
from cite_lsp.policy.report import printable

SIDES: Final = 2
"""Requests that a row takes."""
_CAUSES: Mapping[str, str] = {
    "unauthorized": "unauthorised",
    "malformed_reply": "not-json",
    "bad_request": "refused",
    "declined": "refused",
}
"""Reasons that other judges have another word for."""
_OF_CONNECTIONS = frozenset({"redirect", "not-found", "cut-off", "rate-limited"})
"""What may stand for the name of a failed connection and is a cause by itself."""
_CLAIM_TOO_LARGE = "the claim and its lines are too large for the judge's model: cite fewer lines"
_LINE_TOO_LARGE = "a cited line is too large for the judge's model"


class Sent:
    """Counts the requests of a client for the runs of a judge: each once, for the run that hears first."""

    def __init__(self, client: DecisionClient) -> None:
        """Take the client."""
        self._client = client
        self._seen = 0
        self._runs = 0

    @contextmanager
    def run(self) -> Iterator[None]:
        """Count for a run; what was sent before the first of several, and never heard of, is nobody's."""
        if not self._runs:
            self.fresh()
        self._runs += 1
        try:
            yield
        finally:
            self._runs -= 1

    def fresh(self) -> int:
        """Give how many were sent since it was asked last."""
        seen, self._seen = self._seen, self._client.requests
        return self._seen - seen


@dataclass(slots=True)
class _Case:
    """A row while it is asked about.

    Attributes:
        index: Of the row.
        row: What is judged.
        door: Held while it is settled whether the row is asked about at all.
        admitted: Whether it is; None before anybody has come so far.
        conflict: What the embedded checks hold against it.
        sides: The row as it is put; None before and after it is asked about.
        given: All good answers, by their keys.
        void: Why it can never be answered, "" where it can.
        lost: Why it was not answered this time.
        left: How many of its sides are not done with.
        unsent: How many of them were not sent after all.
    """

    index: int
    row: Row
    door: asyncio.Lock = field(default_factory=asyncio.Lock)
    admitted: bool | None = None
    conflict: str = ""
    sides: Sides | None = None
    given: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    void: str = ""
    lost: Trouble | None = None
    left: int = SIDES
    unsent: int = 0

    @property
    def failed(self) -> bool:
        """Whether nothing more that is asked about it would be of use."""
        return bool(self.void) or self.lost is not None


class Deciding(ModelRun):
    """One run; `answer` is called once."""

    def __init__(
        self,
        client: DecisionClient,
        sent: Sent,
        options: ModelOptions,
        bands: Bands,
        identity: str,
        ledger: Ledger | None,
        rows: Sequence[Row],
        heard: Heard | None,
    ) -> None:
        """Take who is asked, what counts requests to them, how, by which bands, under what name, and the rest.

        The rest: who keeps the limits of the day, what is judged, and who is told of answers.
        """
        super().__init__(options, identity, ledger, rows, heard)
        self._client = client
        self._sent = sent
        self._bands = bands

    async def answer(self) -> Judgement:
        """Ask until every row has its verdict or nobody to give it."""
        withheld = await asyncio.to_thread(self._looked_over)
        for index, why in withheld.items():
            self._tell(index, unchecked(why, self._identity))
        with self._sent.run():
            await self._ask_all([_Case(index, row) for index, row in enumerate(self._rows) if index not in withheld])
        return self._judgement()

    async def _ask_all(self, cases: Sequence[_Case]) -> None:
        async with asyncio.TaskGroup() as group:
            for case in cases:
                group.create_task(self._side(case, lines=False))
                group.create_task(self._side(case, lines=True))

    def _looked_over(self) -> dict[int, str]:
        """Give why rows cannot be asked."""
        looked = [(index, why_not_asked(row)) for index, row in enumerate(self._rows)]
        return {index: why for index, why in looked if why}

    # --- a row

    async def _side(self, case: _Case, *, lines: bool) -> None:
        async with self._gate:
            sides = await self._let_in(case)
            if sides is not None:
                if lines:
                    await self._ask_lines(case, sides, sides.asked)
                elif await self._put(case, sides.claim_request):
                    case.void = _CLAIM_TOO_LARGE
            # nothing is waited for from here on: what was answered is told, whatever is cancelled
            case.left -= 1
            if not case.left:
                self._close(case)

    async def _let_in(self, case: _Case) -> Sides | None:
        """Give a row as it is put; None where this side of it is not asked."""
        async with case.door:
            if case.admitted is None:
                case.admitted = await self._may_ask(case)
        if not case.admitted:
            return None
        if self._stopped is not None and case.lost is None:
            case.lost = self._stopped
        if case.failed:
            await self._give_back(case)
            return None
        return case.sides

    async def _may_ask(self, case: _Case) -> bool:
        """Book both requests of a row and get it ready."""
        if self._stopped is None:
            refused = await self._book(1, SIDES)
            if not refused:  # what is stopped meanwhile is given back by both sides
                self._admitted += 1
                case.conflict, case.sides = await asyncio.to_thread(_prepared, case.row)
                return True
            self._stop(Trouble("declined", refused))
        case.lost = self._stopped
        return False

    async def _ask_lines(self, case: _Case, sides: Sides, lines: Sequence[ShownLine], *, booked: bool = True) -> None:
        """Ask about lines, in halves where they are too many for the model: the left half first."""
        if case.failed or not (booked or await self._may_halve(case)):
            return
        if not await self._put(case, sides.lines_request(lines)):
            return
        if len(lines) == 1:
            case.void = _LINE_TOO_LARGE
            return
        middle = len(lines) // 2
        await self._ask_lines(case, sides, lines[:middle], booked=False)
        await self._ask_lines(case, sides, lines[middle:], booked=False)

    async def _may_halve(self, case: _Case) -> bool:
        """Book one more request of a row that has been booked."""
        if self._stopped is None:
            refused = await self._book(0, 1)
            if refused:
                self._stop(Trouble("declined", refused))
            elif case.failed or self._stopped is not None:  # by now: the other side, or another row
                await self._book(0, -1)
        case.lost = case.lost or self._stopped
        return not case.failed

    def _close(self, case: _Case) -> None:
        """Tell the verdict of a row, both sides of which are done with."""
        if case.void:
            self._tell(case.index, unchecked(case.void, self._identity))
        elif case.lost is not None:
            self._troubles.append(Trouble(case.lost.cause, case.lost.message, 1))
            self._came_to_nothing(case.lost)
        elif case.sides is not None:
            self._fruitless = 0
            answers, lines, cut = case.sides.answers(case.given), case.sides.lines, case.sides.cut
            verdict = verdict_of(answers, lines, self._bands, self._identity, cut=cut)
            self._tell(case.index, guarded(verdict, case.row, case.conflict))
        case.sides, case.given = None, {}

    # --- one request

    async def _put(self, case: _Case, request: Request) -> bool:
        """Send a request and keep its answers; whether it was too large for the model."""
        heard = read(await self._client(request))
        fault = None if heard.answers is None else lacking(request["questions"], heard.answers)
        trouble = self._unusable(fault[0][0]) if fault is not None else self._unanswered(heard)
        asked = not cost_nothing(heard.reason)
        self._count(heard.usage, asked=asked)
        if heard.reason == TOO_LARGE:
            return True
        if trouble is not None:
            self._lose(case, trouble)
            if not asked:
                await self._give_back(case)
        elif heard.answers is not None:
            case.given.update({key: heard.answers[key] for key in request["questions"]})
        return False

    # --- the books

    async def _give_back(self, case: _Case) -> None:
        """Give back a side that was not sent, and with the last one the row."""
        case.unsent += 1
        await self._book(-1 if case.unsent == SIDES else 0, -1)

    def _count(self, tokens: Tokens | None, *, asked: bool) -> None:
        counted = tokens or Tokens()
        cost = self._options.est_cost if asked else None
        self._usage += Usage(self._sent.fresh(), counted.input_tokens, counted.output_tokens, cost)

    def _lose(self, case: _Case, trouble: Trouble) -> None:
        case.lost = case.lost or trouble
        self._stop_if_final(trouble)

    # --- words

    def _unusable(self, fault: str) -> Trouble:
        what = "left out questions that it was asked" if fault == "missing_answers" else "gave answers of another form"
        message = f"the judge at {self._client.address} {what}: use a model, or a server, that answers all it is asked"
        return Trouble(cause_of(fault), message)

    def _unanswered(self, heard: Answered) -> Trouble | None:
        if heard.answers is not None or heard.reason == TOO_LARGE:
            return None
        otherwise = f"the judge at {self._client.address} did not answer: {said(json.dumps(printable(heard.reason)))}"
        return Trouble(cause_of(heard.reason), heard.message or otherwise)


def cause_of(reason: object) -> str:
    """Give the word that other judges have for the reason of a client."""
    parts = list(reason) if isinstance(reason, (list, tuple)) and reason else [reason]
    name, more = str(parts[0]), parts[1] if len(parts) > 1 else None
    if name == "request_error":
        return str(more) if more in _OF_CONNECTIONS else "unreachable"
    if name == "api_error" and isinstance(more, int):
        return "not-found" if more == 404 else "redirect" if 300 <= more < 400 else "refused"
    return _CAUSES.get(name, name.replace("_", "-"))


def _prepared(row: Row) -> tuple[str, Sides]:
    return named_conflict(row), Sides.of(row)
