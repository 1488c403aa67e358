"""Who answers questions: a client is a function from a request to a reply.

A request is `{"state": …, "questions": …}`, both ordered and JSON. A reply is
`{"answers": {key: answer}, "usage": {"input_tokens": n, "output_tokens": n} | None, "model": name (optional)}`,
or `{"error": reason, "message": sentence (optional), "usage": … (optional)}`.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

Request: TypeAlias = dict[str, Any]
Reply: TypeAlias = Mapping[str, Any]
Client: TypeAlias = Callable[[Request], Reply | Awaitable[Reply]]

TOO_LARGE: Final = "request_too_large"
"""The reason of a request that is answered in halves."""


class ClientError(Exception):
    """A request that was not answered; a client may raise it instead of replying with an error.

    Attributes:
        reason: What happened, as data: `"request_too_large"`, `["rate_limited", 7000]`, …
        message: The same for a person, a sentence without a full stop; "" where there is none.
    """

    def __init__(self, reason: object, message: str = "") -> None:
        """Take the reason and, if there is one, the sentence."""
        super().__init__(message or str(reason))
        self.reason = reason
        self.message = message


class ContractError(TypeError):
    """What a client gave is no reply: a mistake of whoever wrote the client, which ends the run."""


def word_of(reason: object) -> str:
    """Give the word that a reason begins with: `["rate_limited", 7000]` is `rate_limited`; "" where it has none."""
    first = reason[0] if isinstance(reason, (list, tuple)) and reason else reason
    return first if isinstance(first, str) else ""
