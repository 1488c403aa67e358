"""Citations found by the file that they cite, as its path is being typed."""

import re
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

from cite_lsp.document.ranges import Span, span_text
from cite_lsp.snapshot.ladder import within

_LINES = re.compile(r"(?::|#L?)(\d{0,9})(?:-L?\d{0,9})?$")
_MOST_TYPED = 200


class Symbol(NamedTuple):
    """A citation that was found; the best sorts first."""

    rank: int
    """How well the path fits what was typed: 0 is best."""
    length: int
    """Of the path."""
    path: str
    """The cited file, relative to the folder that it lies in."""
    spans: tuple[Span, ...]
    document: str
    """What holds the citation: an absolute path, or the URI of what is no file."""
    line: int
    """0-based."""
    column: int
    """In the units of whoever made it."""
    end_line: int
    end_column: int

    @property
    def name(self) -> str:
        """The file and the lines, as a citation writes them."""
        lines = ", ".join(map(span_text, self.spans))
        return f"{self.path}:{lines}" if lines else self.path


class CitedFileQuery:
    """What was typed: parts of a path, in any case, all of which must be in it, and `:24` for a line.

    A part fits a path that holds its letters in their order. It fits better where they stand together, in the name of
    the file, at that name's beginning.
    """

    def __init__(self, typed: str, roots: Sequence[str]) -> None:
        typed = typed[:_MOST_TYPED].strip().casefold()
        lines = _LINES.search(typed)
        self._line = int(lines[1]) if lines is not None and lines[1] else None
        self._words = (typed[: lines.start()] if lines is not None else typed).split()
        self._roots = sorted(roots, key=len, reverse=True)
        self._known: dict[str, tuple[int, str] | None] = {}

    def symbol(
        self, path: str, spans: tuple[Span, ...], document: str, where: tuple[int, int, int, int]
    ) -> Symbol | None:
        """Give a citation of an absolute path if it is meant. `where`: line, column, end line, end column."""
        fit = self.fit(path)
        if fit is None:
            return None
        if self._line is not None and not any(first <= self._line <= last for first, last in spans):
            return None
        return Symbol(fit[0], len(fit[1]), fit[1], spans, document, *where)

    def best_files(self, counts: Mapping[str, int], limit: int) -> set[str]:
        """Give those of some absolute paths that the best of their citations are of.

        `counts`: how many citations each has; `limit`: how many of the best are wanted. Where a line is asked for, all
        that fit are given: who cites it is not known by then.
        """
        fits = [(fit[0], len(fit[1]), fit[1], path) for path in counts if (fit := self.fit(path)) is not None]
        if self._line is not None:
            return {path for *_, path in fits}
        found: set[str] = set()
        seen, worst = 0, ""
        for *_, inside, path in sorted(fits):
            if seen >= limit and inside != worst:  # of one name in two roots, either may have the better line
                break
            seen += counts[path]
            worst = inside
            found.add(path)
        return found

    def fit(self, path: str) -> tuple[int, str] | None:
        """Give how well an absolute path fits, and what it is called below its root; None where it does not fit."""
        if path not in self._known:
            inside = next((inside for root in self._roots if (inside := within(root, path))), path)
            rank = self._rank(inside.casefold())
            self._known[path] = None if rank is None else (rank, inside)
        return self._known[path]

    def _rank(self, path: str) -> int | None:
        name = path.rpartition("/")[2]
        ranks = [_rank_of(word, path, name) for word in self._words]
        known = [rank for rank in ranks if rank is not None]
        return sum(known) if len(known) == len(ranks) else None


def _rank_of(word: str, path: str, name: str) -> int | None:
    if name.startswith(word):
        return 0
    if word in name:
        return 1
    if word in path:
        return 2
    at = -1
    for letter in word:
        at = path.find(letter, at + 1)
        if at < 0:
            return None
    return 3


def best_symbols(found: Iterable[Symbol], limit: int) -> list[Symbol]:
    """Give so many of the best, sorted."""
    return nsmallest(limit, found)


def symbol_from_data(data: Sequence[Any]) -> Symbol:
    """Read a symbol that came as plain data."""
    rank, length, path, spans, document, *where = data
    return Symbol(rank, length, path, tuple((low, high) for low, high in spans), document, *where)
