"""What a TOML text holds where, and what stands at one offset of it, also while it is being typed and is no TOML yet.

A statement that cannot be read is passed over, and reading goes on with the next line. A long string or a list that
nobody has closed yet ends before the next line that looks like a header or a key; in a text that is valid TOML nothing
is guessed.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, zip_longest
from typing import Any, Literal

from cite_lsp.document.toml_places import Path
from cite_lsp.document.toml_text import TomlFault, read_toml

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*+")
_BLANKS = re.compile(r"[ \t]*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+'""")
_SCALAR = re.compile(r"[^,\]}#\r\n]++")
_INSIDE = {
    '"""': re.compile(r'(?:[^"\\]|\\[\s\S]|"(?!""))*+'),
    "'''": re.compile(r"(?:[^']|'(?!''))*+"),
    '"': re.compile(r'(?:[^"\\\r\n]|\\[^\r\n])*+\\?'),
    "'": re.compile(r"[^'\r\n]*+"),
}
"""What stands in a string, by the mark that begins it."""
_NAME = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_NAMES = rf"{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*"
_STATEMENT = re.compile(rf"^[ \t]*(?:\[\[?[ \t]*{_NAMES}[ \t]*\]\]?[ \t]*(?:#.*)?\r?$|{_NAMES}[ \t]*=)", re.MULTILINE)
"""A line that begins a statement."""

_DEEPEST = 64
"""Names of a path; a text of dots and brackets only must not take memory that grows with its square."""

Place = Literal["header", "key", "value", "string"]


