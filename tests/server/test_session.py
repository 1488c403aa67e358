"""What a session keeps in step: documents, buffers of cited files, folders, the person asked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server.protocol import Server, make_server
from tests.server.at_rest import codes, rest, shown_at_rest
from tests.server.harness import CAPABILITIES, Refused, Session, range_of

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


@pytest.mark.parametrize("method", ["client/registerCapability", "workspace/configuration"])
async def test_a_client_that_refuses_what_it_said_it_could_is_served_all_the_same(folder: Path, method: str) -> None:
    """pygls raises JsonRpcException for an answer that is an error, and that is no PyglsError."""
    uri = (folder / "a.md").as_uri()
    settings = {"rules": {"line-out-of-range": "hint"}}
    async with Session(folders=[folder], answers={method: Refused()}, settings=settings) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        found = (await shown_at_rest(session))[uri]
        assert [each["severity"] for each in found] == [4 if method == "client/registerCapability" else 1]
        asked = [name for name, _ in session.requests]
        assert asked.count("client/registerCapability") == 2
        assert asked.count("workspace/configuration") == 1


async def test_a_client_that_refuses_to_apply_or_to_ask_is_answered(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    refusing = {"workspace/applyEdit": Refused(), "window/showMessageRequest": Refused()}
    async with Session(folders=[folder], answers=refusing) as session:
        await session.settled()
        session.open(uri, "See `a.py:2-9`.\n")
        await shown_at_rest(session)
        assert await session.command("cite-lsp.server.fixAll", {"uri": uri}) == 0
        argument = {"uri": uri, "range": range_of((0, 8), (0, 8))}
        assert (await session.command("cite-lsp.server.requestRepair", argument))["applied"] is False


async def test_findings_are_taken_back_though_verdicts_came_in_the_same_moment(folder: Path) -> None:
    """That an outcome is to be told again must not hide that something was told before."""
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:99`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        (document,) = session.server.session.documents.values()
        session.server.session._judged(document)
        session.close(uri)
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_it_is_told_once_that_what_sessions_need_is_loaded(tmp_path: Path) -> None:
    """Before a document is there, also where one comes first: what is loaded stays, and documents must not."""
    told: list[object] = []

    def make(leave: Callable[[int], None]) -> Server:
        server = make_server(leave)
        server.loaded = lambda: told.append(dict(server.session.documents))
        return server

    uri = (tmp_path / "a.md").as_uri()
    async with Session(folders=[tmp_path], make=make, initialize=False) as session:
        await session.request("initialize", session.initialize_params())
        session.open(uri, "`b.py:1`\n")
        session.notify("initialized", {})
        await session.diagnostics(uri)
        await shown_at_rest(session)
        assert told == [{}]
