"""What of a file somebody means to cite who has typed a part of it: a name, or the number of a line; the best first."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from cite_lsp.snapshot.outline import Symbol

LIMIT = 200
"""Places that are given at most."""

LINE = "line"
"""The kind of a place that is a line and nothing else."""

_WIDEST = 120
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")
_SYMBOLS_FIRST = 150
"""Names that are given where lines of the file are to have room behind them."""


class CitablePlace(NamedTuple):
    """Lines that may be cited.

    Attributes:
        kind: Of the symbol; `LINE`.
        name: Of the symbol; "" of a line.
        owner: What the symbol stands in, "" for nothing.
        first: 1-based.
        last: Inclusive.
        text: The first of the lines, clipped, without the blanks at its ends.
    """

    kind: str
    name: str
    owner: str
    first: int
    last: int
    text: str


def citable_places(
    lines: Sequence[str], symbols: Sequence[Symbol], typed: str, after: int = 0, limit: int = LIMIT
) -> list[CitablePlace]:
    """Give what may be meant.

    Args:
        lines: Of the file.
        symbols: What it defines, in its order.
        typed: What stands behind the colon: "", a part of a number, or letters of a name or of a line's text.
        after: The first line of a range whose last is being typed, 1-based; 0 for none. Then the places are single
            lines: those at which something ends that begins there, then all that follow.
        limit: At most so many.
    """
    found: Iterator[CitablePlace]
    if after:
        found = _ends(lines, symbols, typed, after)
    elif not typed:
        found = chain(map(_symbol(lines), symbols[:_SYMBOLS_FIRST]), _filled(lines))
    elif typed.isdigit():
        found = _by_number(lines, symbols, typed)
    else:
        found = _by_name(lines, symbols, typed)
    return list(dict.fromkeys(islice(found, 2 * limit)))[:limit]


def _by_number(lines: Sequence[str], symbols: Sequence[Symbol], typed: str) -> Iterator[CitablePlace]:
    """The line itself, what is defined on lines whose numbers begin so, and those lines."""
    numbers = list(_numbers_beginning(typed, len(lines)))
    yield from (_line(lines, number) for number in numbers[:1])
    yield from map(_symbol(lines), (each for each in symbols if str(each.first).startswith(typed)))
    yield from (_line(lines, number) for number in numbers[1:] if lines[number - 1].strip())


def _numbers_beginning(typed: str, count: int) -> Iterator[int]:
    """The numbers of lines that begin with some digits, ascending."""
    if typed.startswith("0") or len(typed) > len(str(count)):
        return
    low, width = int(typed), 1
    while low <= count:
        yield from range(low, min(low + width - 1, count) + 1)
        low, width = low * 10, width * 10


def _ends(lines: Sequence[str], symbols: Sequence[Symbol], typed: str, after: int) -> Iterator[CitablePlace]:
    around = [each for each in symbols if each.first <= after < each.last and str(each.last).startswith(typed)]
    ends = {each.last: each for each in sorted(around, key=lambda each: (each.first, -each.last))}
    for each in sorted(ends.values(), key=lambda each: each.last):
        yield CitablePlace(each.kind, each.name, each.owner, each.last, each.last, _clipped(lines, each.last))
    numbers = range(after + 1, len(lines) + 1) if not typed else _numbers_beginning(typed, len(lines))
    for number in numbers:
        if number > after and number not in ends and lines[number - 1].strip():
            yield _line(lines, number)


def _by_name(lines: Sequence[str], symbols: Sequence[Symbol], typed: str) -> Iterator[CitablePlace]:
    """The names by how well they answer, then the lines that hold the text."""
    wanted = typed.lower()
    ranked = [(rank, number) for number, each in enumerate(symbols) if (rank := _rank(wanted, each)) is not None]
    yield from map(_symbol(lines), (symbols[number] for _, number in sorted(ranked)))
    for number, text in enumerate(lines, 1):
        if wanted in text[:_WIDEST].lower():
            yield _line(lines, number)


def _rank(wanted: str, symbol: Symbol) -> int | None:
    """Say how well a name answers, 0 the best; None where it does not."""
    name = symbol.name.lower()
    whole = f"{symbol.owner}.{symbol.name}".lower() if symbol.owner else name
    if wanted in (name, whole):
        return 0
    if name.startswith(wanted) or whole.startswith(wanted):
        return 1
    if wanted in name:
        return 2
    initials = "".join(word[0] for word in _WORDS.findall(symbol.name)).lower()
    if initials.startswith(wanted):
        return 3
    return 4 if wanted in whole or _holds(name, wanted) else None


def _holds(name: str, wanted: str) -> bool:
    """Say whether a name holds letters in their order."""
    at = -1
    for letter in wanted:
        at = name.find(letter, at + 1)
        if at < 0:
            return False
    return True


def _filled(lines: Sequence[str]) -> Iterator[CitablePlace]:
    return (_line(lines, number) for number, text in enumerate(lines, 1) if text.strip())


def _line(lines: Sequence[str], number: int) -> CitablePlace:
    return CitablePlace(LINE, "", "", number, number, _clipped(lines, number))


def _symbol(lines: Sequence[str]) -> Callable[[Symbol], CitablePlace]:
    def place(each: Symbol) -> CitablePlace:
        return CitablePlace(each.kind, each.name, each.owner, each.first, each.last, _clipped(lines, each.first))

    return place


def _clipped(lines: Sequence[str], number: int) -> str:
    return lines[number - 1][: _WIDEST * 2].strip()[:_WIDEST] if 1 <= number <= len(lines) else ""


def in_file(symbols: Iterable[Symbol], count: int) -> tuple[Symbol, ...]:
    """Give the symbols whose lines a file of `count` lines has."""
    return tuple(each for each in symbols if 1 <= each.first <= each.last <= count)
