"""Citations as they stand in public documents: each is found in its place, and nothing else is (anchors.json)."""

import json
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.document.document import Document

Row = dict[str, Any]


@pytest.fixture(scope="module")
def corpus(shared: Path) -> dict[str, list[Row]]:
    loaded: dict[str, list[Row]] = json.loads((shared / "corpora" / "anchors.json").read_text(encoding="utf-8"))
    assert len(loaded["anchors"]) == 113
    assert len(loaded["not_anchors"]) == 34
    return loaded


def fenced(text: str) -> str:
    return f"````\n{text}\n````\n"


def found(text: str) -> list[tuple[str, list[list[int]]]]:
    document = Document.parse(text, "d.md")
    for anchor in document.anchors:
        assert text[anchor.start : anchor.end] == anchor.text
    return [(anchor.path, [list(span) for span in anchor.spans]) for anchor in document.anchors]


def test_every_citation_outside_a_fence_is_found_and_nothing_else(corpus: dict[str, list[Row]]) -> None:
    outside = [row for row in corpus["anchors"] if not row["in_fence"]]
    wrong = {
        row["text"]: (got, row["all"])
        for row in outside
        if (got := found(row["text"])) != [(path, spans) for path, spans in row["all"]]
    }
    assert wrong == {}


def spans_of(row: Row) -> list[list[int]]:
    """All spans that the row's own citation has."""
    items = row["list"] or [[row["first"]] if row["last"] is None else [row["first"], row["last"]]]
    return [[item[0], item[-1]] for item in items]


def test_each_stands_where_it_is_written(corpus: dict[str, list[Row]]) -> None:
    for row in corpus["anchors"]:
        if row["in_fence"] or not row["is_citation"]:
            continue
        start = row["text"].index(row["anchor"])
        end = start + len(row["anchor"])
        there = [
            (anchor.path, [list(span) for span in anchor.spans])
            for anchor in Document.parse(row["text"], "d.md").anchors
            if anchor.start < end and start < anchor.end
        ]
        assert (row["path"], spans_of(row)) in there, row["text"]


def test_nothing_in_a_fence(corpus: dict[str, list[Row]]) -> None:
    for row in corpus["anchors"]:
        assert found(fenced(row["text"])) == [], row["text"]


def test_what_is_no_citation(corpus: dict[str, list[Row]]) -> None:
    for row in corpus["not_anchors"]:
        text = fenced(row["text"]) if row["in_fence"] else row["text"]
        assert found(text) == [], row["why"]
