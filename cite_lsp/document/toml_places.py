"""Where the keys and list items of a TOML text stand; the standard library's reader does not say."""

import re
import tomllib
from contextlib import suppress
from dataclasses import dataclass, field

Path = tuple[str | int, ...]
Range = tuple[int, int]

_GAP = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*+")
_BLANKS = re.compile(r"[ \t]*+")
_BARE = re.compile(r"[A-Za-z0-9_-]++")
_BASIC = re.compile(r'"(?:[^"\\\n]|\\.)*+"')
_LITERAL = re.compile(r"'[^'\n]*+'")
_LONG_BASIC = re.compile(r'"""(?:[^"\\]|\\[\s\S]|"(?!""))*+"{3,5}')
_LONG_LITERAL = re.compile(r"'''(?:[^']|'(?!''))*+'{3,5}")
_STRINGS = (_LONG_BASIC, _LONG_LITERAL, _BASIC, _LITERAL)
_SCALAR = re.compile(r"[^,\]}#\r\n]++")


class _LostError(Exception):
    """The text is not what the scanner expects; what was found up to here stands."""


def key_places(text: str) -> dict[Path, int]:
    """The offset (code points) of every table header, key and list item of a valid TOML text, by its path.

    A path is what leads to the value in the parsed tree: keys, and indices in lists and arrays of tables.
    For a text that is not valid TOML the places up to the fault are given. Linear in the text.
    """
    scanner = _Scanner(text)
    with suppress(_LostError, RecursionError):
        scanner.document()
    return scanner.places


@dataclass(frozen=True, slots=True)
class Spans:
    """From where to where the parts of a TOML text reach: offsets (code points) by path, as `key_places` names paths.

    Attributes:
        keys: Of a key itself, of a table's header, and of a list's items the items.
        values: Of what a key is given and of list items; tables with headers have none.
    """

    keys: dict[Path, Range] = field(default_factory=dict)
    values: dict[Path, Range] = field(default_factory=dict)

    def of_key(self, path: Path) -> Range | None:
        """Where the key of a path stands, or the nearest thing around it that has a place."""
        return next(
            (self.keys[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self.keys), None
        )

    def of_value(self, path: Path) -> Range | None:
        """Where the value of a path stands, or else its key, or the nearest thing around it that has a place."""
        return self.values.get(path) or self.of_key(path)


def key_spans(text: str) -> Spans:
    """Where keys and values stand; for a text that is not valid TOML those up to the fault. Linear in the text."""
    scanner = _Scanner(text)
    with suppress(_LostError, RecursionError):
        scanner.document()
    return scanner.spans


def place_of(places: dict[Path, int], path: Path) -> int | None:
    """The offset of the path, or of the nearest thing around it that has a place."""
    for length in range(len(path), 0, -1):
        if path[:length] in places:
            return places[path[:length]]
    return None


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._key_end = 0
        self._lengths: dict[Path, int] = {}
        self.places: dict[Path, int] = {}
        self.spans = Spans()

    def document(self) -> None:
        table: Path = ()
        while True:
            self._skip(_GAP)
            if self._at >= len(self._text):
                return
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> Path:
        start = self._at
        array = self._text.startswith("[[", start)
        self._at += 2 if array else 1
        keys = self._keys()
        self._expect("]]" if array else "]")
        path: Path = ()
        for key in keys[:-1]:
            self.spans.keys.setdefault((*path, key), (start, self._at))
            path = self._inside((*path, key))
        path = (*path, keys[-1])
        self.places.setdefault(path, start)
        if not array:
            self.spans.keys[path] = (start, self._at)
            return path
        self.spans.keys.setdefault(path, (start, self._at))
        number = self._lengths.get(path, 0)
        self._lengths[path] = number + 1
        self.places[*path, number] = start
        self.spans.keys[*path, number] = (start, self._at)
        return (*path, number)

    def _inside(self, path: Path) -> Path:
        """The path itself, or its last element where it is an array of tables."""
        return (*path, self._lengths[path] - 1) if path in self._lengths else path

    def _pair(self, table: Path) -> None:
        start = self._at
        path = table
        for key in self._keys():
            path = (*path, key)
            self.places.setdefault(path, start)
            self.spans.keys.setdefault(path, (start, self._key_end))
        self._expect("=")
        self._skip(_BLANKS)
        self._value(path)

    def _keys(self) -> list[str]:
        keys = [self._key()]
        while self._text.startswith(".", self._at):
            self._at += 1
            keys.append(self._key())
        return keys

    def _key(self) -> str:
        self._skip(_BLANKS)
        for pattern in (_BARE, _LITERAL, _BASIC):
            match = pattern.match(self._text, self._at)
            if match is not None:
                self._at = self._key_end = match.end()
                self._skip(_BLANKS)
                return _unquoted(match[0])
        raise _LostError

    def _value(self, path: Path) -> None:
        start = self._at
        self._read_value(path)
        self.spans.values[path] = (start, start + len(self._text[start : self._at].rstrip()))

    def _read_value(self, path: Path) -> None:
        char = self._text[self._at : self._at + 1]
        if char == "[":
            self._list(path)
        elif char == "{":
            self._inline_table(path)
        else:
            patterns = _STRINGS if char in {'"', "'"} else (_SCALAR,)
            match = next((found for pattern in patterns if (found := pattern.match(self._text, self._at))), None)
            if match is None:
                raise _LostError
            self._at = match.end()

    def _list(self, path: Path) -> None:
        self._at += 1
        number = 0
        while True:
            self._skip(_GAP)
            if self._text.startswith("]", self._at):
                break
            self.places[*path, number] = start = self._at
            self._value((*path, number))
            self.spans.keys[*path, number] = (start, self._at)
            number += 1
            self._skip(_GAP)
            if not self._text.startswith(",", self._at):
                break
            self._at += 1
        self._expect("]")

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while True:
            self._skip(_GAP)
            if self._text.startswith("}", self._at):
                break
            self._pair(path)
            self._skip(_GAP)
            if not self._text.startswith(",", self._at):
                break
            self._at += 1
        self._expect("}")

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at

    def _expect(self, mark: str) -> None:
        self._skip(_BLANKS)
        if not self._text.startswith(mark, self._at):
            raise _LostError
        self._at += len(mark)


def _unquoted(key: str) -> str:
    if key[0] not in {'"', "'"}:
        return key
    if "\\" not in key:
        return key[1:-1]
    try:
        return next(iter(tomllib.loads(f"{key} = 0")))
    except (tomllib.TOMLDecodeError, StopIteration) as error:
        raise _LostError from error
