"""What one run of a model over some rows has in common with others: its books, who is told, and when it stops."""

import asyncio
import time
from collections.abc import Sequence

from cite_lsp.audit.judgement import Heard, Judged, Judgement, Trouble, Usage, merged
from cite_lsp.audit.verdicts import Row, Verdict
from cite_lsp.judges.options import Ledger, ModelOptions

_FINAL = frozenset({"unauthorised", "no-key", "not-found", "redirect", "unreachable", "setting"})
"""Causes that the next request would meet as well."""
_MOST_FRUITLESS = 3
"""After so many questions in a row that came to nothing, for whatever reason, no more are asked."""


class ModelRun:
    """One run; those below say what a request is, and how a row comes to its verdict."""

    def __init__(
        self, options: ModelOptions, identity: str, ledger: Ledger | None, rows: Sequence[Row], heard: Heard | None
    ) -> None:
        """Take how is asked, under what name, who keeps the day's limits, what, and who is told of answers."""
        self._options = options
        self._identity = identity
        self._ledger = ledger
        self._heard = heard
        self._rows = rows
        self._answers: list[Judged | None] = [None] * len(rows)
        self._gate = asyncio.Semaphore(max(1, options.concurrency))
        self._usage = Usage()
        self._troubles: list[Trouble] = []
        self._stopped: Trouble | None = None
        self._admitted = 0
        self._fruitless = 0

    def _judgement(self) -> Judgement:
        """Give what the run came to, once nothing is asked any more."""
        if self._options.strict:
            self._all_or_nothing()
        declined = self._stopped is not None and self._stopped.cause == "declined" and not self._admitted
        return Judgement(tuple(self._answers), self._usage, merged(self._troubles), declined)

    async def _book(self, rows: int, requests: int) -> str:
        """Book requests, or give back those whose numbers are negative; why they are refused, or ""."""
        if self._ledger is None:
            return ""
        cost = None if self._options.est_cost is None else self._options.est_cost * requests
        return await asyncio.to_thread(self._ledger.admit, self._options.name, rows, cost)

    def _tell(self, index: int, verdict: Verdict) -> None:
        judged = Judged(verdict, time.time())
        self._answers[index] = judged
        if self._heard is not None and not self._options.strict:
            self._heard(index, judged)

    def _stop(self, trouble: Trouble) -> None:
        self._stopped = self._stopped or trouble

    def _stop_if_final(self, trouble: Trouble) -> None:
        """Stop where the next request would meet the same, or what it says would be void."""
        if trouble.cause in _FINAL or self._options.strict:
            self._stop(trouble)

    def _came_to_nothing(self, trouble: Trouble) -> None:
        self._fruitless += 1
        if self._fruitless >= _MOST_FRUITLESS:
            self._stop(trouble)

    def _all_or_nothing(self) -> None:
        """Let a pass of which one row came to nothing be nothing; else tell of its answers, which was put off."""
        if self._troubles:
            first = self._troubles[0]
            self._troubles = [Trouble(first.cause, first.message, len(self._rows))]
            self._answers = [None] * len(self._rows)
        elif self._heard is not None:
            for index, judged in enumerate(self._answers):
                if judged is not None:
                    self._heard(index, judged)
