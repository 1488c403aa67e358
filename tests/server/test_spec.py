"""Every client gets what it says it understands, and nothing else."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp.client import LanguageClient, make_test_lsp_client

from tests.server.allowed import CLIENTS, Allowed, Watched, captured
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, HANG, at, range_of

CODE = "import time\n\nLIMIT = 3\n\n\ndef retry(call):\n    for attempt in range(LIMIT):\n        call()\n"
TEXT = "`LIMIT` is 7 (`src/a.py:3`).\n\nSee `src/a.py:7-99`, `src/b.py:3` and `A.py:1`.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "src/a.py").write_text(CODE)
    (tmp_path / "docs/a.md").write_text(TEXT)
    return tmp_path


def capabilities_of(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a client says, or the end of the test."""
    found = captured(name)
    if found is None:
        pytest.skip(f"not run: tests/server/capabilities/{name}.json absent; tests/editors captures it")
    return found


async def converse(session: Watched, folder: Path) -> None:
    """Use every feature once."""
    uri, code = (folder / "docs/a.md").as_uri(), (folder / "src/a.py").as_uri()
    document = {"textDocument": {"uri": uri}}
    session.open(uri, TEXT)
    session.open(code, CODE, language="python")
    now: dict[str, Any] = await shown_at_rest(session)
    assert codes(now[uri])
    session.save(uri)
    await shown_at_rest(session, now)
    assert "unsupported" in codes(now[uri])
    for line, column in ((0, 18), (2, 8), (2, 24)):
        for method in ("hover", "definition", "declaration"):
            await session.request(f"textDocument/{method}", at(uri, line, column))
        where = range_of((line, column), (line, column))
        for context in ({"diagnostics": now[uri]}, {"diagnostics": [], "only": ["source"]}):
            params = {**document, "range": where, "context": context}
            for action in await session.request("textDocument/codeAction", params) or ():
                if "edit" not in action and "command" not in action:
                    await session.request("codeAction/resolve", action)
        await session.command("cite-lsp.server.requestRepair", {"uri": uri, "range": where})
    await session.request("textDocument/documentLink", document)
    await look_for_more(session, uri, code)
    await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
    await session.command("cite-lsp.server.fixAll", {"uri": uri})
    session.configure({"rules": {"missing": "nonsense"}})
    session.folders_changed(added=[folder / "docs"])
    session.files_changed((code, 2))
    await shown_at_rest(session, now)
    session.close(uri)
    await shown_at_rest(session, now)


async def look_for_more(session: Watched, uri: str, code: str) -> None:
    """Ask for what clients show only when somebody wants it, in the order of the features' table."""
    for line, column in ((0, 13), (2, 9), (2, 11), (2, 13)):
        found = await session.request("textDocument/completion", at(uri, line, column))
        for item in ((found or {}).get("items", ()) if isinstance(found, dict) else found or ())[:3]:
            await session.request("completionItem/resolve", item)
    for each in (uri, code):
        document = {"textDocument": {"uri": each}}
        await session.request("textDocument/codeLens", document)
        if session.allowed.has("textDocument.inlayHint"):
            await session.request("textDocument/inlayHint", {**document, "range": range_of((0, 0), (9, 0))})
        await session.request("textDocument/references", {**at(each, 2, 8), "context": {"includeDeclaration": True}})
    await session.request("workspace/symbol", {"query": "a"})
    renamed = {"files": [{"oldUri": code, "newUri": code.replace("a.py", "c.py")}]}
    await session.request("workspace/willRenameFiles", renamed)


POOR: dict[str, Any] = {}
BARE: dict[str, Any] = {"workspace": {}, "textDocument": {}, "window": {}}


@pytest.mark.parametrize("name", [*CLIENTS, "the harness", "nothing", "bare"])
async def test_no_message_uses_what_the_client_did_not_offer(folder: Path, name: str) -> None:
    mine = {"the harness": CAPABILITIES, "nothing": POOR, "bare": BARE}
    capabilities = mine[name] if name in mine else capabilities_of(name)[1]
    ignored = ("cite-lsp/status", "window/showMessage", "$/progress")
    answers = {
        "window/showMessageRequest": lambda params: params["actions"][0],
        "workspace/codeLens/refresh": None,
        "workspace/inlayHint/refresh": None,
    }
    both = {"server": {"code_lens": True, "inlay_hints": True}}
    async with Watched(capabilities, folders=[folder], ignored=ignored, answers=answers, options=both) as session:
        await session.settled()
        await converse(session, folder)
    assert session.faults == []
    assert "textDocument/publishDiagnostics" in session.methods


