"""The reference's checks in the server: what a check says, through edits of the document and of cited files."""

from pathlib import Path
from typing import Any

import pytest

from cite_lsp import Document, Settings, Snapshot
from cite_lsp.findings.check import examine
from cite_lsp.findings.places import Places
from cite_lsp.findings.reference_checks import CODES
from tests.server.at_rest import shown_at_rest
from tests.server.harness import Session

QUEUE = "LIMIT = 512\nWAIT = 0.5\n\n\ndef drain():\n    return LIMIT\n"
TEXT = """# Queue

## Limits

The 😀 queue holds at most `500` entries (`src/queue.py:1`), and waits `0.5` seconds (`src/queue.py:2`).

## Dräining

A 😀 first. The function `drain` returns the limit.

## Last

It ends here (`src/queue.py:5`).
"""
TREE: dict[str, Any] = {
    "rules": {"cited-value": "error", "uncited": "warning", "section-citations": "error"},
    "audit": {"section_minimum": 2},
    "judge": {"run": "off"},
    "drift": {"enabled": False},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/queue.py").write_text(QUEUE)
    return tmp_path


def told(text: str, code: str, tree: dict[str, Any]) -> list[tuple[str, str, tuple[int, int]]]:
    """What a check says of the document: code, message, and where it begins in UTF-16 units."""
    snapshot = Snapshot.of({"src/queue.py": code, "a.md": text})
    findings = examine(Document.parse(text, "a.md", snapshot.known), snapshot, Settings.model_validate(tree)).findings
    places = Places(text)

    def position(offset: int) -> tuple[int, int]:
        line = places.line(offset)
        return line, len(text[places.start(line) : offset].encode("utf-16-le")) // 2

    return [(each.code, each.message, position(each.start)) for each in findings]


def shown(diagnostics: list[dict[str, Any]]) -> list[tuple[str, str, tuple[int, int]]]:
    return [
        (each["code"], each["message"], (each["range"]["start"]["line"], each["range"]["start"]["character"]))
        for each in diagnostics
    ]


async def test_what_is_shown_is_what_a_check_says_through_edits(folder: Path) -> None:
    document, code = (folder / "a.md").as_uri(), (folder / "src/queue.py").as_uri()
    async with Session(folders=[folder], settings=TREE) as session:
        await session.settled()
        session.open(document, TEXT)
        session.open(code, QUEUE, language="python")
        published = await shown_at_rest(session)
        assert shown(published[document]) == told(TEXT, QUEUE, TREE)
        assert {each["code"] for each in published[document]} == set(CODES)
        # the cited file is edited: the value stands there now
        session.change(code, (0, 8), (0, 11), "500")
        after = QUEUE.replace("512", "500")
        published = await shown_at_rest(session, published)
        assert shown(published[document]) == told(TEXT, after, TREE)
        assert "cited-value" not in {each["code"] for each in published[document]}
        # and back again, with another line before
        session.change(code, (0, 0), (0, 11), "# cap\nLIMIT = 512")
        after = "# cap\nLIMIT = 512" + QUEUE.removeprefix("LIMIT = 512")
        published = await shown_at_rest(session, published)
        assert shown(published[document]) == told(TEXT, after, TREE)
        # a sentence gets its citation, a heading comes to be
        line = next(number for number, each in enumerate(TEXT.splitlines()) if "drain" in each)
        session.change(document, (line, 0), (line + 1, 0), "`drain` returns the limit (`src/queue.py:5`).\n\n## New\n")
        text = TEXT.replace("A 😀 first. The function `drain` returns the limit.\n",
                            "`drain` returns the limit (`src/queue.py:5`).\n\n## New\n")  # fmt: skip
        published = await shown_at_rest(session, published)
        assert session.server.session.documents[document].buffer.text == text
        assert shown(published[document]) == told(text, after, TREE)
        # an ignore comment
        session.change(document, (0, 0), (0, 0), "<!-- cite-lsp: ignore-file section-citations so -->\n\n")
        text = "<!-- cite-lsp: ignore-file section-citations so -->\n\n" + text
        published = await shown_at_rest(session, published)
        assert shown(published[document]) == told(text, after, TREE)


async def test_a_document_that_cites_nothing_any_more_is_not_told_of_its_sentences(folder: Path) -> None:
    document = (folder / "a.md").as_uri()
    tree = {**TREE, "rules": {"uncited": "warning"}}
    text = "The function `drain` returns the limit.\n\nIt ends here (`src/queue.py:5`).\n"
    async with Session(folders=[folder], settings=tree) as session:
        await session.settled()
        session.open(document, text)
        published = await shown_at_rest(session)
        assert [each["code"] for each in published[document]] == ["uncited"]
        session.change(document, (2, 0), (2, 33), "")
        assert (await shown_at_rest(session, published))[document] == []


async def test_they_are_switched_on_and_off_while_a_document_is_open(folder: Path) -> None:
    document = (folder / "a.md").as_uri()
    tree: dict[str, Any] = {}
    async with Session(folders=[folder], settings=lambda _: tree) as session:
        await session.settled()
        session.open(document, TEXT)
        published = await shown_at_rest(session)
        before = published[document]
        assert not {each["code"] for each in before} & set(CODES)
        tree.update({"rules": TREE["rules"]})
        session.notify("workspace/didChangeConfiguration", {"settings": None})
        published = await shown_at_rest(session, published)
        assert {each["code"] for each in published[document]} >= set(CODES)
        tree.clear()
        session.notify("workspace/didChangeConfiguration", {"settings": None})
        published = await shown_at_rest(session, published)
        assert published[document] == before
