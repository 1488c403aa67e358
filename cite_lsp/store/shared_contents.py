"""What a shared cache holds, asked by a person: counted, forgotten, filled. Each may take some seconds."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from cite_lsp.store import answers, verdicts
from cite_lsp.store.shared import PREFIX
from cite_lsp.store.shared_server import AT_ONCE, LONGEST, SharedError, SharedServer

if TYPE_CHECKING:
    from cite_lsp.config.cache_address import CacheAddress

_SECONDS = 5.0
"""How long one connects, and waits for one answer: a person has asked for it."""
_COUNTING_SECONDS = 10.0
_CLEARING_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class SharedInfo:
    """What a shared cache holds.

    Attributes:
        address: Where it is, without user and password.
        encrypted: Whether the connection is.
        seconds: How long connecting and asking took, None where it failed.
        verdicts, answers: How many, those of this form; None where they were not counted.
        why: Why it could not be used, or not be counted, a sentence without a full stop; "" where it could.
    """

    address: str
    encrypted: bool
    seconds: float | None = None
    verdicts: int | None = None
    answers: int | None = None
    why: str = ""


def look(address: "CacheAddress", *, counting: bool = True) -> SharedInfo:
    """Connect, and count what is there; without `counting` only see whether it may be read."""
    begun = time.monotonic()
    seconds, why = None, ""
    counts: list[int] = []
    try:
        with _at(address) as server:
            server.read([f"{PREFIX}nothing"])
            seconds = time.monotonic() - begun
            for kind in _kinds() if counting else ():
                count = sum(len(names) for names in server.names(f"{PREFIX}{kind}:", _COUNTING_SECONDS))
                counts.append(count)  # what was counted before an error stays
    except SharedError as error:
        why = str(error)
    counted: Mapping[str, int] = dict(zip(("verdicts", "answers"), counts, strict=False))
    return SharedInfo(address.shown, address.tls, seconds, counted.get("verdicts"), counted.get("answers"), why)


def clear(address: "CacheAddress") -> int:
    """Take away all verdicts and answers of this form, whoever has put them there; give how many.

    Raises:
        SharedError: The server cannot be used; the message is a sentence without a full stop.
    """
    with _at(address) as server:
        return sum(
            server.forget(part)
            for kind in _kinds()
            for names in server.names(f"{PREFIX}{kind}:", _CLEARING_SECONDS)
            for part in _parts(names)
        )


def fill(address: "CacheAddress", lines: Mapping[str, bytes]) -> int:
    """Write verdicts as they are shared, by their keys; give how many.

    Raises:
        SharedError: They could not be written; the message is a sentence without a full stop.
    """
    kind = verdicts.FILE.removesuffix(".db")
    named = {f"{PREFIX}{kind}:{key}": line for key, line in lines.items() if len(line) <= LONGEST}
    with _at(address) as server:
        for part in _parts(list(named)):
            refused = server.write({name: named[name] for name in part})
            if refused:
                raise SharedError(refused)
    return len(named)


@contextmanager
def _at(address: "CacheAddress") -> Iterator[SharedServer]:
    """Give a connection that ends with the context; what goes wrong in it is told in a whole sentence."""
    server = SharedServer(address, seconds=_SECONDS)
    try:
        yield server
    except SharedError as error:
        raise SharedError(f"the shared cache at {address.shown} {error}") from error
    finally:
        server.close()


def _kinds() -> tuple[str, str]:
    return verdicts.FILE.removesuffix(".db"), answers.FILE.removesuffix(".db")


def _parts(names: list[str]) -> Iterator[list[str]]:
    rest = iter(names)
    while part := list(islice(rest, AT_ONCE)):
        yield part
