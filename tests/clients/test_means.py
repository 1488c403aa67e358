"""JSON in texts that are none, and whether it keeps to a schema."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.clients.means import json_in, keeps_to, loaded, says_twice, with_schema


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', '{"a": 1}'),
        ('  {"a": 1}\n', '{"a": 1}'),
        ('```json\n{"a": 1}\n```', '{"a": 1}'),
        ('Here: {"a": {"b": "}"}} and {"c": 2}', '{"a": {"b": "}"}}'),
        ('the set {x, y} is {"a": 1}', '{"a": 1}'),
        ('open { brace, then {"a": 1}', '{"a": 1}'),
        ('<think>{"a": 2}</think>{"a": 1}', '{"a": 1}'),
        ('{"a": "</think>"}', '{"a": "</think>"}'),
        ('So: {"a": "</think>"}', '{"a": "</think>"}'),
        ('{"a": 2} or not</think>\n\n```\n{"a": 1}\n```', '{"a": 1}'),
        ('"it\'s" {"a": "\\"}"}', '{"a": "\\"}"}'),
        ("no object", "no object"),
        ('{"a": 1', '{"a": 1'),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_the_first_object_in_a_text(text: str, found: str) -> None:
    assert json_in(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('I look at {"a": 1} first: {"results": []}', '{"results": []}'),
        ('<think>{"results": [{"id": "x", "label": "no"}]}</think>{"a": 1}, so {"results": []}', '{"results": []}'),
        ('{"a": {"results": []}} and {"b": 1}', '{"a": {"results": []}}'),
        ('{"results": [{"id": 1}]}', '{"results": [{"id": 1}]}'),
        ('{"results": []}, I repeat: {"results":[]}', '{"results": []}'),
    ],
)
def test_the_object_that_keeps_to_the_schema_is_preferred(text: str, found: str) -> None:
    assert json_in(text, SCHEMA) == found


@pytest.mark.parametrize("thought", ["", '{"results": []}</think>'])
def test_of_objects_that_keep_to_the_schema_and_differ_none_is_taken(thought: str) -> None:
    text = thought + 'The text says {"results": [{"id": "x", "label": "yes"}]}, but: {"results": []}'
    assert json_in(text, SCHEMA) == text
    assert loaded(text) is None


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ('{"a": 1, "b": {"a": 1}}', False),
        ('{"a": 1, "a": 1}', True),
        ('[{"b": {"a": 1, "c": 2, "a": 2}}]', True),
        ('{"a": 1, "\\u0061": 2}', True),
        ('\ufeff{"a": 1, "a": 1}'.encode(), True),
        ("3", False),
    ],
)
def test_a_name_that_stands_twice(text: str | bytes, twice: bool) -> None:
    assert says_twice(text) is twice


@given(st.text(alphabet='{}[]"\\:,a1 \n<think>/', max_size=200))
def test_any_text_is_read(text: str) -> None:
    found = json_in(text)
    assert isinstance(loaded(found), dict) or found == text.strip()


@pytest.mark.parametrize(
    "text",
    ["{" * 200_000, '{"a":' * 200_000, '{"' * 200_000, "{}" * 200_000, "{" * 100_000 + "}" * 4_000_000, "\ud800{"],
)
def test_texts_that_are_meant_to_take_long(text: str, ends) -> None:
    with ends():
        json_in(text)


SCHEMA = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "n": {"type": "integer"},
                    "label": {"enum": ["yes", "no"]},
                    "note": {"type": ["string", "null"]},
                },
                "required": ["id", "label"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["results"],
    "additionalProperties": False,
}

rows = st.dictionaries(
    st.sampled_from(["id", "n", "label", "note", "more"]),
    st.one_of(st.sampled_from(["yes", "no", "x"]), st.integers(), st.none(), st.booleans(), st.floats(allow_nan=False)),
)
values = st.one_of(
    st.fixed_dictionaries({"results": st.lists(st.one_of(rows, st.integers()), max_size=3)}),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.integers(),
    st.lists(rows, max_size=2),
)


@given(values)
def test_the_same_as_a_validator_of_the_whole_language_says(value: object) -> None:
    read = json.loads(json.dumps(value))
    if not _whole_floats(read):
        assert keeps_to(read, SCHEMA) == jsonschema.Draft202012Validator(SCHEMA).is_valid(read)


def _whole_floats(value: object) -> bool:
    """1.0 is an integer to JSON schema; nobody writes a count so, and to us it is none."""
    if isinstance(value, float):
        return value.is_integer()
    if isinstance(value, dict):
        return any(_whole_floats(each) for each in value.values())
    return isinstance(value, list) and any(_whole_floats(each) for each in value)


def test_the_schema_is_written_out() -> None:
    text = with_schema("Be a judge.", SCHEMA)
    assert text.startswith("Be a judge.\n\n")
    assert "JSON" in text
    assert json.loads(text[text.index("{") :]) == SCHEMA
