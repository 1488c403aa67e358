"""How far a run is, and how it is ended early."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Round = Literal["screen", "judge"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a round is.

    Attributes:
        round: Which of the two.
        requests_done, requests: Answered or failed, and known of so far: halves and second tries are added.
        passages_done, passages: Those with an answer or a failure, and all of the round.
    """

    round: Round
    requests_done: int
    requests: int
    passages_done: int
    passages: int


Progressed: TypeAlias = Callable[[Progress], None]
"""Is told on the loop of the run, after each request."""


class Stop:
    """Ends a run early: requests under way are cancelled, and the report says what was not checked, and why."""

    def __init__(self) -> None:
        """Make one for one run."""
        self._ended = asyncio.Event()
        self.reason = ""
        self.message = ""

    def end(self, reason: str = "cancelled", message: str = "the run was cancelled") -> None:
        """End the run, on its loop only. The first call counts.

        Args:
            reason: The reason that the run's errors will have.
            message: The same for a person, a sentence without a full stop.
        """
        if not self.reason:
            self.reason, self.message = reason, message
            self._ended.set()

    async def wait(self) -> None:
        """Wait until it is ended."""
        await self._ended.wait()
