"""Files that are about to be deleted: documents that cite them are warned of, closed ones too.

Before the deletion the worker is asked who cites the files; behind it those documents are checked, and what is told of
their citations of what is gone is published. An open document is told as ever. A warning is taken back when it no
longer holds: the file is there again, the document was mended.
"""

import asyncio
import logging
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cite_lsp.document.columns import Encoding
from cite_lsp.findings.accepted import Accepted
from cite_lsp.findings.check import examine
from cite_lsp.findings.places import Places
from cite_lsp.findings.reading import parse_document, scope_of
from cite_lsp.server.checks import UNDECIDED
from cite_lsp.server.convert import Range, diagnostic, range_at
from cite_lsp.server.open_document import Place, relative
from cite_lsp.server.uris import key, to_path, to_uri
from cite_lsp.snapshot.lines import Unread, is_folder
from cite_lsp.snapshot.snapshot import Snapshot
from cite_lsp.worker.client import WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.server.session import Session
    from cite_lsp.server.space import Space

log = logging.getLogger(__name__)

SECONDS = 1.0
"""What a person who deletes a file may be kept waiting."""
_MOST_DOCUMENTS = 100
"""So many closed documents are warned of."""

_MOST_ANNOUNCED = 1_000

_Places = tuple[tuple[int, int, int, int], ...]
"""Where citations stand: line, column, end line, end column in the client's units."""


@dataclass(slots=True)
class _Warned:
    """A closed document that cites what was deleted."""

    citations: _Places
    published: list[dict[str, Any]]


