"""Passages of texts: exact parts, in order, with ids and metas (`cite_lsp/policy/splitting.py`)."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.document.document import Document
from cite_lsp.policy.passages import source
from cite_lsp.policy.splitting import KINDS, METAS, Kind, byte_range, byte_ranges, split

MARKDOWN = """\
---
title: Front. Matter.
---
# Caches

<!-- A comment. With sentences. -->
The cache is warm. It holds `v1.2. then` and Dr. Smith,
on two lines. See a.py:3.

- One item. With two sentences.
  It goes on.

  A second paragraph.
  - An inner item
- [ ] A task

> Quoted text. And
> more of it.

| name | size |
|------|------|
| rows | 10   |

```python
code = "Not. Prose."
```

Below
-----
The end.
"""


def texts(kind: Kind, text: str, path: str = "document.md") -> list[str]:
    return [piece.text for piece in split(text, kind, path=path)]


def metas(kind: Kind, text: str, name: str) -> list[object]:
    return [piece.meta.get(name) for piece in split(text, kind)]


# --- mark-up


def test_sentences_of_markdown_are_those_of_paragraphs_items_and_rows() -> None:
    assert texts("sentences", MARKDOWN) == [
        "The cache is warm.",
        "It holds `v1.2. then` and Dr. Smith,\non two lines.",
        "See a.py:3.",
        "One item.",
        "With two sentences.",
        "It goes on.",
        "A second paragraph.",
        "An inner item",
        "A task",
        "Quoted text.",
        "And\n> more of it.",
        "| rows | 10   |",
        "The end.",
    ]


def test_paragraphs_take_in_items_and_whole_tables() -> None:
    assert texts("paragraphs", MARKDOWN) == [
        "The cache is warm. It holds `v1.2. then` and Dr. Smith,\non two lines. See a.py:3.",
        "One item. With two sentences.\n  It goes on.",
        "A second paragraph.",
        "An inner item",
        "A task",
        "Quoted text. And\n> more of it.",
        "| name | size |\n|------|------|\n| rows | 10   |",
        "The end.",
    ]


def test_an_item_holds_what_stands_below_it_but_no_other_item() -> None:
    assert texts("list-items", MARKDOWN) == [
        "One item. With two sentences.\n  It goes on.\n\n  A second paragraph.",
        "An inner item",
        "A task",
    ]


def test_an_item_ends_where_text_of_its_own_begins() -> None:
    assert texts("list-items", "- a\n\nText.\n\n- b\n  ```\n  code\n  ```\n") == ["a", "b\n  ```\n  code\n  ```"]


def test_sections_reach_from_heading_to_heading_without_front_matter() -> None:
    found = texts("sections", MARKDOWN)
    assert [text.splitlines()[0] for text in found] == ["# Caches", "Below"]
    assert found[0].endswith("```")
    assert found[1] == "Below\n-----\nThe end."
    assert texts("sections", "Before.\n\n## A\n## B\ntext\n") == ["Before.", "## A", "## B\ntext"]


def test_each_piece_knows_its_line_and_the_heading_above() -> None:
    found = split(MARKDOWN, "sentences")
    assert [(piece.line, piece.meta["line"]) for piece in found[:3]] == [(7, 7), (7, 7), (8, 8)]
    assert [piece.meta["section"] for piece in found] == ["Caches"] * 12 + ["Below"]
    assert "section" not in split("No heading.", "sentences")[0].meta


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.rst",
            "Title\n=====\n\nOne. Two::\n\n   code. Here.\n\n.. note. comment\n\nEnd.\n",
            ["One.", "Two::", "End."],
        ),
        ("a.adoc", "== Title\n\nOne. Two.\n\n----\nNo. Code.\n----\n\n// remark\nEnd.\n", ["One.", "Two.", "End."]),
        ("README", "# T\n\nOne. Two.\n", ["One.", "Two."]),
        (".notes.md", "# T\n\nOne. Two.\n", ["One.", "Two."]),
    ],
)
def test_other_syntaxes_have_their_own_marks(path: str, text: str, expected: list[str]) -> None:
    assert texts("sentences", text, path) == expected


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.md", '<p align="center">\n  <img src="a.png">\n</p>\n\nText.\n', ["Text."]),
        ("a.md", "<div>\nOne. Two.\n</div>\n> <br>\n> Three\n", ["One. Two.", "Three"]),
        ("a.md", "See <https://a.b/c>\n<https://a.b/c>\n<b>Bold</b> text\n", None),
        ("a.rst", ".. _Jansson: http://a.b/\n.. _`the docs`: http://c.d\n.. |x| replace:: y\n", []),
        ("a.rst", ".. note:: Mind it. Now.\n   More.\n\n.. [1] A note.\n", ["Mind it. Now.\n   More.", "A note."]),
        ("a.rst", ".. note::\n\n   Mind it.\n\n#. auto\n", ["Mind it.", "auto"]),
        ("a.rst", "+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n", ["| a | b |", "| c | d |"]),
        ("a.adoc", ":toc: left\n[[here]]\n.Block title\nText. More\n", ["Text. More"]),
        ("a.adoc", "[NOTE]\nMind it.\n\nimage::a.png[A. B]\n", ["Mind it."]),
        ("a.adoc", "* one\n** two\n+\nthree\n. four\n.. five\n", ["one", "two", "three", "four", "five"]),
    ],
)
def test_lines_that_only_mark_up_are_no_prose(path: str, text: str, expected: list[str] | None) -> None:
    assert texts("paragraphs", text, path) == (expected if expected is not None else [text.rstrip()])
    said, whole = ("".join(" ".join(texts(kind, text, path)).split()) for kind in ("sentences", "paragraphs"))
    assert said == whole


def test_a_heading_of_restructuredtext_has_the_line_over_it() -> None:
    text = "=====\nTitle\n=====\n\nOne.\n\n----\n\n====\nPart\n====\n\nTwo.\n\nLast\n----\n"
    assert texts("sections", text, "a.rst") == [
        "=====\nTitle\n=====\n\nOne.\n\n----",
        "====\nPart\n====\n\nTwo.",
        "Last\n----",
    ]


def test_the_dots_of_a_path_end_no_sentence() -> None:
    text = "Run it first: the\n./configure script makes it. See ../doc/a for more. Then stop. /usr is next."
    assert texts("sentences", text) == [
        "Run it first: the\n./configure script makes it.",
        "See ../doc/a for more.",
        "Then stop.",
        "/usr is next.",
    ]


# --- plain texts

GLUED = {"1.\nFirst point.\n2.\nSecond.": ["1.\nFirst point.", "2.\nSecond."]}
"""Where the reference joins a piece without letters to the next one by a space, ours keeps what stands between them: a
piece is a part of the text, byte for byte."""


def test_sentences_of_plain_texts_are_the_reference_s(shared: Path) -> None:
    vectors = json.loads((shared / "vectors/cite.json").read_text(encoding="utf-8"))["sentence_split"]
    differing = {}
    for text, expected in vectors:
        for path in ("a.txt", "service.log", "data.csv"):
            found = texts("sentences", text, path)
            if found != expected:
                differing[text] = found
    assert differing == GLUED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ends here.) Next one", ["Ends here.)", "Next one"]),
        ("Is it? “Yes.” It is… so", ["Is it?", "“Yes.”", "It is… so"]),
        ("Ärger. Über", ["Ärger.", "Über"]),
        ("a\r\nb\rc", ["a", "b", "c"]),
        ("1.\n2.\nText. 3.", ["1.\n2.\nText.", "3."]),
        ("See it. (not closed. Next", ["See it. (not closed.", "Next"]),
    ],
)
def test_where_plain_sentences_end(text: str, expected: list[str]) -> None:
    assert texts("sentences", text, "a.txt") == expected


def test_lines_are_whole_and_blank_ones_are_none() -> None:
    text = "\ufeff  first \r\n\n\t \nform\x0cfeed\rlast"
    found = split(text, "lines")
    assert [(piece.id, piece.text, piece.start) for piece in found] == [
        ("L1", "  first ", 1),
        ("L4", "form\x0cfeed", 15),
        ("L5", "last", 25),
    ]


# --- logs

LOG = """\
2024-05-05 12:00:01,123 - app.db - ERROR - boom
Traceback (most recent call last):
  File "x.py", line 3
    raise ValueError

