"""Where the requests of a run go out, and what is counted of them."""

import asyncio
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from cite_lsp.policy.answers import lacking
from cite_lsp.policy.asking import Client, Request, word_of
from cite_lsp.policy.calling import Heard, called
from cite_lsp.policy.memory import Memory
from cite_lsp.policy.progress import Progress, Progressed, Round, Stop
from cite_lsp.policy.report import Unanswered, Usage

_PASSING = frozenset(
    {
        "server_error",
        "timeout",
        "rate_limited",
        "request_error",
        "missing_answers",
        "malformed_answers",
        "malformed_reply",
    }
)
"""Reasons that a second try may not meet."""


_UNREACHED = "request_error"
_REST = 0.05
"""Seconds; a run ends at once, whatever its memory is busy with."""


class Desk:
    """Asks one client in one run."""

    def __init__(self, client: Client, memory: Memory | None, stop: Stop, progressed: Progressed | None) -> None:
        """Take who is asked, what is known from before, what ends the run, and who is told how far it is."""
        self._client = client
        self.memory = memory
        self.stop = stop
        self.requests = 0
        self.recalled = 0
        self.usage: Usage | None = None
        self._reached = False
        """Whether anybody was there, in this run."""
        self._keeping: set[asyncio.Future[None]] = set()
        self._progressed = progressed
        self._count = _Count("screen", 0)

    async def ask(self, request: Request) -> Heard:
        """Send a request, which is the client's from then on; an answer that is missing or malformed fails all of it.

        Raises:
            ContractError: The client's reply is none.
        """
        asked = {key: {**each, "criteria": copy(each["criteria"])} for key, each in request["questions"].items()}
        self.requests += 1
        heard = await called(self._client, request)
        self._reached = self._reached or heard.answers is not None or word_of(heard.reason) != _UNREACHED
        if heard.usage is not None:
            self.usage = heard.usage if self.usage is None else self.usage + heard.usage
        if heard.answers is None:
            return heard
        fault = lacking(asked, heard.answers)
        if fault is not None:
            return Heard(None, *fault)
        return Heard({key: dict(heard.answers[key]) for key in asked}, model=heard.model)

    def may_pass(self, reason: object) -> bool:
        """Whether a request that failed for a reason is worth another try; where nobody was ever there, none is."""
        word = word_of(reason)
        return word in _PASSING and (self._reached or word != _UNREACHED)

    async def recall(self, key: str) -> Mapping[str, Any] | None:
        """Give what is kept under a key."""
        if self.memory is None:
            return None
        return (await asyncio.to_thread(self.memory.recall, [key])).get(key)

    async def keep(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        """Keep what was answered; it is kept, too, where the run ends meanwhile: it has been paid for."""
        if self.memory is not None and known:
            keeping = asyncio.get_running_loop().run_in_executor(None, self.memory.keep, known)
            self._keeping.add(keeping)
            keeping.add_done_callback(self._keeping.discard)
            await asyncio.shield(keeping)

    async def rest(self) -> None:
        """Wait a moment for what is being kept: the run that takes this one's place would ask for it again."""
        if self._keeping:
            await asyncio.wait(set(self._keeping), timeout=_REST)

    def stopped(self, concern: str | None, passage_ids: Iterable[str]) -> Unanswered:
        """Give the error of what was not answered when the run was ended."""
        return Unanswered(concern, tuple(passage_ids), self.stop.reason, self.stop.message)

    # --- how far it is

    def begin(self, which: Round, requests: int, passages: int, passages_done: int = 0) -> None:
        """Begin a round."""
        self._count = _Count(which, passages, requests=requests, passages_done=passages_done)
        self._tell()

    def more(self, requests: int) -> None:
        """Add requests that the round turned out to need."""
        self._count.requests += requests

    def done(self, passages: int) -> None:
        """Count a request as done, and so many passages with it."""
        self._count.requests_done += 1
        self._count.passages_done += passages
        self._tell()

    def _tell(self) -> None:
        count = self._count
        if self._progressed is not None:
            self._progressed(
                Progress(count.round, count.requests_done, count.requests, count.passages_done, count.passages)
            )


@dataclass(slots=True)
class _Count:
    round: Round
    passages: int
    requests: int = 0
    requests_done: int = 0
    passages_done: int = 0
