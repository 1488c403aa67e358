"""Probabilities put right: one monotone map from what was said to how often that was true."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_EDGE: Final = 1e-4
"""Said probabilities are taken no nearer to 0 and 1 than this, where log-odds would be endless."""
_MOST_STEPS: Final = 50
_CLOSE: Final = 1e-9
_MOST_ODDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class Map:
    """A straight line on log-odds; the standard one leaves what was said as it is.

    Attributes:
        slope: 0 or more, so that more is never mapped to less. Below 1 where answers are too sure of themselves.
        shift: Added to the log-odds.
    """

    slope: float = 1.0
    shift: float = 0.0

    def __call__(self, said: float) -> float:
        """Give the probability that a said one stands for."""
        return _probability(self.slope * _odds(said) + self.shift)


def fitted(said: Sequence[float], truths: Sequence[bool]) -> Map:
    """Fit the map to pairs (Platt, 1999, on log-odds).

    A line and not steps (isotonic regression), since labelled rows are few: two numbers are fitted, and steps would
    follow each row. Both are drawn towards leaving things as they are, as if by a standard normal prior on their
    difference from 1 and 0: few rows change little, and rows that are told apart without an error give a finite line.

    Args:
        said: Probabilities, 0 to 1.
        truths: As many.
    """
    odds = [_odds(each) for each in said]
    found = _minimum(odds, truths, _Line(1.0, 0.0, bends=True))
    if found.slope < 0:
        found = _minimum(odds, truths, _Line(0.0, 0.0, bends=False))
    return Map(found.slope, found.shift)


@dataclass(frozen=True, slots=True)
class _Line:
    slope: float
    shift: float
    bends: bool

    def loss(self, odds: Sequence[float], truths: Sequence[bool]) -> float:
        total = ((self.slope - 1) ** 2 if self.bends else 0.0) / 2 + self.shift**2 / 2
        for at, truth in zip(odds, truths, strict=True):
            value = self.slope * at + self.shift
            total += _softplus(-value if truth else value)
        return total


def _minimum(odds: Sequence[float], truths: Sequence[bool], start: _Line) -> _Line:
    """Go down by Newton's steps, halved where one would go up; the loss is convex."""
    line, loss = start, start.loss(odds, truths)
    for _ in range(_MOST_STEPS):
        by_slope, by_shift = _step(line, odds, truths)
        size = 1.0
        while True:
            tried = _Line(line.slope - size * by_slope, line.shift - size * by_shift, line.bends)
            new = tried.loss(odds, truths)
            if new <= loss or size < _CLOSE:
                break
            size /= 2
        done = loss - new < _CLOSE
        if new <= loss:
            line, loss = tried, new
        if done:
            break
    return line


def _step(line: _Line, odds: Sequence[float], truths: Sequence[bool]) -> tuple[float, float]:
    slope_1, shift_1 = (line.slope - 1 if line.bends else 0.0), line.shift
    slope_2, both_2, shift_2 = 1.0, 0.0, 1.0
    for at, truth in zip(odds, truths, strict=True):
        guess = _probability(line.slope * at + line.shift)
        off, weight = guess - truth, guess * (1 - guess)
        shift_1 += off
        shift_2 += weight
        if line.bends:
            slope_1 += off * at
            both_2 += weight * at
            slope_2 += weight * at * at
    size = slope_2 * shift_2 - both_2 * both_2
    by_slope = (shift_2 * slope_1 - both_2 * shift_1) / size
    return (by_slope if line.bends else 0.0), (slope_2 * shift_1 - both_2 * slope_1) / size


def _odds(said: float) -> float:
    kept = min(max(said, _EDGE), 1 - _EDGE)
    return math.log(kept / (1 - kept))


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-min(max(odds, -_MOST_ODDS), _MOST_ODDS)))


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
