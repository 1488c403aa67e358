"""textDocument/codeLens: how often lines of code are cited, where the setting wants it."""

from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import rest
from tests.server.harness import PUBLISH, Session, range_of

CODE = "".join(f"line {number}\n" for number in range(1, 21))
ON = {"server": {"code_lens": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/retry.py of twenty lines, cited by two documents."""
    for path, text in {
        "src/retry.py": CODE,
        "a.md": "`src/retry.py:3` `src/retry.py:3-9` `src/retry.py:12, 14` `src/retry.py:99`\n",
        "b.md": "`retry.py:3`\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


async def lenses(session: Session, uri: str) -> list[dict[str, Any]]:
    """The lenses of a document."""
    found: list[dict[str, Any]] = await session.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return found


async def test_cited_ranges_that_begin_on_a_line_are_one_lens(folder):
    uri = (folder / "src/retry.py").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=("cite-lsp/status", PUBLISH)) as session:
        session.open(uri, CODE, language="python")
        await rest(session)
        found = await lenses(session, uri)
    assert [(each["range"]["start"]["line"], each["command"]["title"]) for each in found] == [
        (2, "cited by 3"),
        (11, "cited by 1"),
        (13, "cited by 1"),
    ]
    command = found[0]["command"]
    assert command["command"] == "cite-lsp.showCitations"
    given, position, locations = command["arguments"]
    assert (given, position) == (uri, {"line": 2, "character": 0})
    assert locations == [
        {"uri": (folder / "a.md").as_uri(), "range": range_of((0, 1), (0, 15))},
        {"uri": (folder / "a.md").as_uri(), "range": range_of((0, 18), (0, 34))},
        {"uri": (folder / "b.md").as_uri(), "range": range_of((0, 1), (0, 11))},
    ]


async def test_there_are_none_in_documents_and_while_they_are_off(folder):
    code, document = (folder / "src/retry.py").as_uri(), (folder / "a.md").as_uri()
    settings: dict[str, Any] = {}
    async with Session(folders=[folder], settings=lambda _: settings, ignored=("cite-lsp/status", PUBLISH)) as session:
        session.open(document, (folder / "a.md").read_text())
        session.open(code, CODE, language="python")
        await rest(session)
        assert await lenses(session, code) == []
        settings.update(ON)
        session.configure(None)
        await rest(session)
        assert len(await lenses(session, code)) == 3
        assert await lenses(session, document) == []
        assert await lenses(session, "untitled:Untitled-1") == []
