"""The index of the paths below one root, and the ways to look one up."""

import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TypeVar
from unicodedata import normalize

from cite_lsp.snapshot.git import Repository
from cite_lsp.snapshot.lines import is_file
from cite_lsp.snapshot.listing import Listing
from cite_lsp.snapshot.walk import cut_short, walk

MAX_FILES = 200_000
_SETTINGS_FILE = "cite-lsp.toml"
_UNCITABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_LEADING = re.compile(r"\A(?:\.{0,2}/)+")
_LEFT_OUT = frozenset({"...", "…"})
_MAX_NOTES = 20
_FEW = 3  # a base name that so few files have is near, whatever their folders
_MAX_COMPARED = 5_000  # paths that share a base name close to the one looked for
_LONG_NAME = 255
_Other = TypeVar("_Other")


@dataclass(frozen=True, eq=False, slots=True)
class Tracked(AbstractSet[str]):
    """The paths that git tracks, by how they differ from those of an index: a set of all takes half its memory again.

    Attributes:
        paths: Of the index, sorted.
        missing: Those of them that are not tracked.
        more: Tracked ones that are not among them.
    """

    paths: tuple[str, ...]
    missing: frozenset[str] = frozenset()
    more: frozenset[str] = frozenset()

    def __contains__(self, path: object) -> bool:
        """True for a tracked path, spelled exactly so."""
        if not isinstance(path, str):
            return False
        return path in self.more or (path not in self.missing and _holds(self.paths, path))

    @classmethod
    def _from_iterable(cls, paths: Iterable[_Other]) -> AbstractSet[_Other]:
        return frozenset(paths)

    def __iter__(self) -> Iterator[str]:
        return chain((path for path in self.paths if path not in self.missing), self.more)

    def __len__(self) -> int:
        return len(self.paths) - len(self.missing) + len(self.more)


