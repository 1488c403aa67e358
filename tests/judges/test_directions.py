"""From probabilities of both directions to a verdict."""

import itertools
import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.audit.verdicts import Row
from cite_lsp.judges.directions import Answers, Bands, Standing, ruled, standing, verdict_of
from cite_lsp.judges.shown_lines import shown_lines

STANDINGS: tuple[Standing, ...] = get_args(Standing)
PROBABLE = {"none": 0.1, "unsure": 0.5, "holds": 0.9}
SHARE = st.one_of(st.sampled_from([0.0, 0.4, 0.5, 0.6, 1.0]), st.floats(0, 1))
ROW = Row.of(
    claim="The cap is ten, and callers wait.",
    lines=[(7, "CAP = 10  # callers"), (8, ""), (9, "\twait = True\u202f"), (12, "def other():")],
    path="a.py",
)
LINES = shown_lines(ROW)


def answers(
    conflict: Standing = "none",
    baseless: Standing = "none",
    claims: Standing = "holds",
    supports: dict[int, float] | None = None,
    otherwise: dict[int, float] | None = None,
) -> Answers:
    nothing = {7: 0.0, 9: 0.0, 12: 0.0}
    return Answers(
        PROBABLE[claims],
        PROBABLE[conflict],
        PROBABLE[baseless],
        nothing | (supports or {}),
        nothing | (otherwise or {}),
    )


def test_the_mapping_as_data(shared: Path) -> None:
    vectors = json.loads((shared / "vectors" / "cite.json").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = vectors["proposed_support_mapping"]["rows"]
    assert len(rows) >= 11
    for row in rows:
        support = row["support"]
        if "support_screen_max" in row:
            support = standing(row["support_screen_max"], (0.4, 0.6))
        found = ruled(errors=row["errors"], support=support, baseless=row["baseless"], conflict=row["conflict"])
        assert found == (row["verdict"], row.get("kind", found[1])), row
        assert (found[1] == "contradicted") == (row.get("kind") == "contradicted"), row


def test_every_mix_has_one_verdict_and_errors_are_never_anything() -> None:
    for support, baseless, conflict in itertools.product(STANDINGS, repeat=3):
        label, kind = ruled(errors=False, support=support, baseless=baseless, conflict=conflict)
        assert (label == "unsupported") == (kind is not None)
        assert label != "unchecked"
        if label == "supported":
            assert (support, baseless, conflict) == ("holds", "none", "none")
        if kind == "off-topic":
            assert (support, baseless, conflict) == ("none", "holds", "none")
        assert ruled(errors=True, support=support, baseless=baseless, conflict=conflict) == ("unchecked", None)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        (0, "none"),
        (0.4, "none"),
        (0.400001, "unsure"),
        (0.47, "unsure"),
        (0.599, "unsure"),
        (0.6, "holds"),
        (1, "holds"),
    ],
)
def test_both_ends_of_a_band_are_outside_it(probability: float, expected: str) -> None:
    assert standing(probability, (0.4, 0.6)) == expected


def test_supported_shows_its_lines_byte_for_byte_and_those_in_doubt_apart() -> None:
    verdict = verdict_of(answers(supports={7: 0.9, 9: 0.6, 12: 0.5}), LINES, Bands(), "j")
    assert (verdict.label, verdict.kind, verdict.confidence, verdict.judge) == ("supported", None, None, "j")
    assert [(each.excerpt, each.offset, each.text) for each in verdict.evidence] == [
        (0, 0, "CAP = 10  # callers"),
        (0, 2, "\twait = True\u202f"),
    ]
    assert verdict.basis == "the lines say “CAP = 10 # callers wait = True”; perhaps also “def other():”"


def test_partial() -> None:
    verdict = verdict_of(answers(baseless="holds", supports={7: 0.9}), LINES, Bands(), "j")
    assert (verdict.label, [each.offset for each in verdict.evidence]) == ("partial", [0])
    assert "a part" in verdict.reason


def test_unsupported_needs_every_line_below_its_band() -> None:
    verdict = verdict_of(answers(baseless="holds"), LINES, Bands(), "j")
    assert (verdict.label, verdict.kind, verdict.evidence) == ("unsupported", "off-topic", ())
    verdict = verdict_of(answers(baseless="holds", supports={9: 0.45}), LINES, Bands(), "j")
    assert (verdict.label, [each.offset for each in verdict.evidence]) == ("review", [2])
    assert verdict.reason == "Look here: the judge is unsure whether the lines carry it."


def test_a_line_that_says_otherwise_is_shown_with_a_claim_that_goes_beyond_the_lines() -> None:
    verdict = verdict_of(answers(baseless="holds", otherwise={9: 0.9}), LINES, Bands(), "j")
    assert (verdict.label, verdict.kind, [each.offset for each in verdict.evidence]) == (
        "unsupported",
        "off-topic",
        [2],
    )
    assert "wait" in verdict.basis


