"""Bands for a chosen error rate, on rows of which the exact error of any band is known."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.policy.band_edges import Edge, Limits, edges_of_no, edges_of_yes, widest
from cite_lsp.policy.calibration import Aim, Calibration, LabelledScore, dealt, fit
from cite_lsp.policy.reliability import Pair, brier
from tests.policy.worlds import CALIBRATED, LABEL, OVER, RANDOM, UNDER, WORLDS, World

RUNS = 60
AIM = Aim(error_rate=0.1, confidence=0.9)


def calibrated(rows: list[LabelledScore], aim: Aim = AIM) -> Calibration:
    return fit(rows, aim)[LABEL]


def row(score: float, truth: bool, group: str) -> LabelledScore:
    return LabelledScore(LABEL, group, score, truth)


# --- what is promised: the error of new rows


@pytest.mark.parametrize("name", WORLDS)
def test_new_rows_err_no_more_often_than_chosen_in_the_stated_share_of_runs(name: str) -> None:
    world = WORLDS[name]
    bands = [found.band for seed in range(RUNS) if (found := calibrated(world.rows(350, seed))).band]
    assert len(bands) > RUNS / 3
    for side in (0, 1):
        over = sum(world.errors(band)[side] > AIM.error_rate for band in bands)
        assert over <= (1 - AIM.confidence) * RUNS


def test_a_bare_share_of_errors_would_not_keep_that_promise() -> None:
    """The same rows and the widest band whose share of errors is within the rate: the test above can fail."""
    over = 0
    for seed in range(RUNS):
        pairs = [(each.score, each.truth) for each in CALIBRATED.rows(350, seed)]
        scores = sorted({score for score, _ in pairs})
        high = next(at for at in scores if _share([not truth for score, truth in pairs if score >= at]) <= 0.1)
        over += CALIBRATED.errors((0, high))[1] > AIM.error_rate
    assert over > 2 * (1 - AIM.confidence) * RUNS


def _share(wrong: list[bool]) -> float:
    return sum(wrong) / len(wrong)


def test_rows_of_one_example_that_are_alike_do_not_make_a_bound_look_better() -> None:
    bands = [found.band for seed in range(RUNS) if (found := calibrated(CALIBRATED.rows(400, seed, alike=4))).band]
    for side in (0, 1):
        assert sum(CALIBRATED.errors(band)[side] > AIM.error_rate for band in bands) <= (1 - AIM.confidence) * RUNS
    alone = sum(
        calibrated([replace(each, group=str(at)) for at, each in enumerate(CALIBRATED.rows(400, seed, 4))]).band
        is not None
        for seed in range(RUNS)
    )
    assert alone > 2 * len(bands)


def odd_ones_out(groups: int, rows: int, seed: int) -> list[LabelledScore]:
    """Rows of few examples; a fifth of examples is odd: all that looks like yes in it is no."""
    deal = random.Random(seed)
    return [
        row(0.9 if at % 2 else 0.1, bool(at % 2) and not odd, f"g{group}")
        for group in range(groups)
        for odd in [deal.random() < 0.2]
        for at in range(rows)
    ]


@pytest.mark.parametrize("groups", [2, 5, 10, 25])
def test_rows_of_few_examples_that_may_err_together_get_no_band(groups: int) -> None:
    """Where none of few examples happens to be odd, nothing in their rows shows that one could be."""
    claimed = sum(calibrated(odd_ones_out(groups, 200 // groups * 2, seed)).band is not None for seed in range(40))
    assert claimed <= (1 - AIM.confidence) * 40


def test_of_few_examples_that_is_said_and_nothing_is_bounded_by_the_count_of_rows() -> None:
    found = calibrated([row(0.9 if at % 2 else 0.1, bool(at % 2), f"g{at % 3}") for at in range(300)])
    assert found.why == (
        "the rows of yes are of 3 examples and those of no of 3, and rows of one example may err together: it takes 22 "
        "examples of each"
    )
    assert (found.no.bound, found.yes.bound) > (0.5, 0.5)


def test_how_many_labelled_examples_it_takes_is_what_the_help_says() -> None:
    for rate, least in ((0.1, 28), (0.05, 57)):
        for count, kept in ((least - 1, False), (least, True)):
            rows = [row(0.9 if at % 2 else 0.1, bool(at % 2), str(at)) for at in range(2 * count)]
            bands = [calibrated(rows, Aim(rate, seed=seed)).band is not None for seed in range(5)]
            assert all(bands) if kept else not all(bands)


@pytest.mark.parametrize("name", WORLDS)
def test_coverage_and_error_of_held_out_rows_are_what_new_rows_show(name: str) -> None:
    found = calibrated(WORLDS[name].rows(4000, 5))
    assert found.band is not None
    for side, exact in zip((found.no, found.yes), WORLDS[name].errors(found.band), strict=True):
        assert side.rate == pytest.approx(exact, abs=0.03)
        assert side.rate is not None
        assert side.rate <= AIM.error_rate
        assert side.bound > side.rate
    low, high = found.band
    inside = sum(low < each.said < high for each in found.held_out) / 4000
    assert found.coverage == pytest.approx(1 - inside, abs=0.05)
    assert found.coverage == (found.no.rows + found.yes.rows) / found.rows


def test_which_bound_it_is_and_how_sure_is_said() -> None:
    found = calibrated(CALIBRATED.rows(1000, 5))
    no, yes = (f"{100 * side.bound:.3g} %" for side in (found.no, found.yes))
    assert found.bounds == (
        f"their error rate is below {no} for no and {yes} for yes, with a confidence of 90 % each "
        "(Clopper and Pearson's bound, as a bare share of few rows says little)"
    )
    assert "rows of one example are alike, and about 4 counted as one" in calibrated(CALIBRATED.rows(4000, 5, 4)).bounds
    assert calibrated(CALIBRATED.rows(3, 5)).bounds == ""


def test_answers_that_are_random_get_no_band() -> None:
    assert (
        sum(calibrated(RANDOM.rows(300, seed)).band is not None for seed in range(RUNS)) <= (1 - AIM.confidence) * RUNS
    )
    assert "of the" in calibrated(RANDOM.rows(300, 1)).why


# --- measured before and after


@pytest.mark.parametrize("world", [OVER, UNDER])
def test_a_map_of_other_folds_puts_right_what_is_wrong(world: World) -> None:
    found = calibrated(world.rows(1500, 2))
    assert found.ece is not None
    assert found.brier is not None
    assert found.ece[1] < found.ece[0] / 2
    assert found.brier[1] < found.brier[0]


def test_a_map_leaves_right_what_is_right() -> None:
    found = calibrated(CALIBRATED.rows(1500, 2))
    assert found.brier is not None
    assert found.brier[1] == pytest.approx(found.brier[0], abs=0.003)


def test_nothing_is_learnt_from_rows_that_are_measured() -> None:
    """Truths drawn without regard to anything: what helps on rows that were seen does not help on others."""
    seen, held_out = 0.0, 0.0
    for seed in range(30):
        deal = random.Random(seed)
        rows = [row(deal.random(), deal.random() < 0.5, str(at)) for at in range(40)]
        found = calibrated(rows)
        assert found.brier is not None
        seen += brier([(found.map(each.score), each.truth) for each in rows]) / 30
        held_out += found.brier[1] / 30
    assert seen < 0.25 < held_out


def test_each_row_is_held_out_once_and_mapped_by_the_folds_without_it() -> None:
    rows = OVER.rows(60, 1)
    found = calibrated(rows)
    assert sorted((each.said, each.truth) for each in found.held_out) == sorted(
        (each.score, each.truth) for each in rows
    )
    assert {each.mapped for each in found.held_out} != {found.map(each.said) for each in found.held_out}


@given(
    st.lists(st.tuples(st.integers(0, 12), st.floats(0, 1), st.booleans()), min_size=1, max_size=80),
    st.integers(2, 7),
    st.integers(0, 3),
)
def test_a_group_is_never_divided_between_folds(drawn: list[tuple[int, float, bool]], folds: int, seed: int) -> None:
    rows = [row(score, truth, str(group)) for group, score, truth in drawn]
    parts = dealt(rows, Aim(folds=folds, seed=seed), LABEL)
    groups = [{each.group for each in part} for part in parts]
    assert sum(len(each) for each in groups) == len(set.union(*groups))
    assert sorted(each for part in parts for each in part) == sorted(rows)
    assert len(parts) == min(folds, len(set.union(*groups)))
    assert max(len(each) for each in groups) - min(len(each) for each in groups) <= 1


# --- same in, same out


def test_the_order_of_rows_does_not_matter() -> None:
    rows = CALIBRATED.rows(300, 9)
    found = calibrated(rows)
    shuffled = [*rows]
    random.Random(1).shuffle(shuffled)
    assert calibrated(shuffled) == found
    assert calibrated(rows, replace(AIM, seed=1)).held_out != found.held_out


def test_each_question_is_calibrated_by_itself() -> None:
    one, other = OVER.rows(200, 1), [replace(each, label="detect:riddle") for each in UNDER.rows(200, 2)]
    found = fit([*one, *other], AIM)
    assert list(found) == [LABEL, "detect:riddle"]
    assert found[LABEL] == fit(one, AIM)[LABEL]
    assert found["detect:riddle"] == fit(other, AIM)["detect:riddle"]
    assert fit([], AIM) == {}


# --- where there is no band, and why


def test_three_rows() -> None:
    found = calibrated([row(0.1, False, "a"), row(0.8, True, "b"), row(0.9, True, "c")])
    assert found.band is None
    assert found.why.startswith("there are 2 rows of yes and 1 of no, and it takes about 33 of each")
    assert "10 % of the decisions are wrong at most, with a confidence of 90 %" in found.why
    assert found.coverage == 0
    assert found.held_out_error is None
    assert found.brier is not None


@pytest.mark.parametrize("truth", [True, False])
def test_all_of_one_class(truth: bool) -> None:
    found = calibrated([row(at / 200, truth, str(at)) for at in range(200)])
    assert found.band is None
    assert found.why == f"all 200 rows are {'yes' if truth else 'no'}, so nothing is known of the others"


def test_one_example() -> None:
    found = calibrated([row(at / 200, at > 100, "the only one") for at in range(200)])
    assert (found.band, found.brier, found.coverage, found.held_out) == (None, None, None, ())
    assert found.why == "all rows are of one example, so none can be held out"


def test_one_score_for_all() -> None:
    found = calibrated([row(0.9, at % 2 == 0, str(at)) for at in range(200)])
    assert found.band is None
    assert (
        found.why == "of the 200 rows with the lowest scores, 100 are yes, so up to 56 % of such decisions may be wrong"
    )


def test_ties_are_decided_together() -> None:
    """Few scores, as models give them: a band never divides rows of one score."""
    deal = random.Random(2)
    chances = {0.0: 0.01, 0.1: 0.03, 0.5: 0.5, 0.9: 0.97, 1.0: 0.99}
    drawn = [deal.choice(list(chances)) for _ in range(500)]
    found = calibrated([row(score, deal.random() < chances[score], str(at)) for at, score in enumerate(drawn)])
    assert found.band == (0.1, 0.9)
    assert found.no.rows == sum(score <= 0.1 for score in drawn)
    assert found.yes.rows == sum(score >= 0.9 for score in drawn)


def test_rows_told_apart_without_an_error() -> None:
    """Nothing is known of scores between the two, so they are left to a person."""
    rows = [row(0.3 * at / 60, False, f"n{at}") for at in range(61)] + [
        row(0.7 + 0.3 * at / 60, True, f"y{at}") for at in range(61)
    ]
    found = calibrated(rows)
    assert found.band == (0.3, 0.7)
    assert (found.no.errors, found.yes.errors) == (0, 0)
    assert found.coverage is not None
    assert found.coverage > 0.9


def test_just_enough_rows_and_one_too_few() -> None:
    def rows(each: int) -> list[LabelledScore]:
        return [row(side, side > 0.5, f"{side} {at}") for side in (0.1, 0.9) for at in range(each)]

    limits = Limits(AIM.error_rate, AIM.confidence)
    enough = math.ceil(limits.needed * AIM.folds / (AIM.folds - 1))
    assert calibrated(rows(enough)).band == (0.1, 0.9)
    found = calibrated(rows(limits.needed - 1))
    assert found.band is None
    assert f"it takes about {enough} of each" in found.why
    between = calibrated(rows(limits.needed))
    assert between.band is None
    assert f"it takes about {enough} of each" in between.why


def test_rarer_errors_and_more_confidence_take_more_rows() -> None:
    needed = [
        Limits(rate, confidence).needed for rate, confidence in ((0.1, 0.9), (0.05, 0.9), (0.05, 0.95), (0.01, 0.95))
    ]
    assert needed == [22, 45, 59, 299]
    assert Limits(0.1, 0.9, rows_for_one=2.5).needed == 55


# --- edges, beside a slow way to the same


def slow_bound_holds(errors: int, count: int, rate: float, confidence: float) -> bool:
    return sum(math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(errors + 1)) <= 1 - confidence


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.floats(0, 1)), min_size=1, max_size=150), st.sampled_from([0.1, 0.2, 0.3])
)
def test_an_edge_keeps_to_the_limits_by_itself(drawn: list[tuple[int, float]], rate: float) -> None:
    pairs: list[Pair] = [(at / 30, chance < at / 30) for at, chance in drawn]
    limits = Limits(rate, 0.8)
    for edge in edges_of_yes(pairs, limits):
        inside = [truth for score, truth in pairs if score >= edge.score]
        assert (edge.rows, edge.errors) == (len(inside), inside.count(False))
        assert slow_bound_holds(edge.errors, edge.rows, rate, 0.8)
    for edge in edges_of_no(pairs, limits):
        inside = [truth for score, truth in pairs if score <= edge.score]
        assert (edge.rows, edge.errors) == (len(inside), inside.count(True))
        assert slow_bound_holds(edge.errors, edge.rows, rate, 0.8)


def edges(upwards: bool) -> st.SearchStrategy[list[Edge]]:
    """Edges of one side: the further they reach, the more rows and errors."""

    def made(drawn: list[tuple[int, int, int]]) -> list[Edge]:
        unique = sorted({score: (rows, errors) for score, rows, errors in drawn}.items(), reverse=not upwards)
        found, rows, errors = [], 0, 0
        for score, (more, wrong) in unique:
            rows, errors = rows + more + wrong, errors + wrong
            found.append(Edge(score / 20, rows, errors))
        return found

    return st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5), st.integers(0, 2)), max_size=12).map(made)


@given(edges(upwards=True), edges(upwards=False))
def test_the_widest_band_decides_most_rows_of_all_pairs(no: list[Edge], yes: list[Edge]) -> None:
    every = [
        (low.rows + high.rows, -low.errors - high.errors, low, high)
        for low in no
        for high in yes
        if low.score < high.score
    ]
    band = widest(no, yes)
    if not every:
        assert band is None
        return
    assert band is not None
    decided = max((rows, errors) for rows, errors, _, _ in every)
    by_score = {(low.score, high.score): (rows, errors) for rows, errors, low, high in every}
    assert by_score[band] == decided


def test_sides_that_would_overlap_meet_where_the_fewest_errors_are() -> None:
    rows = [row(at / 400, at >= 200, str(at)) for at in range(400)]
    found = calibrated(rows)
    assert found.band == (199 / 400, 200 / 400)
    assert all(
        low.rows < high.rows
        for low, high in pairwise(edges_of_no([(each.score, each.truth) for each in rows], Limits(0.1, 0.9)))
    )


# --- aims and scores that are none


def test_what_is_no_aim_is_said_all_at_once() -> None:
    with pytest.raises(ValueError, match=r"error rate is 0.7; .* confidence is 1.0; .* there are 1 folds"):
        fit([], Aim(0.7, 1.0, 1))
    assert Aim().faults() == {}
    assert list(Aim(float("nan"), float("nan")).faults()) == ["error_rate", "confidence"]


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan")])
def test_a_score_is_a_probability(score: float) -> None:
    with pytest.raises(ValueError, match="it has to be from 0 to 1"):
        fit([row(score, True, "a")])
