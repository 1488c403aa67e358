"""Asks clients to ask again for marks and counts, when these became others without an edit of theirs.

A client asks by itself when it opens or edits a document. It is asked to only if it said that it can be, only while
the settings want what is refreshed, and once more when they no longer do. While it has not answered, it is asked
nothing of the kind.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from cite_lsp.config import Settings
    from cite_lsp.server.open_document import OpenDocument
    from cite_lsp.server.session import Session

    _Ask = Callable[[None], Awaitable[object]]

log = logging.getLogger(__name__)

_REST = 0.25
"""Seconds in which several causes are one."""
_LONG_REST = 2.0
"""Seconds without an edit of a document after which the counts in the code that it cites are asked for again."""


class _Wanted(NamedTuple):
    """What the settings of the open files want."""

    hints: bool = False
    lenses: bool = False


class Refreshing:
    """For one session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._seen: WeakKeyDictionary[OpenDocument, int | None] = WeakKeyDictionary()
        """The version of each document when it was checked last."""
        self._before = _Wanted()
        self._open: dict[_Ask, asyncio.Future[None]] = {}
        """What the client was asked to and has not answered yet."""
        self._late: set[_Ask] = set()
        """What it is to be asked to once more when it has."""

    def checked(self, document: "OpenDocument") -> None:
        """Take note that a document was checked: after an edit, or because something else changed."""
        edited = document not in self._seen or self._seen[document] != document.version
        self._seen[document] = document.version
        client, timers = self._session.client, self._session.timers
        if not (client.inlay_hint_refresh or client.code_lens_refresh):
            return
        if edited and self._before.lenses:
            timers.after_rest("refresh counts", _LONG_REST, self._refresh)
        elif not edited and (any(self._before) or any(self._wanted())):
            timers.later("refresh", _REST, self._refresh)

    def _refresh(self) -> None:
        server, client = self._session.server, self._session.client
        wanted, before = self._wanted(), self._before
        self._before = wanted
        if client.inlay_hint_refresh and (wanted.hints or before.hints):
            self._ask(server.workspace_inlay_hint_refresh_async)
        if client.code_lens_refresh and (wanted.lenses or before.lenses):
            self._ask(server.workspace_code_lens_refresh_async)

    def _wanted(self) -> _Wanted:
        rows = [settings.server for settings in self._settings()]
        return _Wanted(any(row.inlay_hints for row in rows), any(row.code_lens for row in rows))

    def _settings(self) -> "list[Settings]":
        session, found = self._session, []
        for document in session.documents.values():
            if document.place is not None:
                found.append(document.place.settings)
            elif document.path is not None and (root := session.workspace.holds(document.path)) is not None:
                found.append(session.settings.of(document.path, root).settings)
        return found

    def _ask(self, ask: "_Ask") -> None:
        if ask in self._open:
            self._late.add(ask)
            return
        task = self._open[ask] = asyncio.ensure_future(_asked(ask))
        task.add_done_callback(lambda task: self._answered(ask, task))

    def _answered(self, ask: "_Ask", task: "asyncio.Future[None]") -> None:
        del self._open[ask]
        if ask in self._late and not task.cancelled():
            self._late.discard(ask)
            self._ask(ask)


async def _asked(ask: "_Ask") -> None:
    try:
        await ask(None)
    except JsonRpcException as error:
        log.info("the client does not ask again: %s", error)