@dataclass(frozen=True, eq=False)
class PathIndex:
    """The files of one root, without the ignored ones.

    Attributes:
        root: The absolute folder; "" for an index in memory.
        paths: Relative to the root, with "/", sorted by code point, each once.
        tracked: Those that git tracks; None where git does not know, and then nothing is untracked.
        notes: What a person should be told about the index, each a sentence without a full stop.
    """

    root: str
    paths: tuple[str, ...]
    tracked: Tracked | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, paths: Iterable[str], root: str = "") -> "PathIndex":
        """An index in memory, of paths in any order."""
        return cls(root, tuple(sorted(set(paths))))

    def __contains__(self, path: object) -> bool:
        """True when a root-relative path is in the index, spelled exactly so."""
        return isinstance(path, str) and _holds(self.paths, path)

    def __len__(self) -> int:
        return len(self.paths)

    def says_the_same(self, other: "PathIndex") -> bool:
        """Say whether another index of the root says nothing else."""
        return self._said == other._said

    @property
    def _said(self) -> tuple[object, ...]:
        differs = (self.tracked.missing, self.tracked.more) if self.tracked is not None else None
        return self.notes, differs, self.paths

    def again(self) -> "PathIndex":
        """Give an index of its own that says the same, in the same memory."""
        again = PathIndex(self.root, self.paths, self.tracked, self.notes)
        again.__dict__.update(self.__dict__)  # the orders as well
        return again

    def with_suffix(self, suffix: str) -> tuple[str, ...]:
        """The paths that are `suffix` or end in "/" and `suffix`, sorted; only those of its name are seen."""
        ending = "/" + suffix
        candidates = self._of_name(suffix.rpartition("/")[2])
        return tuple(path for path in candidates if path == suffix or path.endswith(ending))

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that end as a pattern says in which "..." or "…" stands for any number of folders."""
        pieces = pieces_of(pattern)
        if not pieces[-1]:
            return ()
        candidates = self._of_name(pieces[-1][-1])
        return tuple(path for path in candidates if ends_with(path.split("/"), pieces))

    def has_folder(self, folder: str) -> bool:
        """True when a file of the index lies in the root-relative folder, at any depth."""
        prefix = folder.rstrip("/") + "/"
        if prefix in ("/", "./"):
            return bool(self.paths)
        at = bisect_left(self.paths, prefix)
        return at < len(self.paths) and self.paths[at].startswith(prefix)

    def spelled(self, path: str) -> tuple[str, ...]:
        """The paths ending in `path` but for upper and lower case or the Unicode normal form, sorted."""
        folded = fold(path)
        ending, exact = "/" + folded, "/" + path
        candidates = self._of_folded_name(folded.rpartition("/")[2])
        return tuple(
            found for found in candidates if ("/" + fold(found)).endswith(ending) and not ("/" + found).endswith(exact)
        )

    def close_to(self, path: str, limit: int = 3) -> tuple[str, ...]:
        """The closest paths by edit distance, closest first; none when none is near.

        A file that was split into a folder of its name comes before them (`pool.rs`, now `pool/mod.rs`). A base name
        may differ by one edit in five characters of its stem, by one at least, and by none when the stem has only one.
        Where many files have a near name, their folders must be alike too. At most `limit` paths.
        """
        folder, _, name = path.rpartition("/")
        if not name or len(name) > _LONG_NAME:
            return ()
        stem = name.rpartition(".")[0] or name
        split = self._split_up(folder, stem, name)
        from rapidfuzz import process  # noqa: PLC0415 - 3 MB that few need
        from rapidfuzz.distance import OSA  # noqa: PLC0415

        near = process.extract(name, self._name_list, scorer=OSA.distance, score_cutoff=_most_edits(stem), limit=20)
        ranked: list[tuple[float, str]] = []
        for found, edits, _ in near:
            ranked.extend((edits * 3 / len(name) + away, other) for away, other in self._by_folder(folder, found))
        ranked.sort()
        return tuple(dict.fromkeys([*split, *(other for _, other in ranked)]))[:limit]

    def known(self) -> Container[str]:
        """What answers whether a written path is a file of the index: root-relative, or a suffix of one.

        A leading `/`, `./` or `../` is passed over and a backslash is a separator: where the path leads is for
        the resolver to say.
        """
        return _Known(self)

    def _split_up(self, folder: str, stem: str, name: str) -> list[str]:
        """The main file of a folder that has the place and the name of a file."""
        inside = f"{folder}/{stem}" if folder else stem
        ending = name[len(stem) :]
        mains = (f"mod{ending}", f"__init__{ending}", f"index{ending}", name)
        return [path for main in mains for path in self.with_suffix(f"{inside}/{main}")[:1]]

    def _by_folder(self, folder: str, name: str) -> list[tuple[float, str]]:
        """The paths with a base name, and how far their folder is from one: 0 the same, 1 wholly other."""
        sharing = self._of_name(name)[:_MAX_COMPARED]
        if not folder:
            return [(path.count("/") / 100, path) for path in sharing]
        from rapidfuzz import process  # noqa: PLC0415 - 3 MB that few need
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415

        folders = [path.rpartition("/")[0] for path in sharing]
        cutoff = None if len(sharing) <= _FEW else 0.5
        close = process.extract(
            folder, folders, scorer=Levenshtein.normalized_distance, score_cutoff=cutoff, limit=_FEW * 4
        )
        return [(away, sharing[at]) for _, away, at in close]

    def orders(self) -> "tuple[array[int], array[int]]":
        """The numbers of the paths by base name, and by base name whatever its case: what look-ups need.

        Where no name has letters of another case they are one object.
        """
        return self._by_name, self._by_folded_name

    def take_orders(self, by_name: "array[int]", by_folded_name: "array[int]") -> None:
        """Take what `orders` gave for the same paths in another process, so that it need not be worked out here."""
        self.__dict__["_by_name"] = by_name
        self.__dict__["_by_folded_name"] = by_folded_name

    def _of_name(self, name: str) -> list[str]:
        """The paths with a base name, sorted."""
        return list(self._run(self._by_name, name, _base))

    def _of_folded_name(self, name: str) -> list[str]:
        """The paths with a base name but for case and normal form, sorted."""
        return list(self._run(self._by_folded_name, name, _folded_base))

    def _run(self, order: "array[int]", name: str, key: Callable[[str], str]) -> Iterator[str]:
        paths = self.paths
        at = bisect_left(order, name, key=lambda number: key(paths[number]))
        while at < len(order) and key(paths[order[at]]) == name:
            yield paths[order[at]]
            at += 1

    @cached_property
    def _by_name(self) -> "array[int]":
        """The numbers of the paths by base name, then path: a twentieth of what a dictionary of lists takes."""
        return _order(_bases(self.paths))

    @cached_property
    def _by_folded_name(self) -> "array[int]":
        names = _bases(self.paths)
        whole = "".join(names)
        if whole.isascii() and whole == whole.lower():
            return self._by_name
        return _order([fold(name) for name in names])

    @cached_property
    def _name_list(self) -> list[str]:
        return list(dict.fromkeys(_bases(self.paths)))


def _holds(paths: tuple[str, ...], path: str) -> bool:
    at = bisect_left(paths, path)
    return at < len(paths) and paths[at] == path


def _base(path: str) -> str:
    return path[path.rfind("/") + 1 :]


def _folded_base(path: str) -> str:
    return fold(path[path.rfind("/") + 1 :])


def _bases(paths: Iterable[str]) -> list[str]:
    return [path[path.rfind("/") + 1 :] for path in paths]


def _order(names: Sequence[str]) -> "array[int]":
    """Give the numbers of names in the order that sorts them."""
    return array("I", sorted(range(len(names)), key=names.__getitem__))


def _most_edits(stem: str) -> int:
    return min(3, max(1, len(stem) // 5)) if len(stem) > 1 else 0


class _Known:
    __slots__ = ("_index",)

    def __init__(self, index: PathIndex) -> None:
        self._index = index

    def __contains__(self, path: object) -> bool:
        if not isinstance(path, str):
            return False
        suffix = _LEADING.sub("", path.replace("\\", "/"), count=1)
        return suffix in self._index or bool(self._index.with_suffix(suffix))


def too_wide(root: str) -> str | None:
    """Why a folder is not taken as root, in a sentence that says what to do; None when it may be.

    The root of a file system never is. The home directory is when it was made a project: a settings file or
    `.git` lies directly in it.
    """
    real = os.path.realpath(root)
    if os.path.dirname(real) == real:
        return f"{real} is a whole file system, not a project; name the project's folder"
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - Path's raises without a home
    if real != home or any(os.path.lexists(os.path.join(real, name)) for name in (_SETTINGS_FILE, ".git")):
        return None
    return (
        f"{real} is the home directory, not a project; name the project's folder, "
        f"or put a {_SETTINGS_FILE} into it if it is one"
    )


def list_paths(root: str, *, limit: int = MAX_FILES, begun: Callable[[], object] | None = None) -> PathIndex:
    """Index the files below a folder: as git says where it knows, else by a walk that honours `.gitignore`.

    Args:
        root: An absolute folder; a link to one, a part of a work tree and an ignored folder will do.
        limit: The largest number of files; more are cut off, and a note says so.
        begun: Called when git is at it and this thread is about to wait for it.

    Returns:
        The index; one without paths and with a note when the root is no folder or too wide. Never raises.
    """
    root = os.path.abspath(root)
    if not os.path.isdir(root):  # noqa: PTH112 - Path's raises without permission
        return PathIndex(root, (), None, (f"{root} is not a folder, or may not be seen",))
    refused = too_wide(root)
    if refused is not None:
        return PathIndex(root, (), None, (refused,))
    listing, notes = _from_git(root, begun)
    if listing is None:
        walked = walk(root, limit)
        kept = _kept(walked.paths, limit)
        return PathIndex(root, kept.paths, None, _few([*notes, *walked.notes, *kept.notes]))
    return _of_listing(root, listing, notes, limit)


def _from_git(root: str, begun: Callable[[], object] | None) -> tuple[Listing | None, list[str]]:
    """Git's listing, or None and what a person should know about why there is none."""
    found = Repository.of(root)
    if isinstance(found, Repository):
        if found.ignores_folder(root):
            return None, []
        listing = found.listing(root, begun)
        if isinstance(listing, Listing):
            return listing, []
        found = listing
    silent = found.kind == "no-repository" or (found.kind == "no-git" and not _has_repository(root))
    return None, [] if silent else [found.reason]


