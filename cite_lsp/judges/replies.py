"""What a model replied, read with care: good rows are kept, what is wrong with the others is named."""

import json
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cite_lsp.judges.shown_lines import said

_LABELS = frozenset(
    {"supported", "partial", "unsupported", "unsupported_contradicted", "unsupported_off_topic", "cannot_tell"}
)
_THOUGHT = "</think>"
"""What stands before it a model thought aloud."""
_MOST_CHARACTERS = 2_000_000
_MOST_STARTS = 400
"""How many "{" are tried in vain for the beginning of an object."""
_MOST_IN_VAIN = 4_000_000
"""Characters that are read of what turns out to be no object: each "{" inside one may be another beginning."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a judge says of one row.

    Attributes:
        label: supported, partial, unsupported, unsupported_contradicted, unsupported_off_topic or cannot_tell.
        reason: As it was written.
        quote: Likewise; "" where none was given.
        missing: Likewise.
    """

    label: str
    reason: str
    quote: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply.

    Attributes:
        entries: By the number of the row.
        breaches: What is wrong with it, each a few words.
        readable: Whether there was anything of the form asked for; False for text that is no such JSON at all.
    """

    entries: Mapping[int, Entry]
    breaches: tuple[str, ...] = ()
    readable: bool = True


def read_reply(text: str, asked: Collection[int], *, strict: bool = False) -> Reading:
    """Read a reply. Never raises.

    Args:
        text: What was replied: the object, or a text that holds it. Of an object that is cut off the rows before the
            cut count, except where `strict`.
        asked: The numbers of the rows that were asked.
        strict: The reference's rules: one breach and there are no entries at all.
    """
    results = _results(text[:_MOST_CHARACTERS].rpartition(_THOUGHT)[2], strict=strict)
    if results is None:
        return Reading({}, ("the reply is not the JSON that was asked for",), readable=False)
    reading = read_entries(results, asked)
    return Reading({}, reading.breaches) if strict and reading.breaches else reading


def read_entries(results: list[Any], asked: Collection[int]) -> Reading:
    """Read the entries of a reply: those of rows that were asked, once each. Never raises."""
    entries: dict[int, Entry] = {}
    breaches: list[str] = []
    seen: set[int] = set()
    for each in results:
        read = read_entry(each, asked)
        if isinstance(read, str):
            breaches.append(read)
            wrong = _number(each)
            if wrong is not None and wrong in asked:
                seen.add(wrong)
            continue
        number, entry = read
        if number in seen:
            breaches.append(f"row {number} is answered twice")
            if entries.get(number) != entry:
                entries.pop(number, None)
        else:
            entries[number] = entry
        seen.add(number)
    breaches += [f"row {number} is not answered" for number in sorted(set(asked) - seen)]
    return Reading(entries, tuple(breaches))


def read_entry(data: object, asked: Container[int]) -> tuple[int, Entry] | str:
    """Read what is said of one row: its number and the entry, or what is wrong with it. Never raises."""
    number = _number(data)
    if number is None or number not in asked or not isinstance(data, dict):
        return f"an answer to a row that was not asked: {_shown(data)}"
    entry = _entry(data)
    return f"row {number}: {entry}" if isinstance(entry, str) else (number, entry)


def _number(data: object) -> int | None:
    number = data.get("id") if isinstance(data, dict) else None
    if isinstance(number, float) and number.is_integer():
        return int(number)
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _entry(data: Mapping[str, Any]) -> Entry | str:
    label, kind = data.get("label"), data.get("kind")
    if not isinstance(label, str) or label not in _LABELS:
        return f"the label is {_shown(label)}"
    for name in ("reason", "quote", "missing"):
        if not isinstance(data.get(name, None if name == "reason" else ""), str):
            return f"its {name} is no text"
    if label == "unsupported" and kind in ("contradicted", "off-topic"):
        label = f"unsupported_{str(kind).replace('-', '_')}"
    return Entry(label, data["reason"], data.get("quote", ""), data.get("missing", ""))


def _shown(value: object) -> str:
    if isinstance(value, dict):
        value = value.get("id")
    try:
        return said(json.dumps(value), 60)
    except (TypeError, ValueError, RecursionError):
        return "something else"


def _results(text: str, *, strict: bool) -> list[Any] | None:
    """Give the entries of the first object that has any; in a text that is cut off, those that stand alone."""
    alone: list[Any] = []
    for data in _objects(text):
        if isinstance(data.get("results"), list):
            return list(data["results"])
        if strict:
            return None
        if "id" in data and "label" in data:
            alone.append(data)
    return alone or None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Give the balanced objects of a text in order, outermost first; what stands inside one is not looked at again."""
    decoder = json.JSONDecoder()
    place = text.find("{")
    starts, left = _MOST_STARTS, _MOST_IN_VAIN
    while place >= 0 and starts and left > 0:
        try:
            data, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            starts -= 1
            left -= _read_to(error, len(text)) - place
            end = place + 1
        else:
            yield data
        place = text.find("{", end)


def _read_to(error: Exception, length: int) -> int:
    """Give how far a text was read before it proved to be no JSON; its whole length where that is not known."""
    told = isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated")
    return error.pos if told else length  # type: ignore[attr-defined]
