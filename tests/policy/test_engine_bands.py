"""Thresholds and bands: what is yes, what is no, and what a person should look at."""

from typing import Any

import pytest

from cite_lsp.policy import Concern, Policy, judge, source
from tests.policy.answering import WHOLE, Rule, asks, sync_client, yes_to

TWO = Policy([Concern("riddle", detect=asks("riddles"), confirm=asks("again"))])


def scored(first: dict[str, float], second: float = 1) -> Rule:
    """Answers the first round by text, the second with one number."""

    def answer(question: Any, texts: Any) -> dict[str, Any]:
        if "again" in question["instructions"]["question"]:
            return {"noul": second}
        return {"noul": first[texts[question["instructions"]["inspect"].strip("`").removesuffix(".text")]]}

    return Rule(answer=answer)


SCORES = {"low": 0.4, "unsure": 0.45, "edge": 0.5, "sure": 0.51}
BANDED: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"strict_threshold": True}, {"sure": "holds"}),
    ({}, {"unsure": "review", "edge": "review", "sure": "holds"}),
    ({"threshold": 0.42}, {"unsure": "holds", "edge": "holds", "sure": "holds"}),
    ({"threshold": 0.3}, {"low": "holds", "unsure": "holds", "edge": "holds", "sure": "holds"}),
    ({"threshold": 0.9}, {"unsure": "review", "edge": "review", "sure": "review"}),
    ({"bands": {"detect:riddle": (0.45, 0.51)}}, {"edge": "review", "sure": "holds"}),
    ({"bands": {"detect:riddle": (0.5, 0.9)}}, {"sure": "review"}),
    ({"bands": {"confirm:riddle": (0.2, 1)}}, {"unsure": "review", "edge": "review", "sure": "holds"}),
    ({"bands": {"detect:riddle": (0.1, 0.9)}, "strict_threshold": True}, {"sure": "holds"}),
]


@pytest.mark.parametrize(("chosen", "expected"), BANDED, ids=repr)
async def test_what_is_inside_the_band_is_for_a_person_to_see(chosen: Any, expected: dict[str, str]) -> None:
    report = await judge(sync_client(scored(SCORES)), source(list(SCORES)), TWO, **chosen)
    (found,) = report.findings
    assert {each.passage.text: each.verdict for each in found.evidence} == expected
    assert found.verdict == ("holds" if "holds" in expected.values() else "review")


FILLED: list[tuple[dict[str, float], str, list[str]]] = [
    ({}, "holds", ["holds", "holds"]),
    ({"two second": 0.45}, "review", ["holds", "review"]),
    ({"one first": 0.45}, "review", ["review", "holds"]),
    ({"one anything": 0.45}, "review", ["review", "holds"]),
    ({"one third": 0.45}, "holds", ["holds", "holds"]),
    ({"two third": 0.45}, "holds", ["holds", "holds"]),
]


@pytest.mark.parametrize(("scores", "verdict", "standings"), FILLED, ids=repr)
async def test_a_role_that_is_filled_by_a_doubtful_passage_is_for_a_person_to_see(
    scores: dict[str, float], verdict: str, standings: list[str]
) -> None:
    """All checks hold, and one score of the first round is inside the band; a role may rather stay empty than that."""
    plain = {"one anything": 1, "two anything": 1, "one first": 1, "two second": 1}

    def answer(question: Any, texts: Any) -> dict[str, Any]:
        told = question["instructions"]
        if question["type"] != "noul" or "inspect" not in told:
            return yes_to(question)
        text = texts[told["inspect"].strip("`").removesuffix(".text")]
        return {"noul": (plain | scores).get(f"{text} {told['question'].split()[-1].rstrip('?')}", 0)}

    report = await judge(sync_client(Rule(answer=answer)), source(["one", "two"]), WHOLE)
    (found,) = report.findings
    assert (found.concern, found.verdict) == ("built", verdict)
    assert found.roles == {"one": "P000", "two": "P001"}
    assert [each.verdict for each in found.evidence] == standings


async def test_a_band_of_its_own_decides_a_check() -> None:
    def answer(question: Any, _: Any) -> dict[str, Any]:
        said = yes_to(question)
        return {"noul": 0.55} if "agree" in question["instructions"]["question"] else said

    made = source(["one", "two"])
    expected = {"review": None, "holds": (0.1, 0.5), "fails": (0.55, 0.6)}
    for verdict, band in expected.items():
        bands = {} if band is None else {"check:built/agree": band}
        report = await judge(sync_client(Rule(answer=answer)), made, WHOLE, bands=bands)
        assert report.findings[2].verdict == verdict


async def test_a_band_of_its_own_decides_a_confirm() -> None:
    report = await judge(
        sync_client(scored({"x": 0.9}, second=0.55)), source(["x"]), TWO, bands={"confirm:riddle": (0.1, 0.55)}
    )
    assert report.findings[0].verdict == "holds"
    report = await judge(sync_client(scored({"x": 0.9}, second=0.55)), source(["x"]), TWO)
    assert report.findings[0].verdict == "review"
