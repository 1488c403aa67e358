"""The ladder: from a path as written to a file of the workspace, or the reason why none is meant (anchors.md).

Rungs in order: absolute, explicitly relative, root, the document's folder, its ancestors, the only path that ends so,
the full path that the same document names, the only file of that name. Several left: ambiguous; never a guess.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple, Protocol

from cite_lsp.document.document import Document
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.mentions import DocumentMentions

_DRIVE = re.compile(r"[A-Za-z]:/")
_DIFF_PREFIX = re.compile(r"[abciow]/(?=.)")
UPWARDS = re.compile(r"(?:\.{1,2}/)+")
"""What an explicitly relative path begins with."""

_LEFT_OUT = re.compile(r"(?:^|/)(?:\.\.\.|…)/")
MAX_CANDIDATES = 5
_ANCESTORS_ON_DISK = 16
_MOST_KEPT = 100_000
"""Paths that are remembered: each key stroke in a path makes another one."""


class Paths(Protocol):
    """The paths below one root: `PathIndex` of those that are there now, `CommitPaths` of those of a commit."""

    @property
    def root(self) -> str:
        """The absolute folder; "" in memory."""

    def __contains__(self, path: object, /) -> bool: ...

    def has_folder(self, folder: str) -> bool:
        """Say whether a file lies in the root-relative folder, at any depth."""

    def with_suffix(self, suffix: str) -> tuple[str, ...]:
        """Give the paths that end so, at a separator."""

    def matching(self, pattern: str) -> tuple[str, ...]:
        """Give the paths that end as a pattern says in which "..." stands for any number of folders."""

    def spelled(self, path: str) -> tuple[str, ...]:
        """Give the paths that end so but for upper and lower case or the Unicode normal form."""


class Files(Protocol):
    """The files at paths, as `joined` makes them."""

    def exists(self, path: str) -> bool:
        """Say whether there is a file."""

    def read(self, path: str) -> FileText | Unread:
        """Give its text, or say why there is none."""


class Place(NamedTuple):
    """What a path means: a file (`root` and `path`, `via` the rung), or `status` says why none."""

    status: str
    root: str = ""
    path: str = ""
    via: str = ""
    candidates: tuple[str, ...] = ()
    left_out: int = 0
    """Of `ambiguous`: how many more candidates there are."""


class Home(NamedTuple):
    """Where a document lies: its root's number and its folders, the real one first when it is a link."""

    root: int
    folders: tuple[str, ...]


def within(root: str, path: str) -> str | None:
    """Give `path`, absolute, relative to `root`; None when it is not below it, as nothing is below a root in memory."""
    if not root:
        return None
    prefix = root.rstrip("/") + "/"
    return path[len(prefix) :] if path.startswith(prefix) and len(path) > len(prefix) else None


def downwards(path: str) -> str:
    """Give what a path as written names from wherever it leads: `/` between folders, nothing upwards in front."""
    return UPWARDS.sub("", path.replace("\\", "/"), count=1).lstrip("/")


