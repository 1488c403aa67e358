"""Blobs and trees of one repository, read through long-lived `git cat-file` processes.

The size of a blob comes before its content, and its text passes the same bounds as a file's (`lines.py`). What was read
last is kept. For one thread at a time.
"""

from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

from cite_lsp.snapshot.git import Conversation
from cite_lsp.snapshot.kept import Kept
from cite_lsp.snapshot.lines import MAX_FILE_BYTES, FileText, Unread, decoded, in_lines, text_of, too_large

FOLDER, LINK, GITLINK = b"40000", b"120000", b"160000"
"""Modes of a tree's entries; all others are files."""

_MOST_ENTRIES = 250_000
_KEPT_CHARACTERS = 12_000_000
_ENTRY_COST = 4
_TREE_BYTES = 50_000_000
_COMMIT_BYTES = 1_000_000
ABSENT = Unread("not-available", "is not in this clone: its objects were left out")
"""Of an object that is not here, as in a partial clone."""


class Entry(NamedTuple):
    """What a tree says of one name: its mode, and the object in hexadecimal."""

    mode: bytes
    id: bytes


Tree = Mapping[bytes, Entry]
_NOTHING: Tree = {}


class _Head(NamedTuple):
    """What git says of an object before its content."""

    id: bytes
    type: bytes
    size: int


class Objects:
    """The objects of the repository that the absolute folder `top` lies in."""

    def __init__(self, top: str, *, max_bytes: int = MAX_FILE_BYTES) -> None:
        self.top = top
        self._max_bytes = max_bytes
        self._contents = Conversation(top, "cat-file", "--batch")
        self._sizes = Conversation(top, "cat-file", "--batch-check")
        self._files: Kept[bytes, FileText | Unread] = Kept(_KEPT_CHARACTERS)
        self._trees: Kept[bytes, Tree] = Kept(_MOST_ENTRIES)
        self._roots: dict[bytes, bytes] = {}
        self._absent: set[bytes] = set()

    def look_again(self) -> None:
        """Forget which objects were not here: they may have been fetched."""
        for blob in self._absent:
            self._files.drop(blob)
        self._absent.clear()
        for commit in [commit for commit, root in self._roots.items() if not root]:
            del self._roots[commit]

    def rest(self) -> None:
        """Let go of what can be read again."""
        self._files.clear()
        self._trees.clear()
        self._roots.clear()
        self._absent.clear()

    def close(self) -> None:
        """End the processes; another question starts them again."""
        self._contents.close()
        self._sizes.close()

    # --- texts

    def text(self, blob: bytes) -> str | Unread:
        """Give the text of a blob by its id, terminators kept; it is not kept here."""
        data = self._bounded(blob)
        return data if isinstance(data, Unread) else text_of(data)

    def file(self, blob: bytes) -> FileText | Unread:
        """Give the lines of a blob by its id."""
        known = self._files.get(blob)
        if known is None:
            data = self._bounded(blob)
            whole = data if isinstance(data, Unread) else decoded(data)
            known = whole if isinstance(whole, Unread) else in_lines(whole)
            cost = 100 if isinstance(whole, Unread) else len(whole.text) + 64
            self._files.put(blob, known, cost)
        return known

    def _bounded(self, blob: bytes) -> bytes | Unread:
        head, data = (None, None) if blob in self._absent else self._answer(blob, self._max_bytes)
        if head is None or head.type != b"blob":
            self._absent.add(blob)
            return ABSENT
        if head.size > self._max_bytes:
            return too_large(head.size, self._max_bytes)
        return ABSENT if data is None else data

    # --- names

    def _look_up(self, name: bytes) -> _Head | None:
        """Give what a name stands for; None where nothing here is called so."""
        answer = self._sizes.ask(name)
        if answer is None:
            return None
        self._sizes.answered()
        return _head_of(answer[0])

    def commit(self, name: str) -> bytes | None:
        """Give the id of the commit that a name stands for; None where there is none, or several."""
        if not name or not name.isprintable() or name.startswith("-") or " " in name:
            return None
        found = self._look_up(name.encode("utf-8", "surrogateescape") + b"^{commit}")
        return found.id if found is not None and found.type == b"commit" else None

    def commit_lines(self, commit: bytes) -> list[bytes]:
        """Give the head lines of a commit: `tree …`, `parent …`, `committer …`; none where it is not here."""
        data = self._content(commit, _COMMIT_BYTES)
        return [] if data is None else data[1].partition(b"\n\n")[0].split(b"\n")

    def time_of(self, commit: bytes) -> int:
        """Give when a commit was made: seconds since the epoch; 0 where that is not known."""
        for line in self.commit_lines(commit):
            if line.startswith(b"committer "):
                seconds = line.rsplit(b" ", 2)[-2:-1]
                return int(seconds[0]) if seconds and seconds[0].isdigit() else 0
        return 0

    # --- trees

    def root_of(self, commit: bytes) -> bytes:
        """Give the id of a commit's tree; "" where it is not here."""
        known = self._roots.get(commit)
        if known is None:
            found = self._content(commit + b"^{tree}", _TREE_BYTES)
            known = b""
            if found is not None:
                known = found[0]
                self._take_tree(known, found[1])
            self._roots[commit] = known
        return known

    def tree(self, tree: bytes) -> Tree:
        """Give the entries of a tree by its id; none where it is not here."""
        known = self._trees.get(tree)
        if known is None:
            found = self._content(tree, _TREE_BYTES) if tree else None
            known = _NOTHING if found is None else self._take_tree(tree, found[1])
        return known

    def _take_tree(self, tree: bytes, data: bytes) -> Tree:
        entries = _entries(data, len(tree) // 2)
        self._trees.put(tree, entries, len(entries) + _ENTRY_COST)
        return entries

    def _content(self, name: bytes, most: int) -> tuple[bytes, bytes] | None:
        """Give id and bytes of an object; None where it is not here, or has more than `most`."""
        head, data = self._answer(name, most)
        return None if head is None or data is None else (head.id, data)

    def _answer(self, name: bytes, most: int) -> tuple[_Head | None, bytes | None]:
        """Give what git says of an object, and its bytes unless it has more than `most`; None where it is not here."""
        answer = self._contents.ask(name)
        if answer is None:
            return None, None
        first, source = answer
        head = _head_of(first)
        if head is None:
            self._contents.answered()
            return None, None
        data = _read(source, head.size + 1) if head.size <= most else None
        if data is None:
            self._contents.close()
            return head, None
        self._contents.answered()
        return head, data[:-1]


def _head_of(line: bytes) -> _Head | None:
    """Read `<id> <type> <size>`; None for "<name> missing" and "<name> ambiguous"."""
    fields = line.split(b" ")
    return _Head(fields[0], fields[1], int(fields[2])) if len(fields) == 3 and fields[2].isdigit() else None


def _read(source: BinaryIO, size: int) -> bytes | None:
    try:
        data = source.read(size)
    except (OSError, ValueError):
        return None
    return data if len(data) == size else None


def _entries(data: bytes, width: int) -> Tree:
    """Read a tree object: mode, space, name, NUL, `width` bytes of an id; and so on."""
    entries: dict[bytes, Entry] = {}
    at = 0
    while at < len(data):
        space = data.find(b" ", at)
        end = data.find(b"\0", space)
        if space < 0 or end < 0:
            break
        behind = end + 1 + width
        entries[data[space + 1 : end]] = Entry(data[at:space], data[end + 1 : behind].hex().encode("ascii"))
        at = behind
    return entries
