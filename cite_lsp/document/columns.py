"""Columns: code points here, UTF-8 bytes, UTF-16 units or UTF-32 units at the border. Only this module converts."""

from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]


def _width(character: str, encoding: Encoding) -> int:
    """How many units one character takes; a lone surrogate is three bytes, as WTF-8 counts it."""
    point = ord(character)
    if encoding == "utf-16":
        return 2 if point > 0xFFFF else 1
    if point < 0x80:
        return 1
    return 2 if point < 0x800 else 3 if point < 0x10000 else 4


def to_units(line: str, column: int, encoding: Encoding) -> int:
    """Convert a 0-based code-point column of `line` into units of `encoding`; past the end counts as the end."""
    column = max(0, min(column, len(line)))
    if encoding == "utf-32" or line.isascii():
        return column
    return sum(_width(character, encoding) for character in line[:column])


def from_units(line: str, units: int, encoding: Encoding) -> int:
    """Convert a 0-based column in units of `encoding` into code points.

    Past the end counts as the end; a column inside a character counts as the start of that character.
    """
    if units <= 0:
        return 0
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    seen = 0
    for column, character in enumerate(line):
        seen += _width(character, encoding)
        if seen > units:
            return column
    return len(line)
