"""Made-up answers of which it is known how often they are right: a finite set of scores, each true at a known rate."""

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cite_lsp.policy.calibration import LabelledScore
from cite_lsp.policy.options import Band

LABEL = "confirm:riddle"


def logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds))


@dataclass(frozen=True)
class World:
    """Log-odds from -6 to 6, as likely as `weight` says; what is said of them, and how often it is so."""

    said: Callable[[float], float]
    true: Callable[[float], float] = logistic
    spread: float = 3.0

    @property
    def odds(self) -> list[float]:
        return [step / 5 for step in range(-30, 31)]

    @property
    def weights(self) -> list[float]:
        return [math.exp(-((each / self.spread) ** 2) / 2) for each in self.odds]

    def rows(self, count: int, seed: int, alike: int = 1) -> list[LabelledScore]:
        """Draw rows; `alike` of them are the same and form a group."""
        deal = random.Random(seed)
        drawn = deal.choices(self.odds, self.weights, k=count // alike)
        found = [(self.said(each), deal.random() < self.true(each)) for each in drawn]
        return [
            LabelledScore(LABEL, f"g{at}", score, truth)
            for at, (score, truth) in enumerate(found)
            for _ in range(alike)
        ]

    def errors(self, band: Band) -> tuple[float, float]:
        """Give the exact error rates of what a band decides for no, and for yes."""
        no = [(w, self.true(o)) for o, w in zip(self.odds, self.weights, strict=True) if self.said(o) <= band[0]]
        yes = [(w, 1 - self.true(o)) for o, w in zip(self.odds, self.weights, strict=True) if self.said(o) >= band[1]]
        return _mean(no), _mean(yes)


def _mean(weighted: Sequence[tuple[float, float]]) -> float:
    total = sum(weight for weight, _ in weighted)
    return sum(weight * value for weight, value in weighted) / total if total else 0.0


CALIBRATED = World(said=logistic)
OVER = World(said=lambda odds: logistic(3 * odds))
UNDER = World(said=lambda odds: logistic(odds / 3))
RANDOM = World(said=logistic, true=lambda _: 0.5)
WORLDS = {"calibrated": CALIBRATED, "over-confident": OVER, "under-confident": UNDER}
