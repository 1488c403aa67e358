"""The accepted findings of the projects that open documents lie in: read when first asked for, and when they change."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from cite_lsp.config import Problem
from cite_lsp.findings.accepted import NOTHING, Accepted, accepted_path

if TYPE_CHECKING:
    from cite_lsp.server.open_document import Place


class AcceptedBook:
    """Files of accepted findings by their absolute path. `report` is told all problems there are, when they change."""

    def __init__(self, report: Callable[[Sequence[Problem]], None]) -> None:
        self._report = report
        self._known: dict[str, Accepted] = {}

    def of(self, place: "Place") -> Accepted:
        """Give what is accepted under the settings of a place."""
        path = path_of(place)
        if not path:
            return NOTHING
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = Accepted.load(path, folder_of(place))
            if known.problem is not None:
                self._tell()
        return known

    def forget(self, paths: Iterable[str]) -> bool:
        """Read files again when they are asked for next; say whether one of these paths is such a file."""
        known = [self._known.pop(path, None) for path in set(paths)]
        if any(each is not None and each.problem is not None for each in known):
            self._tell()
        return any(each is not None for each in known)

    def _tell(self) -> None:
        self._report([each.problem for each in self._known.values() if each.problem is not None])


def folder_of(place: "Place") -> str:
    """Give the folder that documents are named from: that of the settings file, or the root."""
    return place.loaded.root if place.loaded.project_file is not None else place.root


def path_of(place: "Place") -> str:
    """Give the absolute path of the file; "" where documents lie in no folder."""
    folder = folder_of(place)
    return accepted_path(folder, place.settings.accepted) if folder else ""
