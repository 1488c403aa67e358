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
    """Lines that are there, and those behind them taken one by one, so that a cut reads no further than it must.

    A line has its terminator, and none is empty, but for one that may stand behind the first `ready`.
    """

    __slots__ = ("_more", "read", "ready")

    def __init__(self, read: list[str], more: Iterator[str] | None = None, ready: int | None = None) -> None:
        self.read = read
        self.ready = len(read) if ready is None else ready
        """So many lines of `read` may be taken from it: rules that count every nanosecond look there first."""
        self._more = more

    def at(self, number: int) -> str | None:
        """Give line `number`, or None past the end."""
        while self.ready <= number:
            line = None if self._more is None else next(self._more, None)
            if line is None:
                return None
            self.read.append(line)
            self.ready += 1
        return self.read[number]


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
