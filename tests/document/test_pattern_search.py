"""A user's own expression in place of the grammar: what it finds, and that it always ends."""

import pytest
import regex

from cite_lsp.document.document import Document

REFERENCE = regex.compile(r"[\w./-]+\.\w+:\d+", regex.ASCII)
CATASTROPHIC = regex.compile(r"(?:[a-z]|[a-z ][a-z ])+!x\.c:[0-9]+", regex.ASCII)
SLOW_LINE = "aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii jjjj kkkk llll !x.c:y\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/a.ts:10", [("src/a.ts:10", "src/a.ts", (10, 10))]),
        ("[src/a.ts:24-26].", [("src/a.ts:24-26", "src/a.ts", (24, 26))]),
        ("a.ts:24–26", [("a.ts:24–26", "a.ts", (24, 26))]),
        ("4.5:1", [("4.5:1", "4.5", (1, 1))]),
        ("a.ts:1 a.ts:2-3", [("a.ts:1", "a.ts", (1, 1)), ("a.ts:2-3", "a.ts", (2, 3))]),
        ("a.ts:5-", [("a.ts:5", "a.ts", (5, 5))]),
        ("Makefile:12, `src/a.ts#L3`", []),
        ("```\na.ts:1\n```", []),
    ],
)
def test_it_replaces_the_grammar(text: str, expected: list[tuple[str, str, tuple[int, int]]]) -> None:
    document = Document.parse(text, "d.md", pattern=REFERENCE)
    assert [(anchor.text, anchor.path, *anchor.spans) for anchor in document.anchors] == expected
    assert {anchor.form for anchor in document.anchors} <= {"pattern"}
    for anchor in document.anchors:
        assert text[anchor.start : anchor.end] == anchor.text
        assert [text[low:high] for low, high in anchor.number_ranges[0]] == list(
            dict.fromkeys(map(str, anchor.spans[0]))
        )


def test_a_malformed_range_is_an_anchor() -> None:
    (anchor,) = Document.parse("a.ts:10-5", "d.md", pattern=REFERENCE).anchors
    assert (anchor.spans, anchor.defect) == (((10, 5),), "reversed")


def test_a_match_that_is_no_path_with_a_line_is_none() -> None:
    for source in ("[a-z]+", ":[0-9]+", "x:[a-z]+"):
        assert Document.parse("abc x:abc y:12", "d.md", pattern=regex.compile(source)).anchors == ()


def test_zero_width_matches_end() -> None:
    assert Document.parse("a.ts:1 " * 100, "d.md", pattern=regex.compile("(?=a)")).anchors == ()


def test_a_catastrophic_expression_ends_and_says_so() -> None:
    text = SLOW_LINE + "ends !x.c:3\n"
    document = Document.parse(text, "d.md", pattern=CATASTROPHIC)
    assert document.overrun
    assert [anchor.spans for anchor in document.anchors] == [((3, 3),)]
    assert [block.overrun for block in document.blocks if block.kind == "paragraph"] == [True, False]


def test_all_blocks_together_have_one_allowance() -> None:
    document = Document.parse(SLOW_LINE * 2_000 + "ends !x.c:3\n", "d.md", pattern=CATASTROPHIC)
    *_, last = document.blocks
    assert last.text == "ends !x.c:3\n"
    assert last.overrun, "nothing was left for it: it was not read, and says so"


def test_an_edit_has_an_allowance_of_its_own() -> None:
    document = Document.parse(SLOW_LINE * 30, "d.md", pattern=CATASTROPHIC)
    after = document.edit(len(document.text), len(document.text), "ends !x.c:3\n")
    assert [anchor.spans for anchor in after.anchors] == [((3, 3),)]
    assert not Document.parse("ends !x.c:3\n", "d.md", pattern=CATASTROPHIC).overrun


def test_an_expression_may_be_given_as_it_is() -> None:
    document = Document.parse("see a.ts:3 and b.py:4", "docs/d.md", pattern=r"[a-z]+\.ts:\d+")
    assert [anchor.text for anchor in document.anchors] == ["a.ts:3"]
    with pytest.raises(ValueError, match="empty"):
        Document.parse("a.ts:3", pattern="a*")
