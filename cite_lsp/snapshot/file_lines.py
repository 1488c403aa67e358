"""A file's lines as an index in which a block of lines is found at once.

Each distinct line is given a character, so that a file and a block are two strings and the search is that of `str`:
linear whatever the lines are, and some microseconds for a file of ten thousand.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice

ABSENT = chr(0x10FFFF)
"""Stands in a block for a line that the file does not hold."""
ENOUGH = 3
"""Non-trivial characters that a line or a block needs, to be more than punctuation."""
MOST_PLACES = 32

_MOST_DISTINCT = 0x10FFF0
_LONG = 400
_MOST_FILES = 64
_MOST_LINES = 1_000_000
_TRIVIAL = frozenset(
    "begin break catch continue default do done else end endfor endif endwhile esac except false fi finally loop nil"
    " none null otherwise pass return self then this true try".split()
)
_WORD = re.compile(r"\w+")


def weight(lines: Iterable[str], most: int) -> int:
    """Count the characters of words that are more than syntax: of `else`, `return None`, `}` none; stops at `most`."""
    count = 0
    for line in lines:
        if len(line) > _LONG:
            return most
        for word in _WORD.findall(line):
            if word.lower() not in _TRIVIAL:
                count += len(word) - word.count("_")
        if count >= most:
            return most
    return count


def heavy(line: str) -> bool:
    """Say whether a line tells something by itself, as a brace, a blank or `else:` does not."""
    return len(line) > _LONG or _heavy(line)


@lru_cache(maxsize=1 << 14)
def _heavy(line: str) -> bool:
    return weight((line,), ENOUGH) >= ENOUGH


def loosened(line: str) -> str:
    """Give a line with each run of white space as one space, and none at its ends."""
    return " ".join(line.split())


class Level:
    """The lines of a file after `clean`, one character each."""

    __slots__ = ("_back", "_clean", "_counts", "_ids", "complete", "text")

    def __init__(self, lines: Iterable[str], clean: Callable[[str], str]) -> None:
        cleaned = [clean(line) for line in lines]
        distinct = dict.fromkeys(cleaned)
        self.complete = len(distinct) <= _MOST_DISTINCT
        """False of a file with more distinct lines than there are characters: the rest is not found."""
        self._ids = dict(zip(distinct, map(chr, range(_MOST_DISTINCT)), strict=False))
        self.text = "".join([self._ids.get(line, ABSENT) for line in cleaned])
        self._clean = clean
        self._back = ""
        self._counts: Counter[str] | None = None

    def encode(self, lines: Iterable[str]) -> str:
        """Give the string of a block."""
        ids, clean = self._ids, self._clean
        return "".join([ids.get(clean(line), ABSENT) for line in lines])

    def count(self, char: str) -> int:
        """Say how often a line stands in the file."""
        if self._counts is None:
            self._counts = Counter(self.text)
        return self._counts[char]

    def places(self, block: str, near: int) -> list[int]:
        """Find where a block stands, 0-based, the nearest to `near` first: up to `MOST_PLACES` before and behind."""
        if not block or ABSENT in block:
            return []
        text, near = self.text, min(max(near, 0), len(self.text))
        found = list(islice(_each(text, block, near), MOST_PLACES))
        if near:
            self._back = self._back or text[::-1]
            last = len(text) - len(block)
            behind = islice(_each(self._back, block[::-1], max(0, last - near + 1)), MOST_PLACES)
            found += [last - at for at in behind]
        return sorted(found, key=lambda at: abs(at - near)) if len(found) > 1 else found


def _each(text: str, block: str, start: int) -> Iterable[int]:
    at = text.find(block, start)
    while at >= 0:
        yield at
        at = text.find(block, at + 1)


class FileLines:
    """The lines of one file text, indexed as they are and with white space loosened."""

    __slots__ = ("_exact", "_loose", "lines")

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.lines = lines
        self._exact: Level | None = None
        self._loose: Level | None = None

    @property
    def exact(self) -> Level:
        """The lines without trailing white space."""
        if self._exact is None:
            self._exact = Level(self.lines, str.rstrip)
        return self._exact

    @property
    def loose(self) -> Level:
        """The lines with white space loosened."""
        if self._loose is None:
            self._loose = Level(self.lines, loosened)
        return self._loose


_kept: dict[int, FileLines] = {}


def indexed(lines: Sequence[str]) -> FileLines:
    """Give the index of a file text; of a tuple it is kept, under the tuple itself, while few others are asked for."""
    if not isinstance(lines, tuple):
        return FileLines(tuple(lines))
    known = _kept.pop(id(lines), None)
    if known is None or known.lines is not lines:
        known = FileLines(lines)
        held = len(lines) + sum(len(other.lines) for other in list(_kept.values()))
        for key in list(_kept):
            if held <= _MOST_LINES and len(_kept) < _MOST_FILES:
                break
            dropped = _kept.pop(key, None)
            held -= len(dropped.lines) if dropped is not None else 0
    _kept[id(lines)] = known
    return known
