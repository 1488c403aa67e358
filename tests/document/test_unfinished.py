"""What is being typed at a place of a document, and where nothing is that a citation could be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.document import Document
from cite_lsp.document.unfinished import Unfinished, UnfinishedLines, UnfinishedPath, unfinished_at

KNOWN = {"Makefile", "my docs/a b.md"}


def typed(text: str, path: str = "docs/a.md", *, in_fences: bool = False) -> tuple[Unfinished | None, str]:
    """What is being typed where `|` stands, and the text of the block that holds the place."""
    offset = text.index("|")
    document = Document.parse(text.replace("|", "", 1), path, known=KNOWN, in_fences=in_fences)
    at = document.block_at(offset)
    if at is None:
        return None, ""
    block, start = at
    return unfinished_at(block, offset - start, document.grammar, in_fences=in_fences), block.text


@pytest.mark.parametrize(
    ("text", "wanted", "where"),
    [
        ("see `|", "", "code"),
        ("see `|` there", "", "code"),
        ("see `src/re|` there", "src/re", "code"),
        ("`grep -n x src/re|`", "src/re", "code"),
        ("a `x` and `src/re|", "src/re", "code"),
        ("``src/re|", "src/re", "code"),
        ("one line\nand `src/re|", "src/re", "code"),
        ("[x](|", "", "target"),
        ("[x](../src/re|)", "../src/re", "target"),
        ("[x](<my docs/a |>)", "my docs/a ", "target"),
        ("[x](app/(auth)/pa|)", "app/(auth)/pa", "target"),
        ("[x]: src/re|", "src/re", "target"),
        ("see (|", "", "bracket"),
        ("see (src/re|", "src/re", "bracket"),
        ("see [src/re|", "src/re", "bracket"),
        ("src/re|", "src/re", "text"),
        ("and/|", "and/", "text"),
        ("- a\n- src/re|", "src/re", "text"),
        ("> quoted `src/re|", "src/re", "code"),
        ("# Heading `src/re|", "src/re", "code"),
        ("äö 😀 `src/ré|", "src/ré", "code"),
        ("**src/re|", "src/re", "text"),
        (r"\`src/re|", "src/re", "text"),
    ],
)
def test_a_path_is_being_typed(text: str, wanted: str, where: str) -> None:
    found, block = typed(text)
    assert isinstance(found, UnfinishedPath)
    assert (found.typed, found.where) == (wanted, where)
    assert block[found.start : found.end] == wanted


@pytest.mark.parametrize(
    ("text", "path", "wanted", "after"),
    [
        ("`src/a.py:|", "src/a.py", "", 0),
        ("`src/a.py:2|4`", "src/a.py", "2", 0),
        ("`src/a.py:24-|", "src/a.py", "", 24),
        ("`src/a.py:24-3|", "src/a.py", "3", 24),
        ("`src/a.py:10,2|", "src/a.py", "2", 0),
        ("`src/a.py:10-12, 2|", "src/a.py", "2", 0),
        ("`src/a.py:retry_l|", "src/a.py", "retry_l", 0),
        ("see src/a.py:|", "src/a.py", "", 0),
        ("(src/a.py:|)", "src/a.py", "", 0),
        ("src/a.py#|", "src/a.py", "", 0),
        ("src/a.py#L|", "src/a.py", "", 0),
        ("src/a.py#L24-L|", "src/a.py", "", 24),
        ("[x](../src/a.py#L1|)", "../src/a.py", "1", 0),
        ("[x](my%20docs/a%20b.md#L|)", "my docs/a b.md", "", 0),
        ("Makefile:|", "Makefile", "", 0),
        ("`my docs/a b.md:|", "my docs/a b.md", "", 0),
        ("`src/a.py:3`, `:|", "src/a.py", "", 0),
        ("`src/a.py:3`, `:1|", "src/a.py", "1", 0),
    ],
)
def test_lines_are_being_typed(text: str, path: str, wanted: str, after: int) -> None:
    found, block = typed(text)
    assert isinstance(found, UnfinishedLines)
    assert (found.path, found.typed, found.after) == (path, wanted, after)
    assert block[found.start : found.end] == wanted
    assert found.letter is ("#" in text)
    assert found.marked is text.partition("|")[0].rstrip("0123456789").endswith("L")


@pytest.mark.parametrize(
    "text",
    [
        "a `x`|",
        "``|",
        "```|",
        "```\nsrc/re|\n```",
        "    code `src/re|\n",
        "---\nsource: src/re|\n---\n",
        "<!-- `src/re|",
        "text <!-- `src/re| -->",
        "https://host/a/|",
        "https://host/a/b:|",
        "[x](https://host/a/|",
        "[x](mailto:a|",
        "{{#include src/re|",
        "- [|",
        "[|",
        "Note:|",
        "Note: |",
        "std::|",
        "12:|",
        "a word |",
        "`src/a.py:3`, word :|",
        "`nothing` `:|",
        "`--flag|",
        "`src/a.py:10:|",
    ],
)
def test_nothing_is_that_a_citation_could_be(text: str) -> None:
    assert typed(text)[0] is None


def test_in_fences_where_a_setting_says_so() -> None:
    found, _ = typed("```\nsrc/re|\n```", in_fences=True)
    assert isinstance(found, UnfinishedPath)
    found, _ = typed("```\nsrc/a.py:|\n```", in_fences=True)
    assert isinstance(found, UnfinishedLines)


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("`src/re|try.ts:24`", "try.ts"),
        ("[x](src/re|try.ts#L24)", "try.ts"),
        ("src/re|try.ts and", "try.ts"),
        ("`src/a.py:2|4-26`", "4-26"),
        ("`src/a.py:re|try`", "try"),
        ("`src/re|`", ""),
        ("`src/re| more`", ""),
    ],
)
def test_how_far_the_word_goes_on(text: str, behind: str) -> None:
    found, block = typed(text)
    assert found is not None
    assert block[found.end : found.goes_on] == behind


@given(st.text(alphabet="`()[]:#L/.-,<>!{}\\\n \t|a1é😀src.py24", max_size=60), st.integers(0, 60))
def test_it_never_raises_and_its_places_hold(text: str, at: int) -> None:
    offset = min(at, len(text))
    document = Document.parse(text, "docs/a.md", known=KNOWN)
    place = document.block_at(offset)
    if place is None:
        return
    block, start = place
    assert document.text[start : start + len(block.text)] == block.text
    assert 0 <= offset - start <= len(block.text)
    found = unfinished_at(block, offset - start, document.grammar)
    if found is not None:
        assert 0 <= found.start <= found.end == offset - start <= found.goes_on <= len(block.text)
        assert "\n" not in block.text[found.start : found.goes_on]
        assert block.text[found.start : found.end] == found.typed