def _has_repository(root: str) -> bool:
    folder = Path(os.path.realpath(root))
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))


def _of_listing(root: str, listing: Listing, notes: list[str], limit: int) -> PathIndex:
    """Index the listed files, without symbolic links to folders, to nothing and to themselves."""
    maybe_links = listing.links.union(listing.untracked)
    broken = frozenset(path for path in maybe_links if not is_file(os.path.join(root, path)))
    every: Iterable[str] = chain(listing.tracked, listing.untracked)
    kept = _kept((path for path in every if path not in broken) if broken else every, limit)
    left_out = broken.union(kept.left_out)
    untracked = frozenset(listing.untracked)
    tracked = Tracked(kept.paths, untracked - left_out, left_out - untracked)
    return PathIndex(root, kept.paths, tracked, _few([*notes, *listing.notes, *kept.notes]))


@dataclass(frozen=True, slots=True)
class _Kept:
    """Of paths those that go into an index, sorted, those that do not, and what is to be told of these."""

    paths: tuple[str, ...]
    left_out: Sequence[str] = ()
    notes: list[str] = field(default_factory=list)


def _kept(paths: Iterable[str], limit: int) -> _Kept:
    every = sorted(paths)
    notes = []
    if _is_citable("".join(every)):
        left_out, citable = [], every
    else:
        left_out = [path for path in every if not _is_citable(path)]
        citable = [path for path in every if _is_citable(path)]
        notes.append(
            f"{len(left_out):,} file name{'s' if len(left_out) > 1 else ''} that cannot be cited left out "
            "(not UTF-8, or with a line break or another control character)"
        )
    if len(citable) > limit:
        notes.append(cut_short(limit))
    return _Kept(tuple(citable[:limit]), left_out + citable[limit:], notes)


