"""Requests that came to nothing: what servers said, what the system said, and how people are told."""

import errno
import socket
import ssl

from cite_lsp.clients.client import Cause, ClientError
from cite_lsp.clients.keys import Key
from cite_lsp.clients.reply import Reply


class StatusError(ClientError):
    """The server answered, and refused.

    Attributes:
        status: The status of the reply.
        said: What the server said of it, without keys and control characters, 2,000 characters at most.
        reply: The reply as it came; it may hold a key and is never shown.
    """

    def __init__(self, cause: Cause, message: str, reply: Reply, said: str = "") -> None:
        """Take what `ClientError` takes, the reply and the server's own words in it."""
        super().__init__(cause, message)
        self.status = reply.status
        self.said = said
        self.reply = reply


class ConnectionFailedError(ClientError):
    """There was no connection, or it broke.

    Attributes:
        name: What the system calls it, in lower case: `econnrefused`; `closed` where the server hung up.
    """

    def __init__(self, cause: Cause, message: str, name: str) -> None:
        """Take what `ClientError` takes, and the name."""
        super().__init__(cause, message)
        self.name = name


def meaning(status: int, key: Key) -> tuple[Cause, str, str]:
    """The cause of a status, what the server did, and what to do."""
    if status in (401, 403):
        if key.value:
            return "unauthorised", "refused the key", f"check {key.origin}"
        return "unauthorised", "asks for a key", "name the environment variable that holds it with api_key_env"
    if status == 404:
        return "not-found", "does not know the model or the path", "check model and base_url"
    if status == 429:
        return (
            "rate-limited",
            "takes no more requests for now",
            "try again later, or lower limits.concurrency",
        )
    if status >= 500:
        return "server-error", "failed", "try again later"
    return "refused", "refused the request", ""


def system_name(failure: Exception) -> str:
    """What the system calls a failure of the connection."""
    why = underlying(failure)
    if isinstance(why, socket.gaierror):
        return "nxdomain"
    if isinstance(why, ssl.SSLError):  # its numbers are its own
        return "tls"
    if isinstance(why, OSError) and why.errno is not None and why.errno in errno.errorcode:
        return errno.errorcode[why.errno].lower()
    return "closed"


def underlying(failure: BaseException) -> BaseException:
    """What lies under an exception of the library: the system's own error, if there is one."""
    under: BaseException | None = failure
    for _ in range(10):
        if under is None:
            break
        if isinstance(under, OSError) and under.errno is not None:
            return under
        group = under.exceptions if isinstance(under, BaseExceptionGroup) else ()
        under = under.__cause__ or under.__context__ or (group[0] if group else None)
    return failure
