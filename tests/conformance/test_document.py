"""The reference audit's reading of documents is the baseline; every row where ours departs is named, with its rule.

Groups sentences, anchors, clauses and sections of the vectors. A row that is not listed must match; a listed row must
really differ from the reference, and ours must give what the list says. `rule`: the rule of anchors.md behind it.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cite_lsp.document.claims import Claims, Surroundings
from cite_lsp.document.document import Document


def vectors(shared: Path, group: str) -> list[tuple[str, Any]]:
    loaded = json.loads((shared / "vectors" / "rulvar.json").read_text(encoding="utf-8"))
    return [(text, expected) for text, expected in loaded[group]]


@dataclass(frozen=True)
class Departure:
    rule: str
    ours: Any


def hold(rows: list[tuple[str, Any]], ours: dict[str, Any], departures: dict[str, Departure]) -> None:
    """Every row as the reference has it, but for the departures, which are what they say they are."""
    texts = [text for text, _ in rows]
    assert not set(departures) - set(texts), "a departure from no row"
    differing = {text for text, expected in rows if ours[text] != expected}
    assert differing == set(departures)
    for text, departure in departures.items():
        assert departure.rule
        assert ours[text] == departure.ours, text


# ------------------------------------------------------------------------------------------------ sentences

ABBREVIATION = "Sentences: an abbreviation ends none"
CLOSED = "Sentences: a full stop inside closing quotes, marks or brackets ends one"
TRAILING = "Claims: a citation in brackets behind the full stop belongs to the sentence before it"
BLOCK = "Claims: a block is a paragraph, a list item's own text, a table row; a sentence never crosses one"
NO_MARK = "Claims: a list item's own text is without its mark"

SENTENCES = {
    "Caps at three, e.g. x in src/a.ts:3 and more.": Departure(
        ABBREVIATION, ["Caps at three, e.g. x in src/a.ts:3 and more."]
    ),
    "The U.S. rule applies (src/a.ts:1).": Departure(ABBREVIATION, ["The U.S. rule applies (src/a.ts:1)."]),
    "Wait... it works src/a.ts:1.": Departure(
        "Sentences: an ellipsis before a small letter ends none", ["Wait... it works src/a.ts:1."]
    ),
    "Claim A is true. [src/a.ts:1] Claim B is true. [src/b.ts:2]": Departure(
        TRAILING, ["Claim A is true. [src/a.ts:1]", "Claim B is true. [src/b.ts:2]"]
    ),
    'He said "done." Next claim src/a.ts:1.': Departure(CLOSED, ['He said "done."', "Next claim src/a.ts:1."]),
    "It is **bold.** Next claim src/a.ts:1.": Departure(CLOSED, ["It is **bold.**", "Next claim src/a.ts:1."]),
    "(First is so.) Second src/a.ts:1.": Departure(CLOSED, ["(First is so.)", "Second src/a.ts:1."]),
    "1. First item src/a.ts:1\n2. Second item src/b.ts:2\n3. Third src/c.ts:3": Departure(
        BLOCK, ["First item src/a.ts:1", "Second item src/b.ts:2", "Third src/c.ts:3"]
    ),
    "+ plus item src/a.ts:1\n+ other item src/b.ts:2": Departure(
        BLOCK, ["plus item src/a.ts:1", "other item src/b.ts:2"]
    ),
    "para one src/a.ts:1\r\n\r\npara two src/b.ts:2": Departure(
        BLOCK + "; lines end at CR LF too", ["para one src/a.ts:1", "para two src/b.ts:2"]
    ),
    "| A | src/a.ts:1 |\n| B | src/b.ts:2 |": Departure(
        BLOCK + "; in a row none crosses a cell", ["A", "src/a.ts:1", "B", "src/b.ts:2"]
    ),
    "line one src/a.ts:1\n**bold** continues src/b.ts:2": Departure(
        "Blocks: a paragraph goes on over a line that begins with bold text",
        ["line one src/a.ts:1 **bold** continues src/b.ts:2"],
    ),
    "A\n \n  - nested src/a.ts:1": Departure(NO_MARK, ["A", "nested src/a.ts:1"]),
}


def collapsed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def sentences_of(text: str) -> list[str]:
    """All sentences of a document."""
    alone = Surroundings("", None, None, None, None)
    blocks = Document.parse(text, "d.md").blocks
    return [collapsed(each) for block in blocks if block.kind != "blank" for each in Claims(block, alone).sentences]


def test_sentences(shared: Path) -> None:
    given = vectors(shared, "sentences")
    rows = [(text, [piece for piece in map(collapsed, pieces) if piece]) for text, pieces in given]
    assert len(rows) == 19
    hold(rows, {text: sentences_of(text) for text, _ in rows}, SENTENCES)


# ------------------------------------------------------------------------------------------------ anchors

Cited = list[tuple[str, str, tuple[int, int]]]

MALFORMED = "Line forms: 0, reversed ends and a third number are an anchor, malformed, and text covers all of it"
FORMS = "Line forms: a column, any dash, and `#L` are read"
LETTERS = "Path token: letters of any script, @, drives, bracketed folders, escapes outside code"
URL = "Path token: never inside a URL; `file://` is removed"
COUNTS = "When a path counts: its extension is listed, or the snapshot knows it"

ANCHORS: dict[str, Departure] = {
    "See a.ts:10-5 here.": Departure(MALFORMED, [("a.ts:10-5", "a.ts", (10, 5))]),
    "See a.ts:0 here.": Departure(MALFORMED, [("a.ts:0", "a.ts", (0, 0))]),
    "See a.ts:10-20-30 here.": Departure(MALFORMED, [("a.ts:10-20-30", "a.ts", (10, 20))]),
    "See a.ts:10:5 here.": Departure(FORMS, [("a.ts:10:5", "a.ts", (10, 10))]),
    "See a.ts:10–20 here.": Departure(FORMS, [("a.ts:10–20", "a.ts", (10, 20))]),
    "See a.ts#L10-L20 here.": Departure(FORMS, [("a.ts#L10-L20", "a.ts", (10, 20))]),
    "C:\\repo\\src\\a.ts:10": Departure(LETTERS, [("C:\\repo\\src\\a.ts:10", "C:\\repo\\src\\a.ts", (10, 10))]),
    "app/[slug]/page.tsx:10": Departure(LETTERS, [("app/[slug]/page.tsx:10", "app/[slug]/page.tsx", (10, 10))]),
    "@scope/pkg/a.ts:1": Departure(LETTERS, [("@scope/pkg/a.ts:1", "@scope/pkg/a.ts", (1, 1))]),
    "docs/naïve.md:3": Departure(LETTERS, [("docs/naïve.md:3", "docs/naïve.md", (3, 3))]),
    "my\\_file.ts:3": Departure(LETTERS, [("my\\_file.ts:3", "my_file.ts", (3, 3))]),
    "src/a.ts:10src/b.ts:20": Departure(
        "Line forms: no letter follows the number; Path token: none starts right after a colon", []
    ),
    "http://example.com:8080/api": Departure(URL, []),
    "file:///home/u/a.ts:10": Departure(URL, [("file:///home/u/a.ts:10", "/home/u/a.ts", (10, 10))]),
    "See ./.env.local:3 here.": Departure(COUNTS, []),
    "127.0.0.1:6379": Departure(COUNTS, []),
    "a 4.5:1 ratio": Departure(COUNTS, []),
    "00.12:45": Departure(COUNTS, []),
    "acceptance.minSpawnedChildren:4": Departure(COUNTS, []),
    "node.js:20 image": Departure(COUNTS + "; product names are not paths", []),
}


def test_anchors(shared: Path) -> None:
    rows: list[tuple[str, Cited]] = [
        (text, [(each["anchor"], each["path"], (each["line"], each.get("endLine", each["line"]))) for each in expected])
        for text, expected in vectors(shared, "anchors")
    ]
    assert len(rows) == 27
    ours = {
        text: [(anchor.text, anchor.path, *anchor.spans) for anchor in Document.parse(text, "d.md").anchors]
        for text, _ in rows
    }
    hold(rows, ours, ANCHORS)


def test_what_the_snapshot_knows_counts_as_in_the_reference() -> None:
    for path in ("./.env.local", "node.js"):
        (anchor,) = Document.parse(f"See {path}:3 here.", "d.md", known={path.removeprefix("./")}).anchors
        assert (anchor.text, anchor.spans) == (f"{path}:3", ((3, 3),))


# ------------------------------------------------------------------------------------------------ clauses

ONE_GROUP = "Claims: a sentence with one group of anchors is never cut"

CLAUSES = {
    text: Departure(ONE_GROUP, [(anchor, text) for anchor in anchors])
    for text, anchors in {
        "In Python, the parser drops X [a.py:3].": ["a.py:3"],
        "The cap is three, per [a.ts:1].": ["a.ts:1"],
        "The parser caps at three [a.ts:1, b.ts:2].": ["a.ts:1", "b.ts:2"],
        "Calling `f(a, b)` returns 3 [a.ts:1].": ["a.ts:1"],
        "Both hold; see a.ts:1.": ["a.ts:1"],
    }.items()
}


def test_clauses(shared: Path) -> None:
    rows = [(text, [(anchor, clause) for anchor, clause in expected]) for text, expected in vectors(shared, "clauses")]
    assert len(rows) == 6
    ours = {text: [(anchor.text, anchor.claim) for anchor in Document.parse(text, "d.md").anchors] for text, _ in rows}
    hold(rows, ours, CLAUSES)


# ------------------------------------------------------------------------------------------------ sections

MARKS = "Claims: the nearest heading of level 2 as written: up to three spaces, setext, behind a byte-order mark"

SECTIONS = {
    "  ## A\nx": Departure(MARKS, [("## A", "x")]),
    "\ufeff## A\nx": Departure(MARKS, [("## A", "x")]),
    "Title\n-----\nx": Departure(MARKS, [("Title\n-----", "x")]),
    "```\n## in fence\n```\nx": Departure("Claims: never in a fence or comment", [("", "x")]),
}


def last_lines(sections: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Of each section its marker and the last line of its text, where an anchor can be put."""
    return [(marker, body.rstrip("\r\n").rpartition("\n")[2]) for marker, body in sections]


def sections_of(text: str) -> list[tuple[str, str]]:
    """The section of every line of the document that is `x`, `y` or `pre`: an anchor in its place says it."""
    found: list[tuple[str, str]] = []
    for line in re.finditer(r"(?<![^\r\n])(?:x|y|pre)(?![^\r\n])", text):
        cited = text[: line.start()] + "a.ts:1" + text[line.end() :]
        (anchor,) = Document.parse(cited, "d.md").anchors
        found.append((anchor.section, line.group()))
    return found


def test_sections(shared: Path) -> None:
    rows = [(text, last_lines(expected)) for text, expected in vectors(shared, "sections")]
    assert len(rows) == 11
    hold(rows, {text: sections_of(text) for text, _ in rows}, SECTIONS)
