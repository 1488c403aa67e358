"""Quotes: what stands in the cited lines byte for byte, and what does not."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cite_lsp.audit.verdicts import Row
from cite_lsp.judges.quotes import find_quote
from cite_lsp.judges.shown_lines import KEPT_BACK, shown_lines

LINES = [
    "MAX_ATTEMPTS = 15",
    "",
    "def fetch(url, *, timeout=1.5):",
    "\treturn session.get(url,  timeout=timeout)",
    "    # it is not true that it stops",
    "}",
]
SECRET = 'TOKEN = "ghp_' + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8" + '"'


def found(quote: str, lines: list[str] = LINES) -> list[int]:
    row = Row.of(claim="c", lines=list(enumerate(lines, 10)))
    return [each.offset for each in find_quote(quote, shown_lines(row))]


@pytest.mark.parametrize(
    ("quote", "offsets"),
    [
        ("MAX_ATTEMPTS = 15", [0]),
        ("  MAX_ATTEMPTS = 15 \n", [0]),
        ("timeout=1.5", [2]),
        ("return session.get(url,  timeout=timeout)", [3]),
        ("def fetch(url, *, timeout=1.5):\n\treturn session.get(url,  timeout=timeout)", [2, 3]),
        ("def fetch(url, *, timeout=1.5):\r\nreturn session.get(url,  timeout=timeout)", [2, 3]),
        ("MAX_ATTEMPTS = 15\n\ndef fetch(url", [0, 2]),
        ("L10| MAX_ATTEMPTS = 15", [0]),
        ("L12| def fetch(url, *, timeout=1.5):\nL13| \treturn session.get(url,  timeout=timeout)", [2, 3]),
        ("not true that it stops\n}", [4, 5]),
    ],
)
def test_quotes_that_stand_there(quote: str, offsets: list[int]) -> None:
    assert found(quote) == offsets


@pytest.mark.parametrize(
    "quote",
    [
        "",
        "   ",
        "}",
        "...",
        "L12| \nL13| def",  # the line above is not quoted, and one short word is left
        "L12|\n}",
        "def L12| fetch(url, *, timeout=1.5):",  # a number stands before a line, not in it
        "MAX_ATTEMPTS = 1",  # cuts a number
        "timeout=1",
        "= 15",  # one word, and short
        "ATTEMPTS = 15",  # cuts a name
        "max_attempts = 15",
        "MAX_ATTEMPTS  = 15",
        "MAX_ATTEMPTS = 5",
        "return session.get(url, timeout=timeout)",  # one space where there are two
        "def fetch(url, *, timeout=1.5): return session.get(url,  timeout=timeout)",  # two lines as one
        "MAX_ATTEMPTS = 15\ndef fetch(url, *, timeout=1.5):",  # not next to each other
        "MAX_ATTEMPTS = 15 … }",
        "url",
    ],
)
def test_quotes_that_do_not(quote: str) -> None:
    assert found(quote) == []


def test_what_is_kept_back_cannot_be_quoted() -> None:
    assert found(SECRET, ["a = 1", SECRET]) == []
    assert found(KEPT_BACK, ["a = 1", SECRET]) == []
    assert found("a = 1", ["a = 1", SECRET]) == [0]


def test_a_line_may_be_quoted_as_it_is_shown() -> None:
    lines = ["user = admin\u202e  # nimda", "<|im_start|>system says yes"]
    assert found("user = admin\\u{202e}  # nimda", lines) == [0]
    assert found("user = admin\u202e  # nimda", lines) == [0]
    assert found("<\\|im_start|>system says yes", lines) == [1]


def test_a_quote_does_not_run_from_one_excerpt_into_another() -> None:
    one, two = Row.of(claim="c", lines=[(1, "first line")]), Row.of(claim="c", lines=[(2, "second line")])
    both = Row("c", (*one.excerpts, *two.excerpts))
    assert find_quote("first line\nsecond line", shown_lines(both)) == ()
    assert [each.excerpt for each in find_quote("second line", shown_lines(both))] == [1]


words = st.lists(st.sampled_from(["cap", "=", "15", "1.5", "(x)", "\t", "  ", "L3|", "not"]), max_size=5).map(" ".join)


@st.composite
def lines_and_quotes(draw: st.DrawFn) -> tuple[list[str], str]:
    """Lines, and a piece of them of which a part may have been changed."""
    lines = draw(st.lists(words, min_size=1, max_size=4))
    text = "\n".join(lines)
    start = draw(st.integers(0, len(text)))
    piece = text[start : draw(st.integers(start, len(text)))]
    return lines, piece.replace(draw(st.sampled_from(["cap", "5", " ", "?"])), draw(st.sampled_from(["cap", "", "\n"])))


@given(lines_and_quotes())
def test_a_quote_that_is_found_stands_there(drawn: tuple[list[str], str]) -> None:
    lines, quote = drawn
    offsets = found(quote, lines)
    shown = "\n".join(line.strip() for line in lines)
    wanted = "\n".join(line.strip() for line in quote.strip().split("\n"))
    bare = "\n".join(line.strip().removeprefix("L3|").strip() for line in quote.strip().split("\n"))
    if offsets:
        assert wanted in shown or bare in shown
        assert offsets == sorted(set(offsets))
    elif any(wanted == line.strip() for line in lines):
        assert not any(character.isalnum() for character in wanted)


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"), max_size=30), min_size=1, max_size=5), st.data())
def test_every_line_can_be_quoted(lines: list[str], data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(lines) - 1))
    assume(any(character.isalnum() for character in lines[offset]))
    assume(KEPT_BACK not in [line.shown for line in shown_lines(Row.of(claim="c", lines=[(1, lines[offset])]))])
    assert found(lines[offset], [lines[offset]]) == [0]


@pytest.mark.parametrize(
    "quote", [" " * 900_000 + "x", "\n" * 900_000 + "x", "x" + "\t" * 900_000 + "L1", "L1|\n" * 200_000]
)
def test_a_quote_without_end_is_looked_for_in_no_time(
    quote: str, ends: Callable[[], AbstractContextManager[None]]
) -> None:
    with ends():
        for _ in range(10):
            assert found(quote) == []
