"""What every syntax's block rules share: the state between two blocks, a cut block, and a line as they see it."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

CHUNK = 64
"""A fence, comment or literal block is cut after so many lines, so that an edit in a long one stays cheap."""

_QUOTE = re.compile(r"(?: {0,3}>[ \t]?)+")


class State(NamedTuple):
    """What is open between two blocks."""

    lists: tuple[int, ...] = ()
    """Columns at which the text of the open list items begins, outermost first."""
    quote: int = 0
    """Depth of block quotes."""
    closer: str = ""
    """What ends the open fence, comment or literal block; "" when none is open."""
    kind: str = ""
    """The kind of block that `closer` ends."""
    table: bool = False


START = State()


class Cut(NamedTuple):
    """One block: `size` lines from `first` (0-based), and the states before and after it."""

    kind: str
    first: int
    size: int
    entry: State
    exit: State
    level: int = 0
    """Of a heading 1 to 6; of a table row 1 for the header, 2 for the delimiter, 0 for the rest."""
    indent: int = 0
    """Of a list item the column of its marker."""


class Lines:
    """Lines taken one by one from an iterator, so that a cut reads no further than it must."""

    __slots__ = ("_more", "_read")

    def __init__(self, more: Iterator[str], read: list[str] | None = None) -> None:
        self._more = more
        self._read = [] if read is None else read

    def at(self, number: int) -> str | None:
        """Give line `number`, or None past the end."""
        read = self._read
        while len(read) <= number:
            line = next(self._more, None)
            if line is None:
                return None
            read.append(line)
        return read[number]

    def joined(self, first: int, count: int) -> str:
        """Give the text of `count` lines."""
        return self._read[first] if count == 1 else "".join(self._read[first : first + count])


Stops = AbstractSet[int]


def indent_of(text: str) -> int:
    """Column of the first character that is no blank; a tab goes on to the next multiple of four."""
    column = 0
    for character in text:
        if character == " ":
            column += 1
        elif character == "\t":
            column += 4 - column % 4
        else:
            break
    return column


class Look(NamedTuple):
    """A line as the block rules see it."""

    quote: int
    indent: int
    rest: str
    """Without quote marks, indentation, trailing blanks and terminator."""


def look(line: str) -> Look:
    """Look at a line of Markdown, where `>` quotes."""
    quote = 0
    if ">" in line:
        marks = _QUOTE.match(line)
        if marks:
            quote = marks.group().count(">")
            line = line[marks.end() :]
    rest = line.strip(" \t\r\n")
    if line[:1] not in " \t":
        return Look(quote, 0, rest)
    return Look(quote, indent_of(line), rest)


def look_plain(line: str) -> Look:
    """Look at a line where `>` quotes nothing."""
    return Look(0, indent_of(line), line.strip(" \t\r\n"))
