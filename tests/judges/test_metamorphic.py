"""Rewording keeps a verdict, a flip ends it: 5,040 claims that are true, false or of something else by construction.

What a claim is follows from how it was made (`generated_claims.py`), in each language that the product reads. A failure
names its kind and rule, the claim, the lines, and what the judge said of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache

import pytest

from cite_lsp import EmbeddedJudge, Verdict
from cite_lsp.worker.parser import Parser
from tests.judges.generated_claims import (
    CASES_OF_A_KIND,
    KINDS,
    Case,
    Judged,
    cases_of_kind,
    generated,
    in_words,
    judged,
    shares,
)
from tests.judges.written_facts import SYNTAXES, fill, styles

CASES_WITH_A_PARSER = 105

TOLD_OF = frozenset({"unsupported", "partial", "review"})
"""Verdicts that a person is told of as something amiss."""


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    with Parser() as parser:
        yield parser


@cache
def of_kind(kind: str) -> tuple[Judged, ...]:
    return tuple(judged(cases_of_kind(kind), EmbeddedJudge()))


def failures(found: Iterable[Judged]) -> str:
    return "\n\n".join(each.case.shown(each.verdict) for each in found)


def none_of(found: list[Judged], cases: int) -> None:
    assert cases
    assert not found, f"{len(found)} of {cases}:\n\n{failures(found)}"


def judged_as(kind: str, truth: str) -> list[Judged]:
    return [each for each in of_kind(kind) if each.case.truth == truth]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_true_is_never_unsupported(kind: str) -> None:
    cases = judged_as(kind, "true")
    none_of([each for each in cases if each.verdict.label == "unsupported"], len(cases))


@pytest.mark.parametrize("kind", KINDS)
def test_rewording_leaves_what_was_supported_without_complaint(kind: str) -> None:
    cases = judged_as(kind, "true")
    none_of([each for each in cases if each.plain == "supported" and each.verdict.label in TOLD_OF], len(cases))


@pytest.mark.parametrize("kind", KINDS)
def test_a_flip_is_never_supported(kind: str) -> None:
    cases = judged_as(kind, "false")
    print(shares(of_kind(kind)))
    none_of([each for each in cases if each.verdict.label == "supported"], len(cases))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_of_something_else_is_never_supported(kind: str) -> None:
    cases = judged_as(kind, "unrelated")
    none_of([each for each in cases if each.verdict.label == "supported"], len(cases))


@pytest.mark.parametrize("kind", KINDS)
def test_a_verdict_relies_on_lines_that_were_cited(kind: str) -> None:
    for each in of_kind(kind):
        cited = each.case.file[each.case.first - 1 : each.case.last]
        assert each.verdict.basis, each.case.shown(each.verdict)
        for evidence in each.verdict.evidence:
            assert cited[evidence.offset] == evidence.text, each.case.shown(each.verdict)


@pytest.mark.parametrize("kind", KINDS)
def test_with_a_parser_nothing_is_said_the_wrong_way_round(kind: str, parser: Parser) -> None:
    cases = cases_of_kind(kind, CASES_WITH_A_PARSER)
    none_of([each for each in judged(cases, EmbeddedJudge(parser)) if each.wrong], len(cases))


# --- the cases themselves


def test_there_are_five_thousand_of_each_kind_as_many() -> None:
    cases = generated()
    assert len(cases) >= 5_000
    assert Counter(case.kind for case in cases) == dict.fromkeys(KINDS, CASES_OF_A_KIND)
    assert {case.language for case in cases} == set(SYNTAXES)
    assert len({(case.claim, case.file, case.first, case.last) for case in cases}) == len(cases)
    truths = Counter(case.truth for case in cases)
    assert min(truths.values()) > 800, truths


def test_they_are_the_same_in_every_run() -> None:
    assert cases_of_kind("calls", 40) == cases_of_kind("calls", 40)


def test_every_rule_is_used() -> None:
    used = Counter((case.kind, case.truth, case.rule) for case in generated())
    assert len(used) > 500
    assert all(sum(1 for kind, truth, _ in used if (kind, truth) == (each, "false")) >= 4 for each in KINDS)


@pytest.mark.parametrize("case", cases_of_kind("number", 60) + cases_of_kind("raises", 60), ids=lambda case: case.rule)
def test_a_case_is_what_it_is_called(case: Case) -> None:
    """The plain claim is about the cited lines, and a case that differs from it has another claim."""
    cited = "\n".join(case.file[case.first - 1 : case.last])
    names = case.plain.split("`")[1::2]
    assert all(name in cited for name in names), case.shown(Verdict("unchecked"))
    assert (case.rule == "plain") == (case.claim == case.plain) or case.truth == "true"


@pytest.mark.parametrize(
    ("truth", "label", "wrong", "worded_away"),
    [
        ("true", "supported", False, False),
        ("true", "unchecked", False, False),
        ("true", "unsupported", True, True),
        ("true", "partial", False, True),
        ("false", "supported", True, False),
        ("false", "unsupported", False, False),
        ("unrelated", "supported", True, False),
        ("unrelated", "unchecked", False, False),
    ],
)
def test_the_tests_see_what_is_wrong(truth: str, label: str, wrong: bool, worded_away: bool) -> None:
    case = next(case for case in cases_of_kind("number") if case.truth == truth)
    each = Judged(case, Verdict(label), "supported")  # type: ignore[arg-type]
    assert (each.wrong, each.worded_away) == (wrong, worded_away)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (12, "twelve"),
        (25, "twenty-five"),
        (105, "one hundred and five"),
        (2048, "two thousand forty-eight"),
    ],
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert in_words(number) == words


def test_a_template_is_filled_and_other_brackets_stay() -> None:
    assert fill("Vec<u8> <UPPER> = <v>;", {**styles(("pool", "size")), "v": "3"}) == "Vec<u8> POOL_SIZE = 3;"
