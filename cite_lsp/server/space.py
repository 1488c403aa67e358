"""A space: folders whose files are looked up together, and the newest snapshot of them.

The workspace folders are one space; a document that lies in none of them has a space of its own. The first snapshot
knows no index and tries paths on disk; the worker lists the files, and the next one knows them.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cite_lsp.config import find_root
from cite_lsp.server.commit_book import CommitBook
from cite_lsp.server.folders import Files, Folders
from cite_lsp.server.pasts import Nearness, Past
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import FileText, Reader
from cite_lsp.snapshot.paths import PathIndex, too_wide
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Scope, Snapshot
from cite_lsp.worker.client import WorkerFailed, WorkerLost

_REST = 0.2
"""Seconds without a further event before the files are listed anew."""
_LONGEST_REST = 2.0
"""Seconds after which they are though events go on: a build may write files for minutes."""
_RETRY = 15.0
"""Seconds after which files that could not be listed are tried once more."""
_MOST_QUESTIONS = 200
_LONGEST_RENAMING = 5.0
"""Seconds after which files that were to be renamed are not waited for any longer."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is new in a snapshot: `files` with other content, or paths (`everything`), or answers about paths."""

    files: frozenset[str] = frozenset()
    everything: bool = False
    answers: bool = False


class Known:
    """Answers for the paths of the newest snapshot of a space, and remembers which it said yes to."""

    def __init__(self, space: "Space") -> None:
        self._space = space
        self.accepted: set[str] = set()

    def __contains__(self, path: object) -> bool:
        found = path in self._space.snapshot.known
        if found and isinstance(path, str):
            self.accepted.add(path)
        return found

    def lost(self) -> bool:
        """Say whether a path that it said yes to is gone, and forget what it said if so."""
        known = self._space.snapshot.known
        gone = any(path not in known for path in self.accepted)
        if gone:
            self.accepted = set()
        return gone


