"""Which commit wrote a citation: the oldest version of its document in the unbroken run, back from HEAD, that has it.

Like blame, one pass goes from children to parents and hands what is still open from commit to commit; where nothing
happened to a document, by reference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cite_lsp.snapshot.baseline import CUT, NOT_COMMITTED, NOT_IN_HEAD
from cite_lsp.snapshot.history import NOWHERE, Change, History, encoded
from cite_lsp.snapshot.kept import Kept
from cite_lsp.snapshot.lines import Unread
from cite_lsp.snapshot.objects import LINK, Entry, Objects
from cite_lsp.snapshot.trees import follow
from cite_lsp.snapshot.versions import Sought, Version, carried

_UNREAD = "cannot be followed: an older version of its document"
_KEPT_CHARACTERS = 4_000_000
_MOST_LINKS = 8


class Origin(NamedTuple):
    """The commit that wrote a citation: its position, and what the document was called in it; or why it is unknown."""

    position: int
    path: bytes = b""
    reason: str = ""


class Wanted(NamedTuple):
    """A document: its path below the work tree's top, and its citations as they stand now."""

    path: bytes
    text: str
    sought: Sequence[Sought | None]
    """None for a citation that is not asked about."""


@dataclass(slots=True)
class _Open:
    """The open citations of a document in one version: number of the document, number of the citation, as it stands."""

    blob: bytes
    items: list[tuple[int, int, Sought]] = field(default_factory=list)


_Pending = dict[bytes, _Open]