@dataclass(frozen=True, slots=True)
class Value:
    """A value.

    Attributes:
        kind: What it is; a number, a date and a word that is no value yet are `other`.
        start, end: Offsets (code points) of the whole; the end is exclusive.
        inner: Of a string, the offsets of what stands between its quotes, as it is written; else those of the whole.
    """

    kind: Literal["string", "list", "table", "other"]
    start: int
    end: int
    inner: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A header, a key or an item of a list.

    Attributes:
        path: Leads to the value: keys, and indices in lists and arrays of tables.
        start, end: Offsets (code points) of the header, of the key as far as the path names it, or of the item.
        value: None for a header, and for a key without a value yet.
    """

    path: Path
    start: int
    end: int
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """What stands at an offset.

    Attributes:
        place: `header`: between the brackets of one; `key`: where a key stands or can stand; `value`: where a value
            without quotes stands or can; `string`: between the quotes of one.
        path: Of a header the table that its last name is in, of a key the table that it is in, else of the value.
        start, end: Offsets of the word that stands there, the same where there is none; of a string all of it.
    """

    place: Place
    path: Path
    start: int
    end: int


@dataclass(slots=True)
class Outline:
    """A text, read once.

    Attributes:
        entries: By path, in the order of the text.
        spot: What stands at the offset that was asked about; None for what is none of these: comments mostly.
        valid: Whether the text is TOML.
    """

    text: str
    entries: dict[Path, Entry] = field(default_factory=dict)
    spot: Spot | None = None
    valid: bool = True

    def keys(self, table: Path) -> tuple[str, ...]:
        """Give the keys that a table has."""
        size = len(table)
        found = (path[-1] for path in self.entries if len(path) == size + 1 and path[:size] == table)
        return tuple(key for key in found if isinstance(key, str))

    def string(self, path: Path) -> str | None:
        """Give the text at a path as it is written; None where no string is."""
        entry = self.entries.get(path)
        if entry is None or entry.value is None or entry.value.kind != "string":
            return None
        first, last = entry.value.inner
        return self.text[first:last]

    def tree(self) -> dict[str, Any]:
        """Give the tables, lists and strings as the parsed tree would hold them, strings as they are written."""
        tree: dict[str, Any] = {}
        for path, entry in self.entries.items():
            kind = entry.value.kind if entry.value is not None else "table"
            leaf: object = {"string": self.string(path), "list": [], "table": {}}.get(kind)
            if leaf is not None:
                _put(tree, path, leaf)
        return tree

    def at(self, offset: int) -> Entry | None:
        """Give the innermost header, key or item that an offset lies in, its value included."""
        found = None
        for entry in self.entries.values():
            last = entry.value.end if entry.value is not None else entry.end
            if entry.start <= offset <= last and (found is None or entry.start >= found.start):
                found = entry
        return found


def outline(text: str, offset: int = -1) -> Outline:
    """Read a text, and what stands at a code-point offset of it. Never raises; linear in the text."""
    reader = _Reader(text, offset)
    reader.document()
    return reader.outline


class _LostError(Exception):
    """A statement that cannot be read; what was found up to here stands."""


class _Reader:
    def __init__(self, text: str, offset: int) -> None:
        self.outline = Outline(text)
        self._text = text
        self._offset = offset
        self._at = 0
        self._lengths: dict[Path, int] = {}
        self.outline.valid = not isinstance(read_toml(text), TomlFault)
        self._stops = [] if self.outline.valid else [found.start() for found in _STATEMENT.finditer(text)]
        """Where lines begin that end what nobody has closed."""
        self._next_stop = 0

    def document(self) -> None:
        table: Path | None = ()
        while True:
            before = self._at
            self._skip(_GAP)
            self._free(before, table)
            start = self._at
            if start >= len(self._text):
                return
            try:
                if self._text[start] == "[":
                    table = None
                    table = self._header()
                else:
                    self._pair(table)
                self._end_of_line()
            except (_LostError, RecursionError):
                self._recover(start)

    def _free(self, before: int, table: Path | None) -> None:
        """Take note of a line, or the beginning of one, on which nothing stands."""
        here = self._offset
        if table is None or not before <= here <= self._at:
            return
        if here == self._at and here < len(self._text):
            return  # what begins there says what it is
        line = self._text[self._text.rfind("\n", 0, here) + 1 : here]
        if not line.strip(" \t\r"):
            self._found("key", table, here, here)

    def _recover(self, start: int) -> None:
        """Go on with the next line, or where a line begins that ended what is not closed."""
        if self._at > start and self._text.startswith("\n", self._at - 1):
            return
        end = self._text.find("\n", max(self._at, start))
        self._at = len(self._text) if end < 0 else end + 1

    def _end_of_line(self) -> None:
        self._skip(_BLANKS)
        if self._at < len(self._text) and self._text[self._at] not in "#\r\n":
            raise _LostError

    # --- headers and keys

    def _header(self) -> Path | None:
        start = self._at
        array = self._text.startswith("[[", start)
        self._at += 2 if array else 1
        keys: list[str] = []
        while True:
            before = self._at
            self._skip(_BLANKS)
            here = self._at
            match = _KEY.match(self._text, here)
            self._at = match.end() if match else here
            if before <= self._offset <= self._at:
                self._found("header", self._inside_all(keys), min(here, self._offset), self._at)
            if match is None:
                break
            keys.append(_unquoted(match[0]))
            if len(keys) > _DEEPEST:
                raise _LostError
            self._skip(_BLANKS)
            if not self._text.startswith(".", self._at):
                break
            self._at += 1
        if not keys:
            return None
        path = self._table(keys, array=array)
        closing = "]]" if array else "]"
        if self._text.startswith(closing, self._at):
            self._at += len(closing)
        self._keep(Entry(path, start, self._at))
        return path

    def _table(self, keys: list[str], *, array: bool) -> Path:
        path = (*self._inside_all(keys[:-1]), keys[-1])
        if not array:
            return path
        number = self._lengths.get(path, 0)
        self._lengths[path] = number + 1
        return (*path, number)

    def _inside_all(self, keys: list[str]) -> Path:
        path: Path = ()
        for key in keys:
            path = (*path, key)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return path

    def _pair(self, table: Path | None) -> None:
        path = table
        while True:
            self._skip(_BLANKS)
            start = self._at
            match = _KEY.match(self._text, start)
            self._at = match.end() if match else start
            if path is not None and start <= self._offset <= self._at:
                self._found("key", path, start, self._at)
            if match is None or (path is not None and len(path) > _DEEPEST):
                raise _LostError
            end = self._at
            path = (*path, _unquoted(match[0])) if path is not None else None
            self._skip(_BLANKS)
            if not self._text.startswith(".", self._at):
                break
            if path is not None:
                self._keep(Entry(path, start, end))
            self._at += 1
        if not self._text.startswith("=", self._at):
            raise _LostError
        self._at += 1
        value = self._value(path if path is not None else ("",))
        if path is not None:
            self._keep(Entry(path, start, end, value))

    # --- values

    def _value(self, path: Path) -> Value | None:
        before = self._at
        self._skip(_BLANKS)
        start = self._at
        char = self._text[start : start + 1]
        if char in {'"', "'"}:
            return self._string(path)
        if char == "[":
            return self._list(path)
        if char == "{":
            return self._inline_table(path)
        match = _SCALAR.match(self._text, start)
        end = start + len(match[0].rstrip()) if match else start
        if start <= self._offset <= end or (match is None and before <= self._offset <= start):
            self._found("value", path, min(start, self._offset), end if match else self._offset)
        if match is None:
            return None
        self._at = match.end()
        return Value("other", start, end, (start, end))

    def _string(self, path: Path) -> Value:
        start = self._at
        quote = self._text[start]
        mark = quote * 3 if self._text.startswith(quote * 3, start) else quote
        first = start + len(mark)
        last = _INSIDE[mark].match(self._text, first).end()  # type: ignore[union-attr]
        stop = self._stop_after(first) if len(mark) > 1 else None
        closed = self._text.startswith(mark, last) and (stop is None or last <= stop)
        if not closed and stop is not None:
            last = min(last, stop)
        for _ in range(2 if closed and len(mark) > 1 else 0):
            last += self._text.startswith(quote, last + 3)  # two quotes at most may stand before the closing ones
        self._at = last + len(mark) if closed else last
        if first <= self._offset <= last:
            self._found("string", path, first, last)
        if not closed:
            self._keep(Entry(path, start, start, Value("string", start, last, (first, last))))
            raise _LostError
        return Value("string", start, self._at, (first, last))

    def _list(self, path: Path) -> Value:
        start = self._at
        stop = self._stop_after(start)
        self._at += 1
        for number in count():
            item = (*path, number)
            self._between(item, stop)
            if self._text.startswith("]", self._at):
                break
            at = self._at
            value = self._value(item)
            if value is None:
                raise _LostError
            self._keep(Entry(item, at, value.end, value))
            self._between(None, stop)
            if not self._text.startswith(",", self._at):
                break
            self._at += 1
        if not self._text.startswith("]", self._at):
            raise _LostError
        self._at += 1
        return Value("list", start, self._at, (start, self._at))

    def _between(self, item: Path | None, stop: int | None) -> None:
        """Pass over what stands between the items of a list; a value can stand there if `item` is given."""
        before = self._at
        self._skip(_GAP)
        if stop is not None and self._at >= stop:
            self._at = stop
        here = self._offset
        ended = self._at == stop or self._text[self._at : self._at + 1] in {"", "]", ","}
        if item is not None and ended and before <= here <= self._at:
            line = self._text[max(before, self._text.rfind("\n", 0, here) + 1) : here]
            if "#" not in line:
                self._found("value", item, here, here)
        if stop is not None and self._at >= stop:
            raise _LostError

    def _inline_table(self, path: Path) -> Value:
        start = self._at
        self._at += 1
        while True:
            before = self._at
            self._skip(_BLANKS)
            if before <= self._offset <= self._at and self._text[self._at : self._at + 1] in {"", "}", ",", "\r", "\n"}:
                self._found("key", path, self._offset, self._offset)
            if self._text.startswith("}", self._at):
                break
            self._pair(path)
            self._skip(_BLANKS)
            if not self._text.startswith(",", self._at):
                break
            self._at += 1
        if not self._text.startswith("}", self._at):
            raise _LostError
        self._at += 1
        return Value("table", start, self._at, (start, self._at))

    # --- small things

    def _stop_after(self, at: int) -> int | None:
        """Give where the next line begins that begins a statement; None where nothing has to be guessed."""
        if self.outline.valid:
            return None
        while self._next_stop < len(self._stops) and self._stops[self._next_stop] <= at:
            self._next_stop += 1
        return self._stops[self._next_stop] if self._next_stop < len(self._stops) else len(self._text)

    def _found(self, place: Place, path: Path, start: int, end: int) -> None:
        if self.outline.spot is None:
            self.outline.spot = Spot(place, path, start, end)

    def _keep(self, entry: Entry) -> None:
        if entry.value is not None or entry.path not in self.outline.entries:
            self.outline.entries[entry.path] = entry

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at


def _put(tree: dict[str, Any], path: Path, leaf: object) -> None:
    """Put a value at a path; what is there already stays, and where it is in the way nothing is put."""
    node: Any = tree
    for part, following in zip_longest(path, path[1:]):
        new = leaf if following is None else [] if isinstance(following, int) else {}
        if isinstance(node, dict) and isinstance(part, str):
            node = node.setdefault(part, new)
        elif isinstance(node, list) and isinstance(part, int) and part <= len(node):
            if part == len(node):
                node.append(new)
            node = node[part]
        else:
            return


def _unquoted(key: str) -> str:
    if key[0] not in {'"', "'"}:
        return key
    if "\\" not in key:
        return key[1:-1]
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except (tomllib.TOMLDecodeError, StopIteration):
        return key[1:-1]


def tables(found: Outline, path: Path) -> Iterator[Path]:
    """Give the paths of the tables of an array, in order."""
    number = 0
    while (*path, number) in found.entries:
        yield (*path, number)
        number += 1
