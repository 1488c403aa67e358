"""Reads the tables of a policy file by the description of its format, and says all that does not fit it."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from cite_lsp.audit.options import closest, nearest, shown
from cite_lsp.policy.file_faults import FileFault, Places
from cite_lsp.policy.file_keys import (
    SHAPES,
    Anything,
    Either,
    Flag,
    ListOf,
    MapOf,
    Number,
    Path,
    Table,
    Text,
    Value,
)
from cite_lsp.policy.passages import is_json

_NAMES = {"policy": "a policy", "asking": "a question", "side": "what counts as yes or no", "unit": "a passage",
          "test": "a test"}  # fmt: skip

_HEADERS = {"role": "concern.role", "check": "concern.check"}


class _Nothing:
    """In place of a value that cannot be used."""


_NOTHING = _Nothing()


@dataclass(frozen=True, slots=True)
class Read:
    """A table as far as it could be read.

    Attributes:
        path: Where it stands in the file, with keys as they are written.
        values: What fits the format, by key; lists have None for items that do not.
        given: The keys that are there, the unreadable ones too, and those that a misspelt key was taken for.
        spelt: Of a key that was misspelt, how.
        is_one: Whether there is such a table at all; else something else stands in its place.
    """

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    given: Collection[str] = ()
    spelt: Mapping[str, str] = field(default_factory=dict)
    is_one: bool = True

    def at(self, *keys: str | int) -> Path:
        """The path of what stands in it under a key, as it is written."""
        first, *rest = keys
        return (*self.path, self.spelt.get(str(first), first), *rest)

    def tables(self, key: str) -> "list[Read]":
        """Give the tables of a list; an unreadable one is empty."""
        items = self.values.get(key) or []
        return [
            item if isinstance(item, Read) else Read(self.at(key, at), is_one=False) for at, item in enumerate(items)
        ]


class Reader:
    """Reads values that stand under `prefix` in the file; what is wrong gathers in `faults`."""

    def __init__(self, places: Places, prefix: Path) -> None:
        self.places = places
        self.prefix = prefix
        self.faults: list[FileFault] = []
        self.wrong: set[Path] = set()
        """The paths of values that have been said to be wrong."""

    def table(self, data: Mapping[str, Any], shape: str, path: Path) -> Read:
        """Read a table. A key that looks like a misspelt one is a fault, and its value is read as that one's."""
        known = SHAPES[shape]
        spelt = self._misspelt(data, shape, path)
        values: dict[str, Any] = {}
        given = {key: key for key in data if key in known} | spelt
        for key, written in given.items():
            value = self.value(data[written], known[key].value, (*path, written))
            if value is not _NOTHING:
                values[key] = value
        for key, each in known.items():
            if each.required and key not in given:
                self.faults.append(self.places.at_key(path, f"{_named(shape)} needs {shown(key)}{_which(each.value)}"))
        return Read(path, values, frozenset(given), spelt)

    def _misspelt(self, data: Mapping[str, Any], shape: str, path: Path) -> dict[str, str]:
        known = SHAPES[shape]
        spelt: dict[str, str] = {}
        for key in data:
            if key in known:
                continue
            hint = closest(str(key), known) or (_where(key) if shape != "policy" else "")
            message = f"{_named(shape)} has no key {shown(key)}{hint}"
            self.faults.append(self.places.at_key((*path, key), message))
            meant = nearest(str(key), known)
            if meant is not None and meant not in data:
                spelt.setdefault(meant, key)
        return spelt

    def value(self, given: object, value: Value, path: Path) -> Any:  # noqa: ANN401 - a value of any kind
        """Read a value; `_NOTHING` where it does not fit."""
        if isinstance(value, Either) and isinstance(given, (Mapping, str)):
            value = value.table if isinstance(given, Mapping) else value.text
        if isinstance(value, Table) and isinstance(given, Mapping):
            return self.table(given, value.shape, path)
        if isinstance(value, MapOf) and isinstance(given, Mapping):
            found = {key: self.value(each, value.item, (*path, key)) for key, each in given.items()}
            return {key: each for key, each in found.items() if each is not _NOTHING}
        if isinstance(value, ListOf) and isinstance(given, list):
            return self._list(given, value, path)
        fault = _scalar_fault(given, value)
        if fault is None:
            return self._checked(given, value, path)
        self._wrong(path, fault)
        return _NOTHING

    def _wrong(self, path: Path, message: str) -> None:
        self.wrong.add(path)
        self.faults.append(self.places.at_value(path, message))

    def _list(self, given: list[Any], value: ListOf, path: Path) -> Any:  # noqa: ANN401 - see above
        items = [self.value(each, value.item, (*path, at)) for at, each in enumerate(given)]
        kept = [None if item is _NOTHING else item for item in items]
        if len(given) < value.least or (value.most is not None and len(given) > value.most):
            self._wrong(path, f"{len(given)} {'is' if len(given) == 1 else 'are'} given; legal is {said(value)}")
        if value.unique:
            for at, item in enumerate(kept):
                if item is not None and item in kept[:at]:
                    self._wrong((*path, at), f"{shown(item)} is given twice")
        return kept

    def _checked(self, given: Any, value: Value, path: Path) -> Any:  # noqa: ANN401 - see above
        """Say what is wrong with a text that can be used nevertheless, so that more faults are found."""
        if isinstance(value, Text) and value.pattern and not re.fullmatch(value.pattern, given):
            self._wrong(path, f"{shown(given)} was given; legal is {value.said}")
        return given


