"""The line forms behind a path: `:24-26`, `#L24-L26`, `(42)`, ` lines 10, 12 to 14`, and their lists (anchors.md)."""

import re
from typing import NamedTuple

Span = tuple[int, int]
Place = tuple[int, int]

MAX_DIGITS = 9

_DASH = r"(?:\.\.=|\.\.\.|\.\.|…|[-‐-―])"
_SPACED_DASH = r"[ \t]+(?:to|through|[-‐-―])[ \t]+"
_COLON = re.compile(
    rf":(~)?L?~?([0-9]+)(?::[0-9]+(?:-([0-9]+):[0-9]+|-[0-9]+)?()|{_DASH}[~L]{{0,2}}([0-9]+)((?:-[0-9]+)*)|(\+))?"
)
_PLAIN = re.compile(r":([1-9][0-9]{0,8})(?:[-–]([1-9][0-9]{0,8}))?(?=[`)\]]|\Z)")
_HASH = re.compile(rf"#L([0-9]+)(?:C[0-9]+)?(?:{_DASH}L?([0-9]+)(?:C[0-9]+)?|(,[0-9]+))?")
_CALL = re.compile(r"\(([0-9]+)(?:,[ \t]?[0-9]+)?\)")
_ITEM = re.compile(rf":?[L~]{{0,2}}([0-9]+)(?:{_DASH}[L~]{{0,2}}([0-9]+))?")
_WORD_ITEM = re.compile(rf":?[L~]{{0,2}}([0-9]+)(?:(?:{_DASH}|{_SPACED_DASH})[L~]{{0,2}}([0-9]+))?")
_SEPARATOR = re.compile(r"[ \t]*[,;&][ \t]*(?:\r?\n[ \t>]*)?|/|[ \t]+and[ \t]+")
_OPEN_END = re.compile(r"\w|\.[0-9]|[-/][^\W\d]")
_UNIT = re.compile(r"[ \t]?(?:(?:lines?|LOC|loc|[kKMG]i?B|ms|x|tokens)\b|%)")
_WORD = re.compile(r"[ \t]+(?!and[ \t]+[:L~]?[0-9])[^\W_]")


class Ranges(NamedTuple):
    """Line numbers as written: `spans` and, for each, the place of its one or two numbers."""

    spans: tuple[Span, ...]
    places: tuple[tuple[Place, ...], ...]
    end: int
    """Behind the last character that belongs to the form."""
    defect: str = ""
    """"" or why it can name no lines: `zero`, `reversed`, `too-long`, `third-number`."""
    approximate: bool = False
    column: bool = False
    ranged: bool = False
    """The first span was written with an end."""


def span_text(span: Span) -> str:
    """Give a span as it is written: 24, or 24-26."""
    first, last = span
    return str(first) if first == last else f"{first}-{last}"


def _number(digits: str) -> int:
    """Read up to nine digits; more are 0, which no line has."""
    return int(digits) if len(digits) <= MAX_DIGITS else 0


def _defect(first: str, last: str | None) -> str:
    for digits in (first, last):
        if digits is not None and len(digits) > MAX_DIGITS:
            return "too-long"
    start = _number(first)
    end = start if last is None else _number(last)
    if not start or not end:
        return "zero"
    return "reversed" if end < start else ""


def _ends(text: str, position: int, limit: int, *, units: bool) -> bool:
    """Say whether a number may end at `position`: no letter, fraction or unit goes on behind it."""
    if _OPEN_END.match(text, position, limit):
        return False
    return not (units and _UNIT.match(text, position, limit))