class Ladder:
    """Looks paths up in the indexes of all roots, and on disk for what they leave out."""

    def __init__(self, indexes: Sequence[Paths], reader: Files, mentions: DocumentMentions | None = None) -> None:
        self._indexes = indexes
        self._reader = reader
        self._kept: dict[tuple[str, Home], Place | None] = {}
        self._settled: dict[tuple[str, Home, frozenset[str]], Place | None] = {}
        """What a path means beside the longer ones that its document names."""
        self._mentions = mentions or DocumentMentions()

    def over(self, reader: Files) -> "Ladder":
        """Give a ladder over another reader of the same files that knows what this one has found out."""
        ladder = Ladder(self._indexes, reader)
        ladder._kept, ladder._settled, ladder._mentions = self._kept, self._settled, self._mentions
        return ladder

    def climb(self, written: str, home: Home, document: Document) -> Place | None:
        """Give the place of a path as written; None when nothing here has it."""
        path = written.replace("\\", "/")
        place = self._found(path, home)
        if place is None or not _is_open(place):
            return place
        return self._named_by_document(path, place, home, document)

    def asks_document(self, written: str, home: Home) -> bool:
        """Say whether what a path means depends on what else its document names."""
        place = self._found(written.replace("\\", "/"), home)
        return place is not None and _is_open(place)

    def named(self, written: str, document: Document) -> frozenset[str]:
        """Give the longer paths in a document's text that end in a path as written."""
        return self._mentions.longer(downwards(written), document)

    def _found(self, path: str, home: Home) -> Place | None:
        key = (path, home)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
                self._settled.clear()
            self._kept[key] = self._climb(path, home)
        return self._kept[key]

    def _climb(self, path: str, home: Home) -> Place | None:
        for spelling in self._spellings(path):
            place = self._rungs(spelling, home)
            if place is not None:
                return place
        return self._other_case(path) or self._barred(path, home)

    def _spellings(self, path: str) -> Iterable[str]:
        """Give the path, then what it may stand for: without a diff's prefix or the `@` of a mention."""
        yield path
        if path.startswith("@"):
            yield path[1:]
        if _DIFF_PREFIX.match(path) and not any(index.has_folder(path[0]) for index in self._indexes):
            yield path[2:]

    def _rungs(self, path: str, home: Home) -> Place | None:
        if _is_absolute(path):
            return self._absolute(path, home)
        if _LEFT_OUT.search(path):
            return self._only((index.matching(path) for index in self._indexes), "suffix")
        rest = path
        if upwards := UPWARDS.match(path):
            place = self._relative(path, home)
            if place is not None:
                return place
            rest = path[upwards.end() :]
        return self._from_root(rest, home) or self._from_folders(rest, home) or self._by_suffix(rest)

    def _absolute(self, path: str, home: Home) -> Place | None:
        full = _full(path)
        for index in self._indexes:
            inside = within(index.root, full)
            if inside and self._has(index, inside):
                return Place("found", index.root, inside, "absolute")
        if path.startswith("/") and (place := self._from_root(full.lstrip("/"), home)):
            return place
        if any(within(index.root, full) for index in self._indexes):
            return None
        rest = full.partition("/")[2]
        while "/" in rest:
            place = self._by_suffix(rest)
            if place is not None:
                return place
            rest = rest.partition("/")[2]
        return None

    def _relative(self, path: str, home: Home) -> Place | None:
        """Look from the document's folder; a path that leads out of the root may lie in another one."""
        own = self._indexes[home.root]
        for folder in home.folders:
            target = normpath(f"{folder}/{path}" if folder else path)
            if target.startswith("../"):
                place = self._outwards(own.root, target)
            else:
                place = Place("found", own.root, target, "relative") if self._has(own, target) else None
            if place is not None:
                return place
        return None

    def _outwards(self, root: str, target: str) -> Place | None:
        full = normpath(f"{root}/{target}")
        for index in self._indexes:
            inside = within(index.root, full)
            if inside and self._has(index, inside):
                return Place("found", index.root, inside, "relative")
        return None

    def _own_first(self, home: Home) -> list[Paths]:
        own = self._indexes[home.root]
        return [own, *(index for index in self._indexes if index is not own)]

    def _from_root(self, path: str, home: Home) -> Place | None:
        path = normpath(path)
        for index in self._own_first(home):
            if self._has(index, path):
                return Place("found", index.root, path, "root")
        return None

    def _from_folders(self, path: str, home: Home) -> Place | None:
        own = self._indexes[home.root]
        for start in home.folders:
            folder, via, above = start, "document-folder", 0
            while folder:
                target = normpath(f"{folder}/{path}")
                # what is ignored lies near its document; a thousand folders up, the disk is not asked for it
                if (target in own or above < _ANCESTORS_ON_DISK) and self._has(own, target):
                    return Place("found", own.root, target, via)
                folder, via, above = folder.rpartition("/")[0], "ancestor", above + 1
        return None

    def _by_suffix(self, path: str) -> Place | None:
        via = "suffix" if "/" in path else "basename"
        return self._only((index.with_suffix(normpath(path)) for index in self._indexes), via)

    def _other_case(self, path: str) -> Place | None:
        inside = next(filter(None, (within(index.root, path) for index in self._indexes)), path)
        path = downwards(inside)
        place = self._only((index.spelled(normpath(path)) for index in self._indexes), "suffix")
        if place is None or place.status == "ambiguous":
            return place
        return Place("case-differs", place.root, place.path, place.via)

    def _only(self, found: Iterable[tuple[str, ...]], via: str) -> Place | None:
        """Give the only file found, or say that there are several."""
        listed = [(index.root, path) for index, paths in zip(self._indexes, found, strict=True) for path in paths]
        if len(self._indexes) > 1 and len(listed) > 1:  # one root may lie in another, and a file in both
            listed = list({joined(*each): each for each in reversed(listed)}.values())[::-1]
        there = ((root, path) for root, path in listed if self._reader.exists(joined(root, path)))
        hits = list(islice(there, MAX_CANDIDATES + 1))
        if not hits and len(listed) == 1:  # a link that leads out, a folder that may not be entered: reading says it
            hits = listed
        if not hits:
            return None
        if len(hits) > 1:
            shown = tuple(path for _, path in hits[:MAX_CANDIDATES])
            more = len(listed) - len(shown) if len(hits) > MAX_CANDIDATES else 0
            return Place("ambiguous", candidates=shown, left_out=more)
        return Place("found", hits[0][0], hits[0][1], via)

    def _has(self, index: Paths, path: str) -> bool:
        """Say whether a file exists, spelled exactly so: in the index, or on disk where ignored files are."""
        if not path or path.startswith("../"):
            return False
        if path in index:
            return self._reader.exists(joined(index.root, path))
        return index.root != "" and self._reader.exists(joined(index.root, path)) and not _respelled(index, path)

    def _barred(self, path: str, home: Home) -> Place | None:
        """Find what is there but is no file to be read, or leads out of the workspace; reading it says which."""
        own = self._indexes[home.root]
        if _is_absolute(path):
            return self._barred_absolute(_full(path))
        if not own.root:
            return None
        upwards = UPWARDS.match(path) is not None
        for folder in home.folders if upwards else ("", *home.folders):
            target = normpath(f"{folder}/{path}" if folder else path)
            if target.startswith("../"):
                return Place("outside", path=normpath(f"{own.root}/{target}"))
            via = "relative" if upwards else "document-folder" if folder else "root"
            if place := self._refused(own.root, target, via):
                return place
        return None

    def _barred_absolute(self, path: str) -> Place | None:
        for index in self._indexes:
            if inside := within(index.root, path):
                return self._refused(index.root, inside, "absolute")
        folder = path.rpartition("/")[0].lstrip("/")
        here = folder and any(index.has_folder(folder) for index in self._indexes)
        return None if here else Place("outside", path=path)

    def _refused(self, root: str, path: str, via: str) -> Place | None:
        file = self._reader.read(joined(root, path))
        return Place("found", root, path, via) if isinstance(file, Unread) and file.status != "missing" else None

    # --- the full path that the same document names

    def _named_by_document(self, path: str, place: Place, home: Home, document: Document) -> Place:
        """Prefer what the document itself names: the full path of the only file it means, or one that is gone."""
        named = self.named(path, document)
        key = (path, home, named)
        if key not in self._settled:
            self._settled[key] = self._mentioned(home, named)
        return self._settled[key] or place

    def _mentioned(self, home: Home, named: frozenset[str]) -> Place | None:
        """Give what the longer spellings of a path in a document's text mean; None when they settle nothing."""
        hits: set[tuple[str, str]] = set()
        gone: list[str] = []
        for longer in named:
            found = self._found(longer, home)
            if found is not None and found.path and found.status in ("found", "case-differs"):
                hits.add((found.root, found.path))
            elif found is None and self._has_folder_of(longer):
                gone.append(longer)
        if len(hits) == 1:
            return Place("found", *hits.pop(), "same-document")
        # a file of that name elsewhere is not the one that the document speaks of
        return Place("missing", path=min(gone)) if gone and not hits else None

    def _has_folder_of(self, path: str) -> bool:
        folder = path.rpartition("/")[0]
        return any(index.has_folder(folder) for index in self._indexes)


