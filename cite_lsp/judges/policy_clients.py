"""Whom policies are asked of: one client by the settings, whose requests are booked before they are sent."""

import asyncio
import json
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Protocol

from cite_lsp.judges.making import Unavailable, client_options
from cite_lsp.policy.asking import word_of

if TYPE_CHECKING:
    from cite_lsp.config.settings import JudgeSettings
    from cite_lsp.judges.options import Ledger
    from cite_lsp.policy.asking import Reply, Request

JUDGES = ("decision", "openai")
"""The judges that policies are asked of."""


class PolicyClient(Protocol):
    """Who is asked: `clients.making.make_decision_client` makes one."""

    @property
    def identity(self) -> str:
        """Wire, model and address: what another one said is none of its answers."""

    async def __call__(self, request: "Request") -> "Reply":
        """Answer a request; never raises for what a server does."""

    async def close(self) -> None:
        """End the connections; another question opens them again."""


def why_not_asked(judge: "JudgeSettings") -> str:
    """Say why the judge of the settings cannot be asked about policies, without a full stop; "" where it can."""
    if judge.name in JUDGES:
        return ""
    asked = "policies are asked of the judges decision and openai"
    return f"{asked}, and judge.name is {judge.name}: name one of them in your own settings"


def policy_client(
    judge: "JudgeSettings",
    *,
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
) -> PolicyClient:
    """Make the client that the settings mean. Nothing is opened or asked.

    Args:
        judge: Who judges.
        environment: In place of the process's, for keys.
        secrets: Keys that the editor keeps, by the name that `clients.making.key_name` gives.

    Raises:
        Unavailable: The judge is none that policies are asked of, or the settings lack what it needs.
    """
    why = why_not_asked(judge)
    if why:
        raise Unavailable(why)
    from cite_lsp.clients.client import ClientError  # noqa: PLC0415 - loaded when somebody is asked
    from cite_lsp.clients.making import make_decision_client  # noqa: PLC0415

    try:
        client: PolicyClient = make_decision_client(
            "decision" if judge.name == "decision" else "openai",
            client_options(judge),
            environment=environment,
            secrets=secrets,
        )
    except ClientError as error:
        raise Unavailable(error.message) from error
    return client


@dataclass(frozen=True, slots=True)
class Booking:
    """Where requests are booked before they are sent: a passage counts as a row.

    Attributes:
        ledger: Who keeps the limits of the day.
        judge: The name of the judge, as in the settings.
        cost: The declared cost of a request (`est_cost`); None where none is declared.
    """

    ledger: "Ledger"
    judge: str
    cost: float | None = None


class BookedClient:
    """A client whose requests are booked first; one that no limit admits is not sent."""

    def __init__(self, client: PolicyClient, booking: Booking, as_: str) -> None:
        """Take the client, where requests are booked, and the key under which they hold the passages."""
        self._client = client
        self._booking = booking
        self._as = as_

    async def __call__(self, request: "Request") -> "Reply":
        """Ask, once it is booked."""
        from cite_lsp.clients.reasons import cost_nothing  # noqa: PLC0415 - loaded when somebody is asked

        rows = _rows_of(request, self._as)
        refusal = await self._book(rows)
        if refusal:
            return {"error": "declined", "message": refusal}
        made: Reply | Awaitable[Reply] = self._client(request)
        reply = await made if isawaitable(made) else made
        if isinstance(reply, Mapping) and cost_nothing(reply.get("error")):
            await self._book(-rows)
        return reply

    async def _book(self, rows: int) -> str:
        cost = self._booking.cost
        if cost is not None and rows < 0:
            cost = -cost
        return await asyncio.to_thread(self._booking.ledger.admit, self._booking.judge, rows, cost)


def _rows_of(request: "Request", as_: str) -> int:
    """Count the passages of a request: those under the source's key, or those that fill roles."""
    state = request["state"]
    passages = state.get(as_)
    return max(1, len(passages if isinstance(passages, Mapping) else state))


# --- reasons in words

_WORDS = {
    "request_too_large": "one passage alone is more than the model takes at once",
    "unauthorized": "the server refused the key",
    "server_error": "the server failed",
    "rate_limited": "the server takes no more requests for now",
    "request_error": "the server could not be reached",
    "missing_answers": "the model left questions unanswered",
    "malformed_answers": "the model's answers could not be read",
    "malformed_reply": "the reply could not be read",
    "bad_request": "the server refused the request",
    "api_error": "the server refused the request",
    "timeout": "the server took too long",
    "deadline": "the time of the run was over",
    "cancelled": "the run was ended",
    "declined": "the limits of the day left no request",
    "not_recorded": "no answer is recorded",
}


def cause_of(reason: object) -> str:
    """Give the word that a reason begins with; `failed` where it has none."""
    return word_of(reason) or "failed"


def in_words(reason: object) -> str:
    """Say a reason that came without a sentence, without a full stop."""
    known = _WORDS.get(cause_of(reason))
    return known or f"the request failed ({_shown_reason(reason)})"


def _shown_reason(reason: object) -> str:
    text = reason if isinstance(reason, str) else json.dumps(reason, default=str)
    text = " ".join(text.split())
    return text if len(text) <= 100 else f"{text[:99]}…"