@pytest.mark.parametrize(
    ("found", "label"),
    [
        (answers(baseless="holds"), "review"),
        (answers(baseless="holds", supports={7: 0.9}), "review"),
        (answers("holds"), "unsupported"),
        (answers(supports={7: 0.9}), "supported"),
    ],
)
def test_what_was_not_found_may_stand_in_cited_lines_that_are_not_shown(found: Answers, label: str) -> None:
    verdict = verdict_of(found, LINES, Bands(), "j", cut=True)
    assert verdict.label == label
    assert ("more lines are cited" in verdict.reason) == (label == "review")


def test_contradicted_shows_the_lines_against_it() -> None:
    against = answers("holds", supports={7: 0.9}, otherwise={9: 0.8, 12: 0.5})
    verdict = verdict_of(against, LINES, Bands(), "j")
    assert (verdict.label, verdict.kind) == ("unsupported", "contradicted")
    assert [each.offset for each in verdict.evidence] == [2]
    perhaps = verdict_of(answers("holds", otherwise={12: 0.5}), LINES, Bands(), "j")
    assert (perhaps.kind, [each.offset for each in perhaps.evidence]) == ("contradicted", [5])
    none = verdict_of(answers("holds"), LINES, Bands(), "j")
    assert (none.kind, none.evidence) == ("contradicted", ())
    assert "no single one" in none.basis


def test_directions_that_disagree_ask_a_person() -> None:
    assert "no line was found" in verdict_of(answers(), LINES, Bands(), "j").reason
    one = verdict_of(answers(supports={7: 0.9}, otherwise={9: 0.9}), LINES, Bands(), "j")
    assert (one.label, [each.offset for each in one.evidence]) == ("review", [0, 2])


def test_all_that_is_in_doubt_is_said() -> None:
    verdict = verdict_of(answers("unsure", "unsure", supports={7: 0.5}), LINES, Bands(), "j")
    assert verdict.reason == (
        "Look here: the judge is unsure whether the lines carry it and whether it says more than they do "
        "and whether they say otherwise."
    )


def test_what_makes_no_claim_is_unchecked_and_what_may_make_none_asks_a_person() -> None:
    for mix in itertools.product(STANDINGS, repeat=2):
        assert verdict_of(answers(*mix, claims="none"), LINES, Bands(), "j").label == "unchecked"
        assert verdict_of(answers(*mix, claims="unsure"), LINES, Bands(), "j").label == "review"


def test_a_line_that_was_kept_back_may_carry_what_was_not_found() -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    lines = shown_lines(Row.of(claim="The cap is ten.", lines=[(7, "CAP = 10"), (8, f'KEY = "{secret}"')]))
    held, nothing = {7: 0.9}, {7: 0.0}

    def label(baseless: float, conflict: float, supports: dict[int, float]) -> str:
        verdict = verdict_of(Answers(0.9, conflict, baseless, supports, nothing), lines, Bands(), "j")
        assert secret not in repr(verdict)
        return verdict.label

    assert label(0.9, 0.1, nothing) == "review"
    assert label(0.9, 0.1, held) == "review"
    assert label(0.1, 0.1, held) == "supported"
    assert label(0.9, 0.9, held) == "unsupported"


def test_each_question_has_its_band() -> None:
    strict = Bands(supports=(0.9, 0.95), baseless=(0.2, 0.95))
    low = answers(supports={7: 0.9})
    assert verdict_of(low, LINES, Bands(), "j").label == "supported"
    assert verdict_of(low, LINES, strict, "j").label == "review"
    assert "no line was found" in verdict_of(low, LINES, strict, "j").reason
    doubtful = Answers(0.9, 0.1, 0.3, {7: 0.99}, {})
    assert verdict_of(doubtful, LINES, strict, "j").label == "review"


@given(
    st.tuples(SHARE, SHARE, SHARE),
    st.tuples(SHARE, SHARE, SHARE),
    st.tuples(SHARE, SHARE, SHARE),
)
def test_whatever_is_answered(
    claim: tuple[float, ...], carrying: tuple[float, ...], against: tuple[float, ...]
) -> None:
    numbers = (7, 9, 12)
    supports, otherwise = dict(zip(numbers, carrying, strict=True)), dict(zip(numbers, against, strict=True))
    verdict = verdict_of(Answers(*claim, supports, otherwise), LINES, Bands(), "j")
    texts = {(0, line.offset): line.raw for line in LINES}
    assert all(texts[each.excerpt, each.offset] == each.text for each in verdict.evidence)
    assert [each.offset for each in verdict.evidence] == sorted({each.offset for each in verdict.evidence})
    assert verdict.reason.endswith(".")
    assert verdict.basis
    assert not verdict.basis.endswith(".")
    claims, conflict, baseless = claim
    if verdict.label in ("supported", "partial"):
        assert verdict.evidence
        assert (max(carrying) >= 0.6, conflict <= 0.4) == (True, True)
        assert (baseless >= 0.6) == (verdict.label == "partial")
    if verdict.label == "unsupported":
        assert claims >= 0.6
        assert conflict >= 0.6 or (max(carrying) <= 0.4 and baseless >= 0.6)
        assert (verdict.kind == "contradicted") == (conflict >= 0.6)
    assert (verdict.label == "unchecked") == (claims <= 0.4)
