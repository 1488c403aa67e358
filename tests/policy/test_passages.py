"""Sources: what is kept, what is shown, and what is refused, all of it at once."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.policy.passages import Source, SourceError, source


def faults(units: Any, **options: Any) -> tuple[str, ...]:
    with pytest.raises(SourceError) as caught:
        source(units, **options)
    return caught.value.faults


def test_texts_are_kept_byte_for_byte() -> None:
    made = source([" yes, that's right \n", {"text": "two", "other": 1}])
    assert [each.text for each in made.passages] == [" yes, that's right \n", "two"]
    assert [each.id for each in made.passages] == ["P000", "P001"]
    assert source([]).passages == ()


def test_only_what_is_shown_of_meta_is_given_away() -> None:
    made = source([{"text": "a", "meta": {"speaker": "Hatter", "at": object()}}, "b"], as_="lines", show=["speaker"])
    assert [made.shown(each) for each in made.passages] == [
        {"speaker": "Hatter", "id": "P000", "text": "a"},
        {"id": "P001", "text": "b"},
    ]


def test_meta_that_its_owner_changes_later_stays_as_it_was() -> None:
    meta = {"speaker": "Hatter"}
    made = source([{"text": "a", "meta": meta}], show=["speaker"])
    meta["speaker"] = "Hare"
    assert made.shown(made.passages[0])["speaker"] == "Hatter"


def test_all_faults_are_told_at_once() -> None:
    units = ["", {"id": "U1", "text": "a"}, {"id": "U1", "text": "b"}, {"id": None, "text": "c"}, 7, {"id": "a b"}]
    found = faults(units, as_="a.b", show=["id"])
    assert len(found) == 7
    assert found[0].startswith("as_ is 'a.b'")
    assert found[1].startswith("show is a list of keys of meta")
    assert found[2] == "unit 0: text has to be Unicode text that is not blank"
    assert found[3].startswith("unit 3: id is None")
    assert found[4] == found[5].replace("5", "4") == "unit 4: it is neither a text nor a map with text"
    assert found[6] == "ids have to differ, and these do not: U1"


@pytest.mark.parametrize("show", [[[]], [{}], [3], ["who", None]])
def test_what_cannot_be_a_key_of_meta_is_a_fault(show: list[object]) -> None:
    (fault,) = faults([{"text": "a", "meta": {"who": "A"}}], show=show)
    assert fault.startswith("show is a list of keys of meta")


@pytest.mark.parametrize(
    "value", [object(), float("nan"), float("inf"), {1: "a"}, {"a": {"b": b"c"}}, "\ud800", {"\ud800": 1}]
)
def test_shown_meta_has_to_be_json(value: object) -> None:
    assert faults([{"text": "a", "meta": {"at": value}}], show=["at"]) == ("unit 0: meta 'at' is shown and is no JSON",)
    assert source([{"text": "a", "meta": {"at": value}}]).passages[0].id == "P000"


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u2003", "\u3000", "\t", "\x85", "\u2028", "\x1c"])
def test_white_space_of_any_kind_is_no_text_and_no_part_of_an_id(space: str) -> None:
    assert faults([space]) == ("unit 0: text has to be Unicode text that is not blank",)
    assert "would break a path" in faults([{"id": f"a{space}b", "text": "x"}])[0]


@given(st.lists(st.text()), st.text(max_size=3))
def test_any_units_make_a_source_or_a_message(units: list[str], as_: str) -> None:
    try:
        made: Source | None = source(units, as_=as_)
    except SourceError:
        made = None
    legal = all(text.strip() and text.isprintable() for text in units) and as_.isalnum()
    assert made is not None or not legal
    if made is None:
        return
    assert [each.text for each in made.passages] == units
    json.dumps([made.shown(each) for each in made.passages])