class _Collected:
    """Spans while a list is read."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.places: list[tuple[Place, ...]] = []
        self.defect = ""
        self.approximate = False

    def add(self, found: re.Match[str], first: int, last: int) -> None:
        """Take the numbers of groups `first` and `last`."""
        start, end = found.group(first), found.group(last)
        low = _number(start)
        self.spans.append((low, low if end is None else _number(end)))
        places = (found.span(first),) if end is None else (found.span(first), found.span(last))
        self.places.append(places)
        self.defect = self.defect or _defect(start, end)
        self.approximate = self.approximate or "~" in found.group()

    def ranges(self, end: int, *, column: bool, ranged: bool) -> Ranges:
        return Ranges(tuple(self.spans), tuple(self.places), end, self.defect, self.approximate, column, ranged)


def _list(text: str, position: int, limit: int, into: _Collected, *, words: bool, spaced: bool) -> int:
    """Read the items of a list behind its first range; give the end.

    `spaced`: an item behind a separator with a space counts even when a word follows it.
    """
    item_form = _WORD_ITEM if words else _ITEM
    while separator := _SEPARATOR.match(text, position, limit):
        item = item_form.match(text, separator.end(), limit)
        if not item or (item.group(1)[0] == "0" and len(item.group(1)) > 1):
            break
        end = item.end()
        if not _ends(text, end, limit, units=True) or _goes_on(text, end, limit):
            break
        has_space = len(separator.group()) > 1
        if has_space and not spaced and _WORD.match(text, end, limit):
            break
        into.add(item, 1, 2)
        position = end
    return position


def _goes_on(text: str, end: int, limit: int) -> bool:
    """Say whether an item is the beginning of a time or a date (`20:15`, `2024-01-02`)."""
    return end + 1 < limit and text[end] in ":-" and text[end + 1] in "0123456789"


def read_colon(text: str, position: int, limit: int, *, spaced: bool, listed: bool = True) -> Ranges | None:
    """Read `:N…` at `position`, the colon; `limit` is where the code span or text ends.

    `listed`: items of a list behind the first range are read too.
    """
    plain = _PLAIN.match(text, position, limit)
    if plain:  # two citations of three: nothing can follow, so nothing else is tried
        start, end = plain.group(1, 2)
        first, last = int(start), int(end or start)
        if first <= last:
            places = (plain.span(1), plain.span(2)) if end else (plain.span(1),)
            return Ranges(((first, last),), (places,), plain.end(), ranged=end is not None)
    found = _COLON.match(text, position, limit)
    if not found:
        return None
    column = found.group(4) is not None
    lettered = text.startswith("L", position + 1)
    if not _ends(text, found.end(), limit, units=not lettered):
        return None
    into = _Collected()
    into.approximate = found.group(7) is not None
    last = 3 if column else 5
    into.add(found, 2, last)
    if found.group(6):
        into.defect = into.defect or "third-number"
    end = found.end()
    if listed and not column and not found.group(6) and not found.group(7):
        end = _list(text, end, limit, into, words=False, spaced=spaced)
    return into.ranges(end, column=column, ranged=found.group(last) is not None)


def read_hash(text: str, position: int, limit: int) -> Ranges | None:
    """Read `#L24`, `#L24-L26`, `#L24C3-L26C9`, `#L24,3` at `position`, the number sign."""
    found = _HASH.match(text, position, limit)
    if not found or not _ends(text, found.end(), limit, units=False):
        return None
    into = _Collected()
    into.add(found, 1, 2)
    column = found.group(3) is not None
    return into.ranges(found.end(), column=column, ranged=found.group(2) is not None)


def read_call(text: str, position: int, limit: int) -> Ranges | None:
    """Read `(42)` or `(42,5)` at `position`, the bracket."""
    found = _CALL.match(text, position, limit)
    if not found or not _ends(text, found.end(), limit, units=False):
        return None
    into = _Collected()
    into.add(found, 1, 1)
    column = "," in found.group()
    return into.ranges(found.end(), column=column, ranged=False)


def read_words(text: str, position: int, limit: int, *, plural: bool) -> Ranges | None:
    """Read the numbers behind `line`, `lines`, `ln` or `L` at `position`, the first digit or its `~`."""
    found = _WORD_ITEM.match(text, position, limit)
    if not found or not _ends(text, found.end(), limit, units=False):
        return None
    into = _Collected()
    into.add(found, 1, 2)
    end = _list(text, found.end(), limit, into, words=True, spaced=plural)
    return into.ranges(end, column=False, ranged=found.group(2) is not None)