class Origins:
    """Finds the origins of citations in one history."""

    def __init__(self, history: History, objects: Objects) -> None:
        self._history = history
        self._objects = objects
        self._versions: Kept[bytes, Version] = Kept(_KEPT_CHARACTERS)
        self._found: list[list[Origin]] = []

    def of(self, wanted: Sequence[Wanted]) -> list[list[Origin]]:
        """Give for each citation of each document the commit that wrote it."""
        self._found = [[Origin(NOWHERE, reason=NOT_COMMITTED)] * len(each.sought) for each in wanted]
        pending = self._begin(wanted)
        if pending:
            self._walk(pending)
        return self._found

    def _begin(self, wanted: Sequence[Wanted]) -> _Pending:
        """Look the citations up in HEAD's versions of their documents."""
        tree = self._objects.root_of(self._history.head)
        pending: _Pending = {}
        for number, each in enumerate(wanted):
            path, entry = self._followed(tree, each.path)
            if entry is None:
                self._settle_all(number, each, NOT_IN_HEAD)
                continue
            head = self._version(entry.id)
            if head is None:
                self._settle_all(number, each, f"{_UNREAD} cannot be read")
                continue
            now = Version(each.text)
            group = pending.setdefault(path, _Open(entry.id))
            for index, sought in enumerate(each.sought):
                there = None if sought is None else carried(sought, now, head)
                if there is not None:
                    group.items.append((number, index, there))
        return {path: group for path, group in pending.items() if group.items}

    def _followed(self, tree: bytes, path: bytes) -> tuple[bytes, Entry | None]:
        """Give a document in HEAD; of one that is a symbolic link there, the file that it leads to."""
        for _ in range(_MOST_LINKS):
            entry = find_blob(self._objects, tree, path)
            if entry is None or entry.mode != LINK:
                return path, entry
            target = encoded(follow(self._objects, entry.id, path.split(b"/")[:-1], []) or "\udfff")
            if target is None:
                break
            path = target
        return path, None

    def _settle_all(self, number: int, wanted: Wanted, reason: str) -> None:
        self._found[number] = [Origin(NOWHERE, reason=reason)] * len(wanted.sought)

    def _walk(self, first: _Pending) -> None:
        history = self._history
        waiting: dict[int, _Pending] = {0: first}
        position = 0
        while waiting and position < len(history.commits):
            here = waiting.pop(position, None)
            if here is not None:
                changes = history.changes(position)
                if position >= history.read:
                    waiting[position] = here
                    break
                for path in here.keys() & changes.keys() if changes else ():
                    self._through(position, changes[path], here.pop(path), waiting)
                if here:
                    self._on(position, here, waiting)
            position += 1
        for left in waiting.values():
            self._end(NOWHERE, left, history.reason or "ends unexpectedly")

    def _on(self, position: int, here: _Pending, waiting: dict[int, _Pending]) -> None:
        """Hand what a commit did not touch to its first parent."""
        parents = self._history.parents[position]
        if not parents:
            self._end(position, here, self.cut(position))
            return
        there = waiting.get(parents[0])
        if there is None:
            waiting[parents[0]] = here
            return
        if len(there) < len(here):
            there, here = here, there
            waiting[parents[0]] = there
        for path, group in here.items():
            self._add(there, path, group.blob, group.items)

    @staticmethod
    def _add(there: _Pending, path: bytes, blob: bytes, items: list[tuple[int, int, Sought]]) -> None:
        known = there.get(path)
        if known is None:
            there[path] = _Open(blob, items)
        else:
            known.items = known.items + items

    def cut(self, position: int) -> str:
        """Say why a commit without parents is no beginning; "" where it is one."""
        lines = self._objects.commit_lines(self._history.commits[position])
        return CUT if any(line.startswith(b"parent ") for line in lines) else ""

    def _end(self, position: int, here: _Pending, reason: str = "") -> None:
        for path, group in here.items():
            self._settle(Origin(position, path, reason), group.items)

    def _settle(self, origin: Origin, items: list[tuple[int, int, Sought]]) -> None:
        for number, index, _ in items:
            self._found[number][index] = origin

    def _through(self, position: int, change: Change, group: _Open, waiting: dict[int, _Pending]) -> None:
        """Hand the citations of a document that a commit changed to the parents that have them."""
        parents = self._history.parents[position]
        items = group.items
        if not parents:
            self._settle(Origin(position, change.path, self.cut(position)), items)
            return
        other = self._unchanged_in(parents[1:], change) if len(parents) > 1 else None
        if other is not None:
            self._add(waiting.setdefault(other, {}), change.path, group.blob, items)
            return
        here = self._version(group.blob)
        sources = [(parents[0], change.before, change.old if change.status != b"A" else b"")]
        sources += [(parent, change.path, self._blob_in(parent, change.path)) for parent in parents[1:]]
        for parent, path, blob in sources:
            if not items or not blob:
                continue
            older = self._version(blob)
            if older is None or here is None:
                self._settle(Origin(NOWHERE, reason=f"{_UNREAD} cannot be read"), items)
                return
            carry = [(number, index, carried(sought, here, older)) for number, index, sought in items]
            held = [(number, index, sought) for number, index, sought in carry if sought is not None]
            items = [item for item, (_, _, sought) in zip(items, carry, strict=True) if sought is None]
            if held:
                self._add(waiting.setdefault(parent, {}), path, blob, held)
        if items:
            self._settle(Origin(position, change.path), items)

    def _unchanged_in(self, parents: Sequence[int], change: Change) -> int | None:
        """Give the parent of a merge that has the same version of a document."""
        for parent in parents:
            if self._blob_in(parent, change.path) == change.new:
                return parent
        return None

    def _blob_in(self, position: int, path: bytes) -> bytes:
        tree = self._objects.root_of(self._history.commits[position])
        entry = find_blob(self._objects, tree, path)
        return b"" if entry is None or entry.mode == LINK else entry.id

    def _version(self, blob: bytes) -> Version | None:
        known = self._versions.get(blob)
        if known is None:
            text = self._objects.text(blob)
            if isinstance(text, Unread):
                return None
            known = Version(text)
            self._versions.put(blob, known, len(text) + 100)
        return known


def find_blob(objects: Objects, tree: bytes, path: bytes) -> Entry | None:
    """Give the entry of a path that is no folder; None where there is none."""
    *folders, name = path.split(b"/")
    for folder in folders:
        entry = objects.tree(tree).get(folder)
        if entry is None or entry.mode != b"40000":
            return None
        tree = entry.id
    entry = objects.tree(tree).get(name)
    return entry if entry is not None and entry.mode not in (b"40000", b"160000") else None
