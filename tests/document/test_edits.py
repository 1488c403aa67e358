"""An edited document is the document that a fresh parse of the edited text gives; and no text makes parsing raise."""

import random
from dataclasses import fields

import pytest

from cite_lsp.document.anchors import Anchor
from cite_lsp.document.buffer import Buffer
from cite_lsp.document.columns import Encoding, to_units
from cite_lsp.document.document import Document

SEEDS = range(8)
PER_SEED = 1_250
ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
NAMES = ("d.md", "d.rst", "d.adoc", "d.txt")
FIELDS = [each.name for each in fields(Anchor) if each.compare]

CITATIONS = (
    "a.ts:1 |`b.py:2-3`|src/x.rs#L4| :58|`:9,12`|line 4 of `c.py`|lines 3| line 8|[t](a.md#L3)|[x]: a.md#L4|"
    "[a.ts:5](../a.ts#L7)|https://h/o/r/blob/main/a.ts#L3|Makefile:7|`My Notes/a b.md:4`|a.c:9-5|z.go(42)|, 20|/30|"
    " and 40"
).split("|")
MARKDOWN = (
    "- |> |# |## H|### |1. |12) |```\n|````\n|~~~|<!--|-->|    |\t|| a | b |\n||---|---|\n|---\n|+++\n|...\n|===\n|"
    "<pre>|</pre>|* * *\n"
).split("|")
OTHER = [
    ".. code::",
    ".. note::",
    ".. a comment",
    "::\n",
    ">>> ",
    "----\n",
    "....\n",
    "////\n",
    "//",
    "| a b\n",
    "== H\n",
]
WORDS = [
    "text. More",
    "e.g. ",
    "**bold**",
    " `code`",
    "`",
    "``",
    ", ",
    "(",
    ")",
    "[",
    "]",
    "](",
    "\\",
    "“",
    '"',
    "http://",
    ":",
    "The cap is three",
]
LINE_ENDS = ["\n", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\r\r"]
STRANGE = ["🚀", "é", "漢字。", "\u2028", "\u2029", "\x0c", "\x0b", "\x85", "\ufeff", "\x00", "\u200b", "e\u0301"]
FRAGMENTS = [*CITATIONS, *MARKDOWN, "|", *OTHER, *WORDS, *LINE_ENDS, *LINE_ENDS, *STRANGE]


def fragments(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(FRAGMENTS, k=chance.randint(0, most)))


def described(document: Document) -> dict[str, object]:
    """Everything that a reader of a document may ask for."""
    anchors = [
        (*(getattr(anchor, name) for name in FIELDS), anchor.claim, anchor.sentence, anchor.section)
        for anchor in document.anchors
    ]
    return {
        "text": document.text,
        "anchors": anchors,
        "unattached": document.unattached,
        "refused": document.refused,
        "lines": document.line_count,
        "overrun": document.overrun,
    }


def a_position(chance: random.Random, buffer: Buffer, encoding: Encoding) -> tuple[int, int]:
    """A place in the buffer, or a little past the end of a line or of the text."""
    line = chance.randint(0, buffer.line_count + 1)
    content = buffer.line(line)
    column = chance.randint(0, len(content) + 2)
    beyond = column - len(content) if column > len(content) else 0
    return line, to_units(content, column, encoding) + beyond


def an_edit(chance: random.Random, buffer: Buffer, encoding: Encoding) -> tuple[tuple[int, int], tuple[int, int], str]:
    start = a_position(chance, buffer, encoding)
    if chance.random() < 0.6:
        end = (start[0], start[1] + chance.choice([0, 0, 0, 1, 2, 9]))
    else:
        end = (start[0] + chance.choice([0, 1, 1, 2, 4]), chance.randint(0, 6))
    return start, end, fragments(chance, chance.choice([0, 1, 1, 1, 4]))


@pytest.mark.parametrize("seed", SEEDS)
def test_edited_is_parsed_afresh(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(PER_SEED):
        encoding = chance.choice(ENCODINGS)
        name = "d.md" if chance.random() < 0.6 else chance.choice(NAMES)
        in_fences = chance.random() < 0.2
        text = fragments(chance, 40)
        buffer = Buffer(text)
        document = Document.parse(text, name, in_fences=in_fences)
        for _ in range(chance.randint(1, 4)):
            start, end, replacement = an_edit(chance, buffer, encoding)
            replaced = buffer.edit(start, end, replacement, encoding)
            first = document.offset(replaced.start_line, replaced.start_column)
            last = document.offset(replaced.end_line, replaced.end_column)
            text = text[:first] + replacement + text[last:]
            document = document.edit(first, last, replacement)
            assert buffer.text == text
            fresh = Document.parse(text, name, in_fences=in_fences)
            assert described(document) == described(fresh), (name, text, first, last, replacement)


@pytest.mark.parametrize("seed", range(4))
def test_edited_is_parsed_afresh_when_long(seed: int) -> None:
    """Long enough for many groups of blocks and for fences that are cut in pieces."""
    chance = random.Random(seed)
    for _ in range(20):
        name = chance.choice(NAMES)
        in_fences = chance.random() < 0.5
        document = Document.parse(fragments(chance, 1_500), name, in_fences=in_fences)
        for _ in range(5):
            first = chance.randint(0, len(document.text))
            replacement = chance.choice(["```\n", "<!--\n", "-->\n", "----\n", "////\n", "\n\n.. code::\n\n", "x", ""])
            last = first + chance.choice([0, 0, 1, 5, 500, 5_000])
            text = document.text[:first] + replacement + document.text[last:]
            document = document.edit(first, last, replacement)
            assert described(document) == described(Document.parse(text, name, in_fences=in_fences))


@pytest.mark.parametrize("seed", SEEDS)
def test_no_document_raises(seed: int) -> None:
    chance = random.Random(1_000 + seed)
    for _ in range(PER_SEED):
        text = "".join(
            chance.choice(FRAGMENTS) if chance.random() < 0.9 else chr(chance.randrange(0x110000))  # surrogates too
            for _ in range(chance.randint(0, 60))
        )
        document = Document.parse(text, chance.choice(NAMES), in_fences=chance.random() < 0.5)
        assert document.text == text
        last = 0
        for anchor in document.anchors:
            assert text[anchor.start : anchor.end] == anchor.text
            assert last <= anchor.start < anchor.end
            last = anchor.end
            assert len(anchor.spans) == len(anchor.number_ranges) > 0
            assert anchor.sentence
            assert isinstance(anchor.claim, str)
            for (first, final), places in zip(anchor.spans, anchor.number_ranges, strict=True):
                numbers = [text[low:high] for low, high in places]
                assert [int(digits) if len(digits) <= 9 else 0 for digits in numbers] == [first, final][: len(numbers)]


# --------------------------------------------------------------------------------------------- what an edit keeps


def kept(before: Document, after: Document) -> int:
    """How many blocks of `after` are the very objects of `before`."""
    old = {id(block) for block in before.blocks}
    return sum(id(block) in old for block in after.blocks)


PARAGRAPHS = "".join(f"Paragraph {number} holds what a.ts:{number + 1} says.\n\n" for number in range(500))


@pytest.mark.parametrize("line", [0, 2, 500, 998])
def test_untouched_blocks_are_the_same_objects(line: int) -> None:
    before = Document.parse(PARAGRAPHS, "d.md")
    place = before.offset(line, 5)
    after = before.edit(place, place, "new ")
    assert len(list(after.blocks)) == 1_000
    assert kept(before, after) >= 996
    assert described(after) == described(Document.parse(after.text, "d.md"))


def test_known_pattern_and_fences_carry_over() -> None:
    import regex

    before = Document.parse("x\n", "d.md", known={"Makefile"}, in_fences=True, extensions=frozenset({"zz"}))
    after = before.edit(0, 1, "Makefile:1\n\n```\na.zz:2\n```")
    assert [anchor.text for anchor in after.anchors] == ["Makefile:1", "a.zz:2"]
    by_pattern = Document.parse("x", "d.md", pattern=regex.compile(r"[a-z]+:[0-9]+"))
    assert [anchor.text for anchor in by_pattern.edit(0, 1, "abc:4").anchors] == ["abc:4"]


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [
        ("d.md", "```\n", "```\n"),
        ("d.md", "~~~~\n", "~~~~\n"),
        ("d.md", "<!--\n", "-->\n"),
        ("d.md", "<pre>\n", "</pre>\n"),
        ("d.adoc", "----\n", "----\n"),
        ("d.adoc", "////\n", "////\n"),
        ("d.rst", ".. code::\n\n", "Out again.\n"),
    ],
)
def test_an_edit_opens_and_closes_what_hides_citations(name: str, opening: str, closing: str) -> None:
    lines = "".join(f"  holds a.ts:{number + 1}\n" for number in range(200))
    open_text = "Top.\n\n" + lines + "\nEnd b.ts:1\n"
    document = Document.parse(open_text, name)
    seen = len(document.anchors)
    assert seen >= 1
    place = len("Top.\n\n")
    hidden = document.edit(place, place, opening)
    assert described(hidden) == described(Document.parse(hidden.text, name))
    assert len(hidden.anchors) < seen or name == "d.rst"
    assert not [anchor for anchor in hidden.anchors if anchor.path == "a.ts"]
    below = place + len(opening) + len("  holds a.ts:1\n")
    closed = hidden.edit(below, below, closing)
    assert described(closed) == described(Document.parse(closed.text, name))
    back = closed.edit(below, below + len(closing), "").edit(place, place + len(opening), "")
    assert described(back) == described(document)


def test_an_edit_opens_and_closes_front_matter() -> None:
    text = "---\nsource: a.ts:1\n\nText a.ts:2.\n"
    document = Document.parse(text, "d.md")
    assert len(document.anchors) == 2
    place = text.index("\nText")
    hidden = document.edit(place, place, "---\n")
    assert [anchor.text for anchor in hidden.anchors] == ["a.ts:2"]
    assert described(hidden.edit(place, place + 4, "")) == described(document)
    assert len(hidden.edit(0, 4, "").anchors) == 2


def test_offsets_outside_the_text_are_clamped() -> None:
    assert Document.parse("", "d.md").edit(10, 20, "a.ts:1").text == "a.ts:1"
    assert Document.parse("ab", "d.md").edit(-5, 1, "x").text == "xb"
    assert Document.parse("ab", "d.md").edit(1, 99, "x").text == "ax"
    assert Document.parse("ab", "d.md").edit(99, 120, "x").text == "abx"
    assert Document.parse("ab", "d.md").edit(2, 0, "x").text == "abx"


def test_offset_of_a_place() -> None:
    document = Document.parse("🚀a\r\nb\n\nc", "d.md")
    places = [(-1, 4), (0, 0), (0, 2), (0, 9), (1, 0), (1, 9), (2, 0), (3, 1), (3, 9), (4, 0), (99, 99)]
    assert [document.offset(*place) for place in places] == [0, 0, 2, 2, 4, 5, 6, 8, 8, 8, 8]


def test_a_byte_order_mark_is_a_column_of_the_first_line() -> None:
    document = Document.parse("\ufeff# A\nb", "d.md")
    assert [document.offset(0, column) for column in range(6)] == [0, 1, 2, 3, 4, 4]
    assert document.offset(1, 0) == 5
    assert document.line_count == 2
