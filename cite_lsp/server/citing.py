"""Who cites what, as the server asks it: open documents answer as they are now, all others are the worker's."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cite_lsp.server.convert import Range, range_of
from cite_lsp.server.hits import Hit, hits_of_piece
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.space import Space
from cite_lsp.server.uris import to_uri
from cite_lsp.snapshot.ladder import joined
from cite_lsp.snapshot.lines import real_path
from cite_lsp.worker.client import WorkerFailed, WorkerLost

if TYPE_CHECKING:
    from cite_lsp.server.session import Session

log = logging.getLogger(__name__)

Span = tuple[int, int]
"""First and last line, 1-based."""

_PATIENCE = 60.0
_FOREVER = 600.0


class Cited(NamedTuple):
    """A citation of some file, wherever it stands."""

    uri: str
    where: Range
    spans: tuple[Span, ...]

    @property
    def location(self) -> dict[str, Any]:
        """The place in the protocol's form."""
        return {"uri": self.uri, "range": self.where}


class Citings:
    """Asks for one session. What was not read yet is read after the first question, while nobody waits."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._reading: dict[Space, asyncio.Task[None]] = {}

    def close(self) -> None:
        """Stop reading."""
        for task in self._reading.values():
            task.cancel()
        self._reading = {}

    def spaces_of(self, path: str) -> list[Space]:
        """Give the spaces whose documents may cite an absolute path."""
        return [space for space in self._session.spaces if space.roots and space.holds(path) is not None]

    async def of(self, path: str, spans: Sequence[Span] | None, spaces: Iterable[Space]) -> list[Cited]:
        """Give the citations of lines of a file, of all lines where `spans` is None; in order of document and place."""
        self._session.settle()
        found: list[Cited] = []
        for space in spaces:
            found += self._live(space, path, spans)
            found += await self._closed(space, path, spans)
        return sorted(found, key=lambda each: (each.uri, *each.where["start"].values()))

    # --- open documents

    def _live(self, space: Space, path: str, spans: Sequence[Span] | None) -> Iterator[Cited]:
        names = frozenset((path, real_path(path)))
        for document in self._open_in(space):
            for hit in _hits(document, names):
                cited = () if hit.resolution.status == "malformed" else hit.block.anchors[hit.number].spans
                if spans is None or overlap(cited, spans):
                    yield Cited(document.uri, hit.range(document.encoding), cited)

    def _open_in(self, space: Space) -> list[OpenDocument]:
        documents = self._session.documents.values()
        return [each for each in documents if each.document is not None and each.place and each.place.space is space]

    def open_paths(self) -> list[str]:
        """Give the absolute paths under which the worker would find what is open."""
        return sorted({name for each in self._session.documents.values() for name in each.names})

    # --- closed ones

    async def _closed(self, space: Space, path: str, spans: Sequence[Span] | None) -> list[Cited]:
        asked = {path: None if spans is None else [list(span) for span in spans]}
        try:
            answer = await self.ask("citing", space, asked=asked, without=self.open_paths())
        except (WorkerLost, WorkerFailed) as error:
            log.warning("who cites %s is known of open documents only: %s", path, error)
            return []
        return [
            Cited(to_uri(full), range_of((line, column), (end_line, end)), tuple((low, high) for low, high in cited))
            for full, citations in answer["documents"]
            for line, column, end_line, end, _, cited, _ in citations
        ]

    async def ask(
        self, do: str, space: Space, *, on_part: Callable[[Any], None] | None = None, **params: object
    ) -> Mapping[str, Any]:
        """Ask the worker about the documents of a space.

        Raises:
            WorkerLost, WorkerFailed: As the worker says.
        """
        self._pause(space)
        try:
            answer: Mapping[str, Any] = await self._call(do, space, _PATIENCE, on_part, **params)
        finally:
            self._read_on(space)
        return answer

    async def _call(
        self, do: str, space: Space, deadline: float, on_part: Callable[[Any], None] | None = None, **params: object
    ) -> Any:  # noqa: ANN401 - plain data, each task's own
        settings = self._session.settings
        return await self._session.worker.call(
            do,
            on_part=on_part,
            deadline=deadline,
            roots=list(space.roots),
            settings={root: settings.editor_of(root) for root in space.roots},
            edition=settings.edition,
            encoding=self._session.client.position_encoding,
            **params,
        )

    def forget(self, space: Space) -> None:
        """Let go of a space that is closed, and of all that it knows."""
        self._pause(space)

    def _pause(self, space: Space) -> None:
        """Stop reading on, so that a question need not wait for it."""
        task = self._reading.pop(space, None)
        if task is not None:
            task.cancel()

    def _read_on(self, space: Space) -> None:
        """Have the documents read that no question needed so far: the next one is answered from memory."""
        if space in self._session.spaces and space not in self._reading:
            self._reading[space] = asyncio.ensure_future(self._read(space))

    async def _read(self, space: Space) -> None:
        try:
            await self._call("citing", space, _FOREVER)
        except (WorkerLost, WorkerFailed) as error:
            log.info("the documents are not read ahead: %s", error)


def overlap(cited: Iterable[Span], asked: Iterable[Span]) -> bool:
    """Say whether lines that are cited are among those that are asked for."""
    return any(first <= high and low <= last for first, last in cited for low, high in asked)


def _hits(document: OpenDocument, names: frozenset[str]) -> Iterator[Hit]:
    """Give the citations of a file, by its names, in an open document."""
    line = offset = 0
    for piece, checked in document.checks.pieces.items():
        if not checked.files.isdisjoint(names):
            for hit in hits_of_piece(piece, checked, (line, offset)):
                key = joined(hit.resolution.root, hit.resolution.path)
                if key in names or (not hit.checked.files.isdisjoint(names) and real_path(key) in names):
                    yield hit
        line += piece.lines
        offset += piece.characters
