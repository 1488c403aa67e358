"""When open documents are judged: on save, and after the lines that verdicts hang on have changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cite_lsp.config import Problem
from cite_lsp.document.document import Block
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.uris import key

if TYPE_CHECKING:
    import asyncio

    from cite_lsp.server.session import Session

_GROUNDING_REST = 0.3
"""Seconds of rest after which claims are compared with the names in the lines that they cite."""
_JUDGING_REST = 0.2
"""Seconds after which verdicts on lines that changed are given anew."""


class Rounds:
    """Starts the judge's runs for the documents of a session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._stale: dict[OpenDocument, None] = {}
        """Documents with verdicts on lines that changed since."""
        self._ungrounded: dict[OpenDocument, None] = {}

    def start(self, document: OpenDocument) -> "asyncio.Task[Any] | None":
        """Judge a document; None where there is nothing to judge, or nobody who could."""
        self._session.settle()
        if document.place is None or document.document is None:
            return None
        name = document.place.settings.judge.name
        if name != "embedded":
            message = f"the judge {name!r} is not part of this version; nothing was judged"
            self._session.reports.say(Problem("judge", None, None, "judge.name", message))
            return None
        return self._session.judging.start(document)

    def start_if_wanted(self, document: OpenDocument) -> None:
        """Judge a document if the settings want it on save."""
        if document.place is not None and document.place.settings.judge.run == "save":
            self.start(document)

    def again(self, document: OpenDocument, citing: Sequence[Block]) -> None:
        """Have what cites a file that changed judged again after a rest; else its verdicts are dropped."""
        self.ground_soon(document)
        if not document.verdicts or document.place is None:
            return
        if document.place.settings.judge.run == "save":
            self._stale[document] = None
            self._session.timers.later("judge again", _JUDGING_REST, self._start_stale)
        else:
            document.verdicts.drop(citing)

    def all_again(self) -> None:
        """Ask again for the verdicts that there are: the files they hang on may all have changed."""
        for document in [each for each in self._session.documents.values() if each.verdicts]:
            self.start_if_wanted(document)

    def ground_soon(self, document: OpenDocument) -> None:
        """Have the claims of a document compared with the names in the cited lines, once things rest."""
        self._ungrounded[document] = None
        self._session.timers.after_rest("ground", _GROUNDING_REST, self._ground)

    def _ground(self) -> None:
        ungrounded, self._ungrounded = self._ungrounded, {}
        for document in ungrounded:
            if self._session.documents.get(key(document.uri)) is document:
                self._session.settle()
                self._session.grounding.start(document)

    def _start_stale(self) -> None:
        stale, self._stale = self._stale, {}
        for document in stale:
            if self._session.documents.get(key(document.uri)) is document:
                self.start_if_wanted(document)
