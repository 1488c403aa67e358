"""What few rows say: exact bounds, rows that are alike, the map, the figures; each beside a slow way to the same."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.policy.binomial import beta_share, interval, is_below, lower_bound, needed, upper_bound
from cite_lsp.policy.clusters import rows_for_one
from cite_lsp.policy.platt import Map, fitted
from cite_lsp.policy.reliability import bins_of, brier, calibration_error
from tests.policy.worlds import CALIBRATED, OVER, RANDOM, UNDER, World

CONFIDENCES = (0.8, 0.9, 0.95, 0.99)
shares = st.floats(0, 1, allow_nan=False)
pairs = st.lists(st.tuples(shares, st.booleans()), min_size=1, max_size=60)


def at_most(errors: int, count: int, rate: float) -> float:
    """The probability of so many errors or fewer, added up term by term."""
    return sum(math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(errors + 1))


@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_the_bound_is_the_rate_at_which_so_few_errors_are_just_too_rare(confidence: float) -> None:
    for count in (1, 2, 7, 30, 200):
        for errors in range(0, count, max(count // 5, 1)):
            bound = upper_bound(errors, count, confidence)
            assert at_most(errors, count, bound) == pytest.approx(1 - confidence, abs=1e-9)
            if errors:
                lower = lower_bound(errors, count, confidence)
                assert 1 - at_most(errors - 1, count, lower) == pytest.approx(1 - confidence, abs=1e-9)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1, 0.3, 0.77])
def test_a_bound_is_below_the_true_rate_no_more_often_than_it_says(rate: float) -> None:
    for count in (5, 20, 61):
        for confidence in CONFIDENCES:
            missed = sum(
                at_most(k, count, rate) - (at_most(k - 1, count, rate) if k else 0)
                for k in range(count + 1)
                if upper_bound(k, count, confidence) < rate
            )
            assert missed <= 1 - confidence + 1e-9


def test_the_edges_of_bounds() -> None:
    assert upper_bound(0, 0, 0.9) == 1
    assert upper_bound(5, 5, 0.9) == 1
    assert lower_bound(0, 5, 0.9) == 0
    assert interval(0, 0, 0.9) == (0, 1)
    low, high = interval(3, 10, 0.9)
    assert low == lower_bound(3, 10, 0.95)
    assert high == upper_bound(3, 10, 0.95)


@given(st.integers(0, 30), st.integers(1, 400), st.sampled_from(CONFIDENCES), st.floats(0.001, 0.5))
def test_few_enough_is_a_bound_below_the_rate(errors: int, more: int, confidence: float, rate: float) -> None:
    bound = upper_bound(errors, errors + more, confidence)
    if abs(bound - rate) > 1e-9:
        assert is_below(errors, errors + more, rate, confidence) == (bound < rate)


@pytest.mark.parametrize("rate", [0.01, 0.02, 0.05, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("confidence", CONFIDENCES)
def test_so_many_rows_without_an_error_are_needed(rate: float, confidence: float) -> None:
    count = next(n for n in range(1, 2000) if (1 - rate) ** n <= 1 - confidence + 1e-12)
    assert needed(rate, confidence) == count
    assert is_below(0, count + 1, rate, confidence)
    assert not is_below(0, count - 1, rate, confidence)


@pytest.mark.parametrize(("first", "second"), [(0.7, 3.2), (1.5, 1.5), (4.25, 60.5), (12.0, 0.8)])
def test_counts_need_not_be_whole(first: float, second: float) -> None:
    """The share below a place, by adding up the density in small steps of an angle, which takes off its poles."""
    scale = math.exp(math.lgamma(first + second) - math.lgamma(first) - math.lgamma(second))
    for at in (0.05, 0.3, 0.9):
        end, steps = math.asin(math.sqrt(at)), 20_000
        angles = ((step + 0.5) * end / steps for step in range(steps))
        slow = sum(2 * math.sin(a) ** (2 * first - 1) * math.cos(a) ** (2 * second - 1) for a in angles) * end / steps
        assert beta_share(at, first, second) == pytest.approx(scale * slow, abs=2e-4)


# --- rows that are alike


@pytest.mark.parametrize("alike", [2, 5, 20])
def test_rows_that_say_the_same_count_as_one(alike: int) -> None:
    deal = random.Random(alike)
    values = [deal.gauss(0, 1) for _ in range(60)]
    groups = [f"g{at}" for at in range(60) for _ in range(alike)]
    assert rows_for_one(groups, [value for value in values for _ in range(alike)]) == pytest.approx(alike)


def test_rows_of_a_group_that_have_nothing_to_do_with_each_other_count_each() -> None:
    deal = random.Random(1)
    groups = [f"g{at // 10}" for at in range(3000)]
    assert rows_for_one(groups, [deal.gauss(0, 1) for _ in groups]) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize(
    ("groups", "residuals"),
    [([], []), (["a"], [0.3]), (["a", "a"], [0.1, 0.9]), (["a", "b"], [0.5, 0.5]), (["a", "a", "b", "b"], [0.5] * 4)],
)
def test_where_nothing_can_be_estimated_each_row_counts(groups: list[str], residuals: list[float]) -> None:
    assert rows_for_one(groups, residuals) == 1


# --- the map


def loss(found: Map, rows: list[tuple[float, bool]]) -> float:
    chances = [found(said) if truth else 1 - found(said) for said, truth in rows]
    return (found.slope - 1) ** 2 / 2 + found.shift**2 / 2 - sum(math.log(each) for each in chances)


@given(pairs)
def test_no_other_line_fits_better(rows: list[tuple[float, bool]]) -> None:
    found = fitted([said for said, _ in rows], [truth for _, truth in rows])
    assert found.slope >= 0
    best = loss(found, rows)
    for by_slope in (-0.05, 0, 0.05):
        for by_shift in (-0.05, 0, 0.05):
            other = Map(found.slope + by_slope, found.shift + by_shift)
            if other.slope >= 0 and found.slope > 0:
                assert best <= loss(other, rows) + 1e-6


@given(pairs, shares, shares)
def test_more_is_never_mapped_to_less(rows: list[tuple[float, bool]], one: float, other: float) -> None:
    found = fitted([said for said, _ in rows], [truth for _, truth in rows])
    low, high = sorted((one, other))
    assert 0 <= found(low) <= found(high) <= 1


@pytest.mark.parametrize(("world", "slope"), [(CALIBRATED, 1), (OVER, 1 / 3), (UNDER, 3), (RANDOM, 0)])
def test_the_map_undoes_what_is_wrong_with_answers(world: World, slope: float) -> None:
    rows = world.rows(4000, 3)
    found = fitted([row.score for row in rows], [row.truth for row in rows])
    assert found.slope == pytest.approx(slope, rel=0.15, abs=0.06)
    assert found.shift == pytest.approx(0, abs=0.15)


def test_answers_that_are_the_wrong_way_round_are_taken_for_nothing() -> None:
    rows = [(said / 100, said < 30) for said in range(100)]
    found = fitted([said for said, _ in rows], [truth for _, truth in rows])
    assert found.slope == 0
    assert found(0.1) == found(0.9) == pytest.approx(0.3, abs=0.02)


def test_rows_told_apart_without_an_error_give_a_finite_map_and_few_rows_change_little() -> None:
    apart = fitted([0.0] * 20 + [1.0] * 20, [False] * 20 + [True] * 20)
    assert 0 < apart.slope < 3
    assert abs(fitted([0.7], [True])(0.7) - 0.7) < 0.1
    assert fitted([], []) == Map()


# --- figures


@given(pairs)
def test_figures_are_what_counting_by_hand_gives(rows: list[tuple[float, bool]]) -> None:
    assert brier(rows) == pytest.approx(sum((said - int(truth)) ** 2 for said, truth in rows) / len(rows))
    slow = 0.0
    for number in range(10):
        inside = [row for row in rows if min(math.floor(row[0] * 10), 9) == number]
        if inside:
            gap = sum(said for said, _ in inside) - sum(truth for _, truth in inside)
            slow += abs(gap) / len(rows)
    assert calibration_error(rows) == pytest.approx(slow)
    found = bins_of(rows)
    assert sum(each.count for each in found) == len(rows)
    assert all(each.between[0] <= each.true <= each.between[1] for each in found)


def test_figures_of_known_rows() -> None:
    assert brier([(1.0, True), (0.0, False)]) == 0
    assert brier([(0.5, True)] * 3) == 0.25
    assert calibration_error([(1.0, False)]) == 1
    assert calibration_error([(0.75, True)] * 3 + [(0.75, False)]) == 0
    assert [(each.low, each.count) for each in bins_of([(0.1, True), (0.19, True), (1.0, False)])] == [
        (0.1, 2),
        (0.9, 1),
    ]


@pytest.mark.parametrize("figure", [brier, calibration_error])
def test_no_rows_have_no_figure(figure: Callable[[list[tuple[float, bool]]], float]) -> None:
    with pytest.raises(ValueError, match="no rows"):
        figure([])