class Space:
    """Some roots, and what is known of them. `changed` is called when there is a next snapshot.

    `scopes`: of each root.
    """

    def __init__(
        self,
        roots: tuple[str, ...],
        scopes: Sequence[Scope],
        overlay: Callable[[], Mapping[str, str]],
        folders: Folders,
        changed: Callable[["Space", Change], None],
    ) -> None:
        self.roots = roots
        self.complete = False
        """Whether every root has been listed once."""
        self.rules_changed = False
        """Whether files say otherwise what git ignores than when the files were listed last."""
        self.error = ""
        """Why the files could not be listed, a sentence."""
        self.coming: frozenset[str] = frozenset()
        """Absolute paths that files and folders are just being renamed to: citations of them are there first."""
        self._scopes = dict(zip(roots, scopes, strict=True))
        self._scope = _merged(scopes)
        """What the files of all roots are read under."""
        self._overlay = overlay
        """Gives the texts of open files as they are now."""
        self._folders = folders
        self._worker = folders.worker
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()
        self._asking = False
        self._rest: asyncio.TimerHandle | None = None
        self._rest_began = 0.0
        """The loop's time of the first event that was not followed by a listing yet."""
        self._retry: asyncio.TimerHandle | None = None
        self._listing: asyncio.Task[None] | None = None
        self._again = False
        self._waiting: list[asyncio.Future[None]] = []
        """Who waits for the next listing."""
        self._appeared = False
        """Whether a file appeared or vanished that the index may leave out."""
        self.known = Known(self)
        self._parts: dict[str, bool] = {}
        self._start_empty()

    def _start_empty(self) -> None:
        """Know nothing of the roots yet."""
        self.commits = {root: CommitBook() for root in self.roots}
        """What is known of files as they were, by root."""
        self._pasts = {root: Past(root) for root in self.roots}
        self._nearness = Nearness()
        self._checkouts: dict[str, PathIndex] = {}
        """The files of other repositories' checkouts (setting anchors.repositories)."""
        self._files: dict[str, Files] = {}
        """What the worker said of the files of each folder."""
        self._views: dict[str, tuple[Snapshot, Snapshot]] = {}
        """For each root the snapshot that was seen from it, and how it was seen."""
        self.snapshot = self._make([PathIndex(root, ()) for root in self.roots])

    def _make(self, indexes: Iterable[PathIndex]) -> Snapshot:
        checkouts = tuple(self._scope.repositories.values())
        reader = Reader((*self.roots, *checkouts), overlay=self._overlay(), max_bytes=self._scope.max_bytes)
        return self._over(tuple(indexes), reader)

    def _over(self, indexes: Sequence[PathIndex], reader: Reader) -> Snapshot:
        commits = self.commits[self.roots[0]] if self.roots else None
        return Snapshot(indexes, reader, self._scope, self._pasts, self._nearness, self._checkouts, commits)

    @property
    def held_back(self) -> bool:
        """Whether it is not known what paths there are, so that none is said to be missing."""
        return not self.complete or any(not index.paths and index.notes for index in self.snapshot.indexes)

    def is_part(self, root: str) -> bool:
        """Say whether a root is a folder inside a repository: paths from the repository's top lead out of it."""
        if root not in self._parts:
            real = Path(os.path.realpath(root))
            above = any(os.path.lexists(folder / ".git") for folder in real.parents)
            self._parts[root] = above and not os.path.lexists(real / ".git")
        return self._parts[root]

    def seen_from(self, root: str) -> Snapshot:
        """Give the newest snapshot as a document of `root` sees it."""
        if len(self.roots) == 1:
            return self.snapshot
        of, view = self._views.get(root, (None, None))
        if of is not self.snapshot or view is None:
            view = self.snapshot.seen_from(root, view, self._scopes.get(root))
            view.commits = self.commits.get(root)
            self._views[root] = (self.snapshot, view)
        return view

    def apart(self, root: str, scope: Scope) -> Snapshot:
        """Give the newest paths and texts as a document of `root` sees them, for another thread: nothing is asked."""
        checkouts = tuple(self._scope.repositories.values())
        reader = Reader((*self.roots, *checkouts), overlay=self._overlay(), max_bytes=self._scope.max_bytes)
        whole = Snapshot(self.snapshot.indexes, reader, self._scope, {}, None, dict(self._checkouts))
        return whole.seen_from(root, scope=scope)

    def holds(self, path: str) -> str | None:
        """Give the innermost root that an absolute path lies in."""
        roots = [root for root in self.roots if within(root, path) is not None]
        return max(roots, key=len, default=None)

    def leave(self) -> None:
        """Close it, and know its folders for a while yet."""
        self._folders.leave(self._files, [past.history for past in self._pasts.values()])
        self.close()

    def close(self) -> None:
        """Stop everything that is under way, and let go of what is known: documents of old may hold the space yet."""
        for timer in (self._rest, self._retry):
            if timer is not None:
                timer.cancel()
        self._rest = self._retry = None
        for task in self._tasks:
            task.cancel()
        self._tasks, self._listing = set(), None  # one that was cancelled holds the place where it was, and so this
        _tell(self._waiting)
        self.complete = False
        self._start_empty()

    # --- texts

    def take_texts(self, buffers: Mapping[str, str | None], changed: Iterable[str] = ()) -> None:
        """Take other texts of open buffers and files; nobody is told, the caller knows."""
        self.snapshot = self.snapshot.with_texts(buffers, changed)

    def take_new_files(self, buffers: Mapping[str, str | None]) -> None:
        """Take texts of open files that are not on disk: what is known of paths is given up."""
        if any(self.holds(path) for path in buffers):
            self.snapshot = self._over(self.snapshot.indexes, self.snapshot.reader.renewed(buffers))

    def rescope(self, scopes: Sequence[Scope]) -> None:
        """Take other settings, of each root."""
        by_root = dict(zip(self.roots, scopes, strict=True))
        if by_root != self._scopes:
            self._scopes = by_root
            scope = self._scope = _merged(scopes)
            self.snapshot = self._make(self.snapshot.indexes)
            self._changed(self, Change(everything=True))
            if self.complete and scope.repositories:
                self.list_soon()

    def differs_from_disk(self, resolution: Resolution) -> bool:
        """Say whether an open buffer, which a citation was resolved in, is not what is on disk."""
        buffer = self.snapshot.file(resolution)
        disk = self.snapshot.reader.on_disk(joined(resolution.root, resolution.path))
        return not isinstance(disk, FileText) or buffer is None or disk.lines != buffer.lines

    # --- paths

    def list_soon(self, rest: float = _REST, *, appeared: bool = False, rules: bool = False) -> None:
        """List the files once events have rested; while a listing is under way, once more behind it.

        `appeared`: a file appeared or vanished; what is known of paths is given up even if the index stays the same.
        `rules`: what git ignores may be said otherwise now.
        """
        self.rules_changed = self.rules_changed or rules
        self._appeared = self._appeared or appeared
        if self._listing is not None and not self._listing.done():
            self._again = True
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._rest is None:
            self._rest_began = now
        elif not self.complete:
            return  # the first listing waits for nothing
        else:
            self._rest.cancel()
        at = min(now + rest, max(now, self._rest_began + _LONGEST_REST))
        self._rest = loop.call_at(at, self._start_listing)

    async def list_now(self) -> None:
        """List the files, and wait until they are listed, or could not be."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self.list_soon(0.0)
        await waiter

    def _start_listing(self) -> None:
        self._rest = None
        self._again = False
        waiting, self._waiting = self._waiting, []
        self._listing = self._start(self._list())
        self._listing.add_done_callback(self._listed)
        self._listing.add_done_callback(lambda _: _tell(waiting))

    def _listed(self, task: asyncio.Task[None]) -> None:
        """List once more what changed while the files were being listed."""
        if self._again and not task.cancelled():
            self.list_soon()

    async def _list(self) -> None:
        appeared, self._appeared = self._appeared, False  # what comes from now on is for the listing behind this one
        try:
            others = dict.fromkeys(self._scope.repositories.values())
            files = {root: await self._folders.files(root) for root in (*self.roots, *others)}
        except (WorkerLost, WorkerFailed) as error:
            self.error = f"the files could not be listed: {error}"
            self._appeared = self._appeared or appeared
            self._changed(self, Change())
            self._retry = asyncio.get_running_loop().call_later(_RETRY, self.list_soon)
            return
        indexes = [files[root].index for root in self.roots]
        checkouts = {root: files[root].index for root in others}
        self.error = ""
        self.rules_changed = self.rules_changed and self._again
        same = self.complete and not appeared and all(map(PathIndex.says_the_same, indexes, self.snapshot.indexes))
        same = same and checkouts.keys() == self._checkouts.keys()
        same = same and all(index.says_the_same(self._checkouts[root]) for root, index in checkouts.items())
        self._files = files
        self.complete = True
        self.coming = _not_there(self.coming)
        if not same:
            self._nearness = self._nearness.next()
            self._checkouts = checkouts
            self._pasts = {root: past.next() for root, past in self._pasts.items()}
            self.snapshot = self._make(indexes)
        self._changed(self, Change(everything=not same))

    def expect(self, paths: Iterable[str]) -> None:
        """Take note of paths that files are about to be renamed to; nobody is told meanwhile that they are missing."""
        self.coming |= frozenset(paths)
        asyncio.get_running_loop().call_later(_LONGEST_RENAMING, self._came)

    def _came(self) -> None:
        """Expect nothing any longer."""
        if self.coming:
            self.coming = frozenset()
            self._changed(self, Change(everything=True))

    # --- questions about paths that are gone

    def ask(self) -> None:
        """Ask the worker what the last look-ups wanted to know; one round at a time."""
        if self._asking or not self.complete:
            return
        wanted = [past for past in self._pasts.values() if past.wanted and not past.known]
        near = self._nearness.questions()
        renamed = {past.root: questions for past in self._pasts.values() if (questions := past.questions())}
        if wanted or near or renamed:
            self._asking = True
            self._start(self._ask(wanted, near[:_MOST_QUESTIONS], renamed))

    async def _ask(self, wanted: list[Past], near: list[str], renamed: Mapping[str, list[str]]) -> None:
        pasts, nearness = self._pasts, self._nearness
        try:
            for past in wanted:
                past.learn(await self._folders.names(past.root))
            for root, paths in renamed.items():
                asked = paths[:_MOST_QUESTIONS]
                pasts[root].answer(await self._worker.call("renamed", root=root, paths=asked))
            if near:
                nearness.answer(await self._closest(near))
        except (WorkerLost, WorkerFailed) as error:
            self.error = f"git's history could not be read: {error}"
            for past in wanted:
                past.learn(None)
        finally:
            self._asking = False
        if nearness is not self._nearness:
            return  # the files were listed anew meanwhile: the questions will come again
        self.snapshot = self.snapshot.with_texts({})  # what is known of the paths that are here stays known
        self._changed(self, Change(answers=True))

    async def _closest(self, paths: list[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {path: [] for path in paths}
        for root in self.roots:
            for path, close in (await self._worker.call("closest", root=root, paths=paths)).items():
                found[path] += close
        return {path: tuple(close[:3]) for path, close in found.items()}

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _not_there(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path for path in paths if not os.path.lexists(path))


def _tell(waiting: Iterable[asyncio.Future[None]]) -> None:
    for waiter in waiting:
        if not waiter.done():
            waiter.set_result(None)


def _merged(scopes: Sequence[Scope]) -> Scope:
    """Give the scope of several roots together; of one it is its own."""
    if len(scopes) == 1:
        return scopes[0]
    repositories = {name: checkout for scope in reversed(scopes) for name, checkout in scope.repositories.items()}
    limits = [scope.max_bytes for scope in scopes]
    return Scope((), repositories, max(limits)) if scopes else Scope()


def stray_root(path: str) -> str:
    """Give the root of a document that lies in no workspace folder, as the command line does."""
    root, _ = find_root(path)
    if within(root, path) is not None and not too_wide(root):
        return root
    return os.path.dirname(path)
