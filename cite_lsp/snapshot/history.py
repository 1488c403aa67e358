"""One walk of a history: its commits, and what each changed in documents, newest first.

A commit is compared with its first parent. What was changed is asked for in growing parts, so that a walk whose
questions are all answered by the newest commits costs little. Commits are known by their position in topological
order: 0 is HEAD, and a parent's position is greater than its child's.
"""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from cite_lsp.snapshot.git import ask

_LIST_SECONDS = 30.0
_PART_SECONDS = 60.0
_FIRST_PART = 512
_GROWTH = 4
_MOST_IN_PART = 2048
_RENAMES = ("-M", "--find-renames=100%", "--no-renames")
"""How renames are looked for; a partial clone lacks the content that similarity is measured on."""

_NO_CHANGES: dict[bytes, "Change"] = {}
_MOST_STEPS = 64
NOWHERE = -1
"""The position of no commit."""


class Change(NamedTuple):
    """What a commit did to one path."""

    status: bytes
    """`A` added, `M` modified, `T` of another type, `D` deleted, `R` renamed."""
    old: bytes
    """The object before, in hexadecimal."""
    new: bytes
    path: bytes
    before: bytes
    """The path before, of `R`; else the same."""


class Event(NamedTuple):
    """That a path went or came: `to` is where a renamed one went, empty for one that was deleted or added."""

    position: int
    to: bytes = b""


