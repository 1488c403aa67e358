r"""What GitHub's code scanning calls a line by (`primaryLocationLineHash`), so that an alert follows its line.

Its upload action works the same out where a file says nothing, and warns where a file says something else; without it,
as over the API, alerts would be told anew each time. A line's hash is over the hundred UTF-16 units from its beginning,
blanks and tabs left out and each line end taken for `\n`; of equal ones the first has the number 1.
"""

import re
from collections import Counter

_BLOCK = 100
_FACTOR = 37
_BITS = (1 << 64) - 1
_END_OF_FILE = 65535
_LINE_ENDS = re.compile(r"\r\n?")
_BLANKS = str.maketrans("", "", " \t")
_POWERS = tuple(pow(_FACTOR, _BLOCK - 1 - place, 1 << 64) for place in range(_BLOCK))


class LineHashes:
    """The hashes of a text's lines, worked out up to the line that is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left: str | None = None
        self._at = 0
        self._seen: Counter[str] = Counter()
        self._hashes: list[str] = []

    def of(self, line: int) -> str:
        """Give the hash of a 0-based line and its number among equals, as `271789c17abda88f:1`; "" for no such line."""
        if self._left is None:
            self._left = _LINE_ENDS.sub("\n", self._text).translate(_BLANKS)
        while len(self._hashes) <= line and self._at <= len(self._left):
            self._next(self._left)
        return self._hashes[line] if line < len(self._hashes) else ""

    def _next(self, text: str) -> None:
        name = hash_of(text[self._at : self._at + _BLOCK])
        self._seen[name] += 1
        self._hashes.append(f"{name}:{self._seen[name]}")
        end = text.find("\n", self._at)
        self._at = len(text) + 1 if end < 0 else end + 1


def hash_of(text: str) -> str:
    """Give the hash of what a line begins: of a hundred units, fewer at the end of a text."""
    if text.isascii():
        units = list(text.encode())
    else:
        wide = text.encode("utf-16-le", "surrogatepass")
        units = [wide[at] | wide[at + 1] << 8 for at in range(0, len(wide), 2)]
    block = [*units, _END_OF_FILE][:_BLOCK]
    return f"{sum(unit * power for unit, power in zip(block, _POWERS, strict=False)) & _BITS:x}"
