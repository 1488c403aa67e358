"""Time grows with the text and no faster, whatever the text: four times as much takes about four times as long.

Each case is parsed, and claim and sentence of every anchor are read, at two sizes in one run; what counts is their
ratio (16 for a quadratic one), so that a slow machine passes and a quadratic rule does not.
"""

from collections.abc import Callable
from time import process_time

import pytest

from cite_lsp.document.document import Document
from tests.growth import growth

SIZE = 12_000
MOST = 12
NOISE_SECONDS = 0.003
"""Shorter times are as long as this: a hiccup of the machine is no growth."""


def repeated(piece: str, before: str = "", behind: str = "") -> Callable[[int], str]:
    return lambda size: before + piece * (size // len(piece)) + behind


CASES: dict[str, Callable[[int], str]] = {
    # characters
    "spaces": repeated(" "),
    "a-a-a": repeated("a-a-a"),
    "one word": repeated("x"),
    "digits": repeated("1"),
    "digits behind a path": repeated("1", "a.c:"),
    "line feeds": repeated("\n"),
    "carriage returns": repeated("\r"),
    "form feeds": repeated("a.c:1\x0c"),
    "line separators": repeated("a.c:1\u2028"),
    "backslashes": repeated("\\_", behind="a.c:1"),
    "surrogates": repeated("\ud83d "),
    # inline
    "[": repeated("["),
    "](": repeated("]("),
    "[](": repeated("[]("),
    "[a](b": repeated("[a](b"),
    "links": repeated("[a](b.c#L1) "),
    "`": repeated("`"),
    "backtick runs": lambda size: "".join("`" * (number % 250 + 1) + "a" for number in range(size // 125)),
    "code spans": repeated("`a` "),
    "code spans and a citation": repeated("`a` a.c:1 and one two three; "),
    "refused in one code span": repeated("x.zz:1 ", "`", "`"),
    "spaced paths in one code span": repeated("a/b c.zz:1 ", "`", "`"),
    "spaces in a code span": repeated(" ", "`", "a.c:1`"),
    "code span over lines": repeated("a\n", "`", "a.c:1`"),
    "<!--": repeated("<!--"),
    "<!-- behind text": repeated("a<!--", behind=" a.c:1"),
    "<!-- on lines": repeated("<!--\n"),
    "http://": repeated("http://"),
    "addresses": repeated("http://)))]]] "),
    "permalinks": repeated("blob/", "https://h/blob/", "#L1"),
    # triggers
    "a:1": repeated("a:1"),
    "a:1 and space": repeated("a:1 "),
    "(((": repeated("("),
    "(1": repeated("(1"),
    "line": repeated("line "),
    "line 1": repeated("line 1 "),
    "x.md:1,": repeated("x.md:1,"),
    "a long list": repeated(":1,", "x.md"),
    "a list of a refused path": repeated(":1,", "x.zz"),
    "a list of no path": repeated(":1,"),
    "a list of no path that ends in a colon": repeated(":1,", behind=":1:"),
    "L1/": repeated("L1/"),
    "lines of no path": repeated("L1,", "line 1,"),
    "L1 behind a path": repeated("L1 ", "a.c "),
    "a.c:1/1": repeated("a.c:1/1/1/1/"),
    "left-out folders": repeated("…/", behind="a.c:1"),
    "bracketed folders": repeated("[a]/", behind="a.c:1"),
    "brackets before": repeated("[" * 300 + "a]/x.zz:1 "),
    "one long path": repeated("/a", behind=".c:1"),
    "spaces behind a citation": repeated(" ", "a.c:1", "line 3"),
    # blocks
    "> ": repeated("> "),
    "> on lines": repeated("> \n"),
    "quotes in turn": repeated("> a\n\n"),
    "- ": repeated("- "),
    "- on lines": repeated("- \n"),
    "nested items": lambda size: "".join(" " * (2 * depth) + "- a.c:1\n" for depth in range(int(size**0.5))),
    "| ": repeated("| "),
    "a delimiter row": repeated("|-", "a|b\n", "x"),
    "one long row": repeated("| a.c:1 ", behind="|"),
    "rows": repeated("| a.c:1 | b |\n", "| a | b |\n|---|---|\n"),
    "items": repeated("- a.c:1\n", "Lead:\n\n"),
    "paragraphs": repeated("It is so, see a.c:1 now.\n\n"),
    "one paragraph": repeated("a.c:1\n", behind="====="),
    "* * *": repeated("* ", behind="x"),
    "fences": repeated("```\n"),
    "one fence": repeated("a.c:1\n", "```\n"),
    "a long definition": repeated(":1,", "[x]: ", "x"),
    "a definition with titles": repeated('"b" ', "[x]: a "),
    "directives": repeated(".. a::\n"),
    "literal blocks": repeated("a::\n\n  a.c:1\n\n"),
    # sentences and claims
    "citations": repeated("a.c:1 "),
    "citations in clauses": repeated("the cat sat a.c:1, "),
    "commas between two": repeated(" ,", "a.c:1", "a.c:2"),
    "an open bracket": repeated("a.c:1, ", "A is. ("),
    "numbers": repeated("1. 2) ", "a.c:1 "),
    "quotes": repeated("'a' \"b\" ", "a.c:1 "),
    "stops": repeated(". ", "a.c:1 "),
    "stops and quotes": repeated('".', "a.c:1 "),
    "exclamations": repeated("! A ", "a.c:1 "),
    "wide stops": repeated("。", "a.c:1 "),
}


def seconds(text: str, name: str) -> float:
    started = process_time()
    document = Document.parse(text, name, in_fences=True)
    for anchor in document.anchors:
        assert anchor.sentence is not None
        assert anchor.claim is not None
    return process_time() - started


@pytest.mark.parametrize("case", CASES)
def test_linear_in_markdown(case: str) -> None:
    make = CASES[case]
    assert growth(lambda size: seconds(make(size), "d.md"), SIZE, 4 * SIZE, MOST, NOISE_SECONDS) <= MOST


@pytest.mark.parametrize("name", ["d.rst", "d.adoc", "d.txt"])
@pytest.mark.parametrize(
    "case",
    [
        "spaces",
        "line feeds",
        "- on lines",
        "> on lines",
        "one paragraph",
        "one long row",
        "literal blocks",
        "directives",
    ],
)
def test_linear_elsewhere(case: str, name: str) -> None:
    make = CASES[case]
    assert growth(lambda size: seconds(make(size), name), SIZE, 4 * SIZE, MOST, NOISE_SECONDS) <= MOST


# ---------------------------------------------------------------------------------------------- the sizes


@pytest.mark.parametrize(
    "text",
    [
        " " * 150_000,
        "a-a-a" * 12_000,
        "x" * 1_000_000,
        "word " * 200_000,
        "1" * 400_000,
        *[piece * 100_000 for piece in ("[", "](", "`", "a:1", "(((", "> ", "- ", "line ", "| ", "http://", "<!--")],
        "x" * 10_000_000,
    ],
    ids=lambda text: f"{text[:7]}-{len(text)}",
)
@pytest.mark.parametrize("name", ["d.md", "d.txt"])
def test_long_texts_without_a_citation(text: str, name: str) -> None:
    document = Document.parse(text, name)
    assert document.anchors == ()
    assert len(document.text) == len(text)


def test_a_hundred_thousand_citations_in_one_line() -> None:
    document = Document.parse("x.md:1," * 100_000, "d.md")
    assert len(document.anchors) == 100_000
    assert document.anchors[-1].spans == ((1, 1),)


def test_a_hundred_thousand_lines() -> None:
    document = Document.parse("Line holds a.c:7.\n\n" * 50_000, "d.md")
    assert document.line_count == 100_000
    assert len(document.anchors) == 50_000
    place = document.offset(99_998, 4)
    assert document.edit(place, place, " also").anchors[-1].start == document.anchors[-1].start + 5


def test_a_citation_at_the_end_of_ten_megabytes_in_one_line() -> None:
    (anchor,) = Document.parse("word " * 2_000_000 + "a.c:7", "d.md").anchors
    assert (anchor.start, anchor.spans) == (10_000_000, ((7, 7),))