class History:
    """The history of one commit.

    Attributes:
        head: The commit, in hexadecimal.
        commits: All commits in topological order, children before parents.
        parents: For each the positions of its parents.
        times: For each when it was made: seconds since the epoch.
        reason: Why it could not be read to its end; "" while that did not show.
    """

    def __init__(self, top: str, head: bytes, without: bytes = b"") -> None:
        """List the commits; `without`: a commit whose own history is left out."""
        self.head = head
        self.left_out = without
        self.commits: list[bytes] = []
        self.parents: list[tuple[int, ...]] = []
        self.times: list[int] = []
        self.reason = ""
        self._top = top
        self._endings: frozenset[bytes] = frozenset()
        self._changes: list[dict[bytes, Change]] = []
        self._part = _FIRST_PART
        self._way = 0
        self._named: list[list[bytes]] = []
        self._names: dict[bytes, list[int]] = {}
        self._blobs: dict[bytes, bytearray] = {}
        """Of every path its versions, newest first: four bytes of the commit's position, then the object's id."""
        self.gone: dict[bytes, list[Event]] = {}
        """Where paths went, newest first: renamed or deleted."""
        self.come: dict[bytes, list[Event]] = {}
        """When paths came, newest first: added, or the new name of a renamed file."""
        self._list(without)
        self.position_of = {commit: position for position, commit in enumerate(self.commits)}

    def _list(self, without: bytes) -> None:
        exclude = [f"^{without.decode('ascii')}"] if without else []
        answer = ask(
            self._top,
            "rev-list", "--topo-order", "--parents", "--timestamp", self.head.decode("ascii"), *exclude, "--",
            seconds=_LIST_SECONDS,
        )  # fmt: skip
        if answer.code:
            self.reason = "could not be read in time" if answer.overrun else "could not be read by git"
            return
        rows = [row.split(b" ") for row in answer.out.split(b"\n") if row]
        self.commits = [row[1] for row in rows]
        at = {commit: position for position, commit in enumerate(self.commits)}
        self.times = [int(row[0]) for row in rows]
        self.parents = [tuple([at[parent] for parent in row[2:] if parent in at]) for row in rows]
        self._named = [row[2:] for row in rows] if without else []

    def cover(self, endings: Iterable[bytes]) -> None:
        """Have changes of files with these name endings noted; what was read without them is read again."""
        wanted = self._endings | frozenset(endings)
        if wanted != self._endings:
            self._endings = wanted
            self._changes = []
            self.gone, self.come, self._names, self._blobs = {}, {}, {}, {}
            self._part = _FIRST_PART

    def changes(self, position: int) -> Mapping[bytes, Change]:
        """Give what a commit did to documents, by their paths in it; reads on where that is not known yet."""
        while position >= len(self._changes) and not self.reason:
            self._read_on()
        return self._changes[position] if position < len(self._changes) else _NO_CHANGES

    @property
    def read(self) -> int:
        """How many commits were read so far."""
        return len(self._changes)

    def _read_on(self) -> None:
        low = len(self._changes)
        high = min(low + self._part, len(self.commits))
        if high <= low:
            self.reason = "ends unexpectedly"
            return
        self._part = min(self._part * _GROWTH, _MOST_IN_PART)
        out = diff_trees(self._top, [self._with_parent(position) for position in range(low, high)], self._renames)
        if out is None:
            self.reason = "could not be read to its end"
            return
        self._changes += [_NO_CHANGES] * (high - low)  # replaced where there are some
        self._take(out)

    @property
    def named_parents(self) -> Sequence[Sequence[bytes]]:
        """The parents of each commit, those that were left out included, where some were."""
        return self._named

    def _renames(self, failed: bool) -> str | None:
        """Give how renames are looked for, after a way failed the next one; None when there is no other."""
        self._way += failed
        return _RENAMES[self._way] if self._way < len(_RENAMES) else None

    def _with_parent(self, position: int) -> bytes:
        commit = self.commits[position]
        if self._named:
            return b" ".join([commit, *self._named[position][:1]])
        parents = self.parents[position]
        return commit + b" " + self.commits[parents[0]] if parents else commit

    def _take(self, out: bytes) -> None:
        """Read `:<mode> <mode> <object> <object> <status>` NUL path NUL, of renames two paths, under each commit."""
        position = NOWHERE
        tokens = iter(out.split(b"\0"))
        endings = tuple(self._endings)
        for token in tokens:
            if not token.startswith(b":"):
                position = self.position_of.get(token, NOWHERE)
                continue
            _, _, old, new, status = token.split(b" ")
            path = before = next(tokens, b"")
            status = status[:1]
            if status == b"R":
                path = next(tokens, b"")
            if status != b"M":
                self._note(status, path, before, position)
            self._blobs.setdefault(path, bytearray()).extend(position.to_bytes(4, "big") + bytes.fromhex(new.decode()))
            if path.lower().endswith(endings) or before.lower().endswith(endings):
                if not self._changes[position]:
                    self._changes[position] = {}
                self._changes[position][path] = Change(status, old, new, path, before)

    def _note(self, status: bytes, path: bytes, before: bytes, position: int) -> None:
        if status in (b"R", b"D"):
            self.gone.setdefault(before, []).append(Event(position, path if status == b"R" else b""))
        if status in (b"R", b"A"):
            self.come.setdefault(path, []).append(Event(position))
            self._names.setdefault(path.rpartition(b"/")[2], []).append(position)

    # --- where files went

    def now(self, path: bytes, position: int, is_in_head: Callable[[bytes], bool]) -> bytes:
        """Give the name in HEAD of a file that a commit calls `path`; empty when it is gone.

        Its renames are followed forward from the commit; of a file that was deleted and came back, the path.
        """
        for _ in range(_MOST_STEPS):
            renamed = self._renamed(path, position)
            if renamed is None or (is_in_head(path) and not self._stands(path, renamed)):
                break
            path, position = renamed.to, renamed.position
        return path if is_in_head(path) else b""

    def _stands(self, path: bytes, renamed: Event) -> bool:
        """Say whether a path that is in HEAD again is another file: it came after the first one was renamed."""
        return any(event.position < renamed.position for event in self.come.get(path, ()))

    def came_after(self, name: bytes, position: int, until: int) -> list[int]:
        """Give the commits newer than one in which a file of a base name came, up to a time, oldest first."""
        found = {at for at in self._names.get(name, ()) if at < position and self.times[at] <= until}
        return sorted(found, reverse=True)

    @cached_property
    def _in_head(self) -> list[bytes]:
        answer = ask(
            self._top, "ls-tree", "-r", "-z", "--name-only", "--full-tree", self.head.decode("ascii"),
            seconds=_LIST_SECONDS,
        )  # fmt: skip
        return [path for path in answer.out.split(b"\0") if path] if answer.code == 0 else []

    def paths(self) -> set[bytes]:
        """Give every path that a file has in HEAD, or had in or before a commit that was read."""
        return {*self._in_head, *self.come, *self.gone}

    def versions(self, path: bytes, position: int) -> Iterator[tuple[int, bytes]]:
        """Give the versions of a file that a commit calls `path` in the commits newer than it, oldest first.

        Renames are followed. Each is a commit's position and an object in hexadecimal, empty for none: deleted.
        """
        for _ in range(_MOST_STEPS):
            renamed = self._renamed(path, position)
            until = renamed.position if renamed is not None else NOWHERE
            data = self._blobs.get(path, b"")
            size = 4 + len(self.head) // 2
            for at in range(len(data) - size, -1, -size):
                here = int.from_bytes(data[at : at + 4], "big")
                if until < here < position:
                    blob = bytes(data[at + 4 : at + size]).hex().encode("ascii")
                    yield here, blob if blob.strip(b"0") else b""
            if renamed is None:
                return
            path, position = renamed.to, renamed.position + 1

    def _renamed(self, path: bytes, position: int) -> Event | None:
        """Give the first renaming of a path in the commits newer than one."""
        events = self.gone.get(path, ())
        newer = bisect_left(events, position, key=lambda event: event.position)
        return next((event for event in reversed(events[:newer]) if event.to), None)


def diff_trees(top: str, lines: Sequence[bytes], renames: Callable[[bool], str | None], *paths: str) -> bytes | None:
    """Compare commits with parents, each line a commit and the one it is compared with; None: git failed."""
    way = renames(False)
    while way is not None:
        answer = ask(
            top,
            "--literal-pathspecs", "diff-tree", "--stdin", "-r", "--root", "--raw", "--no-abbrev", "-z", way,
            "--", *paths, fed=b"\n".join(lines) + b"\n", seconds=_PART_SECONDS,
        )  # fmt: skip
        if answer.code == 0:
            return answer.out
        if answer.overrun:
            return None
        way = renames(True)
    return None


def encoded(path: str) -> bytes | None:
    """Give a path as git has it; None for one that no file can have."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        return None