During handling of the above exception, another exception occurred:
ValueError: bad
2024-05-05T12:00:02Z INFO up
SELECT 1
2024-05-05 12:00:03 [warn] (main) slow
"""


def test_an_entry_takes_in_the_lines_that_go_on_with_it() -> None:
    found = split(LOG, "log-lines")
    assert [piece.id for piece in found] == ["L1", "L8", "L10"]
    assert found[0].text == LOG[: LOG.index("\n2024-05-05T")]
    assert found[1].text.endswith("SELECT 1")
    assert [(piece.meta.get("time"), piece.meta.get("level")) for piece in found] == [
        ("2024-05-05 12:00:01,123", "error"),
        ("2024-05-05T12:00:02Z", "info"),
        ("2024-05-05 12:00:03", "warning"),
    ]


def test_a_log_without_times_has_an_entry_a_line_but_for_what_is_indented_or_traced() -> None:
    trace = "panic: gone\ngoroutine 1 [running]:\nTraceback (most recent call last):\n  x\nKeyError: 3"
    log = f"ERROR: no\n  at a.b(C.java:3)\nCaused by: x\nplain line\n{trace}\nnext"
    assert texts("log-lines", log) == [
        "ERROR: no\n  at a.b(C.java:3)\nCaused by: x",
        "plain line",
        trace,
        "next",
    ]


@pytest.mark.parametrize(
    ("line", "time", "level"),
    [
        ("[12:00:02] INFO ok", "12:00:02", "info"),
        ('{"level":50,"time":1714900000,"msg":"x"}', "1714900000", "error"),
        ('{"severity":"WARN","timestamp":"2024-05-05T00:00:00Z"}', "2024-05-05T00:00:00Z", "warning"),
        ('time="2024-05-05 10:00:00" level=fatal msg="x"', "2024-05-05 10:00:00", "critical"),
        ("E0505 12:00:00.123456 4 a.go:1] hi", "0505 12:00:00.123456", "error"),
        ("May  5 12:00:03 host sshd[1]: error: no", "May  5 12:00:03", "error"),
        ("<12>1 2003-10-11T22:14:15.003Z host app", "2003-10-11T22:14:15.003Z", "warning"),
        ('1.2.3.4 - bob [10/Oct/2000:13:55:36 -0700] "GET /" 200', "10/Oct/2000:13:55:36 -0700", None),
        ("WARNING:root:disk", None, "warning"),
        ("fail: Microsoft.Hosting[13]", None, "error"),
        ('{"Timestamp":"2024-05-05T12:00:00","Level":"Warning"}', "2024-05-05T12:00:00", "warning"),
        ('{"@t":"2024-05-05T12:00:00","@l":"Error"}', "2024-05-05T12:00:00", "error"),
        ('{"asctime":"2024-05-05 12:00:00,1","levelname":"ERROR"}', "2024-05-05 12:00:00,1", "error"),
        ("[2024-05-05 12:00:00 +0200] [12] [CRITICAL] worker", "2024-05-05 12:00:00 +0200", "critical"),
        ("DEBUG [2024-05-05 12:00:00.1] x", "2024-05-05 12:00:00.1", "debug"),
        ("2024-05-05 12:00:00 an error in words", "2024-05-05 12:00:00", None),
        ("2024/05/05 12:00:00 level=notice msg=hello", "2024/05/05 12:00:00", "notice"),
        ("a plain line", None, None),
        ("{not json", None, None),
        ("1714900000.5 started", "1714900000.5", None),
    ],
)
def test_time_and_level_of_common_formats(line: str, time: str | None, level: str | None) -> None:
    (piece,) = split(line, "log-lines")
    assert (piece.meta.get("time"), piece.meta.get("level")) == (time, level)


GO = """\
panic: runtime error: nil
[signal SIGSEGV: segmentation violation code=0x1]

