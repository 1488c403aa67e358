"""The baseline: how much of a claim's words, weighed by how rare they are, stands in the cited lines.

Two thresholds make verdicts of it. They, and the weights, come from other sets than the one that is judged.
"""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.bench.labelled import Case
from tests.bench.scores import DECIDED

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+(?:\.[0-9]+)*|[^\W\d_a-zA-Z]+")
_ENDINGS = ("ing", "ies", "ied", "ed", "es", "s")
_STEPS = 50


def words(text: str) -> frozenset[str]:
    """Give the words of a text: parts of names apart, in lower case, the commonest endings off."""
    return frozenset(_stem(each.lower()) for each in _WORD.findall(text))


def _stem(word: str) -> str:
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= 3), "")
    return word[: len(word) - len(ending)]


class Texts(NamedTuple):
    """A labelled row as the baseline sees it."""

    claim: frozenset[str]
    lines: frozenset[str]
    label: str


def texts_of(case: Case) -> Texts:
    """Give the words of a row's claim and of its lines."""
    lines = "\n".join(text for excerpt in case.row.excerpts for _, text in excerpt.lines)
    return Texts(words(case.row.claim), words(lines), case.label)


class Overlap:
    """Weights and thresholds, fitted on the sets that are given."""

    def __init__(self, sets: Sequence[Sequence[Texts]]) -> None:
        """Fit: every set counts alike, whatever its size, and the mean of their macro F1 is the greatest there is."""
        everything = [each for rows in sets for each in rows]
        seen = Counter(word for each in everything for word in each.lines)
        self._weights = {word: math.log((len(everything) + 1) / (count + 1)) + 1 for word, count in seen.items()}
        self._rarest = math.log(len(everything) + 1) + 1
        self.low, self.high = self._fitted(sets)

    def score(self, texts: Texts) -> float:
        """Give the share, from 0 to 1, of the claim's weight that stands in the lines."""
        whole = self._weight(texts.claim)
        return self._weight(texts.claim & texts.lines) / whole if whole else 0.0

    def verdict(self, score: float) -> str:
        """Give the word for a score: it always answers."""
        return "supported" if score >= self.high else "partial" if score >= self.low else "unsupported"

    def _weight(self, found: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._rarest) for word in sorted(found))

    def _fitted(self, sets: Sequence[Sequence[Texts]]) -> tuple[float, float]:
        scores = [_Sorted(rows, [self.score(each) for each in rows]) for rows in sets if rows]
        steps = [step / _STEPS for step in range(_STEPS + 1)]
        pairs = ((low, high) for low in steps for high in steps if low <= high)
        return max(pairs, key=lambda pair: (sum(each.macro_f1(*pair) for each in scores), pair), default=(0.3, 0.6))


class _Sorted:
    """The scores of a set by label, in order: what thresholds come to is counted without looking at each row."""

    def __init__(self, rows: Sequence[Texts], scores: Sequence[float]) -> None:
        self._by_label = {
            label: sorted(score for each, score in zip(rows, scores, strict=True) if each.label == label)
            for label in DECIDED
        }

    def macro_f1(self, low: float, high: float) -> float:
        below = {label: bisect_left(scores, low) for label, scores in self._by_label.items()}
        under = {label: bisect_left(scores, high) for label, scores in self._by_label.items()}
        sizes = {label: len(scores) for label, scores in self._by_label.items()}
        told = {
            "unsupported": below,
            "partial": {label: under[label] - below[label] for label in sizes},
            "supported": {label: sizes[label] - under[label] for label in sizes},
        }
        both = {word: sizes[word] + sum(told[word].values()) for word in DECIDED}
        found = [2 * told[word][word] / both[word] for word in DECIDED if both[word]]
        return sum(found) / len(found)
