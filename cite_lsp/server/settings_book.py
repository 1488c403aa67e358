"""Settings of open documents: which file each is under, what the editor says, and what was wrong with them."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence

from cite_lsp.config import PROJECT_FILE, PYTHON_FILE, LoadedSettings, Problem, load_settings

SETTINGS_FILES = frozenset({PROJECT_FILE, PYTHON_FILE})
"""Names of the files that settings are read from."""


class SettingsBook:
    """Settings by the folder of a document, loaded when first asked for.

    `report` is told every new set of problems, with all problems there are.
    """

    def __init__(self, report: Callable[[Sequence[Problem]], None]) -> None:
        self._report = report
        self._editor: dict[str, Mapping[str, object]] = {}
        self._everywhere: Mapping[str, object] = {}
        self._loaded: dict[str, LoadedSettings] = {}
        self._previous: dict[str, LoadedSettings] = {}
        self.edition = 0
        """Another number whenever settings may have changed."""

    def set_editor(self, tree: Mapping[str, object], root: str | None = None, *, only: bool = False) -> bool:
        """Take the editor's settings, of one workspace folder or of all; say whether they are new.

        `only`: no folder has settings of its own any more.
        """
        if only and any(each != tree for each in self._editor.values()):
            self._editor = {}
            self._everywhere = tree
            return True
        if root is None:
            known = self._everywhere == tree
            self._everywhere = tree
        else:
            known = self._editor.get(root, self._everywhere) == tree
            self._editor[root] = tree
        return not known

    def forget(self) -> None:
        """Read the files again when settings are asked for next; a wrong value leaves the last good one."""
        self.edition += 1
        self._previous.update(self._loaded)
        self._loaded = {}

    def leave(self, roots: Collection[str]) -> None:
        """Forget what was loaded under folders that are gone, and with it what was wrong there."""
        self._loaded = {key: loaded for key, loaded in self._loaded.items() if key.partition("\0")[2] not in roots}

    def editor_of(self, root: str) -> Mapping[str, object]:
        """Give what the editor sets for a workspace folder."""
        return self._editor.get(root, self._everywhere)

    def of(self, path: str, root: str | None) -> LoadedSettings:
        """Give the settings of a document by its absolute path; `root` is the folder that it was opened under."""
        folder = os.path.dirname(path)
        key = f"{folder}\0{root}"
        loaded = self._loaded.get(key)
        if loaded is None:
            loaded = load_settings(folder, editor=self.editor_of(root or ""), previous=self._previous.get(key))
            self._loaded[key] = loaded
            self._report(self.problems)
        return loaded

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the settings that were asked for, each problem once."""
        return tuple(dict.fromkeys(problem for loaded in self._loaded.values() for problem in loaded.problems))


def is_settings_file(path: str) -> bool:
    """Say whether settings may be read from a file of this name."""
    return path.rpartition("/")[2] in SETTINGS_FILES
