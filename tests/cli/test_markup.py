"""Texts of others in the report: whatever they hold, a reader of Markdown finds text in them and nothing else."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from cite_lsp.cli.formats.markup import block, cell, code, language, message, plain

READER = MarkdownIt("gfm-like", {"linkify": False, "html": True})
MARKS = "`*_~[]()<>!|\\#+-=.:/@&;{}$\"' \t\n\rab1xhtpw0\u200b\u202e\x00\x1b\x85\u2028é🚀"
TEXTS = st.one_of(
    st.text(MARKS, max_size=60),
    st.text(max_size=40),
    st.lists(
        st.sampled_from(
            [
                *("<b>", "</b>", "<!--", "-->", "![a](b)", "[a](b)", "[a]: b", "http://a.example", "www.a.example"),
                *("a@b.c", "&lt;", "```", "~~~", "---", "===", "# ", "1. ", "- ", "| ", "\n\n", "> ", "    "),
                *("`", "``", "\\", " "),
            ]
        ),
        max_size=8,
    ).map("".join),
)


def inside(markdown: str) -> list[Token]:
    return [child for token in READER.parse(markdown) for child in token.children or []]


def kinds(markdown: str) -> list[str]:
    return [token.type for token in READER.parse(markdown)]


def seen(text: str) -> str:
    """A text without blanks and what was put into it so that it stays text."""
    return re.sub(r"\s|\u200b", "", text)


@given(TEXTS)
@example("1. a")
@example("`a")
@example("a\n===")
@example("\ufeff# a")
def test_plain_text_is_one_paragraph_of_text(text):
    written = plain(text)
    assert "\n" not in written
    if written:
        assert kinds(written) == ["paragraph_open", "inline", "paragraph_close"]
        assert kinds(f"> {written}")[1:4] == ["paragraph_open", "inline", "paragraph_close"]
    assert {token.type for token in inside(written)} <= {"text"}
    shown = "".join(token.content for token in inside(written))
    if text.isprintable():
        assert seen(shown) == seen(text)


@given(TEXTS)
@example("`")
@example("a`")
@example("|")
def test_code_is_one_span_of_code(text):
    written = code(text)
    spans = inside(written)
    if written:
        assert [token.type for token in spans] == ["code_inline"]
        if text.isprintable() and "\u200b" not in text:
            assert seen(spans[0].content) == seen(text)
    table = READER.parse(f"| a | b |\n| --- | --- |\n| {cell(text)} | x |\n")
    assert sum(token.type == "td_open" for token in table) == 2
    assert sum(token.type == "code_inline" for token in [each for row in table for each in row.children or []]) <= 1
    assert not {"html_inline", "html_block", "link_open", "image"} & {token.type for token in table}


@given(st.lists(TEXTS, max_size=5))
@example(["```", "a"])
@example(["~~~", "``````", "a"])
def test_a_block_is_one_fence(lines):
    (fence,) = [token for token in READER.parse(block(lines, "py")) if token.level == 0]
    assert (fence.type, fence.info) == ("fence", "py")
    assert len(fence.content.split("\n")) == max(1, len(lines)) + (1 if fence.content else 0)


@given(TEXTS)
@example("`a` b `c`")
@example("``")
@example("` `")
@example("a `<b>` <b> `x")
def test_a_message_has_text_and_code(text):
    written = message(text)
    assert {token.type for token in inside(written)} <= {"text", "code_inline"}
    assert set(kinds(written)) <= {"paragraph_open", "inline", "paragraph_close"}


def test_a_message_shows_names_as_code():
    assert message("`src/a.py` has 3 lines; see `b`") == "`src/a.py` has 3 lines; see `b`"
    assert language("src/a.py") == "python"
    assert language("src/a.p`y") == ""
    assert language("src/a.mermaid") == language("b.GeoJSON") == ""  # they would be drawn
