"""What somebody who begins to type a citation would wait for, made ahead: the worker's texts of all paths.

It is done once nothing is under way, behind the first listing and behind each that found other files; for clients that
complete, and for the folders of open documents only.
"""

import asyncio
import logging
from importlib import import_module
from typing import TYPE_CHECKING

from cite_lsp.worker.client import WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.server.session import Session

log = logging.getLogger(__name__)

_REST = 1.0
"""Seconds behind the last listing and the last document that was opened: their findings come first."""
_ASKED_BY = "cite_lsp.server.features.citation_completion"
"""The module that answers the first letter; to load it takes longer than to answer."""


class Offers:
    """Has paths ready to be offered in a session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    def soon(self) -> None:
        """Make ready what is not, once nothing else is under way."""
        if not self._session.client.completion:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(_REST, self._start)

    def close(self) -> None:
        """Stop everything."""
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()

    def _start(self) -> None:
        self._timer = None
        session = self._session
        making = self._task is not None and not self._task.done()
        if making or session.histories.busy or session.grounding.busy:
            self.soon()
            return
        roots = self._roots()
        if roots:
            self._task = asyncio.ensure_future(self._make(roots))

    def _roots(self) -> list[str]:
        """Give the roots whose paths may be asked for."""
        places = [document.place for document in self._session.documents.values()]
        spaces = [
            place.space
            for place in places
            if place is not None and place.settings.server.completion and place.space.complete
        ]
        return list(dict.fromkeys(root for space in spaces for root in space.roots))

    async def _make(self, roots: list[str]) -> None:
        await asyncio.get_running_loop().run_in_executor(None, import_module, _ASKED_BY)
        try:
            for root in roots:
                await self._session.worker.call("offering", root=root)
        except (WorkerLost, WorkerFailed) as error:
            log.info("paths were not made ready to be offered: %s", error)
