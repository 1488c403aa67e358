"""Replies of models: what is read out of them, and that nothing they hold raises."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.judges.replies import Entry, read_reply

Ends = Callable[[], AbstractContextManager[None]]
GOOD = {"id": 1, "reason": "r", "quote": "q", "missing": "", "label": "supported"}


def reply(*entries: object) -> str:
    return json.dumps({"results": list(entries)})


def entry(number: object = 1, label: object = "supported", **more: object) -> dict[str, object]:
    return {"id": number, "reason": "r", "quote": "", "missing": "", "label": label, **more}


def test_a_whole_reply() -> None:
    reading = read_reply(reply(GOOD), [1])
    assert reading.entries == {1: Entry("supported", "r", "q", "")}
    assert reading.breaches == ()
    assert reading.readable


@pytest.mark.parametrize(
    "around",
    [
        "{0}",
        "Sure! Here it is:\n```json\n{0}\n```\nAnything else?",
        "I looked at {{the rows}}. {0} {{}}",
        "<think>{{maybe}}</think>{0}",
    ],
)
def test_the_object_is_found_in_a_text(around: str) -> None:
    text = around.replace("{{", "{").replace("}}", "}").replace("{0}", reply(GOOD))
    assert set(read_reply(text, [1]).entries) == {1}


def test_the_rows_before_a_cut_count() -> None:
    text = reply(entry(1), entry(2), entry(3))
    reading = read_reply(text[: text.index('"id": 3') + 20], [1, 2, 3])
    assert set(reading.entries) == {1, 2}
    assert reading.breaches == ("row 3 is not answered",)
    assert read_reply(text[:-2], [1, 2, 3], strict=True).entries == {}


def test_good_rows_are_kept_and_the_others_are_named() -> None:
    text = reply(entry(1), entry(2, "Supported"), entry(9), entry(3), entry(3, "partial"), entry(5, reason=7), "x")
    reading = read_reply(text, [1, 2, 3, 4, 5])
    assert set(reading.entries) == {1}
    assert reading.breaches == (
        'row 2: the label is "Supported"',
        "an answer to a row that was not asked: 9",
        "row 3 is answered twice",
        "row 5: its reason is no text",
        'an answer to a row that was not asked: "x"',
        "row 4 is not answered",
    )


def test_a_row_that_is_said_twice_in_the_same_words_is_kept() -> None:
    reading = read_reply(reply(GOOD, GOOD), [1])
    assert set(reading.entries) == {1}
    assert reading.breaches == ("row 1 is answered twice",)


@pytest.mark.parametrize(
    "entries", [[entry("1")], [entry(True)], [entry(None)], [entry(1.5)], [entry(10**400)], [entry([1])], [None], [[]]]
)
def test_what_is_no_number_of_a_row_is_none(entries: list[object]) -> None:
    assert read_reply(reply(*entries), [1]).entries == {}


def test_a_number_may_be_written_as_json_writes_it() -> None:
    assert set(read_reply('{"results": [{"id": 1.0, "reason": "", "label": "partial"}]}', [1]).entries) == {1}


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "{}", '{"results": 3}', "no", "{" * 5000, '{"a":' * 5000, "[" * 9999]
)
def test_what_is_no_reply_is_said_to_be_none(text: str) -> None:
    reading = read_reply(text, [1])
    assert not reading.entries
    assert not reading.readable
    assert reading.breaches


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 400 + "[" + "1," * 900_000,
        '{"a":[' * 200 + "[]," * 600_000,
        '{"a":' * 400 + '"' + "x" * 1_900_000,
        '{"a":' * 400 + "[" + "1," * 900_000 + "[" * 5000,
        '{"results": [' + '{"id": 1, "reason": "' * 90_000,
    ],
)
def test_a_long_reply_is_not_read_again_from_each_of_its_beginnings(text: str, ends: Ends) -> None:
    with ends():
        for _ in range(5):
            assert not read_reply(text, [1]).readable


def test_rows_before_the_cut_of_a_long_reply_count() -> None:
    text = reply(*(entry(number, reason="r" * 1000) for number in range(1, 1500)))
    assert len(read_reply(text[:-5], range(1, 1500)).entries) == 1498


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["results", "id", "label", "reason", "quote", "missing", "kind", "x"]), inner)
    ),
)


@given(json_values, st.booleans(), st.integers(0, 400), st.text(max_size=10))
def test_no_reply_raises_and_no_row_is_made_up(value: object, strict: bool, cut: int, before: str) -> None:
    reading = read_reply(before + json.dumps(value)[:cut], [0, 1, 2], strict=strict)
    assert set(reading.entries) <= {0, 1, 2}
    assert reading.breaches or set(reading.entries) == {0, 1, 2}
    assert not (strict and reading.breaches and reading.entries)


@given(st.text())
def test_no_text_raises(text: str) -> None:
    read_reply(text, [1])
    read_reply("{" + text, [1], strict=True)
