"""Sentences: abbreviations, quotes and citations do not fool the cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.document import Document
from cite_lsp.document.sentences import masked, sentence_places


def sentences(text: str) -> list[str]:
    mask = text.replace("\n", " ")
    return [text[low:high].strip() for low, high in sentence_places(mask)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One is so. Two is so.", ["One is so.", "Two is so."]),
        ("Does it? Yes!", ["Does it?", "Yes!"]),
        ("Caps at three, e.g. x in here and more.", ["Caps at three, e.g. x in here and more."]),
        ("The U.S. rule applies.", ["The U.S. rule applies."]),
        ("It is i.e. so. See Fig. 3 and No. 5.", ["It is i.e. so.", "See Fig. 3 and No. 5."]),
        ('He said "done." Next one.', ['He said "done."', "Next one."]),
        ("It is **bold.** Next one.", ["It is **bold.**", "Next one."]),
        ("(First is so.) Second is.", ["(First is so.)", "Second is."]),
        ("attempts: 3; delay: 2", ["attempts: 3; delay: 2"]),
        ("漢字です。次の文です。", ["漢字です。", "次の文です。"]),
        ("v1.2. then", ["v1.2. then"]),
        ("One.\nTwo.", ["One.", "Two."]),
        ("One is wrapped\nover a line. Two.", ["One is wrapped\nover a line.", "Two."]),
        ("", []),
        ("  ", [""]),
        ("...", ["..."]),
    ],
)
def test_cut(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def of_anchors(text: str) -> list[str]:
    return [anchor.sentence for anchor in Document.parse(text, "d.md").anchors]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is a.ts:1. Next one is b.ts:2.", ["It is a.ts:1.", "Next one is b.ts:2."]),
        ("A is. [a.ts:1] B is. [b.ts:2]", ["A is. [a.ts:1]", "B is. [b.ts:2]"]),
        ("A is. (a.ts:1) B is. (b.ts:2)", ["A is. (a.ts:1)", "B is. (b.ts:2)"]),
        ("A is. (`a.ts:1`) B is.", ["A is. (`a.ts:1`)"]),
        ("A is. (`a.ts:1`, `:5`) B is.", ["A is. (`a.ts:1`, `:5`)"] * 2),
        ("A is.[a.ts:1]. B is.", ["A is.[a.ts:1]."]),
        ("A is. `a.ts:1`", ["A is. `a.ts:1`"]),
        ("A is. a.ts:1.", ["A is. a.ts:1."]),
        ("A is. `a.ts:1` says so.", ["`a.ts:1` says so."]),
        ("A is. (see a.ts:1) B is.", ["(see a.ts:1) B is."]),
        ("The `e. F` is a.ts:1.", ["The `e. F` is a.ts:1."]),
        ("It is in src/a.TS:1 of A. B. Smith.", ["It is in src/a.TS:1 of A. B. Smith."]),
        ("1. First a.ts:1\n2. Second b.ts:2\n", ["First a.ts:1", "Second b.ts:2"]),
        ("- [ ] Do it, a.ts:1\n", ["Do it, a.ts:1"]),
        ("> Quoted text\n> holds a.ts:1 here.\n", ["Quoted text holds a.ts:1 here."]),
        ("## Head of a.ts:1 ##\n", ["Head of a.ts:1 ##"]),
        ("Head of a.ts:1\n---\n", ["Head of a.ts:1"]),
        ("| A. B | see a.ts:1. And |\n", ["see a.ts:1."]),
        ("One.\r\n\r\nTwo a.ts:1.\r\n", ["Two a.ts:1."]),
        ("line one\n**bold** goes on a.ts:1", ["line one **bold** goes on a.ts:1"]),
    ],
)
def test_the_sentence_of_an_anchor(text: str, expected: list[str]) -> None:
    assert of_anchors(text) == expected


def test_masking_keeps_every_place() -> None:
    text = "A `b. C` d\r\ne a.ts:1 `x y.ts:2`"
    mask = masked(text, [(14, 20), (24, 30)], [(2, 8), (21, 31)])
    assert mask == "A XXXXXX d  e \ue000\ue000\ue000\ue000\ue000\ue000 " + "\ue000" * 10
    assert len(mask) == len(text)


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    assert of_anchors("Half a \ud83d pair. See a.ts:1 now.") == ["See a.ts:1 now."]


def test_a_text_longer_than_the_library_is_given_at_once() -> None:
    text = "".join(f"Sentence number {number}, e.g. this one, ends. " for number in range(1_000))
    assert sentences(text) == [f"Sentence number {number}, e.g. this one, ends." for number in range(1_000)]
    unbroken = "word " * 5_000
    assert sentences(unbroken) == [unbroken.strip()]


PIECES = st.lists(
    st.sampled_from(
        ["A", "b ", ". ", "! ", "? ", "e.g. ", '"', "(", ")", "1. ", "。", "\ue000", " ", "[\ue000]", "*", ", "]
    ),
    max_size=30,
).map("".join)


@given(PIECES)
def test_sentences_are_the_whole_text_in_order(text: str) -> None:
    places = sentence_places(text)
    assert "".join(text[low:high] for low, high in places) == text
    assert all(low < high for low, high in places)


@pytest.mark.parametrize("space", ["\x85", "\xa0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u3000"])
def test_a_wide_space_between_an_initial_and_its_full_stop(space: str) -> None:
    """The library fails on it; the text is read all the same."""
    (anchor,) = Document.parse(f"By H{space}. Then all is told by `a.ts:1` here.\n", "d.md").anchors
    assert anchor.sentence.endswith("`a.ts:1` here.")
