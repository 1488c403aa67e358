"""How far a long piece of work is, told to the client, with a button that ends it (window/workDoneProgress)."""

import asyncio
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from cite_lsp.server.protocol import Server

SOON = 0.5
"""Seconds after which work that is still going on is told of."""


class Progress:
    """One piece of work. Nothing is told of it before `SOON`, or ever, where the client does not show such things.

    `cancel` is called when the person at the client has had enough; the work then ends itself, and calls `end`.
    """

    def __init__(self, server: "Server", title: str, total: int, noun: str, cancel: Callable[[], object]) -> None:
        """`noun`: what there are `total` of, in the plural."""
        self._server = server
        self._title = title
        self._noun = noun
        self._total = total
        self._done = 0
        self._cancel = cancel
        self._token = f"cite-lsp {uuid.uuid4()}"
        self._timer: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[None] | None = None
        self._begun = False
        self._ended = False

    def begin(self, seconds: float = SOON) -> None:
        """Have the work told of in so many seconds, if it goes on for that long."""
        if self._server.client.work_done_progress:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._open_soon)

    def report(self, done: int) -> None:
        """Say how many are done."""
        if done != self._done:
            self._done = done
            if self._begun and not self._ended:
                self._send({"kind": "report", **self._how_far()})

    def end(self, message: str) -> None:
        """Say what came of it, and that it is over."""
        if self._timer is not None:
            self._timer.cancel()
        if self._begun and not self._ended:
            self._send({"kind": "end", "message": message})
        self._ended = True
        self._server.protocol.progress.tokens.pop(self._token, None)

    def _open_soon(self) -> None:
        self._opening = asyncio.ensure_future(self._open())

    async def _open(self) -> None:
        """Ask for a place to show it in, then begin; a client that refuses is not told."""
        params = types.WorkDoneProgressCreateParams(self._token)
        try:
            await self._server.window_work_done_progress_create_async(params)
        except JsonRpcException:
            return
        if self._ended:
            return
        cancelled: Future[None] = Future()
        cancelled.add_done_callback(self._cancelled)
        self._server.protocol.progress.tokens[self._token] = cancelled
        self._begun = True
        self._send({"kind": "begin", "title": self._title, "cancellable": True, **self._how_far()})

    def _cancelled(self, cancelled: "Future[None]") -> None:
        if cancelled.cancelled() and not self._ended:
            self._cancel()

    def _how_far(self) -> dict[str, Any]:
        share = self._done * 100 // self._total if self._total else 0
        return {"message": f"{self._done:,} of {self._total:,} {self._noun}", "percentage": min(share, 100)}

    def _send(self, value: dict[str, Any]) -> None:
        self._server.send_raw("$/progress", {"token": self._token, "value": value})
