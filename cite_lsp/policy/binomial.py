"""What few counts say of a rate: exact bounds, with counts that need not be whole."""

import math
from typing import Final

_STEPS: Final = 60
"""Halvings of 0..1: closer than a float of that size can tell."""
_MOST_TERMS: Final = 1000
_TINY: Final = 1e-300
_CLOSE: Final = 1e-14


def upper_bound(errors: float, count: float, confidence: float) -> float:
    """Give the rate that errors are below with the given confidence (Clopper and Pearson, one-sided).

    It is exact: whatever the true rate and however small the count, the bound is below that rate in a share of
    1 - confidence of all samples at most. Counts may be fractions, as those of rows that are not independent are.

    Args:
        errors: How many there were, 0 to count.
        count: Of how many; 0 gives the bound 1.
        confidence: Above 0 and below 1.
    """
    if errors >= count:
        return 1.0
    return _quantile(confidence, errors + 1, count - errors)


def lower_bound(errors: float, count: float, confidence: float) -> float:
    """Give the rate that errors are above with the given confidence; otherwise as `upper_bound`."""
    if errors <= 0:
        return 0.0
    return _quantile(1 - confidence, errors, count - errors + 1)


def interval(hits: float, count: float, confidence: float) -> tuple[float, float]:
    """Give the two-sided interval of a rate, half of what is left out on either side; (0, 1) of a count of 0."""
    each = (1 + confidence) / 2
    return lower_bound(hits, count, each), upper_bound(hits, count, each)


def is_below(errors: float, count: float, rate: float, confidence: float) -> bool:
    """Whether the errors are few enough to say, with the given confidence, that their rate is at most `rate`."""
    return errors < count and beta_share(rate, errors + 1, count - errors) >= confidence


def needed(rate: float, confidence: float) -> int:
    """Give how many rows without a single error it takes to say that the rate of errors is at most `rate`."""
    return math.ceil(math.log(1 - confidence) / math.log1p(-rate) - _CLOSE)


def beta_share(at: float, first: float, second: float) -> float:
    """Give the share of the beta distribution of two positive parameters that lies up to `at`, 0 to 1."""
    if at <= 0 or at >= 1:
        return float(at >= 1)
    scale = math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second)
    front = math.exp(scale + first * math.log(at) + second * math.log1p(-at))
    if at < (first + 1) / (first + second + 2):
        return front * _fraction(at, first, second) / first
    return 1 - front * _fraction(1 - at, second, first) / second


def _quantile(share: float, first: float, second: float) -> float:
    """Give the upper end of where `beta_share` reaches a share: a bound is never too low by rounding."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if beta_share(middle, first, second) < share else (low, middle)
    return high


def _fraction(at: float, first: float, second: float) -> float:
    """Give the continued fraction of the incomplete beta function, by Lentz's method."""
    above, below = 1.0, 1 / _kept_off_zero(1 - (first + second) * at / (first + 1))
    value = below
    for term in range(1, _MOST_TERMS):
        twice = first + 2 * term
        even = term * (second - term) * at / ((twice - 1) * twice)
        odd = -(first + term) * (first + second + term) * at / (twice * (twice + 1))
        step = 1.0
        for part in (even, odd):
            below = 1 / _kept_off_zero(1 + part * below)
            above = _kept_off_zero(1 + part / above)
            step = below * above
            value *= step
        if abs(step - 1) < _CLOSE:
            break
    return value


def _kept_off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
