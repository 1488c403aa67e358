"""Where the lines of a text start."""

import re
from bisect import bisect_right
from itertools import accumulate

from cite_lsp.document.buffer import without_end

LINE_END = re.compile(r"\r\n|\n|\r")


class Places:
    """Line starts of a text: turns code-point offsets into 0-based lines.

    A final terminator begins a last, empty line.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = _starts(text)

    @property
    def line_count(self) -> int:
        """Number of lines, the last one counted even when it is empty."""
        return len(self._starts)

    def line(self, offset: int) -> int:
        """Give the line that holds `offset`."""
        return bisect_right(self._starts, offset) - 1

    def start(self, line: int) -> int:
        """Give the offset at which a line starts."""
        return self._starts[line]

    def end(self, line: int) -> int:
        """Give the offset behind a line and its terminator."""
        return self._starts[line + 1] if line + 1 < len(self._starts) else len(self.text)

    def line_text(self, line: int) -> str:
        """Give a line without its terminator."""
        return without_end(self.text[self.start(line) : self.end(line)])


def _starts(text: str) -> list[int]:
    if "\r" in text:
        return [0, *(found.end() for found in LINE_END.finditer(text))]
    starts = list(accumulate([len(line) + 1 for line in text.split("\n")], initial=0))
    starts.pop()  # behind the last line no terminator stands
    return starts
