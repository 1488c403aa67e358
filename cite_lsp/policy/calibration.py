"""Bands of single questions, found on rows of which it is known what is true, for a chosen error rate.

Three things are found for each question, and everything that is told of them was measured on rows that they were not
found on: groups of rows (all rows of one example) are dealt to folds, and each fold is held out once.

- **A map** from what is said to how often it is true (`platt.fitted`). It is measured by the Brier score and the
  expected calibration error before and after. It decides nothing, as a monotone map moves no row past another.
- **A band**: up to `low` is *no*, from `high` on is *yes*, in between a person looks. Of what it decides, a share of
  `error_rate` at most is wrong, for *no* and for *yes* each, with a confidence of `confidence` each. That is said by
  exact binomial bounds (`band_edges`; Clopper and Pearson): labelled rows are few and errors rare, where a normal
  approximation says too little, and a bare share of errors is met by luck in half of all samples. The bounds hold for
  new rows that are drawn as the labelled ones were, not for others. Rows of one example count for less (`clusters`),
  and each answer has to come from as many examples as it takes rows: where rows of few examples show no error, nothing
  shows whether they would err together.
- **Coverage and error**, held out: bands found in the same way on the other folds are put to each fold. Where a side
  decides nothing there, or errs more often than it may, there is no band after all.

Too few rows are no band, and `why` says how many it takes. The same rows and seed give the same outcome, in any order.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cite_lsp.policy.band_edges import Limits, edges_of_no, edges_of_yes, first_tried, widest
from cite_lsp.policy.binomial import needed, upper_bound
from cite_lsp.policy.clusters import rows_for_one
from cite_lsp.policy.options import Band
from cite_lsp.policy.platt import Map, fitted
from cite_lsp.policy.reliability import Pair, brier, calibration_error

_ALIKE: Final = 1.05
"""Rows that count as one, from which on it is said."""


@dataclass(frozen=True, slots=True, order=True)
class LabelledScore:
    """A row: what a question was answered, and what is true.

    Attributes:
        label: The question: `filter:NAME`, `detect:NAME`, `factor:NAME`, `confirm:NAME`, `check:CONCERN/NAME`.
        score: The probability of *yes* that was said, 0 to 1.
        truth: Whether the answer is yes.
        group: The example it comes from.
    """

    label: str
    group: str
    score: float
    truth: bool


@dataclass(frozen=True, slots=True)
class Aim:
    """What a calibration is to keep to.

    Attributes:
        error_rate: Above 0, at most 0.5: the share of decisions that may be wrong, of those for *no* and *yes* each.
        confidence: 0.5 to below 1: how sure that has to be, for each of the two.
        folds: How many parts the rows are dealt to, 2 or more; each is held out once.
        seed: Which deal.
    """

    error_rate: float = 0.1
    confidence: float = 0.9
    folds: int = 5
    seed: int = 0

    def faults(self) -> dict[str, str]:
        """Give what is wrong with each bad value, by its name."""
        found: dict[str, str] = {}
        if not 0 < self.error_rate <= 0.5:
            found["error_rate"] = f"the error rate is {self.error_rate}; it has to be above 0 and at most 0.5"
        if not 0.5 <= self.confidence < 1:
            found["confidence"] = f"the confidence is {self.confidence}; it has to be from 0.5 to below 1"
        if self.folds < 2:
            found["folds"] = f"there are {self.folds} folds; it takes 2 at least to hold one out"
        return found


@dataclass(frozen=True, slots=True)
class Decided:
    """What bands decided of rows that they were not found on.

    Attributes:
        rows: How many were decided for this side.
        errors: How many of them wrongly.
        bound: What the error rate is below with the confidence aimed at (Clopper and Pearson; 1 of no rows). Rows were
            decided by a band for each fold, so it bounds what the method does, not one band.
    """

    rows: int
    errors: int
    bound: float

    @property
    def rate(self) -> float | None:
        """The share of errors; None of no rows."""
        return self.errors / self.rows if self.rows else None


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A row as it came when it was held out: what was said, what the map of the other folds makes of it, the truth."""

    said: float
    mapped: float
    truth: bool


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was found for one question.

    Attributes:
        label: The question.
        aim: What was aimed at.
        rows: How many rows there were.
        true: How many of them are yes.
        groups: How many examples they come from.
        rows_for_one: How many rows counted as one independent row.
        band: Low and high; None where none keeps to the aim.
        why: Why there is no band, a sentence without a full stop; "" where there is one.
        map: From what is said to how often it is true, of all rows.
        no, yes: What was decided of held-out rows.
        coverage: The share of held-out rows that was decided; None where none could be held out.
        brier, ece: Before and after the map, on held-out rows; None where none could be held out.
        held_out: The rows.
    """

    label: str
    aim: Aim
    rows: int
    true: int
    groups: int
    rows_for_one: float
    band: Band | None
    why: str
    map: Map
    no: Decided
    yes: Decided
    coverage: float | None
    brier: tuple[float, float] | None
    ece: tuple[float, float] | None
    held_out: tuple[HeldOut, ...]

    @property
    def held_out_error(self) -> float | None:
        """The share of decisions that were wrong, of held-out rows; None where nothing was decided."""
        decided = self.no.rows + self.yes.rows
        return (self.no.errors + self.yes.errors) / decided if decided else None

    @property
    def bounds(self) -> str:
        """How far held-out errors can be trusted, a sentence without a full stop; "" where nothing was decided."""
        sides = [
            f"{percent(each.bound)} for {name}" for name, each in (("no", self.no), ("yes", self.yes)) if each.rows
        ]
        if not sides:
            return ""
        alike = f"; rows of one example are alike, and about {self.rows_for_one:.2g} counted as one"
        why = f"Clopper and Pearson's bound, as a bare share of few rows says little{alike if self._is_alike else ''}"
        sure = f"with a confidence of {percent(self.aim.confidence)} each"
        return f"their error rate is below {' and '.join(sides)}, {sure} ({why})"

    @property
    def _is_alike(self) -> bool:
        return self.rows_for_one > _ALIKE


def fit(rows: Iterable[LabelledScore], aim: Aim | None = None) -> dict[str, Calibration]:
    """Calibrate each question that there are rows of.

    Returns:
        By label, in the order of the labels' first rows.

    Raises:
        ValueError: The aim is none, or a score is no probability.
    """
    aim = aim or Aim()
    faults = aim.faults()
    if faults:
        raise ValueError("; ".join(faults.values()))
    by_label: dict[str, list[LabelledScore]] = defaultdict(list)
    for row in rows:
        if not 0 <= row.score <= 1:
            raise ValueError(f"{row.label}: a score is {row.score}; it has to be from 0 to 1")
        by_label[row.label].append(row)
    return {label: _calibrated(label, sorted(each), aim) for label, each in by_label.items()}


def _calibrated(label: str, rows: Sequence[LabelledScore], aim: Aim) -> Calibration:
    whole = _fitted(rows, aim)
    parts = dealt(rows, aim, label)
    seen, decisions = _held_out(parts, aim)
    groups = len({row.group for row in rows})
    limits = whole.limits
    if _few_examples(rows, limits):  # then rows count as if those of one example stood or fell together
        limits = replace(limits, rows_for_one=max(limits.rows_for_one, len(rows) / groups))
    no = _decided([row for row, yes in decisions if yes is False], aim, limits, wrong=True)
    yes = _decided([row for row, yes in decisions if yes is True], aim, limits, wrong=False)
    why = _why_none(rows, whole, (no, yes), parts)
    before = [(each.said, each.truth) for each in seen]
    after = [(each.mapped, each.truth) for each in seen]
    return Calibration(
        label=label,
        aim=aim,
        rows=len(rows),
        true=sum(row.truth for row in rows),
        groups=groups,
        rows_for_one=limits.rows_for_one,
        band=None if why else whole.band,
        why=why,
        map=whole.map,
        no=no,
        yes=yes,
        coverage=(no.rows + yes.rows) / len(seen) if seen else None,
        brier=(brier(before), brier(after)) if seen else None,
        ece=(calibration_error(before), calibration_error(after)) if seen else None,
        held_out=tuple(seen),
    )


@dataclass(frozen=True, slots=True)
class _Fitted:
    map: Map
    limits: Limits
    sides: tuple[bool, bool]
    """Whether anything could be decided for no, and for yes."""
    band: Band | None


def _fitted(rows: Sequence[LabelledScore], aim: Aim) -> _Fitted:
    pairs = _pairs(rows)
    found = fitted([score for score, _ in pairs], [truth for _, truth in pairs])
    off = [truth - found(score) for score, truth in pairs]
    limits = Limits(aim.error_rate, aim.confidence, rows_for_one([row.group for row in rows], off))
    no, yes = edges_of_no(pairs, limits), edges_of_yes(pairs, limits)
    return _Fitted(found, limits, (bool(no), bool(yes)), widest(no, yes))


def dealt(rows: Sequence[LabelledScore], aim: Aim, label: str) -> list[list[LabelledScore]]:
    """Deal groups to folds, shuffled, the largest first.

    Truths have no say: folds that share them out evenly would tell each other how many there are.
    """
    groups: dict[str, list[LabelledScore]] = defaultdict(list)
    for row in rows:
        groups[row.group].append(row)
    order = list(groups.values())
    deal = random.Random(f"{aim.seed} {label}".encode("utf-8", "surrogatepass"))  # noqa: S311 - it can be repeated
    deal.shuffle(order)
    order.sort(key=len, reverse=True)
    folds = min(aim.folds, len(order))
    return [[row for group in order[at::folds] for row in group] for at in range(folds)]


def _held_out(
    parts: Sequence[Sequence[LabelledScore]], aim: Aim
) -> tuple[list[HeldOut], list[tuple[LabelledScore, bool | None]]]:
    """Hold out each fold once: give each row as it came, and what the band of the others decides of it."""
    seen: list[HeldOut] = []
    decisions: list[tuple[LabelledScore, bool | None]] = []
    if len(parts) < 2:
        return seen, decisions
    for at, part in enumerate(parts):
        others = sorted(row for number, each in enumerate(parts) if number != at for row in each)
        found = _fitted(others, aim)
        for row in part:
            seen.append(HeldOut(row.score, found.map(row.score), row.truth))
            decisions.append((row, _decision(row.score, found.band)))
    return seen, decisions


def _decision(score: float, band: Band | None) -> bool | None:
    if band is None or band[0] < score < band[1]:
        return None
    return score >= band[1]


def _decided(rows: Sequence[LabelledScore], aim: Aim, limits: Limits, *, wrong: bool) -> Decided:
    errors = sum(row.truth is wrong for row in rows)
    bound = upper_bound(errors / limits.rows_for_one, len(rows) / limits.rows_for_one, aim.confidence)
    return Decided(len(rows), errors, bound if rows else 1.0)


def _pairs(rows: Sequence[LabelledScore]) -> list[Pair]:
    return [(row.score, row.truth) for row in rows]


# --- why there is no band


def _why_none(
    rows: Sequence[LabelledScore],
    whole: _Fitted,
    decided: tuple[Decided, Decided],
    parts: Sequence[Sequence[LabelledScore]],
) -> str:
    """Say why there is no band; "" where there is one."""
    true, limits = sum(row.truth for row in rows), whole.limits
    counts = (len(rows) - true, true)
    if len(parts) < 2:
        return "all rows are of one example, so none can be held out"
    if 0 in counts:
        return f"all {len(rows)} rows are {'yes' if true else 'no'}, so nothing is known of the others"
    least = math.ceil(limits.needed * len(parts) / (len(parts) - 1))
    if min(counts) < limits.needed or (whole.band and min(each.rows for each in decided) == 0 and min(counts) < least):
        return f"there are {true} rows of yes and {counts[0]} of no, and {_takes(limits, least)}"
    few = _few_examples(rows, limits)
    if few:
        return few
    for name, kept in zip(("no", "yes"), whole.sides, strict=True):
        if not kept:
            return _not_kept(rows, limits, yes=name == "yes")
    if whole.band is None:
        return "the same score stands for yes and for no"
    return _why_not_held_out(decided, limits)


def _why_not_held_out(decided: tuple[Decided, Decided], limits: Limits) -> str:
    """Say why a band does not stand up to rows that it was not found on; "" where it does."""
    for name, each in zip(("no", "yes"), decided, strict=True):
        if not each.rows:
            return f"with a part of the rows held out, the others decide nothing for {name}; label more rows"
        if each.errors > limits.rate * each.rows:
            return f"of {each.rows} held-out rows decided for {name}, {each.errors} are wrong"
    return ""


def _few_examples(rows: Sequence[LabelledScore], limits: Limits) -> str:
    """Say that rows of one answer come from too few examples: without an error, nothing shows how alike they are."""
    least = needed(limits.rate, limits.confidence)
    yes, no = (len({row.group for row in rows if row.truth is truth}) for truth in (True, False))
    if min(yes, no) >= least:
        return ""
    return (
        f"the rows of yes are of {yes} examples and those of no of {no}, and rows of one example may err together: "
        f"it takes {least} examples of each"
    )


def percent(share: float) -> str:
    """Give a share in words."""
    return f"{100 * share:.3g} %"


def _takes(limits: Limits, least: int) -> str:
    alike = f" (rows of one example are alike: {limits.rows_for_one:.1f} count as one)"
    wrong, sure = percent(limits.rate), percent(limits.confidence)
    return (
        f"it takes about {least} of each, without an error among them, to say that {wrong} of the decisions are wrong "
        f"at most, with a confidence of {sure}{alike if limits.rows_for_one > _ALIKE else ''}"
    )


def _not_kept(rows: Sequence[LabelledScore], limits: Limits, *, yes: bool) -> str:
    tried = first_tried(_pairs(rows), limits, yes=yes)
    extreme, other = ("highest", "no") if yes else ("lowest", "yes")
    if tried is None:
        return f"too few rows have a score of their own; {_takes(limits, limits.needed)}"
    edge, bound = tried
    return (
        f"of the {edge.rows} rows with the {extreme} scores, {edge.errors} are {other}, so up to {percent(bound)} of "
        f"such decisions may be wrong"
    )