def _is_open(place: Place) -> bool:
    return place.status == "ambiguous" or place.via == "basename"


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "~/")) or _DRIVE.match(path) is not None


def _full(path: str) -> str:
    return normpath(os.path.expanduser(path) if path.startswith("~/") else path)  # noqa: PTH111 - text, not a file yet


def _respelled(index: Paths, path: str) -> bool:
    """Say whether a path opens, on a disk that does not tell case apart, a file that the index spells otherwise."""
    full = joined(index.root, path)
    return any(len(other) == len(path) and _same(full, joined(index.root, other)) for other in index.spelled(path))


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def joined(root: str, path: str) -> str:
    """Give the key under which the reader has a file."""
    return f"{root}/{path}" if root else path


def home_of(path: str, indexes: Sequence[Paths], reader: Files) -> Home:
    """Find a document's root and folders. A document in no root counts as lying at the top of the first."""
    for number, index in enumerate(indexes):
        if path in index or (index.root and reader.exists(joined(index.root, path))):
            return Home(number, _folders(path, index))
    return Home(0, (path.rpartition("/")[0],) if not path.startswith("/") else ())


def _folders(path: str, index: Paths) -> tuple[str, ...]:
    folder = path.rpartition("/")[0]
    if not index.root:
        return (folder,)
    full = joined(index.root, path)
    real = within(os.path.realpath(index.root), os.path.realpath(full))
    real_folder = real.rpartition("/")[0] if real is not None else folder
    return (real_folder, folder) if real_folder != folder else (folder,)


def mapped_checkout(repository: str, checkouts: Mapping[str, str]) -> str | None:
    """Give the checkout that the user names for a repository, by its whole address (or prefix) or a suffix of it."""
    address = _without_scheme(repository)
    for name, checkout in checkouts.items():
        wanted = _without_scheme(name)
        if wanted and ("/" + address).endswith("/" + wanted):
            return checkout
    return None


def _without_scheme(address: str) -> str:
    return (address.partition("://")[2] or address).strip("/")
