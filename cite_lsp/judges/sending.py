"""What of a project may be sent to a judge that does not run in this process or its worker (server.md, Security).

A claim is a text of its document, an excerpt one of the cited file: neither is sent where `judge.exclude` takes the
file in, or where git ignores it, under any of its names.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from cite_lsp.snapshot.globs import matches
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import real_path
from cite_lsp.snapshot.resolve import Resolution
from cite_lsp.snapshot.snapshot import Snapshot

_EXCLUDED = "is under judge.exclude, so its text was not sent to the judge"
_IGNORED = "this document is ignored by git, so its text was not sent to the judge"
_UNLISTED = "is ignored by git, or not on disk yet, so its text was not sent to the judge"


class Sending:
    """Says of the files of one snapshot whether their text may leave the machine; each file is looked at once.

    For one run: a file may be made a link to another one at any time.
    """

    def __init__(self, snapshot: Snapshot, exclude: Sequence[str], folder: str) -> None:
        """Take the setting `judge.exclude`, and the absolute folder of its settings that the globs begin at."""
        self._snapshot = snapshot
        self._exclude = tuple(exclude)
        self._folders = tuple(dict.fromkeys((folder, real_path(folder))))
        self._cited: dict[tuple[str, str, str], str] = {}
        self._real_folders: dict[str, str] = {}

    def document(self, full: str) -> str:
        """Say why nothing that a document says is sent, by its absolute path; "" where it may be."""
        return f"this document {_EXCLUDED}" if self._is_excluded(full) else ""

    def named_document(self, full: str) -> str:
        """Say the same of a document that somebody named: git may ignore it. One that is not on disk is typed here."""
        return self.document(full) or (_IGNORED if self.is_ignored(full) else "")

    def is_ignored(self, full: str) -> bool:
        """Say whether git ignores a document."""
        return not self._snapshot.lists(full) and os.path.lexists(full)

    def cited(self, resolution: Resolution) -> str:
        """Say why the cited lines are not sent; "" where they may be."""
        key = resolution.root, resolution.path, resolution.blob
        if key not in self._cited:
            self._cited[key] = self._why(resolution)
        return self._cited[key]

    def _why(self, resolution: Resolution) -> str:
        if self._is_excluded(joined(resolution.root, resolution.path), resolution.root):
            return f"the cited file {_EXCLUDED}"
        return "" if self._snapshot.is_listed(resolution, self._real) else f"the cited file {_UNLISTED}"

    def _real(self, path: str) -> str:
        """Give where the links of a path lead, those of a folder being followed once."""
        folder, _, name = path.rpartition("/")
        if os.name == "nt" or os.path.islink(path):  # noqa: PTH114 - no Path is made in a hot loop
            return real_path(path)
        if folder not in self._real_folders:
            self._real_folders[folder] = real_path(folder)
        return joined(self._real_folders[folder], name)

    def _is_excluded(self, full: str, root: str = "") -> bool:
        return bool(self._exclude) and any(matches(self._exclude, name) for name in self._names(full, root))

    def _names(self, full: str, root: str) -> Iterator[str]:
        """Give the names that the globs may mean: from each folder they may begin at, links followed and not."""
        folders = (*self._folders, root, real_path(root)) if root else self._folders
        for path in dict.fromkeys((full, real_path(full))):
            inside = [name for folder in folders if (name := within(folder, path)) is not None]
            yield from dict.fromkeys(inside or [Path(path).name])
