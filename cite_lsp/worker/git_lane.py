"""The lane of git: the index of paths, the history, where a path went, what is near it."""

import os
import threading
from collections.abc import Mapping
from itertools import count
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from cite_lsp.snapshot.git import NoRepository, Repository
from cite_lsp.snapshot.paths import MAX_FILES, PathIndex, list_paths
from cite_lsp.worker.answers import difference, index_data
from cite_lsp.worker.giving_back import MANY_FILES, give_back
from cite_lsp.worker.lanes import Request, Task

MOST_CLOSEST = 3
_KEPT_ROOTS = 64
_Value = TypeVar("_Value")


class GitLane:
    """The tasks, with what one request leaves for the next: the index and the repository of each root."""

    def __init__(self) -> None:
        self._indexes: dict[str, PathIndex] = {}
        self._keeping = threading.Lock()
        """Held while one of them is kept: two roots may be listed at once."""
        self._listing: dict[str, threading.Lock] = {}
        """Held while a root is listed: git is not asked the same for two lanes at once."""
        self._repositories: dict[str, Repository | NoRepository] = {}
        self._marks = _Marks()
        self.begun = threading.Event()
        """Set once git is at the first listing: what keeps this process busy for a while had better wait for that."""

    @property
    def tasks(self) -> Mapping[str, Task]:
        """The tasks by name."""
        return {"paths": self.paths, "history": self.history, "renamed": self.renamed, "closest": self.closest}

    def paths(self, request: Request) -> dict[str, Any]:
        """Index the files below `root`, at most `limit` of them.

        The answer is that of `index_data`, with a `mark`; or `{"same": mark}` where nothing is other than in the answer
        with the mark `known`. Where that was the last one, this one tells how it differs.
        """
        root: str = request.params["root"]
        with self._listed_alone(root):
            index = list_paths(root, limit=request.params.get("limit") or MAX_FILES, begun=self.begun.set)
            self.begun.set()  # git may not have been asked
            before = self._indexes.get(root)
            if before is not None and index.says_the_same(before):
                index = before.again()
                self._marks.pass_on(before, index)
            self._keep_index(root, index)
        same = self._marked(request, index)
        if same is None:
            known = before if before is not None and self._marked(request, before) else None
            return index_data(index, known) | {"mark": self._marks.of(index)}
        if len(index) > MANY_FILES:  # the answer is too small to tell what it left free
            give_back()
        return same

    def _marked(self, request: Request, what: object) -> dict[str, Any] | None:
        """Say that the other side knows something already; None where it does not."""
        mark = self._marks.of(what)
        return {"same": mark} if request.params.get("known") == mark else None

    def history(self, request: Request) -> dict[str, Any]:
        """Walk the history of the work tree that `root` lies in, as it is now.

        The answer: `none`, why there is no history; or `top` and `names`, null where they were not found in time, with
        a `mark`; or `{"same": mark}` where the history is that of the answer with the mark `known`. Where that was the
        last one, `added` and `removed` stand for `names`.
        """
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
        if names is None:
            return {"top": repository.top, "names": None, "mark": ""}
        same = self._marked(request, repository)
        if same is not None:
            return same
        old = before.names_in_history() if isinstance(before, Repository) and self._marked(request, before) else None
        said = {"names": sorted(names)} if old is None else difference(old, names)
        return {"top": repository.top, "mark": self._marks.of(repository), **said}

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

    def index_of(self, root: str) -> PathIndex:
        """Give the last index of a root; listed where there is none, for who is started anew is not asked for paths.

        Where it is being listed for the first time, that is waited for.
        """
        index = self._indexes.get(root)
        if index is not None:
            return index
        with self._listed_alone(root):
            index = self._indexes.get(root)  # who held the lock may have listed it
            if index is None:
                index = list_paths(root)
                self._keep_index(root, index)
            return index

    def _keep_index(self, root: str, index: PathIndex) -> None:
        with self._keeping:
            _keep(self._indexes, root, index)

    def _listed_alone(self, root: str) -> threading.Lock:
        return self._listing.setdefault(root, threading.Lock())

    def _repository(self, root: str) -> Repository | NoRepository:
        if root not in self._repositories:
            _keep(self._repositories, root, Repository.of(root))
        return self._repositories[root]


class _Marks:
    """Tells what was answered from all that was answered otherwise, in this process and in one before it."""

    def __init__(self) -> None:
        self._process = os.urandom(8).hex()
        self._numbers = count()
        self._marks: WeakKeyDictionary[object, str] = WeakKeyDictionary()

    def of(self, what: object) -> str:
        """Give the mark of an object; its own where none was passed on to it."""
        return self._marks.setdefault(what, f"{self._process}.{next(self._numbers)}")

    def pass_on(self, before: object, now: object) -> None:
        """Give an object the mark of one that says the same."""
        self._marks[now] = self.of(before)


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
