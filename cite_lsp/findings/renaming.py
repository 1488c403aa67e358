"""What a renamed file or folder does to citations: the edits after which each still leads to the same file.

A citation that leads there anyway is left alone. The others are looked up again among the files as they will be, and
none is written that would not lead to the file.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.document import Document
from cite_lsp.findings.finding import Edit
from cite_lsp.snapshot.ladder import UPWARDS, Place, downwards, joined, within
from cite_lsp.snapshot.lines import Reader, Unread
from cite_lsp.snapshot.paths import PathIndex
from cite_lsp.snapshot.rewrite import repath
from cite_lsp.snapshot.snapshot import Snapshot

_IN_PART = frozenset({"suffix", "basename", "same-document", "document-folder", "ancestor"})
"""How a citation leads to its file that does not name all of its path."""
_BY_ENDING = frozenset({"suffix", "basename", "same-document"})
_FROM_ELSEWHERE = _BY_ENDING | {"root", "absolute"}
"""How a citation leads to its file wherever its document lies."""
_GONE = Unread("missing", "is about to be renamed")


class Moves:
    """Files and folders that are renamed together: pairs of absolute paths, the old one first."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.pairs = tuple((old.rstrip("/"), new.rstrip("/")) for old, new in pairs if old != new)
        self._to = dict(self.pairs)
        self._from = {new: old for old, new in self.pairs}

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def to(self, path: str) -> str:
        """Give what the absolute path of a file will be; itself where it is not renamed."""
        return _through(self._to, path) or path

    def origin(self, path: str) -> str | None:
        """Give what a file was that will have an absolute path; None where none is renamed to it."""
        return _through(self._from, path)

    def takes(self, path: str) -> bool:
        """Say whether a file is renamed."""
        return _through(self._to, path) is not None


def _through(pairs: Mapping[str, str], path: str) -> str | None:
    """Replace the longest beginning of a path, of whole names, that is among the keys."""
    head, rest = path, ""
    while head:
        if head in pairs:
            return pairs[head] + rest
        head, separator, name = head.rpartition("/")
        rest = separator + name + rest
    return None


def snapshot_after(before: Snapshot, moves: Moves) -> Snapshot:
    """Give the snapshot as it will be: its paths, not its texts."""
    indexes = [_index_after(index, moves, before) for index in before.indexes]
    reader = _Afterwards([index.root for index in before.indexes], before.reader, moves)
    return Snapshot(indexes, reader, before.scope, {}, None, {})


def _index_after(index: PathIndex, moves: Moves, before: Snapshot) -> PathIndex:
    gone: set[str] = set()
    come: set[str] = set()
    for other in before.indexes:
        for old, _ in moves.pairs:
            for path in _at_or_below(other, old):
                new = within(index.root, moves.to(joined(other.root, path)))
                if other is index:
                    gone.add(path)
                if new is not None:
                    come.add(new)
    if not (gone or come):
        return index
    return PathIndex.of([*(path for path in index.paths if path not in gone), *come], index.root)


def _at_or_below(index: PathIndex, full: str) -> Iterator[str]:
    """Give the paths of an index that are an absolute path or lie below it."""
    inside = within(index.root, full)
    if inside is None:
        yield from index.paths if within(full, index.root) is not None or full == index.root else ()
        return
    if inside in index:
        yield inside
    at = bisect_left(index.paths, inside + "/")
    while at < len(index.paths) and index.paths[at].startswith(inside + "/"):
        yield index.paths[at]
        at += 1


class _Afterwards(Reader):
    """Answers which files there will be."""

    def __init__(self, roots: Sequence[str], before: Reader, moves: Moves) -> None:
        super().__init__(roots)
        self._before = before
        self._moves = moves

    def exists(self, path: str) -> bool:
        """Say whether there will be a file."""
        old = self._moves.origin(path)
        if old is not None:
            return self._before.exists(old)
        return not self._moves.takes(path) and self._before.exists(path)

    def read(self, path: str) -> Unread:  # noqa: ARG002 - nothing is read of what is not there yet
        """Give nothing."""
        return _GONE


