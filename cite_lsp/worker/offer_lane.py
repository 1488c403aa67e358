"""The lane of what is offered while somebody types a citation: paths, and the lines and names of a file.

It has a thread of its own: who types waits for nothing else.
"""

from collections import OrderedDict
from typing import Any

from cite_lsp.snapshot.languages import language_of
from cite_lsp.snapshot.line_search import citable_places, in_file
from cite_lsp.snapshot.lines import FileText, Reader
from cite_lsp.snapshot.outline import Symbol, text_outline
from cite_lsp.snapshot.path_search import Asked, PathSearch
from cite_lsp.worker.git_lane import LANE
from cite_lsp.worker.giving_back import MANY_FILES, give_back
from cite_lsp.worker.lanes import Request, Task
from cite_lsp.worker.shared_parser import PARSER

_KEPT_SEARCHES = 8
_KEPT_OUTLINES = 16


class OfferLane:
    """The tasks, with what one request leaves for the next: the search over each root, and what files define."""

    def __init__(self) -> None:
        self._searches: OrderedDict[str, PathSearch] = OrderedDict()
        self._outlines: OrderedDict[tuple[str, str], tuple[Symbol, ...]] = OrderedDict()

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {"offering": self.offering, "offered": self.offered, "places": self.places}

    def offering(self, request: Request) -> None:
        """Make ready what `offered` searches in, of the last index of `root`: nobody has asked for a path yet."""
        search = self._search(request.params["root"])
        for _ in search.prepare():
            if request.dropped():
                break
        if len(search.index) > MANY_FILES:
            give_back()

    def offered(self, request: Request) -> list[tuple[int, str]]:
        """Give the paths of the last index of `root` that answer: tier and path, the best first.

        The other params are the fields of `Asked`.
        """
        params = request.params
        fields = {name: params[name] for name in Asked._fields if name in params}
        return [(each.tier, each.path) for each in self._search(params["root"]).find(Asked(**fields))]

    def places(self, request: Request) -> list[list[Any]] | None:
        """Give what of a file may be cited, in the order of the fields of `CitablePlace`; null where it is no text.

        `path`: absolute; `roots`: the folders that it may lie in; `max_bytes`: what it may hold; `text`: of its open
        buffer, left out where it has none; `typed` and `after`: those of `citable_places`.
        """
        params = request.params
        path: str = params["path"]
        overlay = {path: params["text"]} if params.get("text") is not None else {}
        file = Reader(params["roots"], overlay=overlay, max_bytes=params["max_bytes"]).read(path)
        if not isinstance(file, FileText):
            return None
        symbols = self._outline(path, file)
        return [list(each) for each in citable_places(file.lines, symbols, params["typed"], params.get("after", 0))]

    def _search(self, root: str) -> PathSearch:
        index = LANE.index_of(root)
        search = self._searches.pop(root, None)
        if search is None or (search.index is not index and search.index.paths != index.paths):
            search = PathSearch(index)
        _keep(self._searches, root, search, _KEPT_SEARCHES)
        return search

    def _outline(self, path: str, file: FileText) -> tuple[Symbol, ...]:
        language = language_of(path)
        key = (language or "", file.sha256)
        symbols = self._outlines.pop(key, None)
        if symbols is None:
            parsed = PARSER.outline(language, file.lines) if language is not None else None
            symbols = in_file(text_outline(file.lines, language) if parsed is None else parsed, len(file.lines))
        _keep(self._outlines, key, symbols, _KEPT_OUTLINES)
        return symbols


def _keep(kept: "OrderedDict[Any, Any]", key: object, value: object, most: int) -> None:
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)


TASKS = OfferLane().tasks
