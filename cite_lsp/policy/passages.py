"""The passages that a policy is asked of."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_UNIT_NOT_ONE = "it is neither a text nor a map with text"
_BREAKS = re.compile(r"[.`\[\]\s\x1c-\x1f\x85]")
"""What would end a path that a question names: dots, back-ticks, brackets, white space."""
_OWN = ("id", "text")
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class SourceError(ValueError):
    """Passages that cannot be asked about.

    Attributes:
        faults: All that is wrong, a sentence without a full stop each.
    """

    def __init__(self, faults: Sequence[str]) -> None:
        """Take the faults, one at least."""
        super().__init__("; ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage.

    Attributes:
        id: Names it in requests and reports.
        text: Kept byte for byte.
        meta: What is known of it; only what the source shows goes to a client or into a report.
    """

    id: str
    text: str
    meta: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Source:
    """Passages in order.

    Attributes:
        passages: With ids that differ.
        as_: The key under which a request holds them.
        show: The keys of `meta` that are shown to clients and in reports.
    """

    passages: tuple[Passage, ...]
    as_: str = "passages"
    show: tuple[str, ...] = ()

    def shown(self, passage: Passage) -> dict[str, Any]:
        """Give a passage as requests and reports hold it: what is shown of `meta`, id and text."""
        meta = {name: passage.meta[name] for name in self.show if name in passage.meta}
        return {**meta, "id": passage.id, "text": passage.text}


def source(units: Sequence[str | Mapping[str, Any]], *, as_: str = "passages", show: Sequence[str] = ()) -> Source:
    """Make a source of units. Nothing is split, trimmed or normalised.

    Args:
        units: A text each, or a map with `text` and perhaps `id` and `meta`; other keys are passed over. A unit without
            an id has `P` and its place in the list, of three digits at least: `P000`.
        as_: The key under which requests hold the passages: no white space, dots, back-ticks or brackets.
        show: Keys of `meta` that go to the client. What is shown has to be JSON; what is not may be anything.

    Raises:
        SourceError: It holds all that is wrong.
    """
    faults = [*_faults_of_options(as_, show)]
    if not isinstance(units, Sequence) or isinstance(units, (str, bytes)):
        raise SourceError([*faults, "units have to be a list"])
    keys = show if isinstance(show, Sequence) and not isinstance(show, (str, bytes)) else ()
    shown = tuple([key for key in keys if isinstance(key, str)])
    passages: list[Passage] = []
    for number, unit in enumerate(units):
        found = _passage(number, unit, shown)
        if isinstance(found, Passage):
            passages.append(found)
        else:
            faults += [f"unit {number}: {fault}" for fault in found]
    twice = sorted(name for name, count in Counter(each.id for each in passages).items() if count > 1)
    if twice:
        faults.append(f"ids have to differ, and these do not: {', '.join(twice)}")
    if faults:
        raise SourceError(faults)
    return Source(tuple(passages), as_, shown)


def _faults_of_options(as_: object, show: object) -> Iterator[str]:
    if not isinstance(as_, str) or not _names_a_path(as_):
        yield f"as_ is {as_!r}; it has to be a text without white space, dots, back-ticks and brackets"
    if not isinstance(show, Sequence) or isinstance(show, (str, bytes)):
        yield "show has to be a list of keys"
    elif any(not isinstance(key, str) or key in _OWN for key in show):
        yield "show is a list of keys of meta; id and text are always shown and cannot be named"


def _passage(number: int, unit: object, show: Sequence[str]) -> Passage | list[str]:
    """Make a passage of a unit, or say what is wrong with it."""
    if isinstance(unit, str):
        unit = {"text": unit}
    if not isinstance(unit, Mapping) or "text" not in unit:
        return [_UNIT_NOT_ONE]
    text, name, meta = unit["text"], unit.get("id", f"P{number:03d}"), unit.get("meta", {})
    faults = [*_faults_of_text(text), *_faults_of_id(name)]
    if not isinstance(meta, Mapping):
        faults.append("meta has to be a map")
    else:
        faults += [f"meta {key!r} is shown and is no JSON" for key in show if key in meta and not is_json(meta[key])]
    return faults or Passage(name, text, MappingProxyType(dict(meta)))


def _faults_of_text(text: object) -> Iterator[str]:
    if not isinstance(text, str) or not _is_unicode(text) or not text.strip():
        yield "text has to be Unicode text that is not blank"


def _faults_of_id(name: object) -> Iterator[str]:
    if not isinstance(name, str) or not name:
        yield f"id is {name!r}; it has to be a text that is not empty"
    elif not _names_a_path(name):
        yield f"id {name!r} would break a path: no white space, dots, back-ticks and brackets"


def _names_a_path(name: str) -> bool:
    return bool(name) and _is_unicode(name) and not _BREAKS.search(name) and not any(_is_space(char) for char in name)


def _is_space(char: str) -> bool:
    return char.isspace() or unicodedata.category(char)[0] == "Z"


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: half of a character cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_json(value: object) -> bool:
    """Whether a value is JSON: null, bool, a finite number, Unicode text, a list or a map of such with text keys."""
    if value is None or isinstance(value, (bool, int)):
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, str):
        return _is_unicode(value)
    if isinstance(value, (list, tuple)):
        return all(is_json(each) for each in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_unicode(key) and is_json(each) for key, each in value.items())
    return False
