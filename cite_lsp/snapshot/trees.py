"""The paths and files of one commit, for the same ladder that looks up those of the present."""

import os
from collections.abc import Callable, Iterable, Iterator
from posixpath import normpath
from typing import NamedTuple

from cite_lsp.snapshot.git import NoRepository, Repository
from cite_lsp.snapshot.ladder import within
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.objects import FOLDER, GITLINK, LINK, Objects
from cite_lsp.snapshot.paths import ends_with, fold, pieces_of

_MISSING = Unread("missing", "does not exist")
_LINKED = Unread("not-available", "was a symbolic link that led out of the folder")
_DEPTH = 128
_MOST_LINKS = 8


Candidates = Callable[[str], Iterable[str]]
"""From a folded base name to paths relative to the root, each once."""


class Found(NamedTuple):
    """An object that a path of a commit leads to, and the repository that it is read from."""

    mode: bytes
    id: bytes
    objects: Objects


class Trees:
    """Trees of one repository, and which of the wanted base names lie below each.

    Commits share most of their trees, so what is found out about one holds in its neighbours.
    """

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._wanted: set[str] = set()
        self._names: dict[bytes, frozenset[str]] = {}
        self._inner: dict[str, Objects | None] = {}

    def want(self, names: set[str]) -> None:
        """Say which base names will be looked up, so that only folders that hold one are gone through."""
        more = {fold(name) for name in names} - self._wanted
        if more:
            self._wanted |= more
            self._names.clear()

    def names(self, tree: bytes, depth: int = _DEPTH) -> frozenset[str]:
        """Give the wanted names, folded, of the files below a tree."""
        known = self._names.get(tree)
        if known is None:
            found: set[str] = set()
            for name, (mode, entry) in self.objects.tree(tree).items():
                if mode == FOLDER:
                    if depth:
                        found |= self.names(entry, depth - 1)
                elif (folded := fold(os.fsdecode(name))) in self._wanted:
                    found.add(folded)
            known = self._names[tree] = frozenset(found)
        return known

    def of_name(self, tree: bytes, folded: str, prefix: str = "", depth: int = _DEPTH) -> Iterator[str]:
        """Give the files below a tree whose base name folds to `folded`; it is one of the wanted."""
        if folded not in self.names(tree):
            return
        for name, (mode, entry) in self.objects.tree(tree).items():
            text = os.fsdecode(name)
            if mode == FOLDER:
                if depth:
                    yield from self.of_name(entry, folded, f"{prefix}{text}/", depth - 1)
            elif mode not in (LINK, GITLINK) and fold(text) == folded:
                yield prefix + text

    def find(self, tree: bytes, path: str, top: str, links: int = _MOST_LINKS) -> Found | None:
        """Give what a path leads to, through links inside the tree and into submodules that are checked out.

        `top`: the folder that `tree` stands for. A link that leads out is given itself.
        """
        try:
            names = os.fsencode(path).split(b"/")
        except UnicodeEncodeError:
            return None
        objects, at = self.objects, tree
        for number, name in enumerate(names):
            entry = objects.tree(at).get(name)
            if entry is None:
                return None
            if entry.mode == LINK:
                target = follow(objects, entry.id, names[:number], names[number + 1 :]) if links else None
                return Found(*entry, objects) if target is None else self.find(tree, target, top, links - 1)
            if number == len(names) - 1:
                return Found(*entry, objects)
            at = entry.id
            if entry.mode == GITLINK:
                folder = "/".join([top, *map(os.fsdecode, names[: number + 1])])
                objects = self._submodule(folder) or objects
                at = b"" if objects is self.objects else objects.root_of(entry.id)
                if not at:
                    return Found(*entry, objects)
            elif entry.mode != FOLDER:
                return None
        return None

    def _submodule(self, folder: str) -> Objects | None:
        """Give the objects of the repository that is checked out at an absolute folder."""
        if folder not in self._inner:
            there = os.path.lexists(f"{folder}/.git") and not os.path.islink(folder)  # noqa: PTH114
            found = Repository.of(folder) if there else None
            is_own = found is not None and not isinstance(found, NoRepository) and _same(found.top, folder)
            self._inner[folder] = Objects(folder) if is_own else None
        return self._inner[folder]

    def rest(self) -> None:
        """Let go of what can be found out again."""
        self._wanted.clear()
        self._names.clear()
        for objects in self._every_objects():
            objects.rest()

    def close(self) -> None:
        """End the processes."""
        for objects in self._every_objects():
            objects.close()

    def _every_objects(self) -> list[Objects]:
        """Give the objects of the repository and of the submodules that were asked for."""
        return [self.objects, *(inner for inner in self._inner.values() if inner is not None)]


