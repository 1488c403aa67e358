"""What may stand at a place of a policy: headers, keys that are not there yet, words of the format, names of the file.

The text is mostly no TOML while somebody types, so it is read as far as it goes (`document.toml_outline`).
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cite_lsp.document.toml_outline import Outline, Spot, outline
from cite_lsp.policy.file_keys import (
    Flag,
    Key,
    ListOf,
    MapOf,
    Path,
    Table,
    Value,
    key_at,
    keys_at,
    placeholders_at,
    value_at,
    words_at,
)
from cite_lsp.policy.file_reading import said
from cite_lsp.server.convert import range_of
from cite_lsp.server.open_document import OpenDocument
from cite_lsp.server.policy_files import MOST_CHARACTERS, PolicyText, offset_at, position_at

_PROPERTY, _VALUE, _ENUM_MEMBER, _VARIABLE, _STRUCT = 10, 12, 20, 6, 22
"""The protocol's kinds of items."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PLACEHOLDER_BEGINS = re.compile(r"\{[A-Za-z0-9_]*\Z")
_PLACEHOLDER_ENDS = re.compile(r"[A-Za-z0-9_]*\}?")


@dataclass(frozen=True, slots=True)
class _Item:
    """One item; `new` replaces the word at the place, and is found by the beginning of `label` or of `found_by`."""

    label: str
    new: str
    kind: int
    detail: str = ""
    meaning: str = ""
    found_by: str = ""


def policy_items(document: OpenDocument, policies: PolicyText, line: int, units: int) -> list[dict[str, Any]] | None:
    """Give the items for a position of a file that holds policies; None where no policy is."""
    if document.size > MOST_CHARACTERS:
        return None
    offset = offset_at(document, line, units)
    found = outline(document.buffer.text, offset)
    spot = found.spot
    path = policies.inside(spot.path) if spot is not None else None
    if spot is None or path is None:
        return None
    asked = _Asked(found, spot, path, policies.prefix(spot.path), offset)
    items, start, end = asked.items()
    where = range_of(position_at(document, start), position_at(document, end))
    return [_as_json(item, number, where) for number, item in enumerate(items)]


def _as_json(item: _Item, number: int, where: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "label": item.label,
        "kind": item.kind,
        "sortText": f"{number:03}",
        "textEdit": {"range": where, "newText": item.new},
    }
    more = {"detail": item.detail, "documentation": item.meaning, "filterText": item.found_by}
    return made | {name: text for name, text in more.items() if text}


