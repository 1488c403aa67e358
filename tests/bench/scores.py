"""What verdicts on labelled rows come to: shares, precision, F1, the goals; pure arithmetic."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

DECIDED = ("supported", "partial", "unsupported")


class Told(NamedTuple):
    """A label and the verdict that a judge gave, each by its word."""

    label: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure that is to be reached.

    Attributes:
        name: What is measured.
        limit: The bound.
        at_most: Whether the figure may not exceed the bound; else it may not fall below it.
        value: The figure; None where nothing was there to measure it on.
        unit: `%`, of a share from 0 to 1, or `ms`.
    """

    name: str
    limit: float
    at_most: bool
    value: float | None
    unit: str = "%"

    @property
    def met(self) -> bool | None:
        """Say whether the goal is met; None where there is no figure."""
        if self.value is None:
            return None
        return self.value <= self.limit if self.at_most else self.value >= self.limit

    @property
    def told(self) -> str:
        """Say it in a few words: met, or missed by how much."""
        if self.value is None:
            return "nothing to measure"
        by = abs(self.value - self.limit)
        amount = f"{by * 100:.1f} points" if self.unit == "%" else f"{by:.2f} {self.unit}"
        return "met" if self.met else f"missed by {amount}"


@dataclass(frozen=True, slots=True)
class Scores:
    """The verdicts on some rows, counted; shares are from 0 to 1, None where there is nothing to divide by."""

    told: tuple[Told, ...]

    def count(self, verdict: str | None = None, label: str | None = None) -> int:
        """Count rows by verdict and label; None is any."""
        return sum(verdict in (None, each.verdict) and label in (None, each.label) for each in self.told)

    @property
    def decided(self) -> int:
        """Count the rows that were called supported, partial or unsupported."""
        return sum(map(self.count, DECIDED))

    @property
    def right(self) -> int:
        """Count the decided rows whose verdict is their label."""
        return sum(self.count(each, each) for each in DECIDED)

    @property
    def decided_share(self) -> float | None:
        """Give the share of all rows that was decided."""
        return _share(self.decided, len(self.told))

    def precision(self, verdict: str) -> float | None:
        """Give the share of the rows with a verdict that are labelled with the same word."""
        return _share(self.count(verdict, verdict), self.count(verdict))

    @property
    def false_share(self) -> float | None:
        """Give the share of the *unsupported* verdicts that fell on rows labelled supported."""
        return _share(self.count("unsupported", "supported"), self.count("unsupported"))

    @property
    def accused_share(self) -> float | None:
        """Give the share of the rows labelled supported that were called unsupported."""
        return _share(self.count("unsupported", "supported"), self.count(label="supported"))

    @property
    def macro_f1(self) -> float | None:
        """Give the mean F1 on decided rows over those of the three words that occur as a label or a verdict there."""
        found = [each for each in (self._f1(word) for word in DECIDED) if each is not None]
        return _share(sum(found), len(found))

    def _f1(self, word: str) -> float | None:
        labelled = sum(self.count(verdict, word) for verdict in DECIDED)
        return _share(2 * self.count(word, word), labelled + self.count(word))

    def goals(self, milliseconds: float | None) -> tuple[Goal, ...]:
        """Give the goals of the embedded judge; `milliseconds`: what a row took."""
        return (
            Goal("false share", 0.05, at_most=True, value=self.false_share),
            Goal("unsupported, right", 0.85, at_most=False, value=self.precision("unsupported")),
            Goal("supported, right", 0.90, at_most=False, value=self.precision("supported")),
            Goal("decided", 0.40, at_most=False, value=self.decided_share),
            Goal("a row", 2.0, at_most=True, value=milliseconds, unit="ms"),
        )


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def area_under_curve(scored: Iterable[tuple[float, bool]]) -> float | None:
    """Give the chance that a row that is so has a greater score than one that is not; equal scores count half.

    None where one of the two is missing.
    """
    pairs = sorted(scored)
    good = sum(is_so for _, is_so in pairs)
    bad = len(pairs) - good
    if not good or not bad:
        return None
    ranks, at = 0.0, 0
    while at < len(pairs):
        end = at
        while end < len(pairs) and pairs[end][0] == pairs[at][0]:
            end += 1
        middle = (at + 1 + end) / 2
        ranks += middle * sum(is_so for _, is_so in pairs[at:end])
        at = end
    return (ranks - good * (good + 1) / 2) / (good * bad)
