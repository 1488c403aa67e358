"""One run of a model over some rows: requests side by side, answers told as they come, rows asked again alone."""

import asyncio
import logging
import secrets
from collections.abc import Sequence

from cite_lsp.audit.guard import guard
from cite_lsp.audit.judgement import Heard, Judgement, Trouble, Usage
from cite_lsp.audit.verdicts import Row
from cite_lsp.clients.client import ChatClient, ClientError, Completion
from cite_lsp.judges.batches import batches
from cite_lsp.judges.canary import canary
from cite_lsp.judges.hearing import Hearing
from cite_lsp.judges.model_run import ModelRun
from cite_lsp.judges.options import Ledger, ModelOptions
from cite_lsp.judges.prompt import REPLY_NAME, SCHEMA, SYSTEM, Question, user_text
from cite_lsp.judges.replies import Entry, Reading, read_reply
from cite_lsp.judges.shown_lines import shown_lines, why_not_shown
from cite_lsp.judges.weighing import named_conflict, unchecked, weigh

_LOG = logging.getLogger(__name__)
_UNREAD = frozenset({"not-json"})
"""Causes that are an answer, only none that can be read."""
_MOST_CAUGHT = 2
"""After so many requests in which the planted order was followed, no more are sent."""


class Asking(ModelRun):
    """One run; `answer` is called once."""

    def __init__(
        self,
        client: ChatClient,
        options: ModelOptions,
        identity: str,
        ledger: Ledger | None,
        rows: Sequence[Row],
        heard: Heard | None,
    ) -> None:
        """Take who is asked, how, under what name, who keeps the day's limits, what, and who is told of answers."""
        super().__init__(options, identity, ledger, rows, heard)
        self._client = client
        self._hearings = [Hearing(index, row) for index, row in enumerate(rows)]
        self._caught = 0

    async def answer(self) -> Judgement:
        """Ask until every row has its verdict or nobody to give it."""
        withheld, requests = await asyncio.to_thread(self._looked_over)  # a tenth of a second for a thousand rows
        for index, why in withheld.items():
            self._tell(index, unchecked(why, self._identity))
        refused = self._too_many(requests)
        if refused:
            self._stop(Trouble("output-cap", refused))
        async with asyncio.TaskGroup() as group:
            for indexes in requests:
                group.create_task(self._first(group, [self._hearings[index] for index in indexes]))
        return self._judgement()

    def _looked_over(self) -> tuple[dict[int, str], Sequence[Sequence[int]]]:
        """Give why rows cannot be asked, and the others by request."""
        looked = [(index, why_not_shown(row, shown_lines(row))) for index, row in enumerate(self._rows)]
        withheld = {index: why for index, why in looked if why}
        wanted = [index for index, why in looked if not why]
        return withheld, batches(self._rows, wanted, self._options)

    def _too_many(self, requests: Sequence[Sequence[int]]) -> str:
        """Give why the output cap forbids the largest request, "" where it does not."""
        cap = self._options.max_output_tokens_per_turn
        said = guard(max(map(len, requests), default=0), cap, self._options.guard)
        if said and self._options.guard == "warn":
            _LOG.warning("%s", said)
            return ""
        return said

    # --- turns

    async def _first(self, group: asyncio.TaskGroup, hearings: list[Hearing]) -> None:
        await self._ask(hearings)
        for hearing in hearings:
            if hearing.open:
                group.create_task(self._again(hearing))

    async def _again(self, hearing: Hearing) -> None:
        """Ask a row alone, its lines before its claim and the other way round, until it is settled."""
        turned = True
        while hearing.open:
            await self._ask([hearing], turned=turned)
            turned = not turned

    async def _ask(self, hearings: list[Hearing], *, turned: bool = False) -> None:
        async with self._gate:
            if not await self._may_ask(hearings):
                return
            await asyncio.to_thread(_look_for_conflicts, hearings)
            bait = Hearing(-1, canary())
            asked = [*hearings]
            asked.insert(secrets.randbelow(len(asked) + 1), bait)
            questions = [Question.of(number, each.row, turned=turned) for number, each in enumerate(asked, 1)]
            for hearing in hearings:
                hearing.turns += 1
            reply = await self._reply(questions, hearings)
            # nothing is waited for from here on: what was answered is told, whatever is cancelled
            if reply is None:
                return
            reading, lacking = reply
            caught = reading.entries.get(asked.index(bait) + 1)
            if caught is not None and caught.label == "supported":
                self._disbelieve(hearings)
                return
            for question, hearing in zip(questions, asked, strict=True):
                if hearing is not bait:
                    entry = reading.entries.get(question.number)
                    self._take(question, hearing, entry, lacking, proven=caught is not None)

    def _take(
        self, question: Question, hearing: Hearing, entry: Entry | None, lacking: Trouble, *, proven: bool
    ) -> None:
        answer = None if entry is None else weigh(entry, question.lines, self._identity)
        hearing.take(answer, self._identity, self._options.max_turns, proven=proven)
        if hearing.verdict is not None:
            self._tell(hearing.index, hearing.verdict)
        elif not hearing.open:
            self._give_up([hearing], lacking)

    # --- one request

    async def _reply(
        self, questions: Sequence[Question], hearings: Sequence[Hearing]
    ) -> tuple[Reading, Trouble] | None:
        """Send a request; give its reply and what it means for rows that it lacks, None where all is said."""
        cap = self._options.max_output_tokens_per_turn
        try:
            completion = await self._client.complete(
                SYSTEM, user_text(questions), SCHEMA, name=REPLY_NAME, max_tokens=cap
            )
        except ClientError as error:
            self._count(Usage(error.requests))
            if not error.requests:
                await self._book(-len(hearings), -1)
            trouble = Trouble(error.cause, error.message)
            self._came_to_nothing(trouble)
            if error.cause not in _UNREAD or self._options.strict:
                self._give_up(hearings, trouble)
            else:
                self._unread(hearings, trouble)
            return None
        self._count(Usage(completion.requests, completion.tokens_in, completion.tokens_out))
        return self._read(completion, questions, hearings)

    def _read(
        self, completion: Completion, questions: Sequence[Question], hearings: Sequence[Hearing]
    ) -> tuple[Reading, Trouble] | None:
        numbers = [question.number for question in questions]
        reading = read_reply(completion.text, numbers, strict=self._options.strict)
        for breach in reading.breaches:
            _LOG.debug("the judge at %s: %s", self._client.address, breach)
        if self._options.strict and reading.breaches:
            self._give_up(hearings, self._void(reading.breaches[0]))
            return None
        if not reading.readable:
            trouble = self._cut_off() if completion.cut_off else self._no_json()
            self._came_to_nothing(trouble)
            self._unread(hearings, trouble)
            return None
        self._fruitless = 0
        return reading, self._cut_off() if completion.cut_off else self._left_out()

    def _unread(self, hearings: Sequence[Hearing], trouble: Trouble) -> None:
        """Take a reply that cannot be read: its rows are missing, and given up where they may not be asked again."""
        for hearing in hearings:
            hearing.take(None, self._identity, self._options.max_turns)
        self._give_up([each for each in hearings if not each.open and each.verdict is None], trouble)
        for hearing in hearings:
            if hearing.verdict is not None:
                self._tell(hearing.index, hearing.verdict)

    async def _may_ask(self, hearings: Sequence[Hearing]) -> bool:
        if self._stopped is None:
            refused = await self._book(len(hearings), 1)
            if refused:
                self._stop(Trouble("declined", refused))
        if self._stopped is not None:
            self._give_up(hearings, self._stopped)
            return False
        self._admitted += 1
        return True

    # --- the books

    def _count(self, usage: Usage) -> None:
        cost = self._options.est_cost if usage.requests else None
        self._usage += Usage(usage.requests, usage.tokens_in, usage.tokens_out, cost)

    def _give_up(self, hearings: Sequence[Hearing], trouble: Trouble) -> None:
        for hearing in hearings:
            hearing.give_up()
        if hearings:
            self._troubles.append(Trouble(trouble.cause, trouble.message, len(hearings)))
        self._stop_if_final(trouble)

    def _disbelieve(self, hearings: Sequence[Hearing]) -> None:
        trouble = self._followed_orders()
        self._caught += 1
        if self._caught >= _MOST_CAUGHT:
            self._stop(trouble)
        self._give_up(hearings, trouble)

    # --- words

    def _left_out(self) -> Trouble:
        message = f"the judge at {self._client.address} left out rows that it was asked"
        return Trouble("missing-rows", f"{message}: use a model that answers in the form it is asked for")

    def _no_json(self) -> Trouble:
        message = f"the judge at {self._client.address} answered with text that is not the JSON it was asked for"
        return Trouble("not-json", f"{message}: use a model, or a server, that keeps to a JSON schema")

    def _cut_off(self) -> Trouble:
        cap = self._options.max_output_tokens_per_turn
        which = f"limits.max_output_tokens_per_turn, {cap:,}" if cap is not None else "the server's own"
        message = f"the reply of the judge at {self._client.address} ended at the output limit ({which})"
        return Trouble("cut-off", f"{message}: allow more, or let fewer rows go out at once")

    def _void(self, breach: str) -> Trouble:
        return Trouble("strict", f"the reply of the judge at {self._client.address} voids the pass (strict): {breach}")

    def _followed_orders(self) -> Trouble:
        return Trouble(
            "canary",
            f"the judge at {self._client.address} followed an order that was planted among the cited lines as a test, "
            "so its answers are not believed: use another model",
        )


def _look_for_conflicts(hearings: Sequence[Hearing]) -> None:
    for hearing in hearings:
        if hearing.conflict is None:
            hearing.conflict = named_conflict(hearing.row)
