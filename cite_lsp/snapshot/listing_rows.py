"""What one run of `git ls-files` says of the index, sorted by kind."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

_PLAIN = ("H 100644 ", "H 100755 ")
_PIECE = 1 << 16
"""Bytes."""
_KEPT = 16


@dataclass(slots=True)
class Rows:
    """Paths relative to the folder that was listed, each once.

    Attributes:
        tracked: Files, in order but for those of `links` and the like, which come last.
        gitlinks: Folders of submodules.
        links: Those of the files that are symbolic links.
        sparse: What a sparse checkout leaves out, as long as it is not known which of that is on disk all the same.
    """

    tracked: list[str] = field(default_factory=list)
    gitlinks: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    sparse: list[str] = field(default_factory=list)


_LAST: dict[str, tuple[bytes, Rows]] = {}
"""What was read last of each folder, by what tells it from all else; only read once it is here."""


def listing_rows(out: bytes, under: str) -> Rows:
    """Read `ls-files -t -s -z --cached` of the absolute folder `under`: `H 100644 <object> 0<TAB>path`.

    Where git says the same as last time, the paths are the same objects: a second set of them takes as much memory.
    """
    digest = hashlib.blake2b(out).digest()
    known, rows = _LAST.pop(under, (b"", None))
    if rows is None or known != digest:
        rows = _read(out)
    for folder in list(_LAST)[: 1 - _KEPT]:  # at once: other threads list other folders
        _LAST.pop(folder, None)
    _LAST[under] = digest, rows
    absent = frozenset(path for path in rows.sparse if not os.path.lexists(os.path.join(under, path)))
    here = [path for path in rows.sparse if path not in absent]
    return Rows(rows.tracked + here, rows.gitlinks, rows.links - absent)


def _read(out: bytes) -> Rows:
    behind = out.find(b"\t") + 1  # in all rows: modes, names of objects and stages are each of one length
    rows = Rows()
    others: list[str] = []
    for some in _pieces(out):
        every = paths_of(some)
        plain = [row[behind:] for row in every if row.startswith(_PLAIN)]
        rows.tracked += plain
        if len(plain) < len(every):
            others += [row for row in every if not row.startswith(_PLAIN)]
    _read_others(others, behind, rows)
    return rows


def _pieces(out: bytes) -> Iterator[bytes]:
    """Give some hundreds of rows at a time: as text all of them would take three times what the paths do."""
    start = 0
    while start < len(out):
        end = out.find(b"\0", start + _PIECE) + 1 or len(out)
        yield out[start:end]
        start = end


def _read_others(others: Iterable[str], behind: int, rows: Rows) -> None:
    """Read the rows of links, of submodules, of what is not merged and of what a sparse checkout leaves out."""
    files: dict[str, None] = {}  # one that is not merged has a row for each side
    for row in others:
        path, mode = row[behind:], row[2:8]
        if mode == "160000":
            rows.gitlinks.add(path)
            continue
        if mode == "120000":
            rows.links.add(path)
        if row[0] == "S":
            rows.sparse.append(path)
        else:
            files[path] = None
    rows.tracked.extend(files)


def paths_of(out: bytes) -> list[str]:
    """Give what ends in a NUL each, as text."""
    return os.fsdecode(out).split("\0")[:-1]
