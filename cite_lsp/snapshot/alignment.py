"""How a block of lines and its neighbours lie in a file that was edited since (drift.md)."""

from collections.abc import Sequence
from typing import NamedTuple

from cite_lsp.snapshot.baseline import CONTEXT
from cite_lsp.snapshot.file_lines import ABSENT, FileLines, Level, heavy, loosened

REACH = 12
"""Lines around a place that are looked at: more than a baseline keeps, since lines may have come between."""
_RARE = 8
"""A line that stands more often does not lead anywhere."""
_RUN = 4
_MOST_SAMPLED = 256
_MOST_ALIGNED = 2000
_MOST_COMPARED = 4000
"""Characters of which a ratio is taken."""


class Around(NamedTuple):
    """The neighbours of a block in the characters of a level, the nearest first."""

    above: str
    below: str
    heavy_above: str
    heavy_below: str

    @classmethod
    def of(cls, level: Level, before: Sequence[str], after: Sequence[str]) -> "Around":
        """Encode lines above and below, both in the order of the file."""
        above, below = level.encode(before)[::-1], level.encode(after)
        return cls(above, below, _heavy_of(above, before[::-1]), _heavy_of(below, after))

    def likeness(self, level: Level, at: int, size: int) -> int:
        """Say how far the neighbours of the place `at` (0-based) agree: 2 a line in order, 1 more while unbroken."""
        up, down = level.text[max(0, at - REACH) : at][::-1], level.text[at + size : at + size + REACH]
        return _side(self.above, self.heavy_above, up) + _side(self.below, self.heavy_below, down)

    def touches(self, level: Level, at: int, size: int) -> tuple[bool, bool]:
        """Say of each side whether the nearest line that tells something is still the nearest, or there was none."""
        up, down = level.text[max(0, at - REACH) : at][::-1], level.text[at + size : at + size + REACH]
        return _first_stands(self.above, self.heavy_above, up), _first_stands(self.below, self.heavy_below, down)

    def touches_one(self, level: Level, at: int, size: int) -> bool:
        """Say whether on one side there is such a line, and it is the nearest."""
        up, down = self.touches(level, at, size)
        return (up and bool(self.heavy_above)) or (down and bool(self.heavy_below))

    def touches_both(self, level: Level, at: int, size: int) -> bool:
        """Say whether on both sides there is such a line, or the edge of the file, and it is the nearest."""
        if not all(self.touches(level, at, size)):
            return False
        up, down = level.text[max(0, at - REACH) : at][::-1], level.text[at + size : at + size + REACH]
        above, below = bool(self.heavy_above), bool(self.heavy_below)
        return (above or below) and (above or up == self.above) and (below or down == self.below)


def _heavy_of(text: str, lines: Sequence[str]) -> str:
    return "".join([char for char, line in zip(text, lines, strict=True) if heavy(line)])


def _side(context: str, telling: str, there: str) -> int:
    if not telling:
        return 0
    unbroken = 0
    for one, other in zip(context, there, strict=False):
        if one != other or one == ABSENT:
            break
        unbroken += one in telling
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - what stands where it stood needs no alignment

    return unbroken + 2 * LCSseq.similarity(telling.replace(ABSENT, ""), there)


def _first_stands(context: str, telling: str, there: str) -> bool:
    if not telling:
        return True
    nearest = context.index(telling[0])
    return telling[0] != ABSENT and there[: nearest + 1] == context[: nearest + 1]


class Gap(NamedTuple):
    """Where the neighbours say that a block should stand: 0-based, `end` exclusive."""

    start: int
    end: int
    both: bool
    """There is a neighbour on each side; else `end` or `start` is reckoned from the size of the block."""
    firm: bool
    """They are the nearest ones."""


class _Lead(NamedTuple):
    at: int
    firm: bool


def gap_of(level: Level, before: Sequence[str], after: Sequence[str], size: int, near: int) -> Gap | None:
    """Find the lines between the neighbours of a block of `size` lines, which stood `near` (0-based)."""
    # A block with nothing but blanks above it to the top of its file, or below it to its end, is expected there again.
    top = len(before) < CONTEXT and not any(map(heavy, before))
    bottom = len(after) < CONTEXT and not any(map(heavy, after))
    above = [_Lead(len(before), firm=True)] if top else _leads(level, before[::-1], near, up=True)
    end = len(level.text) - len(after)
    below = [_Lead(end, firm=True)] if bottom else _leads(level, after, near + size, up=False)
    pairs = [
        (abs(low.at + size - high.at), abs(low.at - near), low, high)
        for low in above
        for high in below
        if 0 <= high.at - low.at <= 2 * size + _RUN
    ]
    if pairs:
        *_, low, high = min(pairs)
        return Gap(low.at, high.at, both=True, firm=low.firm and high.firm)
    if len(above) == 1:
        return Gap(above[0].at, min(above[0].at + size, len(level.text)), both=False, firm=above[0].firm)
    if len(below) == 1:
        return Gap(max(0, below[0].at - size), below[0].at, both=False, firm=below[0].firm)
    return None


def _leads(level: Level, lines: Sequence[str], near: int, *, up: bool) -> list[_Lead]:
    """Find the edge of the block by the nearest of its neighbours (`lines`, nearest first) that stands somewhere."""
    chars = level.encode(lines)
    firm = True
    for distance, line in enumerate(lines):
        if not heavy(line):
            continue
        found, size = _run(level, chars[distance:], near, up=up)
        if found:
            return [_Lead(at + size + distance if up else at - distance, firm) for at in found]
        firm = False
    return []


