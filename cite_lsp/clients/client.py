"""What a client of a model gives, whatever its wire."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Cause = Literal[
    "unauthorised",
    "not-found",
    "rate-limited",
    "server-error",
    "unreachable",
    "timeout",
    "redirect",
    "reply-too-large",
    "not-json",
    "cut-off",
    "refused",
    "no-key",
    "setting",
]


class ClientError(Exception):
    """A request that came to nothing.

    Attributes:
        cause: What went wrong, one word.
        message: A sentence without a full stop, for a person: what, at which address, what to do. Holds no key.
        requests: How many requests were sent for it.
    """

    def __init__(self, cause: Cause, message: str, requests: int = 1) -> None:
        """Take the cause and the sentence."""
        super().__init__(message)
        self.cause: Cause = cause
        self.message = message
        self.requests = requests


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered.

    Attributes:
        text: The reply, JSON if the server keeps to the schema; always read with care.
        tokens_in, tokens_out: As the server counted them; 0 where it did not say.
        cut_off: Whether the reply ended at the output limit.
        requests: How many requests it took, retries and other means among them.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    cut_off: bool = False
    requests: int = 1


class ChatClient(Protocol):
    """Asks one model, at one address that the user chose."""

    @property
    def address(self) -> str:
        """The base address, without credentials: part of a judge's identity."""

    @property
    def model(self) -> str:
        """The model's name; "" where the server has one only."""

    async def complete(
        self, system: str, user: str, schema: Mapping[str, Any], *, name: str, max_tokens: int | None = None
    ) -> Completion:
        """Ask for a reply in the form of a JSON schema.

        Args:
            system: What the model is told to do; the same text for all requests, so that it can be kept by the server.
            user: The question.
            schema: The JSON schema of the reply: an object, all properties required, no others.
            name: A name for the schema, letters and "_".
            max_tokens: The most tokens of the reply; None leaves that to the server.

        Raises:
            ClientError: No reply. Cancelling aborts the request at once.
        """

    async def close(self) -> None:
        """End the connections; another question opens them again."""


class DecisionClient(Protocol):
    """Answers the questions of policies: asks one model, at one address that the user chose."""

    @property
    def identity(self) -> str:
        """One line: wire, model, address, and what else its answers hang on. What is kept of them is kept under it."""

    @property
    def address(self) -> str:
        """The base address, without credentials; "" for one that cannot be used."""

    @property
    def model(self) -> str:
        """The model's name; "" where the server has one only."""

    @property
    def requests(self) -> int:
        """How many requests were sent so far, those that were tried again among them."""

    async def __call__(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """Ask.

        Args:
            request: `{"state": …, "questions": …}`, both ordered and JSON (see `policy.asking`).

        Returns:
            `{"answers": …, "usage": {"input_tokens": n, "output_tokens": n} | None}`, perhaps with `"model": name`; or
            `{"error": reason, "message": sentence}`, perhaps with `"usage"`, whatever a server does. Answers are given
            as they came: whoever asked checks them. No key stands in what else is given.
            Reasons: `"request_too_large"`, `"unauthorized"`, `["bad_request", type or text]`,
            `["rate_limited", milliseconds | None]`, `"server_error"`, `["api_error", status, text]`,
            `["request_error", name]`, `"timeout"`, `["malformed_reply", text]`, `"declined"`, `["setting", text]`.
            Cancelling aborts the request at once.
        """

    async def close(self) -> None:
        """End the connections; another question opens them again."""