class Renaming:
    """The edits of one renaming. `before` and `after` are seen from the document's root."""

    def __init__(self, moves: Moves, before: Snapshot, after: Snapshot) -> None:
        self._moves = moves
        self._before = before
        self._after = after

    def edits(self, document: Document, root: str) -> tuple[Edit, ...]:
        """Give the edits of a document of `root`, in the order of its text: offsets are code points into it."""
        full = joined(root, document.path)
        new = within(root, self._moves.to(full))
        found: list[Edit] = []
        if new is None:  # it leaves the root: where its citations would lead from there is not known
            return ()
        moved = document.at(new)
        bare = Document.parse("", new)
        for anchor in document.anchors:
            made = self._anchor_edits(anchor, document, moved, bare)
            if made and not any(_touch(edit, other) for edit in made for other in found[-4:]):
                found += made
        return tuple(sorted(found, key=lambda edit: (edit.start, edit.end)))

    def _anchor_edits(self, anchor: Anchor, document: Document, moved: Document, bare: Document) -> tuple[Edit, ...]:
        if anchor.repository:
            return ()
        was = self._before.cited_file(anchor, document)
        if was is None:
            return ()
        full = joined(was.root, was.path)
        new = self._moves.to(full)
        if new == full and (moved.path == document.path or (was.via in _FROM_ELSEWHERE and anchor.target is None)):
            return ()
        path = within(was.root, new)
        if path is None:  # it leaves its root: no path leads there
            return ()
        there = Place("found", was.root, path)
        if self._still_leads(anchor, was, there, bare):
            return ()
        for spelled in _spellings(anchor, was, there):
            if spelled is None:
                return repath(anchor, moved, path)
            if self._leads(replace(anchor, path=spelled), there, bare) is not None:
                return repath(anchor, moved, spelled.lstrip("/") if spelled.startswith("/") else spelled)
        return ()

    def _still_leads(self, anchor: Anchor, was: Place, there: Place, bare: Document) -> bool:
        """Say whether a citation will lead to its file as it is written, in a way that its author would have chosen."""
        via = self._leads(anchor, there, bare)
        if via is not None and (via == was.via or (was.via in _IN_PART and anchor.target is None)):
            return True
        # of several files of that name the document means the one that it names in full, and will name
        return was.via == "same-document" and f"/{there.path}".endswith("/" + downwards(anchor.path))

    def _leads(self, anchor: Anchor, there: Place, bare: Document) -> str | None:
        place = self._after.cited_file(anchor, bare)
        return place.via if place is not None and (place.root, place.path) == (there.root, there.path) else None


def _spellings(anchor: Anchor, was: Place, there: Place) -> Iterator[str | None]:
    """Give what may be written for the file's new place, in its author's form first; None leaves it to `repath`."""
    written = anchor.path.replace("\\", "/")
    if UPWARDS.match(written) or anchor.target is not None:
        yield None
        return
    if was.via == "absolute" and written.startswith(was.root + "/"):
        yield joined(was.root, there.path)
        return
    if written.startswith("/"):
        yield f"/{there.path}"
        return
    mention = "@" if written.startswith("@") else ""
    tail = written.removeprefix("@")
    if was.via in _BY_ENDING:
        yield mention + "/".join(there.path.split("/")[-len(tail.split("/")) :])
    folder = was.path.removesuffix(tail)
    if was.via in ("document-folder", "ancestor") and folder != was.path and there.path.startswith(folder):
        yield mention + there.path[len(folder) :]
    yield mention + there.path


def _touch(one: Edit, other: Edit) -> bool:
    return (one.start < other.end and other.start < one.end) or (one.start, one.end) == (other.start, other.end)
