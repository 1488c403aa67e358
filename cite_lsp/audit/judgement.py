"""What one run of a judge over some rows came to: verdicts, what it took, and why some rows have none."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from cite_lsp.audit.verdicts import Row, Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, when it was given (seconds since the epoch), and whether it was known from before."""

    verdict: Verdict
    at: float
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run took.

    Attributes:
        requests: Requests that were sent, retries among them.
        tokens_in: Tokens of what was sent, as the server counted them.
        tokens_out: Tokens of what came back.
        cost: In the unit of `est_cost`; None where no cost is declared.
    """

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None

    def __add__(self, other: "Usage") -> "Usage":
        """Give both together; a cost that one of them does not know is that of the other."""
        costs = [each for each in (self.cost, other.cost) if each is not None]
        return Usage(
            self.requests + other.requests,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs) if costs else None,
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why some rows have no verdict: one for each cause.

    Attributes:
        cause: A word that is the same for the same cause: `unauthorised`, `declined`, `unreachable`, …
        message: A sentence without a full stop: what happened, where, and what to do.
        rows: How many rows it left without a verdict.
    """

    cause: str
    message: str
    rows: int = 0


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a run came to.

    Attributes:
        answers: One a row, in the order of the rows; None where nobody answered, which is never kept for later.
        usage: What it took.
        troubles: Why rows have no answer, one for each cause.
        declined: Whether the day's limits admitted no request at all.
    """

    answers: tuple[Judged | None, ...]
    usage: Usage = field(default_factory=Usage)
    troubles: tuple[Trouble, ...] = ()
    declined: bool = False

    @property
    def verdicts(self) -> list[Verdict]:
        """One a row; a row that nobody answered is `unchecked`, with the first trouble as its reason."""
        why = f"Not checked: {self.troubles[0].message}." if self.troubles else "Not checked: the judge did not answer."
        return [Verdict("unchecked", reason=why) if each is None else each.verdict for each in self.answers]


def merged(troubles: Iterable[Trouble]) -> tuple[Trouble, ...]:
    """Give one trouble for each cause and message, with the rows of all that are the same."""
    found: dict[tuple[str, str], int] = {}
    for each in troubles:
        found[each.cause, each.message] = found.get((each.cause, each.message), 0) + each.rows
    return tuple([Trouble(cause, message, rows) for (cause, message), rows in found.items()])


Heard = Callable[[int, Judged], None]
"""Is told of each answer as it comes: the row's index, and the answer."""


class AskingJudge(Protocol):
    """A judge that says as it goes what it was answered, what that took and what went wrong.

    Cancelling `ask` ends what is under way within 100 ms; what was told to `heard` stays.
    """

    @property
    def identity(self) -> str:
        """As in `Judge`."""

    @property
    def reads_file(self) -> bool:
        """As in `Judge`."""

    async def ask(self, rows: Sequence[Row], heard: Heard | None = None) -> Judgement:
        """Answer rows; never raises for what a server or a program does."""

    async def judge(self, rows: Sequence[Row]) -> list[Verdict]:
        """Give one verdict a row."""

    async def close(self) -> None:
        """End connections and processes; another question begins them again."""