class _Asked:
    """One question: what may stand at a spot. `path` leads there within the policy, `prefix` to the policy."""

    def __init__(self, found: Outline, spot: Spot, path: Path, prefix: Path, offset: int) -> None:
        self._found = found
        self._spot = spot
        self._path = path
        self._prefix = prefix
        self._offset = offset
        self._text = found.text
        data: Any = found.tree()
        for part in prefix:
            data = data[part]
        self._data: dict[str, Any] = data if isinstance(data, dict) else {}

    def items(self) -> tuple[list[_Item], int, int]:
        """Give the items, and from where to where they replace the text."""
        start, end = self._spot.start, self._spot.end
        match self._spot.place:
            case "header":
                return list(self._headers(end)), start, end
            case "key":
                return [*self._keys(end), *self._headers_below()], start, end
            case "value":
                return list(self._values()), start, end
            case "string":
                return self._in_string(start, end)

    # --- keys

    def _keys(self, end: int) -> Iterator[_Item]:
        given = {*self._found.keys((*self._prefix, *self._path))} - {self._text[self._spot.start : end]}
        equals = "" if self._text[end:].lstrip(" \t").startswith("=") else " = "
        keys = keys_at(self._path)
        wanted = sorted(keys, key=lambda name: not keys[name].required)
        for name in wanted:
            key = keys[name]
            if name not in given and not (isinstance(key.value, ListOf) and isinstance(key.value.item, Table)):
                yield _Item(name, name + equals, _PROPERTY, _detail(key), key.meaning)
        if not keys:
            for name in self._words(self._path):
                if name not in given:
                    written = name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
                    yield _Item(name, written + equals, _PROPERTY, said_of(value_at((*self._path, name))))

    def _words(self, path: Path) -> tuple[str, ...]:
        return tuple(dict.fromkeys(words_at(self._data, path)))

    # --- headers

    def _headers_below(self) -> Iterator[_Item]:
        """Give the headers that can follow where a line is free for one."""
        before = self._text[self._text.rfind("\n", 0, self._spot.start) + 1 : self._spot.start]
        after = self._text[self._spot.end : self._text.find("\n", self._spot.end) % (len(self._text) + 1)]
        if before.strip(" \t") or after.strip(" \t\r"):
            return
        outer = ".".join(str(part) for part in self._prefix if isinstance(part, str))
        for name, key, array in self._tables():
            dotted = f"{outer}.{name}" if outer else name
            header = f"[[{dotted}]]" if array else f"[{dotted}]"
            yield _Item(header, f"{header}\n", _STRUCT, "", key.meaning, name.rpartition(".")[2])

    def _tables(self) -> Iterator[tuple[str, Key, bool]]:
        """Give the tables that can be begun here: those of the concern that is being written, then all others."""
        if self._path[:1] == ("concern",) and len(self._path) > 1:
            given = self._found.keys((*self._prefix, *self._path[:2]))
            for name, key in keys_at(("concern",)).items():
                array = isinstance(key.value, ListOf)
                if _is_table(key.value) and (array or name not in given):
                    yield f"concern.{name}", key, array
        for name, key in keys_at(()).items():
            if _is_table(key.value):
                yield name, key, True

    def _headers(self, end: int) -> Iterator[_Item]:
        """Give what a header that is being written may name."""
        begin = self._text.rfind("[", 0, self._spot.start)
        array = self._text.startswith("[[", begin - 1) if begin else False
        closing = "]]" if array else "]"
        closing = "" if self._text[end:].lstrip(" \t").startswith(closing) else closing
        if self._text.startswith("]", end) and closing == "]]":
            closing = "]"
        for name, key in keys_at(self._path).items():
            if _is_table(key.value) and isinstance(key.value, ListOf) is array:
                yield _Item(name, name + closing, _STRUCT, "", key.meaning)

    # --- values

    def _values(self) -> Iterator[_Item]:
        value = value_at(self._path)
        meaning = _meaning(self._path)
        listed = isinstance(value, ListOf)
        for word in self._free_words(self._path):
            written = word if isinstance(value, Flag) else json.dumps(word, ensure_ascii=False)
            yield _Item(word, f"[{written}]" if listed else written, _ENUM_MEMBER, "", meaning)
        key = key_at(self._path)
        if key is not None and key.default is not None and not self._words(self._path):
            default = json.dumps(key.default)
            yield _Item(default, default, _VALUE, "the default", meaning)

    def _free_words(self, path: Path) -> Iterable[str]:
        """Give the words that may stand at a path; of a list those that it does not hold yet."""
        if not isinstance(path[-1], int):
            return self._words(path)
        list_path = (*self._prefix, *path[:-1])
        others = [each for each in self._found.entries if each[:-1] == list_path and each[-1] != path[-1]]
        held = {self._found.string(each) for each in others}
        return [word for word in self._words(path) if word not in held]

    def _in_string(self, start: int, end: int) -> tuple[list[_Item], int, int]:
        names = placeholders_at(self._data, self._path)
        if names is not None:
            begun = _PLACEHOLDER_BEGINS.search(self._text, start, self._offset)
            if begun is None:
                return [], self._offset, self._offset
            rest = _PLACEHOLDER_ENDS.match(self._text, self._offset, end)
            last = rest.end() if rest is not None else self._offset
            marks = [f"{{{name}}}" for name in dict.fromkeys(names)]
            return [_Item(mark, mark, _VARIABLE) for mark in marks], begun.start(), last
        closed = self._text[end : end + 1] == self._text[start - 1]
        if "\n" in self._text[start:end]:
            return [], start, end
        meaning = _meaning(self._path)
        quote = "" if closed else self._text[start - 1]
        words = self._free_words(self._path)
        return [_Item(word, word + quote, _ENUM_MEMBER, "", meaning) for word in words], start, end


def _is_table(value: Value) -> bool:
    """Whether a value is written under a header of its own, as far as the format's own tables are."""
    return isinstance(value, Table) or (isinstance(value, ListOf) and isinstance(value.item, Table))


def _meaning(path: Path) -> str:
    key = key_at(path)
    return key.meaning if key is not None else ""


def _detail(key: Key) -> str:
    default = "" if key.default is None else f"; by default {json.dumps(key.default)}"
    return f"{said_of(key.value)}{default}"


def said_of(value: Value | None) -> str:
    """Say what may stand somewhere; "" where nothing may."""
    if value is None or isinstance(value, MapOf):
        return "a table" if value is not None else ""
    return said(value)
