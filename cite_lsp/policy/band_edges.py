"""How far a band reaches: up to which score *no* is safe to say, and from which on *yes* is.

Candidates are tried from the safest score on towards the middle, and a candidate counts only if an exact binomial test
says, with the chosen confidence, that the error rate of all that it decides is within the chosen rate. The order hangs
on the scores alone, and a run of tests ends at its first failure, so trying many candidates costs nothing (fixed
sequence testing, as in "Learn then Test"). One error among the very first rows would end the only run; so longer
samples are given a start of their own, and the starts share what may go wrong between them (Bonferroni).
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from cite_lsp.policy.binomial import is_below, needed, upper_bound
from cite_lsp.policy.options import Band
from cite_lsp.policy.reliability import Pair

_MOST_STARTS: Final = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """What a band has to keep to.

    Attributes:
        rate: The share of decisions that may be wrong, of those for *no* and of those for *yes* each.
        confidence: How sure that has to be, for each of the two.
        rows_for_one: How many rows count as one independent row (`clusters.rows_for_one`).
    """

    rate: float
    confidence: float
    rows_for_one: float = 1.0

    @property
    def needed(self) -> int:
        """How many rows without an error it takes at least to decide anything on one side."""
        return math.ceil(needed(self.rate, self.confidence) * self.rows_for_one)


@dataclass(frozen=True, slots=True)
class Edge:
    """A score up to which, or from which on, all rows are decided.

    Attributes:
        score: The rows with that score are among them.
        rows: How many are decided.
        errors: How many of them wrongly.
    """

    score: float
    rows: int
    errors: int


def edges_of_yes(pairs: Sequence[Pair], limits: Limits) -> tuple[Edge, ...]:
    """Give the scores from which on *yes* keeps to the limits, highest first; empty where nothing does."""
    return _kept(_edges([(score, not truth) for score, truth in sorted(pairs, reverse=True)]), len(pairs), limits)


def edges_of_no(pairs: Sequence[Pair], limits: Limits) -> tuple[Edge, ...]:
    """Give the scores up to which *no* keeps to the limits, lowest first; empty where nothing does."""
    return _kept(_edges(sorted(pairs)), len(pairs), limits)


def widest(no: Sequence[Edge], yes: Sequence[Edge]) -> Band | None:
    """Give the band that leaves the fewest rows undecided; of several the one with the fewest errors.

    Args:
        no: Lowest first, as `edges_of_no` gives them.
        yes: As `edges_of_yes` gives them.

    Returns:
        None where no edge of *no* lies below one of *yes*.
    """
    upwards = yes[::-1]
    scores = [edge.score for edge in upwards]
    best: tuple[int, int] = (0, 0)
    band: Band | None = None
    for low in no:
        at = bisect_right(scores, low.score)
        if at == len(scores):
            break
        high = upwards[at]
        value = (low.rows + high.rows, -low.errors - high.errors)
        if band is None or value > best:
            best, band = value, (low.score, high.score)
    return band


def first_tried(pairs: Sequence[Pair], limits: Limits, *, yes: bool) -> tuple[Edge, float] | None:
    """Give the first candidate of a side that is tested, and what its error rate is below; None of too few rows."""
    rows = [(score, not truth) for score, truth in sorted(pairs, reverse=True)] if yes else sorted(pairs)
    _, confidence = _starts(len(rows), limits)
    least, for_one = needed(limits.rate, confidence) * limits.rows_for_one, limits.rows_for_one
    edge = next((edge for edge in _edges(rows) if edge.rows >= least), None)
    if edge is None:
        return None
    return edge, upper_bound(edge.errors / for_one, edge.rows / for_one, confidence)


def _edges(rows: Sequence[tuple[float, bool]]) -> list[Edge]:
    """Give a candidate for each score in the order of the rows, which say whether a decision would be wrong."""
    found: list[Edge] = []
    count = errors = 0
    for score, same in groupby(rows, key=lambda row: row[0]):
        wrong = [each for _, each in same]
        count, errors = count + len(wrong), errors + sum(wrong)
        found.append(Edge(score, count, errors))
    return found


def _kept(edges: Sequence[Edge], count: int, limits: Limits) -> tuple[Edge, ...]:
    starts, confidence = _starts(count, limits)
    kept: dict[int, Edge] = {}
    for start in range(starts):
        rows = needed(limits.rate, confidence) * limits.rows_for_one * 2**start
        kept |= _run(edges, rows, confidence, limits)
    return tuple([kept[at] for at in sorted(kept)])


def _starts(count: int, limits: Limits) -> tuple[int, float]:
    """Give how many runs so many rows are worth, the last from about half of them on, and how sure each is to be."""
    times = count / limits.rows_for_one / needed(limits.rate, limits.confidence)
    starts = min(max(int(math.log2(times)) - 1, 1), _MOST_STARTS) if times > 1 else 1
    return starts, 1 - (1 - limits.confidence) / starts


def _run(edges: Sequence[Edge], rows: float, confidence: float, limits: Limits) -> dict[int, Edge]:
    """Test candidates from the first of that many rows on, up to the first that fails."""
    kept: dict[int, Edge] = {}
    errors = -1
    for at, edge in enumerate(edges):
        if edge.rows < rows:
            continue
        # more rows without another error never make a bound worse, so only another error is a test
        if edge.errors != errors and not _keeps(edge, confidence, limits):
            break
        errors = edge.errors
        kept[at] = edge
    return kept


def _keeps(edge: Edge, confidence: float, limits: Limits) -> bool:
    for_one = limits.rows_for_one
    return is_below(edge.errors / for_one, edge.rows / for_one, limits.rate, confidence)
