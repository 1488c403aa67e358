"""All paths that a history knows, by base name."""

import os
from collections.abc import Iterable

from cite_lsp.snapshot.history import History
from cite_lsp.snapshot.paths import fold


class PathNames:
    """The paths below a root in one history, by folded base name; only of the names that were asked for."""

    def __init__(self, history: History, prefix: bytes) -> None:
        self._history = history
        self._prefix = prefix
        self._wanted: set[str] = set()
        self._read = -1
        self._paths: dict[str, list[str]] = {}

    def want(self, names: Iterable[str]) -> None:
        """Say which base names will be asked for, all at once: each time the whole history is looked through."""
        more = {fold(name) for name in names} - self._wanted
        if more or self._read != self._history.read:
            self._wanted |= more
            self._read = self._history.read
            self._look()

    def _look(self) -> None:
        found: dict[str, list[str]] = {}
        prefix, wanted = self._prefix, self._wanted
        for path in self._history.paths():
            name = path[path.rfind(b"/") + 1 :]
            folded = fold(os.fsdecode(name))
            if folded in wanted and path.startswith(prefix):
                found.setdefault(folded, []).append(os.fsdecode(path[len(prefix) :]))
        self._paths = found

    def of(self, folded: str) -> list[str]:
        """Give the paths of a base name, relative to the root."""
        if folded not in self._wanted:
            self.want([folded])
        return self._paths.get(folded, [])