def _run(level: Level, chars: str, near: int, *, up: bool) -> tuple[list[int], int]:
    """Find a run of neighbours from the first on, as short as tells it from others."""
    best: tuple[list[int], int] = ([], 1)
    for size in range(1, min(_RUN, len(chars)) + 1):
        run = chars[:size]
        found = level.places(run[::-1] if up else run, near)
        if not found:
            break
        best = (found, size)
        if len(found) == 1:
            break
    return (best[0], best[1]) if len(best[0]) <= _RARE else ([], 1)


class Aligned(NamedTuple):
    """Lines of a file that a block was aligned with: 0-based, `end` exclusive; `share` of its lines stand there."""

    start: int
    end: int
    share: float


def align(
    file: FileLines, block: Sequence[str], before: Sequence[str], after: Sequence[str], near: int
) -> list[Aligned]:
    """Find where most of the lines of a block still stand together in order; none, or one."""
    level = file.loose
    some = range(0, len(block), len(block) // (2 * _MOST_ALIGNED) + 1)
    telling = [at for at in some if heavy(block[at])]
    if len(telling) > _MOST_ALIGNED:
        telling = telling[::2]
    chars = level.encode([block[at] for at in telling])
    middle = _thickest(level, list(zip(telling, chars, strict=True)), len(block), near)
    if middle is None:
        return []
    reach = 2 * len(block) + _RUN
    pairs = _in_order(level, chars, telling, max(0, middle - reach), middle + reach)
    pairs = _together(pairs, reach)
    if 2 * len(pairs) <= len(telling):
        return []
    (first, top), (last, bottom) = pairs[0], pairs[-1]
    start = _upper(level, before, top, first)
    end = _lower(level, after, bottom + 1, len(block) - 1 - last)
    if first == telling[0]:  # nothing but blanks and braces above it
        start = top - _shared(level.encode(block[:first])[::-1], level.text[start:top][::-1])
    if last == telling[-1]:
        end = bottom + 1 + _shared(level.encode(block[last + 1 :]), level.text[bottom + 1 : end])
    return [Aligned(start, end, len(pairs) / len(telling))]


def _thickest(level: Level, lines: list[tuple[int, str]], size: int, near: int) -> int | None:
    """Find the middle of the stretch of `size` lines, or a little more, that holds most of the block's rare lines."""
    rare = [(at, char) for at, char in lines if char != ABSENT and level.count(char) <= _RARE]
    if len(rare) > _MOST_SAMPLED:
        rare = rare[:: len(rare) // _MOST_SAMPLED + 1]
    pairs = sorted((place, at) for at, char in rare for place in level.places(char, near))
    best: tuple[int, int, int] | None = None
    held: dict[int, int] = {}
    low = 0
    for place, at in pairs:
        held[at] = held.get(at, 0) + 1
        while place - pairs[low][0] > size + size // 2 + 2:
            gone = pairs[low][1]
            held[gone] -= 1
            if not held[gone]:
                del held[gone]
            low += 1
        middle = (pairs[low][0] + place) // 2
        this = (-len(held), abs(middle - near), middle)
        best = this if best is None else min(best, this)
    return best[2] if best is not None else None


def _in_order(level: Level, block: str, telling: list[int], low: int, high: int) -> list[tuple[int, int]]:
    """Give the pairs of a block's line and a file's line, within `low` and `high`, of their longest common order."""
    wanted = set(block) - {ABSENT}
    if len(block) >= _MOST_ALIGNED // 2:
        wanted = {char for char in wanted if level.count(char) <= _RARE}
    there = [at for at, char in enumerate(level.text[low:high], low) if char in wanted]
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415

    matches = LCSseq.opcodes(block, "".join([level.text[at] for at in there])).as_matching_blocks()
    return [(telling[one.a + step], there[one.b + step]) for one in matches for step in range(one.size)]


def _together(pairs: list[tuple[int, int]], reach: int) -> list[tuple[int, int]]:
    """Keep the most pairs whose lines of the file lie within `reach`."""
    best, low = (0, 0), 0
    for high, (_, place) in enumerate(pairs):
        while place - pairs[low][1] >= reach:
            low += 1
        if high + 1 - low > best[1] - best[0]:
            best = (low, high + 1)
    return pairs[best[0] : best[1]]


def _shared(one: str, other: str) -> int:
    """Count the characters that two texts have in common from their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _upper(level: Level, before: Sequence[str], top: int, missing: int) -> int:
    """Give the first line of a block of which the first `missing` lines were edited, and the next stands at `top`."""
    if not missing:
        return top
    for distance, line in enumerate(before[::-1]):
        char = level.encode((line,))
        if heavy(line) and char != ABSENT:
            at = level.text.rfind(char, max(0, top - 2 * missing - 2 - distance), top)
            if at >= 0:
                return min(at + 1 + distance, top)
            break
    return max(0, top - missing)


def _lower(level: Level, after: Sequence[str], bottom: int, missing: int) -> int:
    """Give the end (exclusive) of a block of which the last `missing` lines were edited, as `_upper`."""
    if not missing:
        return bottom
    for distance, line in enumerate(after):
        char = level.encode((line,))
        if heavy(line) and char != ABSENT:
            at = level.text.find(char, bottom, bottom + 2 * missing + 2 + distance)
            if at >= 0:
                return max(at - distance, bottom)
            break
    return min(len(level.text), bottom + missing)


def ratio(block: Sequence[str], other: Sequence[str]) -> float:
    """Say how alike two texts are, white space apart: 0 to 100."""
    from rapidfuzz import fuzz  # noqa: PLC0415

    return fuzz.ratio(_joined(block), _joined(other))


def _joined(lines: Sequence[str]) -> str:
    size, kept = 0, []
    for line in lines:
        kept.append(loosened(line[:_MOST_COMPARED]))
        size += len(kept[-1]) + 1
        if size > _MOST_COMPARED:
            break
    return " ".join(kept)[:_MOST_COMPARED]