class Deletions:
    """What one session knows of files that are being deleted."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._announced: dict[str, asyncio.Task[list[tuple[Space, str, _Places]]]] = {}
        """By the absolute path of a file or folder, without "/" at its end: who cites it."""
        self._warned: dict[str, _Warned] = {}
        """By the absolute path of the document."""
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def busy(self) -> bool:
        """Whether something is being found out."""
        return bool(self._tasks)

    def close(self) -> None:
        """Stop everything."""
        for task in (*self._tasks, *self._announced.values()):
            task.cancel()

    async def announced(self, uris: Iterable[str]) -> None:
        """Find out who cites files and folders that are about to be deleted, while they are there.

        The client waits for this, so there is a limit; what is found out behind it counts as well.
        """
        asked = []
        for path in _paths(uris):
            below = "/" if is_folder(path) else ""
            self._announced[path] = asyncio.ensure_future(self._citing(path + below))
            asked.append(self._announced[path])
        for path in list(self._announced)[:-_MOST_ANNOUNCED]:
            self._announced.pop(path).cancel()  # long ago, and nothing came of it
        if asked:
            await asyncio.wait(asked, timeout=SECONDS)

    def done(self, uris: Iterable[str]) -> None:
        """Warn of the documents that cite what was deleted, as far as that was announced."""
        self.vanished(_paths(uris))
        for space in self._session.spaces:
            if space.roots:
                space.list_soon(appeared=True)

    def vanished(self, paths: Iterable[str]) -> None:
        """Do so with absolute paths of which some may have been announced."""
        gone = [path for path in paths if path in self._announced and not os.path.lexists(path)]
        if gone:
            self._start(self._warn([self._announced.pop(path) for path in gone]))

    def look_again(self, paths: Iterable[str] | None = None) -> None:
        """Look again at the closed documents that were warned of, at all or at those of some absolute paths."""
        found = list(self._warned) if paths is None else sorted(self._warned.keys() & set(paths))
        if found:
            self._start(self._check({path: self._warned[path] for path in found}))

    def _start(self, work: Any) -> None:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _citing(self, path: str) -> "list[tuple[Space, str, _Places]]":
        """Give the closed documents that cite a file, or one below a folder; less where the worker does not answer."""
        found = []
        session = self._session
        for space in session.citings.spaces_of(path.rstrip("/")):
            try:
                answer = await session.citings.ask(
                    "citing", space, asked={path: None}, without=session.citings.open_paths()
                )
            except (WorkerLost, WorkerFailed) as error:
                log.warning("who cites deleted files is not known: %s", error)
                continue
            for document, citations in answer["documents"]:
                found.append((space, document, tuple((each[0], each[1], each[2], each[3]) for each in citations)))
        return found

    async def _warn(self, announced: "Sequence[asyncio.Task[list[tuple[Space, str, _Places]]]]") -> None:
        news: dict[str, _Warned] = {}
        spaces: dict[Space, None] = {}
        for citing in announced:
            for space, document, citations in await citing:
                known = news.get(document) or self._warned.get(document)
                published = known.published if known is not None else []
                before = known.citations if known is not None else ()
                news[document] = _Warned(tuple(dict.fromkeys((*before, *citations))), published)
                spaces[space] = None
        if len(news) > _MOST_DOCUMENTS:
            log.warning("%d documents cite what was deleted; of %d of them it is told", len(news), _MOST_DOCUMENTS)
            news = dict(list(news.items())[:_MOST_DOCUMENTS])
        for space in spaces:
            if space in self._session.spaces:
                await space.list_now()
        await self._check(news)

    async def _check(self, news: dict[str, _Warned]) -> None:
        session = self._session
        for path, warned in news.items():
            if key(to_uri(path)) in session.documents:
                self._warned.pop(path, None)  # an open document is told of by itself
                continue
            space = next(iter(session.citings.spaces_of(path)), None)  # with other folders it is another space
            if space is not None and space.held_back:
                self._warned[path] = warned
                continue  # it is looked at again when its files are listed
            place = self._place(space, path) if space is not None else None
            found: list[dict[str, Any]] = []
            if space is not None and place is not None:
                snapshot = space.apart(place.root, scope_of(place.settings))
                accepted = session.accepted.of(place)
                found = await asyncio.to_thread(
                    _findings, place, snapshot, accepted, warned.citations, session.client.position_encoding
                )
            if space is not None and space not in session.spaces:  # the folders are others by now
                self._warned[path] = warned
                self.look_again([path])
            elif key(to_uri(path)) not in session.documents:
                self._publish(path, warned, found)

    def _place(self, space: "Space", path: str) -> Place | None:
        root = space.holds(path)
        if root is None:
            return None
        loaded = self._session.settings.of(path, root)
        inside = relative(path, loaded.root if loaded.project_file is not None else root)
        if not loaded.settings.is_document(inside):
            return None
        return Place(space, root, relative(path, root), loaded, inside)

    def _publish(self, path: str, warned: _Warned, found: list[dict[str, Any]]) -> None:
        if found != warned.published:
            params = {"uri": to_uri(path), "diagnostics": found}
            self._session.server.send_raw("textDocument/publishDiagnostics", params)
        if found:
            self._warned[path] = _Warned(warned.citations, found)
        else:
            self._warned.pop(path, None)


def _findings(
    place: Place,
    snapshot: Snapshot,
    accepted: Accepted,
    citations: _Places,
    encoding: Encoding,
) -> list[dict[str, Any]]:
    """Give what is told of some citations of a closed document, as far as they lead nowhere. Runs in a thread."""
    settings = place.settings
    text = snapshot.read_document(place.root, place.path, settings.files.max_document_bytes)
    if isinstance(text, Unread):
        return []
    document = parse_document(text.text, place.path, snapshot.known, settings)
    places = Places(document.text)
    anchors = document.anchors
    found = []
    for finding in examine(document, snapshot, settings, place.inside, (), accepted).findings:
        if finding.code not in UNDECIDED or finding.anchor is None:
            continue
        anchor = anchors[finding.anchor]
        if _corners(range_at(places, anchor.start, anchor.end, encoding)) in citations:
            where = range_at(places, finding.start, finding.end, encoding)
            found.append(diagnostic(where, finding.severity, finding.code, finding.message))
    return found


def _corners(where: Range) -> tuple[int, int, int, int]:
    start, end = where["start"], where["end"]
    return start["line"], start["character"], end["line"], end["character"]


def _paths(uris: Iterable[str]) -> list[str]:
    return [path.rstrip("/") for path in map(to_path, uris) if path is not None]
