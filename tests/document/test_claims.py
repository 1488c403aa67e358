"""Claims: the part of a sentence that an anchor stands behind, and what a thin one borrows."""

import pytest

from cite_lsp.document.document import Document


def claims(text: str, name: str = "d.md") -> list[str]:
    return [anchor.claim for anchor in Document.parse(text, name).anchors]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            (
                "The settle drains children [engine.ts:4], the quota debits the tenant [engine.ts:10], and deletion "
                "cascades [guide.md:16]."
            ),
            [
                "The settle drains children [engine.ts:4],",
                "the quota debits the tenant [engine.ts:10],",
                "and deletion cascades [guide.md:16].",
            ],
        ),
        ("In Python, the parser drops X [a.py:3].", ["In Python, the parser drops X [a.py:3]."]),
        ("The cap is three, per [a.ts:1].", ["The cap is three, per [a.ts:1]."]),
        ("Calling `f(a, b)` returns three here [a.ts:1].", ["Calling `f(a, b)` returns three here [a.ts:1]."]),
        ("The parser caps at three [a.ts:1, b.ts:2].", ["The parser caps at three [a.ts:1, b.ts:2]."] * 2),
        ("The parser caps it (`a.ts:1` and `b.ts:2`).", ["The parser caps it (`a.ts:1` and `b.ts:2`)."] * 2),
        (
            "The cap is three a.ts:1 and the delay is two b.ts:2.",
            ["The cap is three a.ts:1 and the delay is two b.ts:2."] * 2,
        ),
        (
            "The cap is three a.ts:1, so it ends; then, the delay is two b.ts:2.",
            ["The cap is three a.ts:1, so it ends;", "then, the delay is two b.ts:2."],
        ),
        (
            "The cap is three a.ts:1, and b.ts:2 says so.",
            ["The cap is three a.ts:1, and b.ts:2 says so."] * 2,
        ),
        (
            "The cap is three a.ts:1 (one, two, three) but the delay is two b.ts:2.",
            ["The cap is three a.ts:1 (one, two, three) but the delay is two b.ts:2."] * 2,
        ),
        (
            "The cap is three a.ts:1 `f(a, b, c)` but the delay is two b.ts:2.",
            ["The cap is three a.ts:1 `f(a, b, c)` but the delay is two b.ts:2."] * 2,
        ),
        (
            'The cap is three a.ts:1 "that is, so" but the delay is two b.ts:2.',
            ['The cap is three a.ts:1 "that is, so" but the delay is two b.ts:2.'] * 2,
        ),
        (
            "It holds (the cap is three a.ts:1, the delay is two b.ts:2).",
            ["It holds (the cap is three a.ts:1, the delay is two b.ts:2)."] * 2,
        ),
        (
            "A first thing here (`a.ts:1`, `:2`), a second thing here (b.ts:3), c.ts:4.",
            ["A first thing here (`a.ts:1`, `:2`),"] * 2 + ["a second thing here (b.ts:3), c.ts:4."] * 2,
        ),
        ("最初の上限は三回です a.ts:1。", ["最初の上限は三回です a.ts:1。"]),
    ],
)
def test_sentences_and_their_parts(text: str, expected: list[str]) -> None:
    assert claims(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| k | v |\n|---|---|\n| cap | a.ts:1 |\n", ["k: cap; v: a.ts:1"]),
        ("| k | v |\n|---|---|\n| x | y |\n| cap | `a.ts:1` `:2` |\n", ["k: cap; v: `a.ts:1` `:2`"] * 2),
        ("| cap | a.ts:1 |\n", ["cap; a.ts:1"]),
        ("| k | v |\n|---|---|\n| a \\| b | a.ts:1 |\n", ["k: a \\| b; v: a.ts:1"]),
        ("Values:\n\n- cap `a.ts:1`\n- delay `a.ts:2`\n", ["Values: cap `a.ts:1`", "Values: delay `a.ts:2`"]),
        ("Values:\n- cap `a.ts:1`\n", ["Values: cap `a.ts:1`"]),
        ("**Values:**\n\n1. cap `a.ts:1`\n", ["**Values:** cap `a.ts:1`"]),
        ("- Outer:\n  - inner a.ts:1\n- other a.ts:2\n", ["Outer: inner a.ts:1", "other a.ts:2"]),
        ("Lead:\n\n- one\n\n  - two a.ts:1\n\n- three a.ts:2\n", ["two a.ts:1", "Lead: three a.ts:2"]),
        ("The cap is three. See a.ts:1.", ["The cap is three."]),
        ("It is so:\n\nSee a.ts:1.\n", ["It is so:"]),
        ("It is so.\n\nSee a.ts:1.\n", ["See a.ts:1."]),
        ("# The Retry Ladder\n\nSee a.ts:1.\n", ["The Retry Ladder"]),
        ("## Ladder ##\n\n- a.ts:1\n", ["Ladder"]),
        ("The Ladder\n---\n\n- a.ts:1\n", ["The Ladder"]),
        ("It is so:\n\n```\ncode\n```\n\nSee a.ts:1.\n", ["See a.ts:1."]),
        ("a.ts:1", ["a.ts:1"]),
        ("`one two three four five` a.ts:1", ["`one two three four five` a.ts:1"]),
    ],
)
def test_thin_claims(text: str, expected: list[str]) -> None:
    assert claims(text) == expected


def test_four_words_are_enough() -> None:
    assert claims("First sentence stands here. One two three four a.ts:1.") == ["One two three four a.ts:1."]
    assert claims("First sentence stands here. One two three a.ts:1.") == ["First sentence stands here."]


def test_the_sentence_is_always_the_sentence_alone() -> None:
    whole = "The cap is so, a.ts:3, and the rest is b.ts:4."
    text = f"# H\n\n| k | v |\n|---|---|\n| cap | a.ts:1 |\n\nLead:\n\n- cap a.ts:2\n\n{whole}\n"
    document = Document.parse(text, "d.md")
    assert [anchor.sentence for anchor in document.anchors] == ["a.ts:1", "cap a.ts:2", whole, whole]


def test_a_claim_is_one_line_without_marks() -> None:
    assert claims("> The cap\r\n> is three\r\n> and it holds a.ts:1.\r\n") == ["The cap is three and it holds a.ts:1."]
    assert claims("- [x] The cap\n  is three, and it holds a.ts:1.\n") == ["The cap is three, and it holds a.ts:1."]


def test_lines_of_a_fence_stand_by_themselves() -> None:
    document = Document.parse("# Log\n\n```\nthe cap is three now a.ts:1\na.ts:2\n```\n", "d.md", in_fences=True)
    assert [anchor.claim for anchor in document.anchors] == ["the cap is three now a.ts:1", "Log"]
