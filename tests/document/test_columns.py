"""Columns agree with Python's own codecs, in every encoding a client may negotiate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.columns import Encoding, from_units, to_units

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
LINES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=()), max_size=20)


def units_of(text: str, encoding: Encoding) -> int:
    """What the codecs say; a lone surrogate is written as it stands."""
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return len(text.encode(codec, "surrogatepass")) // width


@pytest.mark.parametrize(
    ("encoding", "units"), [("utf-8", [0, 1, 3, 6, 10, 11]), ("utf-16", [0, 1, 2, 3, 5, 6]), ("utf-32", range(6))]
)
def test_columns_of_one_to_four_byte_characters(encoding: Encoding, units: list[int]) -> None:
    line = "aé漢🚀b"
    assert [to_units(line, column, encoding) for column in range(6)] == list(units)
    assert [from_units(line, unit, encoding) for unit in units] == list(range(6))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_past_either_end_is_that_end(encoding: Encoding) -> None:
    for line in ("", "abc", "🚀é"):
        assert from_units(line, 1_000, encoding) == len(line)
        assert from_units(line, -1, encoding) == 0
        assert to_units(line, 1_000, encoding) == units_of(line, encoding)
        assert to_units(line, -1, encoding) == 0


def test_a_column_inside_a_character_is_its_start() -> None:
    assert from_units("a🚀b", 2, "utf-16") == 1
    assert [from_units("🚀b", units, "utf-8") for units in range(6)] == [0, 0, 0, 0, 1, 2]


def test_line_separators_other_than_line_ends_have_a_width() -> None:
    assert to_units("a\u2028b\x0cc", 5, "utf-8") == 7
    assert to_units("a\u2028b\x0cc", 5, "utf-16") == 5


@given(LINES, st.integers(-2, 25), st.sampled_from(ENCODINGS))
def test_units_are_the_codecs(line: str, column: int, encoding: Encoding) -> None:
    clamped = max(0, min(column, len(line)))
    assert to_units(line, column, encoding) == units_of(line[:clamped], encoding)


@given(LINES, st.integers(0, 25), st.sampled_from(ENCODINGS))
def test_there_and_back(line: str, column: int, encoding: Encoding) -> None:
    units = to_units(line, column, encoding)
    assert from_units(line, units, encoding) == min(column, len(line))
    if column < len(line) and encoding != "utf-32":
        wide = to_units(line, column + 1, encoding) - units
        assert [from_units(line, units + inside, encoding) for inside in range(wide)] == [column] * wide