def test_the_rules_find_what_they_are_for() -> None:
    poor, rich = Allowed({}), Allowed(CAPABILITIES)
    diagnostic = {"range": range_of((0, 0), (0, 1)), "message": "x", "data": 1}
    link = {"targetUri": "file:///a", "targetRange": {}, "targetSelectionRange": {}}
    change = {"documentChanges": [{"textDocument": {"uri": "file:///a"}, "edits": []}]}
    watched = {"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]}
    bad = [
        poor.notification("textDocument/publishDiagnostics", {"uri": "a", "version": 1, "diagnostics": []}),
        rich.notification("textDocument/publishDiagnostics", {"uri": "a", "diagnostics": [diagnostic]}),
        poor.notification("$/progress", {}),
        poor.request("workspace/configuration", {"items": []}),
        poor.request("workspace/applyEdit", {"edit": {}}),
        poor.request("client/registerCapability", watched),
        rich.request("workspace/applyEdit", {"edit": change}),
        rich.request("window/showMessageRequest", {"actions": [{"title": "x", "more": 1}]}),
        rich.request("workspace/semanticTokens/refresh", None),
        poor.result("textDocument/hover", {"contents": {"kind": "markdown", "value": "x"}}),
        poor.result("textDocument/definition", [link]),
        poor.request("workspace/codeLens/refresh", None),
        poor.request("workspace/inlayHint/refresh", None),
        poor.result("textDocument/completion", {"isIncomplete": True, "itemDefaults": {"data": 1}, "items": []}),
        poor.result("textDocument/completion", [{"label": "a", "labelDetails": {}}]),
        poor.result("textDocument/completion", [{"label": "a", "textEdit": {"insert": {}, "replace": {}}}]),
        poor.result("textDocument/completion", [{"label": "a", "kind": 25}]),
        poor.result("completionItem/resolve", {"label": "a", "documentation": {"kind": "markdown"}}),
        poor.result("textDocument/inlayHint", []),
        poor.result("workspace/symbol", [{"kind": 19, "location": {"uri": "a", "range": {}}}]),
        poor.result("workspace/symbol", [{"kind": 1, "location": {"uri": "a"}}]),
        poor.result("workspace/willRenameFiles", change),
        poor.result("textDocument/documentLink", [{"tooltip": "x"}]),
        poor.result("textDocument/codeAction", [{"title": "x", "kind": "quickfix", "edit": {}, "isPreferred": True}]),
        rich.result("textDocument/codeAction", [{"title": "x", "kind": "quickfix"}]),
        rich.result("textDocument/codeAction", [{"title": "x", "kind": "refactor", "edit": {}}]),
    ]
    assert [bool(list(each)) for each in bad] == [True] * len(bad)
    good = [
        rich.result("textDocument/definition", [link]),
        rich.request("client/registerCapability", watched),
        rich.notification("textDocument/publishDiagnostics", {"uri": "a", "version": 1, "diagnostics": []}),
    ]
    assert [list(each) for each in good] == [[]] * len(good)


class Waiting:
    """Waits for publishes of a client of pytest-lsp."""

    def __init__(self, client: LanguageClient) -> None:
        self._client = client
        self._news = asyncio.Event()
        kept = client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS]

        def published(params: types.PublishDiagnosticsParams) -> None:
            kept(params)
            self._news.set()

        client.protocol.fm.features[types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS] = published

    async def until(self, uri: str, *wanted: str) -> list[types.Diagnostic]:
        """Wait until the codes of a document are these, in any order."""
        while True:
            found = list(self._client.diagnostics.get(uri, ()))
            if uri in self._client.diagnostics and sorted(str(each.code) for each in found) == sorted(wanted):
                return found
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), HANG)
            except TimeoutError:
                raise AssertionError(f"{wanted} did not come, but {found}") from None


@pytest.mark.parametrize("name", CLIENTS)
async def test_a_conversation_as_pytest_lsp_has_it(folder: Path, name: str) -> None:
    said, raw = capabilities_of(name)
    capabilities = default_converter().structure(raw, types.ClientCapabilities)
    uri = (folder / "docs/a.md").as_uri()
    client = make_test_lsp_client()
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda params: None)
    waiting = Waiting(client)
    await client.start_io(sys.executable, "-m", "cite_lsp", "serve")
    try:
        result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                client_info=types.ClientInfo(said.get("name", name), said.get("version")),
                root_uri=folder.as_uri(),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "work")],
            )
        )
        assert result.server_info is not None
        assert result.server_info.name == "cite-lsp"
        document = types.TextDocumentIdentifier(uri)
        client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, types.LanguageKind.Markdown, 1, TEXT))
        )
        found = await waiting.until(uri, "end-out-of-range", "missing", "case-differs")
        hover = await client.text_document_hover_async(types.HoverParams(document, types.Position(0, 18)))
        assert hover is not None
        assert "LIMIT = 3" in str(hover.contents)
        places = await client.text_document_definition_async(types.DefinitionParams(document, types.Position(0, 18)))
        assert places
        links = await client.text_document_document_link_async(types.DocumentLinkParams(document))
        assert links
        where = next(each.range for each in found if each.code == "end-out-of-range")
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(document, where, types.CodeActionContext(diagnostics=found))
        )
        assert actions
        assert "End at line 8" in [action.title for action in actions]
        everything = await client.text_document_code_action_async(
            types.CodeActionParams(document, where, types.CodeActionContext(diagnostics=[], only=["source.fixAll"]))
        )
        assert everything
        action = everything[0]
        assert isinstance(action, types.CodeAction)
        resolved = action if action.edit is not None else await client.code_action_resolve_async(action)
        assert resolved.edit is not None
        changed = types.TextDocumentContentChangePartial(
            range=types.Range(types.Position(2, 0), types.Position(3, 0)), text=""
        )
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [changed])
        )
        await waiting.until(uri)
        client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        (verdict,) = await waiting.until(uri, "unsupported")
        assert "the claim says 7, line 3 says LIMIT = 3" in verdict.message
        await client.shutdown_session()
        assert client.error is None
        assert client.messages == []
    finally:
        await client.stop()