class CommitPaths:
    """The paths below a root in one commit; `root` is the absolute folder that the root is at present."""

    def __init__(
        self, trees: Trees, commit: bytes, root: str, prefix: str, candidates: Candidates | None = None
    ) -> None:
        """Take `prefix`: what stands between the work tree's top and the root, "" or ending in "/".

        `candidates`: gives all paths of a base name that the commit may have, so that its trees need not be searched.
        """
        self._candidates = candidates
        self._found: dict[str, Found | None] = {}
        self.root = root
        self.trees = trees
        self.commit = commit
        tree = trees.objects.root_of(commit)
        if prefix:
            found = trees.find(tree, prefix.rstrip("/"), f"{root}/".removesuffix(prefix).rstrip("/"))
            tree = found.id if found is not None and found.mode == FOLDER else b""
        self.tree = tree

    def find(self, path: str) -> Found | None:
        """Give what a root-relative path leads to."""
        if path not in self._found:
            self._found[path] = self.trees.find(self.tree, path, self.root) if path and self.tree else None
        return self._found[path]

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        found = self.find(path)
        return found is not None and found.mode not in (FOLDER, GITLINK)

    def has_folder(self, folder: str) -> bool:
        """True when the root-relative folder is in the commit."""
        folder = folder.rstrip("/")
        if folder in ("", "."):
            return bool(self.trees.objects.tree(self.tree))
        found = self.find(normpath(folder))
        return found is not None and found.mode in (FOLDER, GITLINK)

    def with_suffix(self, suffix: str) -> tuple[str, ...]:
        """The files that are `suffix` or end in "/" and `suffix`, sorted."""
        ending, name = "/" + suffix, suffix.rpartition("/")[2]
        found = self._of_name(name)
        return tuple(sorted(path for path in found if path == suffix or path.endswith(ending)))

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The files that end as a pattern says in which "..." or "…" stands for any number of folders."""
        pieces = pieces_of(pattern)
        if not pieces[-1]:
            return ()
        name = pieces[-1][-1]
        found = (path for path in self._of_name(name) if path.rpartition("/")[2] == name)
        return tuple(sorted(path for path in found if ends_with(path.split("/"), pieces)))

    def spelled(self, path: str) -> tuple[str, ...]:
        """The files ending in `path` but for upper and lower case or the Unicode normal form, sorted."""
        ending, exact = "/" + fold(path), "/" + path
        found = self._of_name(path.rpartition("/")[2])
        return tuple(
            sorted(each for each in found if ("/" + fold(each)).endswith(ending) and not ("/" + each).endswith(exact))
        )

    def _of_name(self, name: str) -> Iterator[str]:
        if not name or not self.tree:
            return
        if self._candidates is None:
            self.trees.want({name})
            yield from self.trees.of_name(self.tree, fold(name))
            return
        for path in self._candidates(fold(name)):
            found = self.find(path)
            if found is not None and found.mode not in (FOLDER, GITLINK):
                yield path


class CommitFiles:
    """The files of one commit, by the paths that they would have at present."""

    def __init__(self, paths: CommitPaths) -> None:
        self._paths = paths

    def exists(self, path: str) -> bool:
        """True for a file, and for a link, of the commit."""
        inside = within(self._paths.root, path)
        return inside is not None and inside in self._paths

    def read(self, path: str) -> FileText | Unread:
        """The lines of a file as they were in the commit."""
        inside = within(self._paths.root, path)
        found = None if inside is None else self._paths.find(inside)
        if found is None or found.mode == FOLDER:
            return _MISSING
        if found.mode == GITLINK:
            return Unread("not-available", "is in a submodule whose commit is not checked out here")
        return _LINKED if found.mode == LINK else found.objects.file(found.id)


def follow(objects: Objects, link: bytes, folders: list[bytes], rest: list[bytes]) -> str | None:
    """Give the path that a link in `folders`, with `rest` behind it, leads to; None when it leads out of the tree."""
    text = objects.text(link)
    if isinstance(text, Unread) or not text or text.startswith("/"):
        return None
    target = normpath("/".join([*map(os.fsdecode, folders), text, *map(os.fsdecode, rest)]))
    return None if target.startswith("../") or target in ("..", ".") else target


def _same(first: str, second: str) -> bool:
    try:
        return os.path.samefile(first, second)  # noqa: PTH121 - text of a path, as everywhere here
    except OSError:
        return False
