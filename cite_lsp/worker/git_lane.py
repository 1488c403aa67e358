"""The lane of git: the index of paths, the history, where a path went, what is near it."""

import threading
from collections.abc import Mapping
from typing import Any, TypeVar

from cite_lsp.snapshot.git import NoRepository, Repository
from cite_lsp.snapshot.paths import MAX_FILES, PathIndex, list_paths
from cite_lsp.worker.lanes import Request, Task

MOST_CLOSEST = 3
_KEPT_ROOTS = 64
_Value = TypeVar("_Value")


class GitLane:
    """The tasks, with what one request leaves for the next: the index and the repository of each root."""

    def __init__(self) -> None:
        self._indexes: dict[str, PathIndex] = {}
        self._keeping = threading.Lock()
        self._repositories: dict[str, Repository | NoRepository] = {}

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by name."""
        return {"paths": self.paths, "history": self.history, "renamed": self.renamed, "closest": self.closest}

    def paths(self, request: Request) -> dict[str, Any]:
        """Index the files below `root`, at most `limit` of them.

        `tracked` is null where git does not know, else how git's list differs from `paths`: `missing` are the paths
        that are not tracked, `more` the tracked ones that are not among the paths. `orders` are those of the index.
        """
        root: str = request.params["root"]
        index = list_paths(root, limit=request.params.get("limit") or MAX_FILES)
        with self._keeping:
            _keep(self._indexes, root, index)
        tracked = None
        if index.tracked is not None:
            listed = frozenset(index.paths)
            tracked = {"missing": sorted(listed - index.tracked), "more": sorted(index.tracked - listed)}
        return {
            "paths": list(index.paths),
            "tracked": tracked,
            "notes": list(index.notes),
            "orders": index.orders(),
        }

    def history(self, request: Request) -> dict[str, Any]:
        """Walk the history of the work tree that `root` lies in, as it is now."""
        root: str = request.params["root"]
        before = self._repositories.pop(root, None)
        repository = self._repository(root)
        if isinstance(repository, Repository):
            repository.note_head()
            if isinstance(before, Repository) and _is_the_same(before, repository):
                repository = self._repositories[root] = before  # a walk takes seconds, and files appear all the time
        if isinstance(repository, NoRepository):
            return {"none": repository.reason}
        names = repository.names_in_history()
        return {"top": repository.top, "names": None if names is None else sorted(names)}

    def renamed(self, request: Request) -> dict[str, str | None]:
        """Say where `paths`, relative to the top of the work tree, went, by the last history of `root`."""
        repository = self._repository(request.params["root"])
        answers: dict[str, str | None] = {}
        for path in request.params["paths"]:
            if request.dropped():
                break
            answers[path] = repository.renamed_to(path) if isinstance(repository, Repository) else None
        return answers

    def closest(self, request: Request) -> dict[str, list[str]]:
        """Give for each of `paths` up to three near ones of the last index of `root`."""
        root: str = request.params["root"]
        index = self.index_of(root)
        answers: dict[str, list[str]] = {}
        for path in request.params["paths"]:
            if request.dropped():
                break
            answers[path] = list(index.close_to(path, MOST_CLOSEST))
        return answers

    def last_index(self, root: str) -> PathIndex | None:
        """Give the last index of a root, for other lanes: it is not listed twice in one process."""
        return self._indexes.get(root)

    def index_of(self, root: str) -> PathIndex:
        """Give the last index of a root; listed where there is none, for who is started anew is not asked for paths."""
        index = self._indexes.get(root)
        if index is None:
            index = list_paths(root)
            with self._keeping:
                if root not in self._indexes:  # else it was listed later than here
                    _keep(self._indexes, root, index)
        return index

    def _repository(self, root: str) -> Repository | NoRepository:
        if root not in self._repositories:
            _keep(self._repositories, root, Repository.of(root))
        return self._repositories[root]


def _is_the_same(before: Repository, now: Repository) -> bool:
    """Say whether HEAD's history is what it was; one that could not be read in time is read again."""
    return (before.top, before.head) == (now.top, now.head) and before.names_in_history() is not None


def _keep(kept: dict[str, _Value], root: str, value: _Value) -> None:
    """Keep a root's value; of more roots than anybody has open, the oldest is let go."""
    kept.pop(root, None)
    while len(kept) >= _KEPT_ROOTS:
        kept.pop(next(iter(kept)))
    kept[root] = value


LANE = GitLane()
TASKS = LANE.tasks
