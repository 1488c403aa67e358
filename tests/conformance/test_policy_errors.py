"""The reference's faults of policies against ours: each is one here too, in words that say the same.

There is no departure in what is a fault; ours are told all at once, the reference's first alone (`tests/policy`).
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.policy.faults import PolicyError
from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Policy, Role, Score, YesNo

ASKS = YesNo("Is {passage} one?", yes="One.", no="None.")
CHECKS = YesNo("Does {a} fit {b}?", yes="It does.", no="It does not.")
DIRECT = Concern("direct", detect=ASKS)
BUILT = Concern("built", roles=[Role("a", "one"), Role("b", "two")], checks=[Check("fit", CHECKS)])
GOOD: dict[str, Any] = {
    "concerns": [DIRECT, BUILT],
    "filters": [Filter("said", ASKS)],
    "factors": [Factor("one", ASKS), Factor("two", ASKS)],
    "descriptors": [Score("severity", "How severe?", ["low", "high"])],
}
LINE = replace(ASKS, question="Is {passage} in {line}?")
FOCUS = replace(ASKS, focus="Read {line}.")


def built(**changed: Any) -> dict[str, Any]:
    return {"concerns": [DIRECT, replace(BUILT, **changed)]}


def direct(**changed: Any) -> dict[str, Any]:
    return {"concerns": [replace(DIRECT, **changed), BUILT]}


def score(*levels: str) -> dict[str, Any]:
    return {"descriptors": [Score("severity", "How severe?", levels)]}


def check(question: str, **changed: Any) -> dict[str, Any]:
    asks = YesNo(question, yes="It does.", no="It does not.", focus=changed.pop("focus", None))
    return built(checks=[Check("fit", CHECKS), Check("other", asks, **changed)])


ROWS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "filter without {passage} in its question": (
        "must use {passage}",
        [{"filters": [Filter("said", replace(ASKS, question="Is it?", focus="Read {passage}."))]}],
    ),
    "detect/confirm/filter/factor with another placeholder (question or focus)": (
        "may only use {passage}, got {line}",
        [
            *(direct(detect=each) for each in (LINE, FOCUS)),
            *(direct(confirm=each) for each in (LINE, FOCUS)),
            *({"filters": [Filter("said", each)]} for each in (LINE, FOCUS)),
            *({"factors": [Factor("one", each), Factor("two", ASKS)]} for each in (LINE, FOCUS)),
        ],
    ),
    "yes or no missing": (
        "needs yes and no",
        [direct(detect=replace(ASKS, **{side: None})) for side in ("yes", "no")],
    ),
    "no concern": ("a policy needs at least one concern", [{"concerns": [], "factors": []}]),
    "detect and roles both, or neither": (
        "needs a detect or roles, not both",
        [built(detect=ASKS), direct(detect=None)],
    ),
    "confirm on a roles concern": ("a confirm applies only to a concern with a detect", [built(confirm=ASKS)]),
    "check on a detect concern": (
        "checks apply only to a concern built from roles",
        [direct(checks=[Check("fit", CHECKS)])],
    ),
    "two filters/concerns/factors with one name": (
        "is declared twice",
        [
            {"filters": [Filter("said", ASKS), Filter("said", ASKS)]},
            direct(name="said"),
            {"factors": [*GOOD["factors"], Factor("direct", ASKS)]},
        ],
    ),
    "two descriptors with one name": (
        "is declared twice",
        [{"descriptors": [*GOOD["descriptors"], Choice("severity", "Which?", {"a": "A."})]}],
    ),
    "':' in a filter/concern/factor/check/descriptor name": (
        'must not contain ":"',
        [
            {"filters": [Filter("a:b", ASKS)]},
            direct(name="a:b"),
            {"factors": [*GOOD["factors"], Factor("a:b", ASKS)]},
            built(checks=[Check("a:b", CHECKS)]),
            {"descriptors": [Score("a:b", "How severe?", ["low", "high"])]},
        ],
    ),
    "check and descriptor share a name": (
        "names both a check and a score or choice",
        [{"descriptors": [Score("fit", "How severe?", ["low", "high"])]}],
    ),
    "two roles / checks with one name in one concern": (
        "the concern 'built' declares the ",
        [
            built(roles=[*BUILT.roles, Role("a", "two")]),
            built(checks=[*BUILT.checks, *BUILT.checks]),
        ],
    ),
    "role not [A-Za-z0-9_]+": (
        "has to be a word of letters, digits and _",
        [built(roles=[*BUILT.roles, Role(name, "two")]) for name in ("a-b", "é", "a b")],
    ),
    "role named passage": (
        "a role cannot be named passage",
        [built(roles=[*BUILT.roles, Role("passage", "two")])],
    ),
    "role naming an undeclared factor": (
        "names the factor 'three', which is not declared",
        [built(roles=[*BUILT.roles, Role("c", "three")])],
    ),
    "check with no role in its QUESTION (a role only in focus does not count)": (
        "must name at least one of its concern's roles in its question",
        [check("Does it fit?"), check("Does it fit?", focus="Read {a}.")],
    ),
    "check naming an unknown role (question or focus)": (
        "names the unknown role {c}",
        [check("Does {a} fit {c}?"), check("Does {a} fit?", focus="Read {c}.")],
    ),
    "all roles optional": (
        "needs at least one required role",
        [built(roles=[replace(each, optional=True) for each in BUILT.roles])],
    ),
    "no check that names only required roles and is not distinct": (
        "needs a check that names only required roles and is not distinct",
        [
            built(checks=[]),
            built(checks=[Check("fit", CHECKS, distinct=True)]),
            built(roles=[BUILT.roles[0], replace(BUILT.roles[1], optional=True)]),
        ],
    ),
    "distinct check naming <2 roles": ("must name at least two roles", [check("Does {a} fit?", distinct=True)]),
    "descriptor with a placeholder": (
        "must not use placeholders",
        [
            {"descriptors": [Score("severity", "How severe is {passage}?", ["low", "high"])]},
            {"descriptors": [Choice("which", "Which?", {"a": "A."}, focus="Read {a}.")]},
        ],
    ),
    "score with 0,1 or >10 levels, or duplicate levels": (
        "needs 2 to 10 unique levels",
        [score(), score("low"), score(*map(str, range(11))), score("low", "low")],
    ),
    "choice with 0 options or duplicate keys": (
        "needs at least one option, with unique keys",
        [
            {"descriptors": [Choice("which", "Which?", {})]},
            {"descriptors": [Choice("which", "Which?", [("a", "A."), ("a", "B.")])]},
        ],
    ),
    "factor no role names": (
        "the factor 'three' fills no role",
        [{"factors": [*GOOD["factors"], Factor("three", ASKS)]}],
    ),
}


def test_policy_errors(shared: Path) -> None:
    vectors = json.loads((shared / "vectors" / "cite.json").read_text(encoding="utf-8"))["policy_errors"]
    assert [given for given, _ in vectors] == list(ROWS)


def test_what_the_rows_change_is_legal_before() -> None:
    assert len(Policy(**GOOD).concerns) == 2


@pytest.mark.parametrize("row", ROWS)
def test_each_row_is_a_fault(row: str) -> None:
    words, cases = ROWS[row]
    for changed in cases:
        with pytest.raises(PolicyError) as raised:
            Policy(**{**GOOD, **changed})
        assert any(words in fault.message for fault in raised.value.faults), str(raised.value)
