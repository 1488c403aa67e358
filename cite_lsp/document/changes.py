"""Which lines of a text were replaced by a row of edits, told once for all of them."""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple


class LineChange(NamedTuple):
    """Lines of the text before, and those that stand in their place; 0-based, ends exclusive."""

    old_first: int
    old_last: int
    new_first: int
    new_last: int


class Changes:
    """Collects edits, each told in lines of the text as it is after the ones before it."""

    __slots__ = ("_old_sizes", "_old_starts", "_sizes", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        """Of each changed place its first line now; in order, and no two touch."""
        self._sizes: list[int] = []
        self._old_starts: list[int] = []
        self._old_sizes: list[int] = []

    def add(self, low: int, high: int, count: int) -> None:
        """Say that lines `low` to `high`, the latter exclusive, became `count` lines."""
        starts, sizes = self._starts, self._sizes
        first = bisect_right(starts, low)
        if first and starts[first - 1] + sizes[first - 1] >= low:
            first -= 1
        last = bisect_right(starts, high, first)
        new_low, new_high = low, high
        if first < last:
            new_low = min(low, starts[first])
            new_high = max(high, starts[last - 1] + sizes[last - 1])
        old_low, old_high = new_low - self._grown(first), new_high - self._grown(last)
        grown = count - (high - low)
        starts[first:last] = [new_low]
        sizes[first:last] = [new_high - new_low + grown]
        self._old_starts[first:last] = [old_low]
        self._old_sizes[first:last] = [old_high - old_low]
        if grown:
            starts[first + 1 :] = [start + grown for start in starts[first + 1 :]]

    def _grown(self, number: int) -> int:
        """Give by how many lines the text grew before place number `number`."""
        if not number:
            return 0
        before = number - 1
        return self._starts[before] + self._sizes[before] - self._old_starts[before] - self._old_sizes[before]

    def all(self) -> tuple[LineChange, ...]:
        """Give the changed places in order."""
        return tuple(
            [
                LineChange(old, old + old_size, new, new + size)
                for old, old_size, new, size in zip(
                    self._old_starts, self._old_sizes, self._starts, self._sizes, strict=True
                )
            ]
        )


def within(changes: Iterable[LineChange], old_count: int, new_count: int) -> list[LineChange]:
    """Give the changes without what lies past the end of either text: an empty last line is none of a document's."""
    return [
        LineChange(
            min(change.old_first, old_count),
            min(change.old_last, old_count),
            min(change.new_first, new_count),
            min(change.new_last, new_count),
        )
        for change in changes
    ]
