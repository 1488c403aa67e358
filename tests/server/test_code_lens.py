"""textDocument/codeLens: how often lines of code are cited, where the setting wants it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server import marks
from tests.server.at_rest import rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session, range_of

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


async def test_there_are_none_while_they_are_off(folder):
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
        assert await lenses(session, document) == []  # it has no heading
        assert await lenses(session, "untitled:Untitled-1") == []


PAGE = """`src/retry.py:1` stands above all headings.

# Title `src/retry.py:2`

Twice: `src/retry.py:3` and `src/retry.py:4`.

Nothing cited here
------------------

## Broken

`src/retry.py:99`, `src/none.py:1` and [this](src/retry.py#L5).
"""


async def test_headings_count_the_citations_below_them(folder):
    uri = (folder / "page.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=("cite-lsp/status", PUBLISH)) as session:
        session.open(uri, PAGE)
        await rest(session)
        found = await lenses(session, uri)
        assert [(each["range"]["start"]["line"], each["command"]["title"]) for each in found] == [
            (2, "3 citations"),
            (9, "3 citations, 2 broken"),
        ]
        command = found[1]["command"]
        assert command["command"] == "cite-lsp.showCitations"
        assert command["arguments"] == [
            uri,
            {"line": 9, "character": 0},
            [
                {"uri": uri, "range": range_of((11, 1), (11, 16))},
                {"uri": uri, "range": range_of((11, 20), (11, 33))},
                {"uri": uri, "range": range_of((11, 39), (11, 62))},
            ],
        ]
        session.change(uri, (4, 0), (4, 7), "")  # the lenses are those of what is typed
        session.change(uri, (0, 0), (0, 0), "\n")
        found = await lenses(session, uri)
        assert [each["range"]["start"]["line"] for each in found] == [3, 10]


async def test_headings_count_what_the_judge_said_and_what_nobody_checked(folder):
    (folder / "b.py").write_text("LIMIT = 5\n")
    uri = (folder / "page.md").as_uri()
    quiet = ("cite-lsp/status", "$/progress", PUBLISH)
    async with Session(folders=[folder], settings=ON, ignored=quiet) as session:
        session.open(uri, "# Title\n\nThe limit is 5 (`b.py:1`).\n\nThe limit is 7 (`b.py:1`).\n")
        await rest(session)
        (lens,) = await lenses(session, uri)
        assert lens["command"]["title"] == "2 citations"  # nobody was asked: neither good news nor bad
        session.save(uri)
        await rest(session)
        (lens,) = await lenses(session, uri)
        assert lens["command"]["title"] == "2 citations, 1 unsupported"
        session.change(uri, (2, 0), (2, 3), "Our")
        (lens,) = await lenses(session, uri)
        assert lens["command"]["title"] == "2 citations, 1 unsupported, 1 not checked"


@pytest.mark.parametrize(
    ("name", "text"),
    [("page.rst", "Title\n=====\n\n``src/retry.py:3``\n"), ("page.adoc", "= Title\n\n`src/retry.py:3`\n")],
)
async def test_headings_of_other_formats_have_them_too(folder, name, text):
    uri = (folder / name).as_uri()
    async with Session(folders=[folder], settings=ON, ignored=("cite-lsp/status", PUBLISH)) as session:
        session.open(uri, text)
        await rest(session)
        (lens,) = await lenses(session, uri)
        assert (lens["range"]["start"]["line"], lens["command"]["title"]) == (0, "1 citation")


async def test_counts_in_code_are_asked_for_again_when_a_document_was_edited(folder):
    code, document = (folder / "src/retry.py").as_uri(), (folder / "a.md").as_uri()
    capabilities = {
        **CAPABILITIES,
        "workspace": {**CAPABILITIES["workspace"], "codeLens": {"refreshSupport": True}},
    }
    async with Session(
        folders=[folder],
        settings=ON,
        capabilities=capabilities,
        answers={"workspace/codeLens/refresh": None},
        ignored=("cite-lsp/status", PUBLISH),
    ) as session:
        session.open(code, CODE, language="python")
        session.open(document, (folder / "a.md").read_text())
        await session.asked("workspace/codeLens/refresh")
        await rest(session)
        session.change(document, (0, 0), (0, 0), "`src/retry.py:20` ")
        assert len(await lenses(session, code)) == 4
        await session.asked("workspace/codeLens/refresh")
        assert not any(method == "workspace/inlayHint/refresh" for method, _ in session.requests)


async def test_a_document_too_long_for_one_turn_is_answered_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each turn goes on where the last one stopped, however long it takes to pass what is known by then."""
    monkeypatch.setattr(marks, "_TURN", 0.0)  # a turn is one piece
    uri = (folder / "a.md").as_uri()
    text = "## Retry\n\nIt waits, see `src/retry.py:3` here.\n\n" * 300
    settings = {"server": {"code_lens": True, "inlay_hints": True}}
    async with Session(folders=[folder], settings=settings, ignored=("cite-lsp/status", PUBLISH)) as session:
        session.open(uri, text)
        await rest(session)
        assert len(session.server.session.find(uri).checks.pieces) > 10
        assert len(await lenses(session, uri)) == 300
        asked = asyncio.ensure_future(lenses(session, uri))
        session.change(uri, (0, 0), (0, 0), "## More\n\nSee `src/retry.py:4`.\n\n")
        assert len(await asked) in (300, 301)
        assert len(await lenses(session, uri)) == 301
        everywhere = {"textDocument": {"uri": uri}, "range": range_of((0, 0), (9_999, 0))}
        await session.request("textDocument/inlayHint", everywhere)
        assert len(await session.request("workspace/symbol", {"query": "retry.py"})) == 200
