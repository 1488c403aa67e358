"""The lane of who cites what: citations of files by all documents of some roots, and the edits that renaming asks for.

It has a thread of its own: the first look at a large repository takes seconds.
"""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from cite_lsp.document.columns import to_units
from cite_lsp.findings.citing import CitedDocument, Citing, needles_of
from cite_lsp.findings.finding import Edit
from cite_lsp.findings.gathering import gather
from cite_lsp.findings.places import Places
from cite_lsp.findings.renaming import Moves, Renaming, snapshot_after
from cite_lsp.findings.symbols import CitedFileQuery, best_symbols
from cite_lsp.worker.git_lane import LANE
from cite_lsp.worker.giving_back import LARGE, give_back
from cite_lsp.worker.lanes import Request, Task

_KEPT = 16
"""So many sets of roots are remembered."""


class CitingLane:
    """The tasks, with what one request leaves for the next: the citations that were found.

    Of every request: `roots`, absolute folders that are looked up together; `settings`, what the editor sets for each;
    `edition`, a number that is another when settings may have changed; `encoding`, the units of columns.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], tuple[Citing, int]] = {}

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {"citing": self.citing, "renaming": self.renaming, "symbols": self.symbols}

    def citing(self, request: Request) -> dict[str, Any]:
        """Say who cites lines of files, and read on what was not read yet where `asked` is left out.

        `asked`: absolute paths to lists of (first, last), or to null for all lines. `without`: absolute paths of
        documents that are not looked at. The answer: `documents`, a list of absolute path and citations, each of these
        line, column, end line, end column, text, spans, via; `complete` is false where it was dropped.
        """
        params = request.params
        citing = self._citing(request)
        try:
            asked = params.get("asked")
            without = params.get("without", ())
            if asked is None:
                return {"documents": [], "complete": citing.read_all(without=without, dropped=request.dropped)}
            lines = {
                path: None if spans is None else [(low, high) for low, high in spans] for path, spans in asked.items()
            }
            found = citing.who_cites(lines, without=without, dropped=request.dropped)
            documents = [_data(document) for document in found]
            return {"documents": documents, "complete": not request.dropped()}
        finally:
            _rest(citing)

    def symbols(self, request: Request) -> dict[str, Any]:
        """Find citations by the file that they cite: `query`, as it is typed; at most `limit`, the best first.

        `seconds`: so long documents are read that were not yet; `complete` is false where that was not enough.
        `without`: absolute paths of documents that are left out. The answer: `symbols`, lists as `Symbol` has them.
        """
        params = request.params
        citing = self._citing(request)
        until = time.monotonic() + params["seconds"]
        without = params.get("without", ())
        try:
            complete = citing.read_all(without=without, dropped=lambda: request.dropped() or time.monotonic() > until)
            query, limit = CitedFileQuery(params["query"], params["roots"]), params["limit"]
            files = query.best_files(citing.counted(without=without), limit)
            found = (
                query.symbol(each.path, each.spans, full, each[:4])
                for full, each in citing.known(files.__contains__, without=without)
            )
            best = best_symbols((each for each in found if each is not None), limit)
            return {"symbols": best, "complete": complete}
        finally:
            _rest(citing)

    def renaming(self, request: Request) -> dict[str, int]:
        """Give the edits after which citations still lead to files that are renamed; each document is a part.

        `moves`: pairs of absolute paths, the old one first. `overlay`: texts of open documents that may have edits;
        `without`: those that have none. A part: `path`, absolute, and `edits` in the protocol's form.
        """
        params = request.params
        moves = Moves((old, new) for old, new in params["moves"])
        overlay: dict[str, str] = params.get("overlay", {})
        citing = self._citing(request, overlay)
        try:
            return {"documents": self._rename(request, citing, moves)}
        finally:
            _rest(citing)

    def _rename(self, request: Request, citing: Citing, moves: Moves) -> int:
        roots = [gathering.root for gathering in citing.gatherings]
        after = snapshot_after(citing.snapshot(), moves)
        renamings = {root: Renaming(moves, citing.seen_from(root), after.seen_from(root)) for root in roots}
        done = 0
        for full in _concerned(citing, moves, request):
            settings, inside = citing.settings_of(full)
            root, _ = citing.place_of(full)
            document = None if settings.is_record(inside) else citing.parsed(full)
            edits = renamings[root].edits(document, root) if document is not None else ()
            if document is not None and edits:
                request.part({"path": full, "edits": _edit_data(document.text, edits, citing)})
                done += 1
        return done

    def _citing(self, request: Request, overlay: dict[str, str] | None = None) -> Citing:
        params = request.params
        roots = tuple(params["roots"])
        kept, edition = self._kept.pop(roots, (None, -1))
        citing = kept if kept is not None and kept.encoding == params["encoding"] else Citing(params["encoding"])
        before = {gathering.root: gathering for gathering in citing.gatherings}
        gatherings = []
        for root in roots:
            old = before.get(root)
            index = LANE.index_of(root)
            if old is not None and old.index is index and edition == params["edition"]:
                gatherings.append(old)
            else:
                gatherings.append(gather(index, params["settings"].get(root, {}), old))
        citing.renew(gatherings, overlay)
        while len(self._kept) >= _KEPT:
            self._kept.pop(next(iter(self._kept)))
        self._kept[roots] = (citing, params["edition"])
        return citing


def _rest(citing: Citing) -> None:
    """Let go of what only helped while it was asked, and give back what reading much has left."""
    read = citing.characters_read
    citing.rest()
    if read > LARGE:
        give_back()


def _concerned(citing: Citing, moves: Moves, request: Request) -> Iterator[str]:
    """Give the documents that are renamed or cite what is, each as soon as that is known: absolute paths."""
    needles = needles_of(old.rpartition("/")[2] for old, _ in moves.pairs)
    for full in citing.reading(needles, without=request.params.get("without", ()), dropped=request.dropped):
        if moves.takes(full) or any(map(moves.takes, citing.cited_by(full))):
            yield full


def _data(document: CitedDocument) -> list[Any]:
    return [document.full, [(*each[:5], each.spans, each.via) for each in document.citations]]


def _edit_data(text: str, edits: Sequence[Edit], citing: Citing) -> list[dict[str, Any]]:
    places = Places(text)

    def position(offset: int) -> dict[str, int]:
        line = places.line(offset)
        start = places.start(line)
        return {"line": line, "character": to_units(text[start:offset], offset - start, citing.encoding)}

    return [
        {"range": {"start": position(edit.start), "end": position(edit.end)}, "newText": edit.text} for edit in edits
    ]


TASKS = CitingLane().tasks
