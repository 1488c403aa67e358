"""How far probabilities can be taken at their word: they are laid beside what was true."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from cite_lsp.policy.binomial import interval

BINS: Final = 10
_CONFIDENCE: Final = 0.9

Pair = tuple[float, bool]
"""A probability that was said, and whether it was so."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows whose probabilities lie near each other.

    Attributes:
        low, high: From low on, up to high and without it; the last bin holds 1.
        count: How many rows.
        said: Their mean probability.
        true: The share of them that was so.
        between: Where that share lies with a confidence of 90 % (Clopper and Pearson).
    """

    low: float
    high: float
    count: int
    said: float
    true: float
    between: tuple[float, float]


def bins_of(pairs: Sequence[Pair], count: int = BINS) -> tuple[Bin, ...]:
    """Put rows into bins of equal width; bins without a row are left out."""
    rows: list[list[Pair]] = [[] for _ in range(count)]
    for said, truth in pairs:
        rows[min(int(said * count), count - 1)].append((said, truth))
    edges = [number / count for number in range(count + 1)]
    return tuple([_bin(low, high, each) for (low, high), each in zip(pairwise(edges), rows, strict=True) if each])


def _bin(low: float, high: float, pairs: Sequence[Pair]) -> Bin:
    count, true = len(pairs), sum(truth for _, truth in pairs)
    said = sum(said for said, _ in pairs) / count
    return Bin(low, high, count, said, true / count, interval(true, count, _CONFIDENCE))


def brier(pairs: Sequence[Pair]) -> float:
    """Give the mean square of how far the probabilities are off: 0 is perfect, 0.25 is what 50 % throughout gives.

    Raises:
        ValueError: There are no rows.
    """
    _check(pairs)
    return sum((said - truth) ** 2 for said, truth in pairs) / len(pairs)


def calibration_error(pairs: Sequence[Pair]) -> float:
    """Give the expected calibration error: of ten bins, how far what was said is from what was so, by their rows.

    Of few rows it is above 0 even where all is as it should be: each bin is off by chance.

    Raises:
        ValueError: There are no rows.
    """
    _check(pairs)
    return sum(each.count * abs(each.said - each.true) for each in bins_of(pairs)) / len(pairs)


def _check(pairs: Sequence[Pair]) -> None:
    if not pairs:
        raise ValueError("there are no rows to measure")
