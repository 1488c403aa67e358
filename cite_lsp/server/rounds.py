"""When open documents are judged: on save, and after the lines that verdicts hang on have changed."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cite_lsp.document.document import Block
from cite_lsp.server.judges import leaves
from cite_lsp.server.judging_all import JudgingAll
from cite_lsp.server.open_document import OpenDocument, Place
from cite_lsp.server.space import Space
from cite_lsp.server.uris import key

if TYPE_CHECKING:
    from collections import Counter

    from cite_lsp.server.session import Session

_GROUNDING_REST = 0.3
"""Seconds of rest after which claims are compared with the names in the lines that they cite."""
_JUDGING_REST = 0.2
"""Seconds after which verdicts on lines that changed are given anew."""


class Rounds:
    """Starts the judge's runs for the documents of a session."""

    def __init__(self, session: "Session") -> None:
        self.everything = JudgingAll(session)
        self._session = session
        self._stale: dict[OpenDocument, None] = {}
        """Documents with verdicts on lines that changed since."""
        self._ungrounded: dict[OpenDocument, None] = {}
        self._unlisted: dict[OpenDocument, None] = {}
        """Documents that are judged once the files of their space are listed."""
        self._waiting: list[asyncio.Future[None]] = []
        """Who waits for that."""

    def start(self, document: OpenDocument, *, known_only: bool = False) -> "asyncio.Task[Counter[str]] | None":
        """Judge a document; None where there is nothing to judge. `known_only`: nobody is asked."""
        self._session.settle()
        if document.place is None or document.document is None:
            return None
        return self._session.judging.start(document, known_only=known_only)

    def start_if_wanted(self, document: OpenDocument) -> None:
        """Judge a document that was saved if the settings want it.

        What is to be sent somewhere waits until it is known which files git ignores.
        """
        if document.place is None or document.place.settings.judge.run != "save":
            return
        if leaves(document.place.settings) and self._is_listing(document.place.space):
            self._unlisted[document] = None
        else:
            self.start(document)

    def placed(self, document: OpenDocument, place: Place, before: Place | None) -> None:
        """Look at a document that was opened, or whose settings were read anew.

        Its run ends where another judge is to be asked, or more texts are to be kept from it.
        """
        self.ground_soon(document)
        if place.settings.judge.run == "off":
            self._session.judging.stop(document)
            document.forget_verdicts()
        elif before is not None and self._session.judging.is_judging(document) and _asked(before) != _asked(place):
            self._session.judging.stop(document)
            asyncio.get_running_loop().call_soon(self._start_anew, document)

    def _start_anew(self, document: OpenDocument) -> None:
        if self._session.documents.get(key(document.uri)) is document:
            self.start_if_wanted(document)

    def start_unlisted(self) -> None:
        """Judge what waited for the files to be listed."""
        self._session.policies.listed()
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)
        unlisted, self._unlisted = self._unlisted, {}
        for document in unlisted:
            if self._session.documents.get(key(document.uri)) is document:
                self.start_if_wanted(document)

    def _is_listing(self, space: Space) -> bool:
        return bool(space.roots) and (not space.complete or space.rules_changed) and space in self._session.spaces

    async def listed(self, space: Space) -> None:
        """Wait until the files of a space are listed, or could not be."""
        while self._is_listing(space) and not space.error:
            waiter = asyncio.get_running_loop().create_future()
            self._waiting.append(waiter)
            await waiter

    def _freshen(self, document: OpenDocument) -> None:
        """Give verdicts on lines that changed anew; a judge that is asked elsewhere is asked by the next save only."""
        if document.place is not None and document.place.settings.judge.run == "save":
            self.start(document, known_only=leaves(document.place.settings))

    def again(self, document: OpenDocument, citing: Sequence[Block]) -> None:
        """Have what cites a file that changed judged again after a rest; else its verdicts are dropped."""
        self.ground_soon(document)
        judging = self._session.judging.is_judging(document)
        if document.place is None or not (document.verdicts or judging):
            return
        if document.place.settings.judge.run == "save":
            self._stale[document] = None
            self._session.timers.later("judge again", _JUDGING_REST, self._start_stale)
        else:
            document.verdicts.drop(citing)
            if judging:
                self._session.judging.start(document, known_only=True)

    def all_again(self) -> None:
        """Ask again for the verdicts that there are: the files they hang on may all have changed."""
        for document in self._session.documents.values():
            if document.verdicts or self._session.judging.is_judging(document):
                self._freshen(document)

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
                self._freshen(document)


def _asked(place: Place) -> object:
    """Give the settings that say who is asked, and about what."""
    return place.settings.judge, place.settings.audit, place.settings.server.trusted
