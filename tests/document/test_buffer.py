"""The buffer's edits are plain string edits, whatever unit their columns are counted in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.buffer import Buffer, Replaced, lines_with_ends, without_end
from cite_lsp.document.columns import Encoding

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
PIECES = st.sampled_from(
    ["a", "b c", "\n", "\r", "\r\n", "🚀", "é", "漢", "\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\ufeff"]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
POSITIONS = st.tuples(st.integers(-1, 9), st.integers(-1, 14))


def offset_of(text: str, position: tuple[int, int], encoding: Encoding) -> int:
    """Where a position is, by splitting the whole text and by the codecs."""
    line, units = position
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    if line < 0:
        return 0
    if line >= len(starts):
        return len(text)
    content = re.split(r"\r\n|\r|\n", text)[line]
    codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[encoding]
    column = 0
    while column < len(content) and len(content[: column + 1].encode(codec)) // width <= units:
        column += 1
    return starts[line] + column


@given(TEXTS, st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS), max_size=6), st.sampled_from(ENCODINGS))
def test_edits_are_string_edits(
    text: str, edits: list[tuple[tuple[int, int], tuple[int, int], str]], encoding: Encoding
) -> None:
    buffer = Buffer(text)
    for start, end, replacement in edits:
        first = offset_of(text, start, encoding)
        last = max(first, offset_of(text, end, encoding))
        replaced = buffer.edit(start, end, replacement, encoding)
        assert offset_of(text, (replaced.start_line, replaced.start_column), "utf-32") == first
        assert offset_of(text, (replaced.end_line, replaced.end_column), "utf-32") == last
        text = text[:first] + replacement + text[last:]
        assert buffer.text == text
        lines = re.split(r"\r\n|\r|\n", text)
        assert buffer.line_count == len(lines)
        assert [buffer.line(number) for number in range(len(lines) + 1)] == [*lines, ""]


@given(TEXTS)
def test_lines_joined_are_the_text(text: str) -> None:
    lines = lines_with_ends(text)
    assert "".join(lines) == text
    assert all(line for line in lines)
    assert [without_end(line) for line in lines] == re.split(r"\r\n|\r|\n", text)[: len(lines)]


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_nothing_else_ends_a_line(separator: str) -> None:
    buffer = Buffer(f"a{separator}b\nc")
    assert buffer.line_count == 2
    assert buffer.line(0) == f"a{separator}b"


@pytest.mark.parametrize(
    ("encoding", "column"), [("utf-8", 9), ("utf-16", 5), ("utf-32", 3)], ids=["utf-8", "utf-16", "utf-32"]
)
def test_typing_behind_two_rockets(encoding: Encoding, column: int) -> None:
    buffer = Buffer("🚀🚀 see\n")
    assert buffer.edit((0, column), (0, column + 3), "cf.", encoding) == Replaced(0, 3, 0, 6)
    assert buffer.text == "🚀🚀 cf.\n"


def test_past_the_end_is_the_end() -> None:
    buffer = Buffer("a\r\nb")
    buffer.edit((0, 99), (0, 99), "!")
    buffer.edit((99, 0), (99, 5), "?")
    assert buffer.text == "a!\r\nb?"
    assert buffer.edit((1, 1), (0, 0), "-") == Replaced(1, 1, 1, 1)
    assert buffer.text == "a!\r\nb-?"


def test_line_ends_that_an_edit_joins_or_parts() -> None:
    buffer = Buffer("a\rb")
    buffer.edit((1, 0), (1, 0), "\n")
    assert (buffer.text, buffer.line_count) == ("a\r\nb", 2)
    buffer.edit((1, 0), (1, 1), "")
    assert (buffer.text, buffer.line_count, buffer.line(1)) == ("a\r\n", 2, "")
    buffer.edit((0, 0), (1, 0), "")
    assert (buffer.text, buffer.line_count) == ("", 1)
    buffer.edit((0, 0), (0, 0), "\r")
    buffer.edit((1, 0), (1, 0), "\nx")
    assert (buffer.text, buffer.line_count) == ("\r\nx", 2)


def test_the_whole_text_replaced() -> None:
    buffer = Buffer("old\n")
    buffer.replace_all("new\r\ntext")
    assert [buffer.line(0), buffer.line(1)] == ["new", "text"]
