"""The lane of drift: what citations showed when they were written, and when texts went from where they stood."""

from collections.abc import Mapping, Sequence
from typing import Any

from cite_lsp.document.document import Document
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.baseline_data import baseline_from_data, written_to_data
from cite_lsp.snapshot.baselines import Asked, Baselines
from cite_lsp.snapshot.git import NoRepository
from cite_lsp.snapshot.paths import PathIndex, list_paths
from cite_lsp.store import Store
from cite_lsp.worker.git_lane import LANE
from cite_lsp.worker.lanes import Request, Task

_KEPT_ROOTS = 16
_MISREAD = "the editor and the history read its citations differently; they will agree once the files are listed anew"


class DriftLane:
    """The tasks, with what one request leaves for the next: the history of each root."""

    def __init__(self) -> None:
        self._baselines: dict[str, Baselines] = {}
        self._stores: dict[str, Store] = {}

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name."""
        return {"baselines": self.baselines, "departed": self.departed}

    def baselines(self, request: Request) -> dict[str, Any]:
        """Say what the citations of a document showed when they were written.

        `root` is an absolute folder, `path` the document's in it, `text` its text. `as_of` is that of `Asked`;
        `pattern`, `in_fences` and `extensions` are those of `Document.parse`; `foreign`: folders that paths of other
        repositories begin with; `cache`: a folder where answers are kept; `anchors`: how many citations were found
        by whoever asks. The answer: `written`, a list parallel to the anchors, `files`, the texts of the objects that
        resolutions name, and `message`, what is wrong with the cache; or `none`, why there is no history, and `unread`
        where there may be one, `later` where it is worth while to ask again after a rest.
        """
        params = request.params
        root: str = params["root"]
        document = self._parsed(params, LANE.index_of(root))
        wanted = params.get("anchors")
        if wanted is not None and wanted != len(document.anchors):
            document = self._parsed(params, list_paths(root))
            if wanted != len(document.anchors):
                return {"none": _MISREAD, "unread": True}
        if request.dropped():
            return {"none": "nobody asks any more", "unread": True}
        baselines = self._of(root, params.get("cache"), params.get("foreign") or ())
        if isinstance(baselines, NoRepository):
            return _none(baselines)
        (written,) = baselines.written([Asked(document, params.get("as_of") or "")])
        store = self._stores.get(params.get("cache") or "")
        return {
            "written": written_to_data(written),
            "files": _files(baselines, written),
            "message": store.message if store is not None else "",
        }

    def departed(self, request: Request) -> list[tuple[str, int] | None]:
        """Say for each of `asked` when its text went: pairs of a baseline, and whether it stands nowhere in the file.

        The answers are commit and time, or null where that is not known.
        """
        params = request.params
        baselines = self._of(params["root"], params.get("cache"), params.get("foreign"))
        asked: list[Any] = params["asked"]
        found: list[tuple[str, int] | None] = [None] * len(asked)
        if isinstance(baselines, NoRepository):
            return found
        for number, (data, anywhere) in enumerate(asked):
            if request.dropped():
                break
            found[number] = baselines.departed(baseline_from_data(data), anywhere=bool(anywhere))
        return found

    def rest(self) -> None:
        """Let go of what helps only while documents are asked about one after the other; their answers are stored."""
        for baselines in self._baselines.values():
            baselines.rest()

    def _parsed(self, params: Mapping[str, Any], index: PathIndex) -> Document:
        pattern = params.get("pattern")
        compiled = None if pattern is None else compile_pattern(pattern)
        return Document.parse(
            params["text"],
            params["path"],
            index.known(),
            None if isinstance(compiled, str) else compiled,
            in_fences=bool(params.get("in_fences")),
            extensions=frozenset(params.get("extensions") or ()),
        )

    def _of(self, root: str, cache: str | None, foreign: Sequence[str] | None) -> Baselines | NoRepository:
        """Give the history of a root; `foreign`: None where it does not matter."""
        known = self._baselines.get(root)
        if known is not None and (foreign is None or known.foreign == tuple(foreign)) and known.is_there():
            return known
        if known is not None:
            known.close()
            del self._baselines[root]
        store = None
        if cache:
            store = self._stores.setdefault(cache, Store(cache))
        found = Baselines.of(root, store, foreign=foreign or ())
        if isinstance(found, Baselines):
            while len(self._baselines) >= _KEPT_ROOTS:
                self._baselines.pop(next(iter(self._baselines))).close()
            self._baselines[root] = found
        return found


def _none(why: NoRepository) -> dict[str, Any]:
    """Say why there is no history; what a person can mend is a message, and what may pass is asked again later."""
    if why.kind == "refused":
        return {"none": why.reason, "message": why.reason}
    if why.kind in ("overrun", "failed"):
        return {"none": why.reason, "unread": True, "later": True}
    return {"none": why.reason}


def _files(baselines: Baselines, written: Sequence[Written]) -> dict[str, dict[str, Any]]:
    files: dict[str, dict[str, Any]] = {}
    for one in written:
        blob = one.resolution.blob if one.resolution is not None and one.resolution.resolved else ""
        file = baselines.file(blob) if blob and blob not in files else None
        if file is not None:
            files[blob] = {"lines": list(file.lines), "sha256": file.sha256}
    return files


_LANE = DriftLane()
TASKS = _LANE.tasks
rest = _LANE.rest
