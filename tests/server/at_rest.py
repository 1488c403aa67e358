"""Waiting until a server of the harness has come to rest, and what it has published by then."""

import asyncio
from collections.abc import Sequence
from typing import Any

from cite_lsp.worker.client import Worker
from tests.server.harness import PUBLISH, Session

POPUP = "window/showMessage"
HANG = 20.0
"""Seconds after which a server that finds no rest fails its test."""
_LOOK = 0.002
"""Seconds between two looks at what is still under way."""


def under_way(session: Session) -> list[str]:
    """Say what keeps a server from rest; nothing when all that was sent has had its effect."""
    if not session.exits and session.server.session is None:
        return ["there is no session yet"]
    inner = session.server.session
    requests = session.server.protocol._request_futures.values()
    parts = ("judging", "policies", "policy_files", "histories", "grounding", "deletions")
    found = [f"the timer {name}" for name in inner.timers._timers]
    found += [f"the {name.replace('_', ' ')}" for name in parts if getattr(inner, name).busy]
    found += ["documents to publish"] if inner._pending or inner._flush is not None else []
    found += ["requests"] if not all(future.done() for future in requests) else []
    found += ["the client's answers"] if session._tasks else []
    busy = (space for space in inner.spaces if space._rest is not None or space._tasks)
    return [*found, *(f"the space {space.roots}" for space in busy)]


async def rest(session: Session) -> None:
    """Wait until nothing is under way."""
    loop = asyncio.get_running_loop()
    end = loop.time() + HANG
    await session.settled()
    while True:
        if not under_way(session):
            await asyncio.sleep(0)
            if not under_way(session):
                return
        assert loop.time() < end, f"no rest: {under_way(session)}"
        await asyncio.sleep(_LOOK)


def troubles(session: Session) -> list[str]:
    """What went wrong that a server at rest knows of."""
    inner = session.server.session
    found = [inner.judging.error, inner.histories.error, inner.grounding.error]
    found += [space.error for space in inner.spaces]
    incomplete = [f"{space.roots} are not listed" for space in inner.spaces if space.roots and not space.complete]
    return [*filter(None, found), *incomplete]


def shown(session: Session, into: dict[str, list[dict[str, Any]]] | None = None) -> dict[str, list[dict[str, Any]]]:
    """Consume all publishes that are there; give what the client shows now, by URI as the server spelled it."""
    now = {} if into is None else into
    for params in session.discard(PUBLISH):
        now[params["uri"]] = params["diagnostics"]
    return now


async def shown_at_rest(
    session: Session, into: dict[str, list[dict[str, Any]]] | None = None
) -> dict[str, list[dict[str, Any]]]:
    """Wait for rest, consume all publishes, and give what the client shows."""
    await rest(session)
    return shown(session, into)


async def opened(session: Session, uri: str, text: str) -> None:
    """Open a document, and wait until all is told of it."""
    session.open(uri, text)
    await shown_at_rest(session)


def status(session: Session) -> dict[str, Any]:
    """The last status that was sent, consumed with those before it."""
    last: dict[str, Any] = session.discard("cite-lsp/status")[-1]
    return last


def popups(session: Session) -> list[str]:
    """The messages that a person was shown, consumed."""
    return [params["message"] for params in session.discard(POPUP)]


def codes(diagnostics: Sequence[dict[str, Any]]) -> list[str]:
    """The codes, in the order of the list."""
    return [each.get("code", "") for each in diagnostics]


class SharedWorker:
    """One worker for many sessions of one event loop; a session that closes it leaves it to the others."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    async def call(self, do: str, **params: Any) -> Any:
        return await self._worker.call(do, **params)

    def close(self) -> None:
        pass
