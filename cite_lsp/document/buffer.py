"""The text of an open document as an array of lines, edited in place.

Lines end at a line feed, a carriage return, or both together, and at nothing else: form feeds, vertical tabs,
next-line and the Unicode separators stay inside their line, as the protocol counts them.
"""

import re
from dataclasses import dataclass

from cite_lsp.document.changes import Changes, LineChange
from cite_lsp.document.columns import Encoding, from_units

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def lines_with_ends(text: str) -> list[str]:
    """Split into lines that keep their terminators; joined again they are `text`. The empty text has no line."""
    if "\r" not in text:
        lines = text.split("\n")
        last = lines.pop()
        lines = [line + "\n" for line in lines]
        if last:
            lines.append(last)
        return lines
    return _LINE.findall(text)


def without_end(line: str) -> str:
    """Give the line without its terminator."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith(("\n", "\r")) else line


def _goes_on(text: str, following: str) -> bool:
    """Say whether the last line of `text` and the first of `following` are one line."""
    if text.endswith("\r"):
        return following.startswith("\n")
    return text != "" and not text.endswith("\n")


def _shared(one: list[str], other: list[str], most: int) -> int:
    """Give how many lines two lists share at their beginning, `most` at most."""
    return next((number for number in range(most) if one[number] != other[number]), most)


@dataclass(frozen=True, slots=True)
class Replaced:
    """What an edit replaced, clamped: 0-based lines, code-point columns."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


class Buffer:
    """The lines of one open document. There is always a last line, which may be empty."""

    __slots__ = ("_changes", "_lines")

    def __init__(self, text: str = "") -> None:
        self._lines = lines_with_ends(text)
        self._close()
        self._changes = Changes()

    def replace_all(self, text: str) -> None:
        """Take `text` as the whole content; lines at both ends that are the same as before count as unchanged."""
        before, self._lines = self._lines, lines_with_ends(text)
        self._close()
        most = min(len(before), len(self._lines))
        low = _shared(before, self._lines, most)
        high = _shared(before[::-1], self._lines[::-1], most - low)
        self._changes.add(low, len(before) - high, len(self._lines) - low - high)

    @property
    def lines(self) -> list[str]:
        """The lines with their terminators, the last one without, maybe empty. To be read, and not kept."""
        return self._lines

    def take_changes(self) -> tuple[LineChange, ...]:
        """Give what changed since the last call (or since the buffer was made), for `Document.revised`."""
        changes = self._changes.all()
        self._changes = Changes()
        return changes

    @property
    def text(self) -> str:
        """The whole text; linear, so not for a key stroke."""
        return "".join(self._lines)

    @property
    def line_count(self) -> int:
        """Number of lines, the last one counted even when it is empty."""
        return len(self._lines)

    def line(self, number: int) -> str:
        """Give line `number` (0-based) without its terminator; "" past the end."""
        return without_end(self._lines[number]) if 0 <= number < len(self._lines) else ""

    def edit(
        self, start: tuple[int, int], end: tuple[int, int], replacement: str, encoding: Encoding = "utf-32"
    ) -> Replaced:
        """Replace from `start` to `end`, each (0-based line, column in units of `encoding`).

        A line past the last is the end of the text, a column past the end of its line is the end of that line, and
        an end before the start counts as the start. Returns the clamped range in code points.
        """
        first, first_column = self._clamp(start, encoding)
        last, last_column = first, first_column
        if end != start:
            last, last_column = max(self._clamp(end, encoding), (first, first_column))
        text = self._lines[first][:first_column] + replacement + self._lines[last][last_column:]
        low, high = first, last + 1
        if low and self._lines[low - 1].endswith("\r") and text.startswith("\n"):
            low -= 1
            text = self._lines[low] + text
        if high < len(self._lines) and _goes_on(text, self._lines[high]):
            text += self._lines[high]
            high += 1
        lines = lines_with_ends(text)
        self._lines[low:high] = lines
        self._changes.add(low, high, len(lines))
        self._close()
        return Replaced(first, first_column, last, last_column)

    def _close(self) -> None:
        """Keep the last line: one without a terminator."""
        if not self._lines or self._lines[-1].endswith(("\n", "\r")):
            self._lines.append("")
        elif len(self._lines) > 1 and self._lines[-1] == "" and not self._lines[-2].endswith(("\n", "\r")):
            self._lines.pop()

    def _clamp(self, position: tuple[int, int], encoding: Encoding) -> tuple[int, int]:
        line, units = position
        if line < 0:
            return 0, 0
        if line >= len(self._lines):
            last = len(self._lines) - 1
            return last, len(without_end(self._lines[last]))
        return line, from_units(without_end(self._lines[line]), units, encoding)
