"""Which documents there are below a root, and the settings that each of them is under: the same for both faces."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cite_lsp.config import PROJECT_FILE, PYTHON_FILE, LoadedSettings, Problem, Settings, load_settings
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.paths import PathIndex

Load = Callable[[str], LoadedSettings]
"""Gives the settings of an absolute folder."""


@dataclass(frozen=True, slots=True)
class Gathering:
    """The files of one root, seen through its settings."""

    index: PathIndex
    loaded: LoadedSettings
    nested: Mapping[str, LoadedSettings] = field(default_factory=dict)
    """Settings of folders below the root that have their own file, by the folder, root-relative."""

    @classmethod
    def of(cls, index: PathIndex, load: Load, loaded: LoadedSettings | None = None) -> "Gathering":
        """Load the settings of an index' root and of the folders below it."""
        return cls(index, loaded or load(index.root), _nested(index, load))

    @property
    def root(self) -> str:
        """The absolute folder."""
        return self.index.root

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the settings, each problem once."""
        each = (problem for loaded in (self.loaded, *self.nested.values()) for problem in loaded.problems)
        return list(dict.fromkeys(each))

    def settings_for(self, path: str) -> tuple[Settings, str]:
        """Give the settings that a document is under, and its path relative to their folder.

        A root that is a folder of a larger project is under that project's settings, whose globs begin at its top.
        """
        folder = path
        while self.nested and "/" in folder:
            folder = folder.rpartition("/")[0]
            loaded = self.nested.get(folder)
            if loaded is not None:
                return loaded.settings, path[len(folder) + 1 :]
        outer = within(self.loaded.root, self.root) if self.loaded.project_file is not None else None
        return self.loaded.settings, f"{outer}/{path}" if outer else path

    def documents(self, folder: str = "") -> Iterator[str]:
        """Give the documents below a root-relative folder, sorted; a link to one beside it is that one, no second."""
        prefix = folder + "/" if folder else ""
        for path in self.index.paths:
            if path.startswith(prefix):
                settings, inside = self.settings_for(path)
                if settings.is_document(inside) and not self._is_link_inside(path):
                    yield path

    def _is_link_inside(self, path: str) -> bool:
        """Say whether a document is a link to another one of its folder, so that both would tell the same."""
        full = f"{self.root}/{path}"
        if not Path(full).is_symlink():
            return False
        target = within(os.path.realpath(self.root), os.path.realpath(full))
        same_folder = target is not None and target.rpartition("/")[0] == path.rpartition("/")[0]
        return same_folder and target != path and target in self.index


def gather(index: PathIndex, editor: Mapping[str, object], before: Gathering | None = None) -> Gathering:
    """Gather the files of an index under an editor's settings; a wrong value is as it was `before`."""
    known: dict[str, LoadedSettings] = {}
    if before is not None:
        known = {before.root: before.loaded}
        known.update((f"{before.root}/{folder}", loaded) for folder, loaded in before.nested.items())
    return Gathering.of(index, lambda folder: load_settings(folder, editor=editor, previous=known.get(folder)))


def _nested(index: PathIndex, load: Load) -> dict[str, LoadedSettings]:
    """Load the settings files below a root, by the folder they stand in."""
    found: dict[str, LoadedSettings] = {}
    for name in (PROJECT_FILE, PYTHON_FILE):
        for path in index.with_suffix(name):
            folder = path.rpartition("/")[0]
            if not folder or folder in found:
                continue
            loaded = load(f"{index.root}/{folder}")
            if loaded.project_file is not None and loaded.root == f"{index.root}/{folder}":
                found[folder] = loaded
    return found