def _is_citable(path: str) -> bool:
    return (path.isascii() and path.isprintable()) or not _UNCITABLE.search(path)


def _few(notes: list[str]) -> tuple[str, ...]:
    single = list(dict.fromkeys(notes))
    if len(single) <= _MAX_NOTES:
        return tuple(single)
    return (*single[:_MAX_NOTES], f"and {len(single) - _MAX_NOTES:,} more such notes")


def pieces_of(pattern: str) -> list[list[str]]:
    """The runs of segments between the left-out folders; the last run is empty when nothing follows them."""
    pieces: list[list[str]] = [[]]
    for segment in pattern.split("/"):
        if segment in _LEFT_OUT:
            pieces.append([])
        else:
            pieces[-1].append(segment)
    return [*filter(None, pieces[:-1]), pieces[-1]]


def ends_with(segments: list[str], pieces: list[list[str]]) -> bool:
    """Whether the last piece ends the segments and the others stand before it in order, seen backwards."""
    end = len(segments) - len(pieces[-1])
    if end < sum(map(len, pieces[:-1])) or segments[end:] != pieces[-1]:
        return False
    for piece in reversed(pieces[:-1]):
        start = end - len(piece)
        while start >= 0 and segments[start : start + len(piece)] != piece:
            start -= 1
        if start < 0:
            return False
        end = start
    return True


def fold(path: str) -> str:
    """Give what is the same of all spellings that differ in case or Unicode normal form."""
    if path.isascii():
        return path.lower()
    return normalize("NFC", normalize("NFC", path).casefold())
