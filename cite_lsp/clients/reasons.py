"""What a request came to, as the reason of an error that policies keep: data, the same whichever wire it came over."""

from typing import Any

from cite_lsp.clients.client import ClientError
from cite_lsp.clients.failures import ConnectionFailedError, StatusError
from cite_lsp.clients.reply import whole_wait

_NOT_REACHED = frozenset(
    {"econnrefused", "nxdomain", "ehostunreach", "ehostdown", "enetunreach", "enetdown", "eaddrnotavail", "unreachable"}
)
"""Names of failures before anything is sent: what breaks off later may have been answered."""


def failed(error: ClientError, reason: object) -> dict[str, Any]:
    """Give the reply that says so."""
    return {"error": reason, "message": error.message}


def cost_nothing(reason: object) -> bool:
    """Whether nobody can have been paid for it: there was no connection, or no key, or one that was refused."""
    match reason:
        case "unauthorized" | ["setting", *_]:
            return True
        case ["request_error", name]:
            return name in _NOT_REACHED
        case _:
            return False


def reason_of(error: ClientError, said: str) -> object:
    """Give the reason of an error.

    Args:
        error: What the wire raised.
        said: What the server said of it, without keys; "" where no server said anything.
    """
    if isinstance(error, StatusError):
        return _of_status(error, said)
    if isinstance(error, ConnectionFailedError):
        return ["request_error", error.name]
    match error.cause:
        case "unauthorised" | "no-key":
            return "unauthorized"
        case "timeout":
            return "timeout"
        case "refused":
            return "declined"
        case "server-error":
            return "server_error"
        case "not-json" | "reply-too-large":
            return ["malformed_reply", error.message]
        case "setting":
            return ["setting", error.message]
        case cause:
            return ["request_error", cause]


def _of_status(error: StatusError, said: str) -> object:
    if error.status == 401:
        return "unauthorized"
    if error.status in (400, 422):
        return ["bad_request", said]
    if error.status == 429:
        wait = whole_wait(error.reply)
        return ["rate_limited", None if wait is None else round(wait * 1000)]
    if error.status >= 500:
        return "server_error"
    return ["api_error", error.status, said]