goroutine 1 [running]:
net/http.(*conn).serve.func1()
\t/go/server.go:1850 +0xbf
panic({0x6b0e20, 0xc0000b8018})
\t/go/panic.go:890 +0x262
main.handler(...)
\t/tmp/main.go:12
created by net/http.(*Server).Serve
\t/go/server.go:3089 +0x4ed"""


def test_a_stack_trace_of_go_is_one_entry() -> None:
    assert texts("log-lines", f"starting\n{GO}\nexit status 2\n") == ["starting", GO, "exit status 2"]
    stamped = "2024/05/01 12:00:00 started\n"
    assert texts("log-lines", f"{stamped}{GO}\n{stamped}") == [stamped.rstrip(), GO, stamped.rstrip()]


def test_what_prose_calls_an_error_begins_no_entry_where_entries_have_times() -> None:
    first = "2024-05-05 12:00:01 ERROR failed\nError: refused\n    at a (b:1)\nWarning: the last"
    log = f"{first}\nINFO:  GET / 200\n2024-05-05 12:00:02 INFO ok"
    assert texts("log-lines", log) == [first, "INFO:  GET / 200", "2024-05-05 12:00:02 INFO ok"]
    assert texts("log-lines", "Error: one\nError: two") == ["Error: one", "Error: two"]


def test_entries_of_java_s_own_logging_have_two_lines() -> None:
    first = "May 01, 2024 12:00:00 PM org.apache.A log\nINFO: started"
    second = "May 01, 2024 12:00:01 PM org.apache.B start\nSEVERE: failed\njava.lang.Error: x\n\tat a.B.c(B.java:1)"
    assert texts("log-lines", f"{first}\n{second}\n") == [first, second]
    assert metas("log-lines", f"{first}\n{second}\n", "level") == ["info", "error"]


# --- turns


def test_turns_reach_from_name_to_name() -> None:
    talk = "A heading\n\nAnna: hello\nsee http://x: y\n\nDr. Bob (12:03): two\n> Carl Q: three\n"
    assert texts("turns", talk) == ["Anna: hello\nsee http://x: y", "Dr. Bob (12:03): two", "> Carl Q: three"]
    assert metas("turns", talk, "speaker") == ["Anna", "Dr. Bob", "Carl Q"]


def test_speakers_have_remarks_and_dates_beside_their_names() -> None:
    talk = "**Ann:** hi\n**Bob (CEO):** one\n**Carl** (guest): two\n"
    assert metas("turns", talk, "speaker") == ["Ann", "Bob", "Carl"]
    talk = "12/05/2024, 12:05 - Ann: hi\n[12.05.24, 12:06:01] Bob: yes\n12:07 - Carl (away): no\n"
    assert metas("turns", talk, "speaker") == ["Ann", "Bob", "Carl"]


def test_where_names_are_bold_only_these_begin_turns() -> None:
    talk = "**User:** hi\nNote: not a turn\n\n```\nkey: value\n```\n**Bot**: yes\n"
    assert metas("turns", talk, "speaker") == ["User", "Bot"]
    assert texts("turns", talk)[0].endswith("```")


def test_quoted_lines_take_turns_where_nobody_is_named() -> None:
    talk = "> first\n> goes on\n\nanswer\n\n> second\n"
    assert texts("turns", talk) == ["> first\n> goes on", "answer", "> second"]
    assert metas("turns", talk, "speaker") == [None, None, None]


def test_a_text_that_is_no_conversation_has_no_turns() -> None:
    assert texts("turns", "---\ntitle: x\n---\nJust prose.\n\n```yaml\na: b\n```\n") == []


# --- comments that are meant for us


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One. {}\nTwo.\n", ["One.", "Two."]),
        ("One. {} Two\ngoes on.\n", ["One.", "Two\ngoes on."]),
        ("- One. {}\n- Two. {} {}\n", ["One.", "Two."]),
        ("{}\nOne goes\non.\n", ["One goes\non."]),
        ("> {}\n> One.\n", ["One."]),
        ("> One.\n> {}\n", ["One."]),
        ("{} {}\n", []),
        ("One, {} with more.\n", ["One, {} with more."]),
    ],
)
@pytest.mark.parametrize(
    "comment", ["<!-- cite-lsp: ignore a See 4. It is. -->", "{/* cite-lsp: ignore a Why? So. */}"]
)
def test_they_are_in_no_passage_that_they_stand_beside(text: str, wanted: list[str], comment: str) -> None:
    path = "a.mdx" if comment.startswith("{") else "a.md"
    found = texts("sentences", text.replace("{}", comment), path)
    assert found == [each.replace("{}", comment) for each in wanted]


def test_they_are_in_no_section_that_ends_with_one() -> None:
    text = "# A\nOne.\n<!-- cite-lsp: ignore a why -->\n# B\nTwo.\n"
    assert texts("sections", text) == ["# A\nOne.", "# B\nTwo."]


# --- all texts

_MARKS = [
    *"\n\r\t .!?:#>-*|`\"'()[]<>{}=_1aZé𝄞",
    *(
        "\r\n",
        "\n\n",
        "```\n",
        "---\n",
        "<!-- ",
        "-->",
        "<!-- cite-lsp: ",
        "{/* cite-lsp: ",
        "*/}",
        "- ",
        "> ",
        "| a | b |\n|---|---|\n",
        "Word. ",
        "  ",
    ),
    *("Name: ", "**N:** ", "2024-05-05 12:00:00 ", "ERROR ", "{}", '{"time":1}\n', "level=info "),
    *("\ufeff", "\x85", "\u2028", "\x0c", "Traceback (most recent call last):\n"),
]
_TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_MARKS), max_size=40).map("".join))
_PATHS = st.sampled_from(["a.md", "a.rst", "a.adoc", "a.txt", "a.log", "README", "x.", ""])


@given(_TEXTS, st.sampled_from(KINDS), _PATHS)
def test_pieces_are_parts_of_any_text_in_order(text: str, kind: Kind, path: str) -> None:
    pieces = split(text, kind, path=path)
    at = 0
    for piece in pieces:
        assert at <= piece.start < piece.end <= len(text)
        assert text[piece.start : piece.end] == piece.text
        assert piece.text.strip()
        assert set(piece.meta) <= set(METAS[kind])
        at = piece.end
    made = source([piece.unit for piece in pieces], show=METAS[kind])
    assert [passage.id for passage in made.passages] == [piece.id for piece in pieces]
    assert split(text, kind, path=path) == pieces


@given(_TEXTS, st.sampled_from(KINDS))
def test_the_line_of_a_piece_is_that_of_its_first_character(text: str, kind: Kind) -> None:
    document = Document.parse(text)
    for piece in split(text, kind):
        assert document.line_of(piece.start)[0] + 1 == piece.line
        assert piece.meta["line"] == piece.line


@given(_TEXTS, st.sampled_from(KINDS))
def test_bytes_of_pieces_are_those_of_the_file(text: str, kind: Kind) -> None:
    whole = text.encode()
    pieces = split(text, kind)
    ranges = [byte_range(text, piece) for piece in pieces]
    assert [whole[slice(*each)].decode() for each in ranges] == [piece.text for piece in pieces]
    assert list(byte_ranges(text, pieces)) == ranges


@given(_TEXTS)
def test_every_character_that_is_not_blank_is_in_a_line_and_in_an_entry(text: str) -> None:
    shown = "".join(text.removeprefix("\ufeff").split())
    for kind in ("lines", "log-lines"):
        assert "".join("".join(piece.text.split()) for piece in split(text, kind)) == shown


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_character_is_split_like_any_other(kind: Kind) -> None:
    text = "Name: \ud800 x. Y\n"
    for piece in split(text, kind, path="a.txt"):
        assert byte_range(text, piece)[1] <= len(text) + 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "." * 300_000,
        "(" * 100_000 + ". (" * 100_000,
        " " * 200_000 + ".\n",
        "x. " * 100_000,
        "a: " * 100_000,
        "A b " * 80_000,
        "- " * 100_000,
        ">" * 200_000,
        "{" * 100_000,
        "{\n" * 50_000,
        "[" * 60_000,
        "1.\n" * 60_000,
        "2024-05-05 12:00:00 x\n" * 20_000,
        "level=" * 60_000,
        "ERROR" * 60_000,
        "| a " * 60_000,
    ],
    ids=lambda text: repr(text[-8:]),
)
def test_large_texts_of_one_shape_are_split_in_time(
    kind: Kind, text: str, ends: Callable[[], AbstractContextManager[None]]
) -> None:
    for path in ("a.md", "a.txt"):
        with ends():
            split(text, kind, path=path)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="no kind of passages 'words'"):
        split("x", "words")  # type: ignore[arg-type]
