"""Every fault of a policy is told, at once and with its place; what is legal is not refused."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.policy.faults import PolicyError
from cite_lsp.policy.language import Check, Choice, Concern, Factor, Filter, Policy, Role, Score, Side, YesNo
from cite_lsp.policy.placeholders import expanded, names_in

ASKS = YesNo("Does {passage} say so?", yes="It does.", no="It does not.")
AGREE = YesNo("Do {one} and {two} agree?", yes="They do.", no="They do not.")
EXAMPLES = "the examples of {} for the filter 'said' have to be a list of texts that are not blank"
BUILT = Concern(
    "built",
    roles=[Role("one", "first"), Role("two", "second"), Role("third", "second", optional=True, distinct=True)],
    checks=[Check("agree", AGREE), Check("differ", AGREE, distinct=True)],
)
PARTS: dict[str, Any] = {
    "filters": [Filter("said", ASKS)],
    "concerns": [Concern("direct", detect=ASKS, confirm=ASKS, category="kind"), BUILT],
    "factors": [Factor("first", ASKS), Factor("second", ASKS)],
    "descriptors": [
        Score("severity", "How severe is it?", ["low", "high"]),
        Choice("lasting", "Does it last?", {"yes": "It lasts.", "no": "It passes."}),
    ],
}


def faults(**changed: Any) -> dict[str, str]:
    """The faults of the policy above with some parts in place of its own, by their places."""
    with pytest.raises(PolicyError) as caught:
        Policy(**{**PARTS, **changed})
    return {fault.place: fault.message for fault in caught.value.faults}


def built(**changed: Any) -> dict[str, str]:
    return faults(concerns=[PARTS["concerns"][0], replace(BUILT, **changed)])


def test_the_policy_of_these_tests_is_legal() -> None:
    policy = Policy(**PARTS)
    assert [name for name, _ in policy.detects()] == ["said", "direct", "first", "second"]


def test_names_that_are_legal_though_they_look_alike() -> None:
    """Check names may be used again in another concern, and be those of detects; so may those of descriptors."""
    again = replace(BUILT, name="again", checks=[Check("agree", AGREE), Check("direct", AGREE)])
    Policy(**{**PARTS, "concerns": [*PARTS["concerns"], again]})
    Policy(**{**PARTS, "descriptors": [Score("direct", "How?", ["a", "b"])]})


CASES: Mapping[str, tuple[Callable[[], dict[str, str]], dict[str, str]]] = {
    "a filter without the passage": (
        lambda: faults(filters=[Filter("said", replace(ASKS, question="Is it so?", focus="Read {passage}."))]),
        {"filter[0].question": "the filter 'said' must use {passage} in its question"},
    ),
    "another placeholder": (
        lambda: faults(factors=[Factor("first", replace(ASKS, focus="Read {line}.")), PARTS["factors"][1]]),
        {"factor[0].focus": "the factor 'first' may only use {passage}, got {line}"},
    ),
    "no yes": (
        lambda: faults(filters=[Filter("said", replace(ASKS, yes=None))]),
        {"filter[0]": "the filter 'said' needs yes and no: yes is missing"},
    ),
    "neither yes nor no": (
        lambda: built(checks=[Check("agree", replace(AGREE, yes=None, no=None))]),
        {"concern[1].check[0]": "the check 'agree' needs yes and no: both are missing"},
    ),
    "a blank side": (
        lambda: faults(filters=[Filter("said", replace(ASKS, no=Side(" ")))]),
        {"filter[0].no": "what counts as no for the filter 'said' has to be a text that is not blank"},
    ),
    "no concern": (
        lambda: faults(concerns=[], factors=[]),
        {"": "a policy needs at least one concern"},
    ),
    "detect and roles": (
        lambda: built(detect=ASKS),
        {"concern[1]": "the concern 'built' needs a detect or roles, not both, and has both"},
    ),
    "neither": (
        lambda: faults(concerns=[BUILT, Concern("bare")]),
        {"concern[1]": "the concern 'bare' needs a detect or roles, not both, and has neither"},
    ),
    "a confirm beside roles": (
        lambda: built(confirm=ASKS),
        {"concern[1].confirm": "a confirm applies only to a concern with a detect"},
    ),
    "checks beside a detect": (
        lambda: faults(concerns=[Concern("direct", detect=ASKS, checks=[Check("agree", AGREE)]), BUILT]),
        {"concern[0].check[0]": "checks apply only to a concern built from roles"},
    ),
    "one name twice": (
        lambda: faults(filters=[Filter("first", ASKS)]),
        {"factor[0].name": "the name 'first' is declared twice: filters, concerns and factors share their names"},
    ),
    "two descriptors of one name": (
        lambda: faults(descriptors=[PARTS["descriptors"][0], Choice("severity", "Which?", [("a", "A.")])]),
        {"choice[0].name": "the name 'severity' is declared twice: scores and choices share their names"},
    ),
    "colons": (
        lambda: faults(
            concerns=[Concern("a:b", detect=ASKS), replace(BUILT, checks=[Check("c:d", AGREE)])],
            filters=[Filter("e:f", ASKS)],
            descriptors=[Score("g:h", "How?", ["a", "b"])],
        ),
        {
            "filter[0].name": "the name 'e:f' must not contain \":\"",
            "concern[0].name": "the name 'a:b' must not contain \":\"",
            "score[0].name": "the name 'g:h' must not contain \":\"",
            "concern[1].check[0].name": "the name 'c:d' must not contain \":\"",
        },
    ),
    "a check and a descriptor": (
        lambda: faults(descriptors=[Score("agree", "How?", ["a", "b"])]),
        {"concern[1].check[0].name": "'agree' names both a check and a score or choice"},
    ),
    "a role twice": (
        lambda: built(roles=[*BUILT.roles, Role("one", "first")]),
        {"concern[1].role[3].name": "the concern 'built' declares the role 'one' twice"},
    ),
    "a check twice": (
        lambda: built(checks=[Check("agree", AGREE), Check("agree", AGREE)]),
        {"concern[1].check[1].name": "the concern 'built' declares the check 'agree' twice"},
    ),
    "a role that is no word": (
        lambda: built(roles=[*BUILT.roles, Role("a-b", "first", optional=True)]),
        {"concern[1].role[3].name": "the role 'a-b' has to be a word of letters, digits and _"},
    ),
    "a role named passage": (
        lambda: built(roles=[*BUILT.roles, Role("passage", "first", optional=True)]),
        {"concern[1].role[3].name": "a role cannot be named passage: checks read it as a placeholder"},
    ),
    "an undeclared factor": (
        lambda: built(roles=[*BUILT.roles, Role("four", "fourth", optional=True)]),
        {"concern[1].role[3].factor": "the role 'four' names the factor 'fourth', which is not declared"},
    ),
    "a check that names its roles in its focus only": (
        lambda: built(checks=[Check("agree", AGREE), Check("look", replace(AGREE, question="Is it?", focus="{one}."))]),
        {
            "concern[1].check[1].question": "the check 'look' must name at least one of its concern's roles in its "
            "question"
        },
    ),
    "unknown roles": (
        lambda: built(
            checks=[Check("agree", AGREE), Check("look", replace(AGREE, question="Is {one} {x}?", focus="{y}"))]
        ),
        {
            "concern[1].check[1].question": "the check 'look' names the unknown role {x}",
            "concern[1].check[1].focus": "the check 'look' names the unknown role {y}",
        },
    ),
    "optional roles only": (
        lambda: built(roles=[replace(role, optional=True) for role in BUILT.roles]),
        {"concern[1]": "the concern 'built' needs at least one required role"},
    ),
    "no check that always judges": (
        lambda: built(checks=[Check("differ", AGREE, distinct=True)]),
        {
            "concern[1]": "the concern 'built' needs a check that names only required roles and is not distinct, so "
            "that every finding is judged by something"
        },
    ),
    "a distinct check of one role": (
        lambda: built(checks=[Check("agree", AGREE), Check("d", replace(AGREE, question="Is {one}?"), distinct=True)]),
        {"concern[1].check[1].distinct": "the check 'd' is distinct, so it must name at least two roles"},
    ),
    "a descriptor with a placeholder": (
        lambda: faults(descriptors=[Score("s", "How is {passage}?", ["a", "b"])]),
        {"score[0].question": "the score 's' must not use placeholders: it is asked of all evidence"},
    ),
    "levels": (
        lambda: faults(
            descriptors=[
                Score("none", "How?"),
                Choice("c", "Which?", [("a", "A.")]),
                Score("many", "How?", [str(number) for number in range(11)]),
                Score("twice", "How?", ["a", "a"]),
            ]
        ),
        {
            f"score[{number}].levels": f"the score {name!r} needs 2 to 10 unique levels, "
            "texts from the lowest to the highest"
            for number, name in enumerate(("none", "many", "twice"))
        },
    ),
    "options": (
        lambda: faults(descriptors=[Choice("none", "Which?"), Choice("twice", "Which?", [("a", "A."), ("a", "B.")])]),
        {
            f"choice[{number}].options": f"the choice {name!r} needs at least one option, "
            "with unique keys and a text each"
            for number, name in enumerate(("none", "twice"))
        },
    ),
    "a factor of no role": (
        lambda: faults(factors=[*PARTS["factors"], Factor("idle", ASKS)]),
        {"factor[2].name": "the factor 'idle' fills no role"},
    ),
    "a text where a question belongs": (
        lambda: faults(filters=[Filter("said", "Does {passage} say so?")]),  # type: ignore[arg-type]
        {"filter[0]": "the filter 'said' asks str; it has to ask a YesNo"},
    ),
    "names that are none": (
        lambda: faults(filters=[Filter("", ASKS), Filter(None, ASKS)]),  # type: ignore[arg-type]
        {f"filter[{number}].name": "a name has to be a text that is not blank" for number in (0, 1)},
    ),
    "examples that are no list of texts": (
        lambda: faults(
            filters=[Filter("said", replace(ASKS, yes=Side("It does.", examples="abc"), no=Side("n", "", [1])))]  # type: ignore[list-item]
        ),
        {
            "filter[0].yes.examples": EXAMPLES.format("yes"),
            "filter[0].no.not_for": "not_for of no for the filter 'said' has to be a text that is not blank",
            "filter[0].no.examples": EXAMPLES.format("no"),
        },
    ),
    "a name in braces": (
        lambda: built(name="{x}", roles=[*BUILT.roles, BUILT.roles[0]]),
        {"concern[1].role[3].name": "the concern '{x}' declares the role 'one' twice"},
    ),
    "names that are lists": (
        lambda: {
            **faults(factors=[*PARTS["factors"], Factor([], ASKS)]),  # type: ignore[arg-type]
            **built(roles=[*BUILT.roles, Role("more", [], optional=True)]),  # type: ignore[arg-type]
            **built(checks=[*BUILT.checks, Check([], AGREE)]),  # type: ignore[arg-type]
        },
        {
            "factor[2].name": "a name has to be a text that is not blank",
            "concern[1].role[3].factor": "the role 'more' names the factor [], which is not declared",
            "concern[1].check[2].name": "a name has to be a text that is not blank",
        },
    ),
    "a focus of two lines": (
        lambda: faults(filters=[Filter("said", replace(ASKS, focus="One.\nTwo."))]),
        {"filter[0].focus": "the focus of the filter 'said' has to be one line of text"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fault_is_told_with_its_place(name: str) -> None:
    made, expected = CASES[name]
    assert made() == expected


def test_all_faults_are_told_at_once_in_the_order_of_the_reference() -> None:
    concern = Concern("a", detect=YesNo("Is {x}?", yes="Yes."), checks=[Check("c", AGREE)])
    with pytest.raises(PolicyError) as caught:
        Policy(concerns=[concern, Concern("a")], descriptors=[Score("s", "How?", ["one"])])
    places = [fault.place for fault in caught.value.faults]
    assert places == [
        "concern[1].name",
        "concern[0].detect",
        "concern[0].detect.question",
        "concern[0].detect.question",
        "concern[0].check[0]",
        "concern[1]",
        "score[0].levels",
    ]
    assert str(caught.value).startswith("the policy has 7 faults:\n  concern[1].name: ")


@given(st.text(), st.dictionaries(st.from_regex(r"[A-Za-z0-9_]{1,5}", fullmatch=True), st.text("ab.", max_size=5)))
def test_only_placeholders_with_a_path_are_replaced(text: str, paths: dict[str, str]) -> None:
    done = expanded(text, paths)
    if not set(names_in(text)) & paths.keys():
        assert done == text
    for name in names_in(done):
        assert name not in paths or "{" in "".join(paths.values())


@given(st.lists(st.sampled_from(["{a}", "{b_1}", "{", "}", "{a-b}", "{ä}", " ", "x"])))
def test_names_are_given_once_in_order(parts: list[str]) -> None:
    found = names_in(" ".join(parts))
    assert found == tuple(dict.fromkeys(part[1:-1] for part in parts if part in ("{a}", "{b_1}")))