def _scalar_fault(given: object, value: Value) -> str | None:
    match value:
        case Text():
            fits = isinstance(given, str) and (value.blank or bool(given.strip()))
            fits = fits and (not value.words or given in value.words)
        case Flag():
            fits = isinstance(given, bool)
        case Number():
            fits = _is_number(given, value)
        case Anything():
            fits = is_json(given)
        case _:
            fits = False
    if fits:
        return None
    near = closest(given, value.words) if isinstance(value, Text) and isinstance(given, str) else ""
    return f"{shown(given)} was given; legal is {said(value)}{near}"


def _is_number(given: object, value: Number) -> bool:
    if isinstance(given, bool) or not isinstance(given, int if value.whole else (int, float)):
        return False
    return given >= value.least and (value.most is None or given <= value.most)


def said(value: Value) -> str:
    """Say what is legal."""
    match value:
        case Text():
            return _either([f'"{word}"' for word in value.words]) if value.words else value.said
        case Number():
            noun = "a whole number" if value.whole else "a number"
            return (
                f"{noun}, {value.least:g} or more"
                if value.most is None
                else f"{noun} from {value.least:g} to {value.most:g}"
            )
        case Flag():
            return "true or false"
        case ListOf():
            return _said_of_list(value)
        case Table():
            return "a table"
        case MapOf():
            return f"a table, under each key {said(value.item)}"
        case Either():
            return f"{said(value.text)}, or a table"
        case Anything():
            return "what JSON can hold: no date, no time, no infinite number"


def _said_of_list(value: ListOf) -> str:
    if isinstance(value.item, Table):
        return f"a list of tables: [[{_HEADERS.get(value.item.shape, value.item.shape)}]]"
    if value.most is not None:
        count = f"{value.least}" if value.least == value.most else f"{value.least} to {value.most}"
        return f"a list of {count} items, each {said(value.item)}"
    return f"a list{' of one item or more' if value.least else ''}, each item {said(value.item)}"


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _where(key: str) -> str:
    """Say where a key of the policy itself stands."""
    found = SHAPES["policy"].get(key)
    if found is None:
        return ""
    tables = isinstance(found.value, ListOf) and isinstance(found.value.item, Table)
    return f"; it is one of the policy: [[{key}]]" if tables else "; it is one of the policy: write it above all tables"


def _which(value: Value) -> str:
    """Say what would be legal, where that is more than its kind."""
    tables = isinstance(value, ListOf) and isinstance(value.item, Table)
    return f": {said(value)}" if tables or (isinstance(value, Text) and value.words) else ""


def _named(shape: str) -> str:
    return _NAMES.get(shape, f"a {shape}")
