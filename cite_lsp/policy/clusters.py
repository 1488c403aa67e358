"""Rows of one example are alike, so they say less than as many rows of different examples."""

from collections import defaultdict
from collections.abc import Sequence


def rows_for_one(groups: Sequence[str], residuals: Sequence[float]) -> float:
    """Give how many rows say as much as one independent row would: the design effect of survey statistics, 1 or more.

    Bounds for an error rate are exact for independent draws only. Rows of one example err together; how much they do is
    estimated by the correlation of their residuals within groups (analysis of variance, Kish's formula). Counts divided
    by it are what a bound is given, as Korn and Graubard do. It is an estimate, so of clustered rows a bound is
    approximate; of rows that are each a group of their own it stays exact.

    Args:
        groups: The group of each row.
        residuals: What was true (0 or 1) less what was to be expected, of each row.
    """
    parts: dict[str, list[float]] = defaultdict(list)
    for group, residual in zip(groups, residuals, strict=True):
        parts[group].append(residual)
    total, count = len(residuals), len(parts)
    if count < 2 or count == total:
        return 1.0
    squares = sum(len(each) ** 2 for each in parts.values()) / total
    return 1 + (squares - 1) * max(0.0, _correlation(list(parts.values()), squares))


def _correlation(parts: Sequence[Sequence[float]], squares: float) -> float:
    """Give the correlation within groups, -1 to 1; `squares` is the size of the group that a row is in, on average."""
    total, count = sum(len(each) for each in parts), len(parts)
    mean = sum(sum(each) for each in parts) / total
    means = [sum(each) / len(each) for each in parts]
    between = sum(len(each) * (own - mean) ** 2 for each, own in zip(parts, means, strict=True)) / (count - 1)
    within = sum((value - own) ** 2 for each, own in zip(parts, means, strict=True) for value in each) / (total - count)
    size = (total - squares) / (count - 1)
    whole = between + (size - 1) * within
    return (between - within) / whole if whole > 0 else 0.0
