"""A batch of edits told in lines gives the document of the edited text, and leaves alone what it does not touch."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.document.buffer import Buffer, lines_with_ends
from cite_lsp.document.changes import LineChange
from cite_lsp.document.document import Block, Document

NAMES = st.sampled_from(["d.md", "d.md", "d.md", "d.rst", "d.adoc", "d.txt"])
CITED = (
    "`a.ts:1-2` |b.py:3|line 4 of `c.py`| :58|`:9`|[t](a.md#L3)|[x]: a.md#L4\n|Makefile:7|"
    "https://h/o/r/blob/main/a.ts#L3"
).split("|")
BEGUN = (
    "- item\n|- |  - nested `a.ts:5`\n|1. |5) |> |# H\n|## Section\n|```\n|~~~|<!--|-->|    |\t|---\n|+++\n|===\n|"
    "<pre>|</pre>|* * *\n|.. code::\n|.. x\n|::\n|----\n|////\n"
).split("|")
TOLD = "words here\n|Text goes on. |Lead:\n|\n|\n|\n\n|\r\n|\r|`|``|é🚀|\u2028|\x0c|\ufeff".split("|")
PIECES = [*CITED, *BEGUN, *TOLD, "| a | b |\n", "|---|---|\n", "| `c.c:3` | d |\n"]
WRITTEN = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map(lambda pieces: "".join(pieces) * 40),
)
PLACES = st.tuples(st.floats(0, 1), st.integers(0, 12))
EDITS = st.lists(st.tuples(PLACES, st.tuples(st.sampled_from([0, 0, 0, 1, 3]), st.integers(0, 9)), WRITTEN), max_size=8)
BATCHES = st.lists(EDITS, min_size=1, max_size=3)


def edit(buffer: Buffer, edits: list[tuple[tuple[float, int], tuple[int, int], str]]) -> None:
    for (share, column), (lines, end_column), written in edits:
        line = round(share * buffer.line_count)
        buffer.edit((line, column), (line + lines, end_column if lines else column + end_column), written)


def described(document: Document) -> dict[str, object]:
    """Everything but where a fence is cut in two, which means nothing."""
    shapes: list[object] = []
    for block in document.blocks:
        if block.kind in ("fence", "comment", "raw-html"):
            shapes += [(block.kind, line) for line in lines_with_ends(block.text)]
        else:
            shapes.append((block.kind, block.text, block.line_count, block.level, block.indent))
    return {
        "blocks": shapes,
        "anchors": [(each, each.claim, each.sentence, each.section) for each in document.anchors],
        "unattached": document.unattached,
        "refused": document.refused,
        "text": document.text,
        "lines": document.line_count,
    }


def whole(document: Document) -> None:
    for piece in document.pieces:
        assert piece.blocks
        assert piece.characters == len(piece.text)
        assert piece.lines == sum(block.line_count for block in piece.blocks)
        assert piece.headings == tuple(block for block in piece.blocks if block.kind == "heading")


@settings(max_examples=250, deadline=None)
@given(TEXTS, BATCHES, NAMES, st.booleans())
def test_a_batch_of_edits_is_a_fresh_parse(
    text: str, batches: list[list[tuple[tuple[float, int], tuple[int, int], str]]], name: str, in_fences: bool
) -> None:
    buffer = Buffer(text)
    document = Document.parse(text, name, in_fences=in_fences)
    for edits in batches:
        edit(buffer, edits)
        document = document.revised(buffer.lines, buffer.take_changes())
        assert described(document) == described(Document.parse(buffer.text, name, in_fences=in_fences))
        whole(document)


@given(TEXTS, EDITS)
def test_changes_say_which_lines_are_others(
    text: str, edits: list[tuple[tuple[float, int], tuple[int, int], str]]
) -> None:
    buffer = Buffer(text)
    before = list(buffer.lines)
    edit(buffer, edits)
    after, changes = buffer.lines, buffer.take_changes()
    old = new = 0
    for change in changes:
        assert old <= change.old_first <= change.old_last
        assert before[old : change.old_first] == after[new : change.new_first]
        old, new = change.old_last, change.new_last
    assert [line for line in before[old:] if line] == [line for line in after[new:] if line]
    assert buffer.take_changes() == ()


def test_a_whole_text_replaced_is_one_change() -> None:
    buffer = Buffer("a\nb\n")
    buffer.edit((0, 0), (0, 0), "x")
    buffer.replace_all("c `a.ts:1`\n")
    assert buffer.take_changes() == (LineChange(0, 2, 0, 1),)


PARAGRAPHS = "".join(f"Paragraph {number} holds what a.ts:{number + 1} says.\n\n" for number in range(1_000))


def revised(before: Document, *edits: tuple[int, int, str]) -> Document:
    """Type at (line, column), one edit after the other."""
    buffer = Buffer(before.text)
    for line, column, written in edits:
        buffer.edit((line, column), (line, column), written)
    return before.revised(buffer.lines, buffer.take_changes())


def test_untouched_blocks_and_pieces_are_the_same_objects() -> None:
    before = Document.parse(PARAGRAPHS, "d.md")
    after = revised(before, (4, 3, "x"), (900, 3, "new\n"), (1_601, 0, "y"))
    old: list[Block] = list(before.blocks)
    new: list[Block] = list(after.blocks)
    assert len(new) == len(old) == 2_000
    others = [number for number, (one, other) in enumerate(zip(old, new, strict=True)) if one is not other]
    assert others == [4, 900, 1_600]
    pieces = {id(piece) for piece in before.pieces}
    assert sum(id(piece) not in pieces for piece in after.pieces) == 3
    assert described(after) == described(Document.parse(after.text, "d.md"))


def test_nothing_changed() -> None:
    before = Document.parse(PARAGRAPHS, "d.md")
    after = before.revised(lines_with_ends(PARAGRAPHS), ())
    assert after.pieces == before.pieces


@pytest.mark.parametrize(
    ("text", "edits"),
    [
        ("---\nsource: a.ts:1\n\nText a.ts:2.\n", [(3, 0, "---\n")]),
        ("source: a.ts:1\n---\n\nText a.ts:2.\n", [(0, 0, "---\n")]),
        ("source: a.ts:1\n---\n\nText a.ts:2.\n", [(3, 0, "More. "), (0, 0, "---\n")]),
        ("Top.\n\n" + "holds a.ts:1\n\n" * 300 + "End.\n", [(2, 0, "```\n"), (300, 0, "```\n"), (301, 0, "x")]),
        ("Top.\n\n" + "holds a.ts:1\n\n" * 300 + "End.\n", [(2, 0, "<!--\n")]),
        ("a\rb a.ts:1", [(1, 0, "\n")]),
        ("a\r\nb a.ts:1", [(0, 1, "\r")]),
        ("a a.ts:1", [(0, 0, "\ufeff")]),
        ("\ufeffa a.ts:1\n", [(0, 0, "x")]),
        ("\ufeff", [(0, 1, "# a\n"), (1, 0, "`a.ts:1`")]),
        ("", [(0, 0, "a.ts:1\n"), (1, 0, "b.ts:1")]),
        ("a\n", [(1, 0, "b\n"), (2, 0, "c"), (2, 1, "\n\n")]),
        ("Lead:\n\n- one\n- two `a.ts:1`\n", [(4, 0, "- three `b.ts:2`")]),
        ("a | b `a.ts:1`\n", [(1, 0, "--|--\n")]),
        ("Text `a.ts:1`\nmore\n", [(2, 0, "====\n")]),
        ("Words here\na | b `a.ts:1`\n--|--\n", [(2, 0, "x")]),
    ],
)
def test_what_reaches_further_than_its_place(text: str, edits: list[tuple[int, int, str]]) -> None:
    for name in ("d.md", "d.rst", "d.adoc", "d.txt"):
        after = revised(Document.parse(text, name), *edits)
        assert described(after) == described(Document.parse(after.text, name))


def test_each_batch_has_the_whole_time_of_the_pattern() -> None:
    before = Document.parse("abc:4\n", "d.md", pattern="[a-z]+:[0-9]+")
    for _ in range(3):
        before = revised(before, (0, 0, "x"))
    assert [anchor.text for anchor in before.anchors] == ["xxxabc:4"]


# ------------------------------------------------------------------------------------------- single places


@settings(max_examples=200, deadline=None)
@given(TEXTS, NAMES, st.floats(0, 1), st.integers(0, 200))
def test_anchors_of_a_range_are_those_of_the_document(text: str, name: str, share: float, length: int) -> None:
    document = Document.parse(text, name, in_fences=True)
    start = round(share * len(text))
    end = start + length
    expected = [anchor for anchor in document.anchors if anchor.start <= end and anchor.end >= start]
    found = document.anchors_between(start, end)
    assert [(each, each.index, each.claim, each.sentence, each.section) for each in found] == [
        (each, each.index, each.claim, each.sentence, each.section) for each in expected
    ]
    at = document.anchor_at(start)
    covering = [anchor for anchor in document.anchors if anchor.start <= start <= anchor.end]
    assert at == (covering[-1] if covering else None)
    if at is not None:
        assert (at.claim, at.sentence, at.section) == (covering[-1].claim, covering[-1].sentence, covering[-1].section)


@given(TEXTS, NAMES, st.floats(0, 1))
def test_lines_of_a_document_are_those_of_a_buffer(text: str, name: str, share: float) -> None:
    document, buffer = Document.parse(text, name), Buffer(text)
    for line in (-1, 0, 1, round(share * buffer.line_count), buffer.line_count, buffer.line_count + 1):
        assert document.text_of_line(line) == buffer.line(line)
    offset = round(share * len(text))
    starts = [0]
    for line_text in buffer.lines[:-1]:
        starts.append(starts[-1] + len(line_text))
    line = max(number for number, start in enumerate(starts) if start <= offset)
    assert document.line_of(offset) == (line, starts[line])
    assert document.line_of(len(text) + 5) == (len(starts) - 1, starts[-1])
    assert document.line_of(-1) == (0, 0)
