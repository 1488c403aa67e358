"""Faults that are open: each test is the smallest way to one, and goes to the tests of its kind once it passes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker
from tests.server.at_rest import codes, rest, shown_at_rest, under_way
from tests.server.harness import CAPABILITIES, Session

CODE = "import time\n\nLIMIT = 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


async def test_a_document_opened_in_the_same_breath_as_initialized_knows_the_folders_and_settings(folder: Path) -> None:
    """A client writes `initialized` and `didOpen` one after the other; one read may bring both."""
    uri = (folder / "a.md").as_uri()
    options = {"rules": {"blank-line": "off"}}
    capabilities = {**CAPABILITIES, "workspace": {}}
    async with Session(folders=[folder], options=options, capabilities=capabilities) as session:
        session.open(uri, "`a.py:9` and `a.py:2`\n")
        found = (await shown_at_rest(session))[uri]
        assert session.server.session.workspace.roots == (str(folder),)
        assert codes(found) == ["line-out-of-range"]


async def test_a_buffer_that_is_cited_only_after_it_was_typed_in_counts(folder: Path) -> None:
    document, code = (folder / "a.md").as_uri(), (folder / "a.py").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(document, "\n")
        session.open(code, CODE + "more = 1\n", language="python")
        await rest(session)
        session.change(document, (0, 0), (0, 0), "See `a.py:4`.")
        assert (await shown_at_rest(session))[document] == []


async def test_settings_that_change_while_a_cited_buffer_is_typed_in_do_not_lose_it(folder: Path) -> None:
    document, code = (folder / "a.md").as_uri(), (folder / "a.py").as_uri()
    capabilities = {**CAPABILITIES, "workspace": {}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await session.settled()
        session.open(document, "See `a.py:4`.\n")
        session.open(code, CODE, language="python")
        shown: dict[str, Any] = await shown_at_rest(session)
        assert codes(shown[document]) == ["line-out-of-range"]
        session.change(code, (3, 0), (3, 0), "more = 1\n")
        session.configure({"rules": {"missing": "hint"}})
        assert (await shown_at_rest(session, shown))[document] == []


async def test_a_document_opened_beside_the_workspace_while_a_cited_buffer_is_typed_in_does_not_lose_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    document, code = (folder / "a.md").as_uri(), (folder / "a.py").as_uri()
    other = (tmp_path_factory.mktemp("other") / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(document, "See `a.py:4`.\n")
        session.open(code, CODE, language="python")
        shown = await shown_at_rest(session)
        session.change(code, (3, 0), (3, 0), "more = 1\n")
        session.open(other, "nothing\n")
        assert (await shown_at_rest(session, shown))[document] == []


async def test_pushed_settings_replace_pulled_ones(folder: Path) -> None:
    """VS Code answers the pull and pushes afterwards."""
    uri = (folder / "a.md").as_uri()
    now: dict[str, Any] = {"rules": {"line-out-of-range": "warning"}}
    async with Session(folders=[folder], settings=lambda item: now) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert [each["severity"] for each in shown[uri]] == [2]
        now = {"rules": {"line-out-of-range": "hint"}}
        session.configure(now)
        assert [each["severity"] for each in (await shown_at_rest(session, shown))[uri]] == [4]


async def test_a_folder_that_is_added_is_asked_for_its_settings(folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    uri = (other / "b.md").as_uri()

    def settings(item: Any) -> Any:
        return {"rules": {"missing": "hint"}} if item.get("scopeUri") == other.as_uri() else {}

    async with Session(folders=[folder], settings=settings) as session:
        await session.settled()
        session.folders_changed(added=[other])
        session.open(uri, "See `src/gone/no.py:9` and `./none.py:3`.\n")
        found = (await shown_at_rest(session))[uri]
        assert {each["severity"] for each in found if each["code"] == "missing"} == {4}


async def test_opening_a_settings_file_keeps_what_is_wrong_in_it(folder: Path) -> None:
    project = folder / "cite-lsp.toml"
    project.write_text('[rules]\nmissing = "loud"\n')
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open((folder / "a.md").as_uri(), "x\n")
        shown = await shown_at_rest(session)
        assert codes(shown[project.as_uri()]) == ["setting"]
        session.open(project.as_uri(), project.read_text(), language="toml")
        assert codes((await shown_at_rest(session, shown))[project.as_uri()]) == ["setting"]


async def test_ignore_rules_that_change_on_disk_count(folder: Path) -> None:
    (folder / ".gitignore").write_text("nothing\n")
    (folder / "made").mkdir()
    (folder / "made/b.md").write_text("See `a.py:9`.\n")
    uri = (folder / "made/b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        (folder / ".gitignore").write_text("made/\n")
        session.files_changed(((folder / ".gitignore").as_uri(), 2))
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_a_document_that_was_ignored_and_left_out_is_one_again_when_neither_holds(folder: Path) -> None:
    ignore, project = folder / ".gitignore", folder / "cite-lsp.toml"
    ignore.write_text("*.md\n")
    (folder / "b.md").write_text("See `a.py:9`.\n")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert shown.get(uri, []) == []
        project.write_text('[files]\nexclude = ["b.md"]\n')
        session.files_changed((project.as_uri(), 1))
        await shown_at_rest(session, shown)
        ignore.unlink()
        session.files_changed((ignore.as_uri(), 3))
        await shown_at_rest(session, shown)
        project.unlink()
        session.files_changed((project.as_uri(), 3))
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]


async def test_the_removal_of_an_unused_ignore_comment_is_offered(folder: Path) -> None:
    """findings.md: `unused-ignore` has the fix "remove"."""
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:1`. <!-- cite-lsp: ignore missing no reason -->\n")
        shown = await shown_at_rest(session)
        (found,) = shown[uri]
        assert found["code"] == "unused-ignore"
        params = {"textDocument": {"uri": uri}, "range": found["range"], "context": {"diagnostics": [found]}}
        actions = await session.request("textDocument/codeAction", params)
        assert [each["title"] for each in actions] == ["Remove this ignore comment"]


async def test_a_client_that_cannot_apply_edits_is_not_asked_to(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    capabilities = {**CAPABILITIES, "workspace": {}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await session.settled()
        session.open(uri, "See `a.py:1-9`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["end-out-of-range"]
        await session.command("cite-lsp.server.fixAll", {"uri": uri})
        assert "workspace/applyEdit" not in [method for method, _ in session.requests]


async def test_globs_of_the_editors_settings_count_from_the_workspace_folder(folder: Path) -> None:
    """Without a settings file or `.git` they count from the folder that the server happens to run in."""
    (folder / "docs").mkdir()
    uri = (folder / "docs/a.md").as_uri()
    for settings, wanted in (
        ({"records": ["docs/**"]}, [3]),
        ({"files": {"include": ["docs/*.md"]}}, [1]),
        ({"files": {"exclude": ["docs/**"]}}, []),
        ({"overrides": [{"globs": ["docs/**"], "rules": {"line-out-of-range": "hint"}}]}, [4]),
    ):
        async with Session(folders=[folder], settings=settings) as session:
            await session.settled()
            session.open(uri, "See `a.py:99`.\n")
            found = (await shown_at_rest(session)).get(uri, [])
            assert [each["severity"] for each in found] == wanted, settings


async def test_a_repair_of_a_document_that_was_closed_meanwhile_is_not_applied(folder: Path) -> None:
    """The file on disk need not hold what the buffer held."""
    uri = (folder / "a.md").as_uri()
    closing: list[Session] = []

    def choose(params: Any) -> Any:
        closing[0].close(uri)
        return {"title": "Apply"}

    async with Session(folders=[folder], answers={"window/showMessageRequest": choose}) as session:
        closing.append(session)
        await session.settled()
        session.open(uri, "See `a.py:2-99`.\n")
        await shown_at_rest(session)
        argument = {"uri": uri, "range": {"start": {"line": 0, "character": 8}, "end": {"line": 0, "character": 8}}}
        await session.command("cite-lsp.server.requestRepair", argument)
        await shown_at_rest(session)
        session.discard("window/showMessage")
        assert "workspace/applyEdit" not in [method for method, _ in session.requests]


@pytest.mark.parametrize("folder_uri", ["file:///\ud83d", "file:///%ff%fe"])
async def test_a_folder_whose_name_is_no_text_does_not_stop_the_others(folder: Path, folder_uri: str) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder, folder_uri]) as session:
        await session.settled()
        session.open(uri, "See `./none/x.py:99`.\n")
        for _ in range(200):
            if not under_way(session):
                break
            await asyncio.sleep(0.02)
        assert under_way(session) == []
        assert codes((await shown_at_rest(session))[uri]) == ["missing"]


async def test_a_document_that_grows_over_the_limit_and_shrinks_again(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings={"files": {"max_document_bytes": 1000}}) as session:
        await session.settled()
        session.open(uri, "See `a.py:99`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        session.change(uri, (1, 0), (1, 0), "words\n" * 1000)
        (found,) = (await shown_at_rest(session, shown))[uri]
        assert "max_document_bytes" in found["message"]
        session.change(uri, (1, 0), (1001, 0), "")
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]


async def test_a_cited_file_that_is_only_an_open_buffer_is_found_whenever_it_is_opened(folder: Path) -> None:
    """It is found when the buffer was opened before; opened after, the citation stayed `missing`."""
    document, code = (folder / "a.md").as_uri(), (folder / "new.py").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(document, "See `./new.py:1`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[document]) == ["missing"]
        session.open(code, "x = 1\n", language="python")
        assert codes((await shown_at_rest(session, shown))[document]) == []
        session.close(code)
        assert codes((await shown_at_rest(session, shown))[document]) == ["missing"]


class Held(Worker):
    """The real worker, whose listings are given only when they may be."""

    def __init__(self) -> None:
        super().__init__()
        self.listed = 0
        self.may = asyncio.Event()

    async def call(self, do: str, **more: Any) -> Any:
        answer = await super().call(do, **more)
        if do == "paths":
            self.listed += 1
            await self.may.wait()
        return answer


async def test_a_file_that_appears_while_files_are_being_listed_is_listed_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`list_soon`, called at the end of `_list`, finds the listing still under way and only notes "again"."""
    monkeypatch.setattr("cite_lsp.server.session.Worker", Held)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `new.py:1`.\n")
        worker = session.server.session.worker
        while not worker.listed:
            await asyncio.sleep(0.01)
        (folder / "deep").mkdir()
        (folder / "deep/new.py").write_text("x = 1\n")
        session.files_changed(((folder / "deep/new.py").as_uri(), 1))
        await session.settled()
        worker.may.set()
        assert codes((await shown_at_rest(session))[uri]) == []
        assert worker.listed == 2
