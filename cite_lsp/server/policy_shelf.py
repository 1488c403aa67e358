"""Reading the policies that the settings of a place name, and what stands beside them, as they are on disk."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from cite_lsp.server.open_document import Place
from cite_lsp.snapshot.ladder import joined, within
from cite_lsp.snapshot.lines import DocumentText, Reader, Unread

if TYPE_CHECKING:
    from cite_lsp.policy.files import PolicyRead


def reader_of(place: Place) -> "Callable[[str], DocumentText | Unread]":
    """Give what reads files of the settings' folder as they are on disk."""
    from cite_lsp.policy.files import MAX_BYTES  # noqa: PLC0415 - it is loaded by now

    root = _folder(place)
    reader = Reader((root,))
    return lambda path: reader.read_text(joined(root, path), max_bytes=MAX_BYTES)


def _folder(place: Place) -> str:
    """Give the folder that the globs of the settings begin at."""
    return place.loaded.root if place.loaded.project_file is not None else place.root


def read_policies(place: Place, paths: Sequence[str]) -> "Sequence[PolicyRead]":
    """Read the policies of a place; `paths`: the files of its root. Not for the event loop."""
    from cite_lsp.judges.policies import likely_paths  # noqa: PLC0415 - it is loaded by now
    from cite_lsp.policy.files import policies_of  # noqa: PLC0415

    settings, folder = place.settings, _folder(place)
    likely = likely_paths(settings.policies.files, paths)
    if folder != place.root:
        full = (within(folder, joined(place.root, path)) for path in likely)
        likely = [path for path in full if path is not None]
    sources: Mapping[str, str] = place.loaded.sources
    read = policies_of(
        settings.policies.files,
        likely,
        reader_of(place),
        tables=settings.policy,
        tables_path=sources.get("policy", "settings"),
    )
    listed = frozenset(likely)  # before one of them was deleted, perhaps
    return [each for each in read if each.file is not None or each.path not in listed or _is_there(folder, each.path)]


def _is_there(folder: str, path: str) -> bool:
    return os.path.lexists(joined(folder, path))


def is_not_listed(place: Place) -> bool:
    """Whether a file is there that the index leaves out."""
    full = joined(place.root, place.path)
    return not place.snapshot.lists(full) and os.path.lexists(full)


def hashes_of(read: "Sequence[PolicyRead]") -> dict[str, str]:
    """Give the hashes of policies by their names, faulty ones left out."""
    return {each.file.name: each.file.hash for each in read if each.file is not None}
