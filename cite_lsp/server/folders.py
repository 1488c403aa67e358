"""What the worker says of whole folders: their files, and the names in their history. Said once as long as it is so.

One object serves all spaces of a session: a folder that joins the workspace, or a document beside it that is opened
once more, has what another space knows already.
"""

import asyncio
from dataclasses import dataclass
from weakref import WeakValueDictionary

from cite_lsp.snapshot.paths import PathIndex
from cite_lsp.worker.answers import index_of
from cite_lsp.worker.client import Worker
from cite_lsp.worker.giving_back import MANY_FILES, give_back

_STAYS = 60.0
"""Seconds that what is known of a folder stays once it was left: it may be opened again soon."""


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Files:
    """The files of a folder, and what the worker calls this answer."""

    index: PathIndex
    mark: str


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Names:
    """The names in the history of a work tree.

    Attributes:
        top: The work tree's top.
        names: Every base name; None where they could not be read in time.
        mark: What the worker calls this answer.
    """

    top: str
    names: frozenset[str] | None
    mark: str = ""


class Folders:
    """Asks the worker about folders. What was answered is known as long as somebody holds it."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self._files: WeakValueDictionary[str, Files] = WeakValueDictionary()
        self._names: WeakValueDictionary[str, Names] = WeakValueDictionary()

    async def files(self, folder: str) -> Files:
        """Give the files of an absolute folder; the object that is known where nothing is new.

        Raises WorkerLost, WorkerFailed.
        """
        known = self._files.get(folder)
        answer = await self.worker.call("paths", root=folder, known=known.mark if known is not None else "")
        if known is not None and "same" in answer:
            return known
        loop = asyncio.get_running_loop()
        index = await loop.run_in_executor(None, index_of, folder, answer, known.index if known is not None else None)
        if len(index) > MANY_FILES:
            loop.run_in_executor(None, give_back)
        found = self._files[folder] = Files(index, answer["mark"])
        return found

    async def names(self, folder: str) -> Names | None:
        """Give the names in the history of the work tree that an absolute folder lies in, likewise; None: no history.

        Raises WorkerLost, WorkerFailed.
        """
        known = self._names.get(folder)
        answer = await self.worker.call("history", root=folder, known=known.mark if known is not None else "")
        if known is not None and "same" in answer:
            return known
        if "top" not in answer:
            return None
        if known is not None and known.names is not None and "added" in answer:
            names: frozenset[str] | None = known.names.difference(answer["removed"]).union(answer["added"])
        else:
            names = None if answer["names"] is None else frozenset(answer["names"])
        found = Names(answer["top"], names, answer["mark"])
        self._names[folder] = found
        return found

    def leave(self, *known: object) -> None:
        """Have what is known of folders that are left stay for a while."""
        asyncio.get_running_loop().call_later(_STAYS, _let_go, known)


def _let_go(_: object) -> None:
    """Let go of what the timer held."""
