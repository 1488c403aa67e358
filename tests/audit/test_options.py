from typing import Any

import pytest
from pydantic import ValidationError

from cite_lsp.audit.options import AuditOptions, faults


def test_the_defaults_are_those_of_the_table() -> None:
    assert AuditOptions().model_dump() == {
        "scope": "all",
        "sample_per_section": 2,
        "max_sampled": 24,
        "window": 3,
        "resolver": 2,
        "on_found": "report",
        "fail_on_partial": False,
        "section_minimum": 1,
        "judge_output_cap_guard": "fail",
        "strict": False,
    }


@pytest.mark.parametrize("name", ["sample_per_section", "max_sampled", "section_minimum"])
@pytest.mark.parametrize("value", [0, -1, 1.5, 2.0, "2", True, float("nan"), float("inf"), [], -(10**100)])
def test_counts_are_whole_numbers_of_at_least_one(name: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        AuditOptions.model_validate({name: value})
    (fault,) = faults(caught.value, AuditOptions)
    assert fault.place == (name,)
    assert "an integer, 1 or more" in fault.message
    assert fault.given


@pytest.mark.parametrize(
    ("given", "legal"),
    [
        ({"window": -1}, "window: -1 was given; legal is an integer, 0 or more"),
        ({"window": False}, "window: false was given; legal is an integer, 0 or more"),
        ({"resolver": 3}, "resolver: 3 was given; legal is 1 or 2"),
        ({"resolver": "2"}, 'resolver: "2" was given; legal is 1 or 2'),
        ({"resolver": True}, "resolver: true was given; legal is 1 or 2"),
        ({"resolver": 2.0}, "resolver: 2.0 was given; legal is 1 or 2"),
        ({"scope": "census"}, 'scope: "census" was given; legal is "all" or "sample"'),
        ({"on_found": "stop"}, 'on_found: "stop" was given; legal is "report", "fail" or "repair"'),
        ({"judge_output_cap_guard": "off"}, 'judge_output_cap_guard: "off" was given; legal is "fail" or "warn"'),
        ({"fail_on_partial": 1}, "fail_on_partial: 1 was given; legal is true or false"),
        ({"strict": "yes"}, 'strict: "yes" was given; legal is true or false'),
    ],
)
def test_a_wrong_value_is_named_with_what_is_legal(given: dict[str, Any], legal: str) -> None:
    with pytest.raises(ValidationError) as caught:
        AuditOptions.model_validate(given)
    assert [fault.message for fault in faults(caught.value, AuditOptions)] == [legal]


def test_every_wrong_value_is_named_at_once() -> None:
    with pytest.raises(ValidationError) as caught:
        AuditOptions.model_validate({"window": -1, "max_sampled": "24", "resolver": 1, "depth": 3})
    messages = [fault.message for fault in faults(caught.value, AuditOptions)]
    assert [message.split(":")[0] for message in messages] == ["max_sampled", "window", "resolver", "depth"]
    assert "there is no such option" in messages[-1]
    assert "sample_per_section" in messages[-1]


@pytest.mark.parametrize("given", [{"resolver": 1}, {"resolver": 1, "scope": "all"}, {"scope": None, "resolver": 1}])
def test_a_census_needs_resolver_two(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match='scope "all" needs resolver 2'):
        AuditOptions.model_validate(given)


def test_resolver_one_samples_and_the_edges_of_the_ranges_are_legal() -> None:
    options = AuditOptions(scope="sample", resolver=1, window=0, sample_per_section=1, max_sampled=1)
    assert (options.resolver, options.window) == (1, 0)


def test_none_counts_as_not_given() -> None:
    assert AuditOptions.model_validate({"window": None, "scope": None}) == AuditOptions()


def test_options_cannot_be_changed() -> None:
    options = AuditOptions()
    with pytest.raises(ValidationError):
        options.window = 9  # type: ignore[misc]
