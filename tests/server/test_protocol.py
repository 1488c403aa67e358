"""The protocol layer in this process: what it answers, and that it goes on whatever it is sent."""

import asyncio
import enum
import logging
from collections.abc import Callable
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp import __version__
from cite_lsp.server.protocol import Server
from cite_lsp.server.stdio import encode
from tests.server.harness import ErrorAnswerError, Refused, Session, at

URI = "file:///folder/a.md"
HOVER = "textDocument/hover"


def make_with(register: Callable[[Server], None]) -> Callable[[Callable[[int], None]], Server]:
    """A server with only these handlers: what is tested here is what stands below the real ones."""

    def make(exit_process: Callable[[int], None]) -> Server:
        server = Server(exit_process)
        register(server)
        return server

    return make


def nothing(_: Server) -> None:
    pass


bare = make_with(nothing)


def _hover(server: Server) -> None:
    server.feature(types.TEXT_DOCUMENT_HOVER)(lambda params: None)


hovering = make_with(_hover)


async def test_initialize_says_who_answers_and_how_documents_are_synchronised() -> None:
    async with Session(make=bare, initialize=False) as session:
        result = await session.request("initialize", session.initialize_params())
        assert result["serverInfo"] == {"name": "cite-lsp", "version": __version__}
        capabilities = result["capabilities"]
        assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": False}}
        assert capabilities["positionEncoding"] == "utf-16"
        assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
        assert "notebookDocumentSync" not in capabilities


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7"], "utf-16"),
        (["utf-64", "utf-8"], "utf-8"),
    ],
)
async def test_the_encoding_is_the_clients_first_that_is_known(offered: list[str] | None, taken: str) -> None:
    capabilities = {} if offered is None else {"general": {"positionEncodings": offered}}
    async with Session(make=bare, capabilities=capabilities) as session:
        assert session.capabilities_of_server["positionEncoding"] == taken
        assert session.server.client.position_encoding == taken


async def test_values_that_an_enumeration_does_not_know_do_not_matter() -> None:
    capabilities = {
        "general": {
            "positionEncodings": ["utf-99", "utf-8"],
            "staleRequestSupport": {"cancel": True, "retryOnContentModified": []},
        },
        "workspace": {
            "workspaceEdit": {"failureHandling": "someday", "resourceOperations": ["teleport"]},
            "symbol": {"symbolKind": {"valueSet": [1, 999]}, "tagSupport": {"valueSet": [77]}},
        },
        "textDocument": {
            "completion": {"completionItem": {"documentationFormat": ["rtf"], "tagSupport": {"valueSet": [9]}}},
            "hover": {"contentFormat": ["html", "markdown"]},
            "publishDiagnostics": {"tagSupport": {"valueSet": [1, 2, 3]}},
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "some.day"]}},
                "tagSupport": {"valueSet": [1, 50]},
            },
            "foldingRange": {"foldingRangeKind": {"valueSet": ["dream"]}},
            "semanticTokens": {"requests": {}, "tokenTypes": ["x"], "tokenModifiers": ["y"], "formats": ["cubic"]},
        },
        "aNewPart": {"of": ["the", "protocol"]},
    }
    async with Session(make=bare, capabilities=capabilities, initialize=False) as session:
        await session.request("initialize", session.initialize_params(trace="loud"))
        assert session.server.client.position_encoding == "utf-8"
        assert session.server.client.hover_markdown


async def test_a_feature_that_the_client_describes_wrongly_is_all_it_loses() -> None:
    capabilities = {
        "general": 7,
        "workspace": {"applyEdit": True, "workspaceEdit": "yes"},
        "textDocument": {"codeAction": {"codeActionLiteralSupport": {}}, "hover": {"contentFormat": ["markdown"]}},
    }
    async with Session(make=bare, capabilities=capabilities) as session:
        client = session.server.client
        assert (client.hover_markdown, client.apply_edit) == (True, True)
        assert (client.code_action_literals, client.document_changes) == (False, False)


@pytest.mark.parametrize("params", [None, [], {"capabilities": 7}, {"capabilities": {}, "processId": "x"}])
async def test_initialize_without_sense_is_refused_and_can_be_tried_again(params: Any) -> None:
    async with Session(make=bare, initialize=False) as session:
        assert (await session.request_error("initialize", params))["code"] == -32602
        await session.request("initialize", session.initialize_params())


def test_every_enumeration_of_the_protocol_is_lenient() -> None:
    converter = Server().protocol._converter
    kinds = [kind for kind in vars(types).values() if isinstance(kind, type) and issubclass(kind, enum.Enum)]
    assert len(kinds) > 20
    for kind in kinds:
        if kind is not enum.Enum:
            assert converter.structure("a value of tomorrow", kind) == "a value of tomorrow"
            assert converter.structure([1], kind) == [1]
            for member in kind:
                assert converter.structure(member.value, kind) is member


async def test_requests_before_initialize_are_refused_and_notifications_dropped() -> None:
    seen: list[str] = []

    def register(server: Server) -> None:
        @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def opened(params: types.DidOpenTextDocumentParams) -> None:
            seen.append(params.text_document.uri)

    async with Session(make=make_with(register), initialize=False) as session:
        assert (await session.request_error(HOVER, at(URI, 0, 0)))["code"] == -32002
        assert (await session.request_error("shutdown"))["code"] == -32002
        session.open(URI, "early")
        await session.request("initialize", session.initialize_params())
        assert seen == []
        session.open(URI, "in time")
        assert seen == [URI]


async def test_a_second_initialize_is_refused() -> None:
    async with Session(make=bare) as session:
        error = await session.request_error("initialize", session.initialize_params())
        assert error["code"] == -32600


async def test_after_shutdown_everything_but_exit_is_refused() -> None:
    async with Session(make=hovering) as session:
        assert await session.request("shutdown") is None
        assert (await session.request_error(HOVER, at(URI, 0, 0)))["code"] == -32600
        assert (await session.request_error("shutdown"))["code"] == -32600
        session.open(URI, "late")
        session.notify("exit")
        assert session.exits == [0]


async def test_exit_without_shutdown_is_a_failure() -> None:
    async with Session(make=bare) as session:
        session.notify("exit")
        assert session.exits == [1]


async def test_what_must_end_with_the_server_is_called_once_whatever_it_raises() -> None:
    called: list[str] = []

    def fails() -> None:
        called.append("first")
        raise RuntimeError("no")

    async with Session(make=bare) as session:
        session.errors_expected = True
        session.server.on_exit += [fails, lambda: called.append("second")]
        session.notify("exit")
        session.server.leave()
        assert called == ["first", "second"]
        assert session.exits == [1, 1]


@pytest.mark.parametrize("method", ["textDocument/nonsense", "$/nonsense", "cite-lsp/unknown", ""])
async def test_an_unknown_request_is_answered_and_an_unknown_notification_is_not(method: str) -> None:
    async with Session(make=bare) as session:
        assert (await session.request_error(method, {"a": 1}))["code"] == -32601
        session.notify(method, {"a": 1})
        await session.settled()


@pytest.mark.parametrize(
    "params",
    [
        None,
        {},
        [],
        7,
        {"textDocument": {"uri": URI}},
        {"textDocument": {"uri": URI}, "position": {"line": "one", "character": 0}},
        {"textDocument": [], "position": {"line": 0, "character": 0}},
        {"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}},
        {"textDocument": {"uri": URI}, "position": {"line": 2**40, "character": 0}},
    ],
)
async def test_malformed_params_of_a_request_are_answered_in_one_line(params: Any) -> None:
    async with Session(make=hovering) as session:
        error = await session.request_error(HOVER, params)
        assert error["code"] == -32602
        assert HOVER in error["message"]
        assert "\n" not in error["message"]


async def test_malformed_params_of_a_notification_are_logged_without_their_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Session(make=bare) as session:
        caplog.set_level(logging.WARNING, "cite_lsp")
        session.notify("textDocument/didOpen", {"textDocument": {"text": "my secret", "version": "my secret"}})
        session.notify("$/cancelRequest", {})
        session.notify("$/cancelRequest", {"id": 12345})
        session.notify("$/setTrace", {"value": "loud"})
        await session.settled()
    assert "textDocument/didOpen" in caplog.text
    assert "my secret" not in caplog.text


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b"nonsense", b"[" * 100_000])
async def test_a_body_that_is_no_json_is_answered_and_the_next_frame_is_read(body: bytes) -> None:
    async with Session(make=bare) as session:
        session.errors_expected = True
        session.feed(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        answer = await session._next(lambda message: "error" in message, "an answer")
        assert answer["id"] is None
        assert answer["error"]["code"] == -32700
        await session.settled()


@pytest.mark.parametrize(
    "body", [b"[]", b"7", b"null", b'"text"', b'{"method": 7, "id": null}', b'{"method": "x", "id": {}}']
)
async def test_json_that_is_no_message_is_answered(body: bytes) -> None:
    async with Session(make=bare) as session:
        session.feed(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        answer = await session._next(lambda message: "error" in message, "an answer")
        assert answer["error"]["code"] == -32600
        await session.settled()


async def test_a_settings_object_with_the_key_jsonrpc_stays_an_object() -> None:
    got: list[Any] = []

    def register(server: Server) -> None:
        @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
        def changed(params: types.DidChangeConfigurationParams) -> None:
            got.append(params.settings)

    settings = {"jsonrpc": "2.0", "method": HOVER, "id": 1, "deeper": {"jsonrpc": "2.0", "result": None, "id": 2}}
    async with Session(make=make_with(register)) as session:
        session.configure(settings)
        await session.settled()
    assert got == [{"cite-lsp": settings}]


async def test_text_with_half_of_a_pair_comes_in_and_goes_out() -> None:
    got: list[str] = []

    def register(server: Server) -> None:
        @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def opened(params: types.DidOpenTextDocumentParams) -> None:
            got.append(params.text_document.text)
            server.send_raw("window/logMessage", {"type": 4, "message": params.text_document.text + " é"})

    async with Session(make=make_with(register)) as session:
        session.open(URI, "half \ud83d, whole 😀")
        logged = await session.notification("window/logMessage")
        assert got == ["half \ud83d, whole 😀"]
        assert logged["message"] == "half \ud83d, whole 😀 é"


async def test_notifications_of_documents_reach_the_handlers_in_order_and_nothing_else_happens() -> None:
    got: list[Any] = []

    def register(server: Server) -> None:
        for method in (
            types.TEXT_DOCUMENT_DID_OPEN,
            types.TEXT_DOCUMENT_DID_CHANGE,
            types.TEXT_DOCUMENT_DID_SAVE,
            types.TEXT_DOCUMENT_DID_CLOSE,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
        ):
            server.feature(method)(lambda params: got.append(type(params).__name__))

    async with Session(make=make_with(register)) as session:
        session.change(URI, (0, 0), (9, 9), "a document that nobody opened")
        session.open(URI, "a")
        session.change_all(URI, "b")
        session.save(URI)
        session.close(URI)
        session.close(URI)
        session.folders_changed(added=["file:///new"], removed=["file:///never-there"])
        await session.settled()
    assert got == [
        "DidChangeTextDocumentParams",
        "DidOpenTextDocumentParams",
        "DidChangeTextDocumentParams",
        "DidSaveTextDocumentParams",
        "DidCloseTextDocumentParams",
        "DidCloseTextDocumentParams",
        "DidChangeWorkspaceFoldersParams",
    ]


class Slow:
    """Handlers that run until they are cancelled."""

    def __init__(self) -> None:
        self.began = asyncio.Event()
        self.ended = asyncio.Event()

    async def run(self) -> None:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()

    def register(self, server: Server) -> None:
        @server.command("slow")
        async def slow(argument: Any) -> None:
            await self.run()

        @server.feature(types.TEXT_DOCUMENT_HOVER)
        async def hover(params: types.HoverParams) -> None:
            await self.run()


@pytest.mark.parametrize(
    ("method", "params"),
    [("workspace/executeCommand", {"command": "slow", "arguments": [{}]}), (HOVER, at(URI, 0, 0))],
)
async def test_cancelling_a_request_cancels_its_coroutine(method: str, params: Any) -> None:
    slow = Slow()
    async with Session(make=make_with(slow.register)) as session:
        number = session.start(method, params)
        await slow.began.wait()
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800
        assert slow.ended.is_set()
        session.cancel(number)
        await session.settled()


async def test_a_request_cancelled_in_the_same_breath_never_runs() -> None:
    slow = Slow()
    async with Session(make=make_with(slow.register)) as session:
        number = session.start(HOVER, at(URI, 0, 0))
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800
        assert not slow.began.is_set()


async def test_shutdown_ends_what_runs_and_answers_it() -> None:
    slow = Slow()
    async with Session(make=make_with(slow.register)) as session:
        number = session.start("workspace/executeCommand", {"command": "slow", "arguments": [1]})
        await slow.began.wait()
        assert await session.request("shutdown") is None
        assert (await session.answer(number))["error"]["code"] == -32800
        assert slow.ended.is_set()
        session.notify("exit")


async def test_commands_get_their_arguments_as_they_came() -> None:
    def register(server: Server) -> None:
        @server.command("plain")
        def plain(argument: dict[str, Any]) -> Any:
            return argument["uri"]

        @server.command("with server")
        async def with_server(ls: Server, argument: Any) -> Any:
            return [ls is server, argument]

        @server.command("none")
        def none() -> None:
            pass

    async with Session(make=make_with(register)) as session:
        assert session.capabilities_of_server["executeCommandProvider"]["commands"] == ["plain", "with server", "none"]
        assert await session.command("plain", {"uri": URI, "more": {"jsonrpc": "2.0"}}) == URI
        assert await session.command("with server", [1]) == [True, [1]]
        assert await session.request("workspace/executeCommand", {"command": "none"}) is None
        for arguments in ([], [1, 2]):
            error = await session.request_error(
                "workspace/executeCommand", {"command": "plain", "arguments": arguments}
            )
            assert error["code"] == -32602
            assert "plain" in error["message"]
        error = await session.request_error("workspace/executeCommand", {"command": "no.such"})
        assert error["code"] == -32602
        assert "no.such" in error["message"]


class Bound:
    def __init__(self, server: Server) -> None:
        self.cancelled = False
        server.command("wait")(self.wait)
        server.command("echo")(self.echo)
        server.feature(types.TEXT_DOCUMENT_HOVER)(self.hover)

    async def wait(self, argument: Any) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled = True
            raise

    def echo(self, argument: Any) -> Any:
        return argument

    async def hover(self, params: types.HoverParams) -> types.Hover:
        return types.Hover(str(params.position.line))


async def test_bound_methods_can_be_handlers() -> None:
    made: list[Bound] = []
    async with Session(make=make_with(lambda server: made.append(Bound(server)))) as session:
        assert await session.request(HOVER, at(URI, 4, 0)) == {"contents": "4"}
        assert await session.command("echo", [1]) == [1]
        wrong = {"command": "echo", "arguments": []}
        assert (await session.request_error("workspace/executeCommand", wrong))["code"] == -32602
        number = session.start("workspace/executeCommand", {"command": "wait", "arguments": [0]})
        await asyncio.sleep(0)
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800
        assert made[0].cancelled


async def test_a_fault_is_answered_in_one_line_logged_once_and_never_pops_up(caplog: pytest.LogCaptureFixture) -> None:
    def register(server: Server) -> None:
        @server.feature(types.TEXT_DOCUMENT_HOVER)
        async def hover(params: types.HoverParams) -> None:
            raise ValueError("first line\nsecond line")

        @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
        def saved(params: types.DidSaveTextDocumentParams) -> None:
            raise ZeroDivisionError

        @server.feature(types.TEXT_DOCUMENT_DEFINITION)
        def definition(params: types.DefinitionParams) -> Any:
            return object()

    async with Session(make=make_with(register)) as session:
        session.errors_expected = True
        for _ in range(3):
            error = await session.request_error(HOVER, at(URI, 0, 0))
            assert error == {"code": -32603, "message": f"{HOVER} failed: ValueError: first line"}
            session.save(URI)
        assert (await session.request_error("textDocument/definition", at(URI, 0, 0)))["code"] == -32603
        await session.settled()
    errors = [record.message for record in caplog.records if record.levelno >= logging.ERROR]
    assert [message.split(" failed")[0] for message in errors] == [
        HOVER,
        "textDocument/didSave",
        "textDocument/definition",
    ]


async def test_requests_to_the_client_are_answered_refused_or_badly_answered() -> None:
    outcomes: list[Any] = []

    def register(server: Server) -> None:
        @server.command("ask")
        async def ask(argument: Any) -> Any:
            edit = types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={}))
            try:
                return (await server.workspace_apply_edit_async(edit)).applied
            except Exception as error:  # noqa: BLE001
                outcomes.append(type(error).__name__)
                return str(error)

    async with Session(make=make_with(register)) as session:
        assert await session.command("ask", {}) is True
        assert await session.asked("workspace/applyEdit") == {"edit": {"changes": {}}}
        session.answers["workspace/applyEdit"] = Refused(-32803, "not now")
        assert await session.command("ask", {}) == "not now"
        session.answers["workspace/applyEdit"] = lambda params: {"done": params["edit"]}
        assert "applied" in await session.command("ask", {})
        session.send({"id": "never asked", "result": 1})
        session.send({"id": None, "error": {"code": 1, "message": "who knows"}})
        await session.settled()
    assert len(outcomes) == 2


async def test_a_response_to_our_number_cannot_answer_the_clients_own_request() -> None:
    slow = Slow()
    async with Session(make=make_with(slow.register)) as session:
        number = session.start(HOVER, at(URI, 0, 0))
        await slow.began.wait()
        session.send({"id": number, "result": "not what the server asked for"})
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800


async def test_an_answer_that_comes_after_the_asking_was_cancelled_is_ignored() -> None:
    asked, answered = asyncio.Event(), asyncio.Event()

    async def late(params: Any) -> Any:
        asked.set()
        await answered.wait()
        return {"applied": True}

    def register(server: Server) -> None:
        @server.command("ask")
        async def ask(argument: Any) -> None:
            await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={})))

    async with Session(make=make_with(register), answers={"workspace/applyEdit": late}) as session:
        number = session.start("workspace/executeCommand", {"command": "ask", "arguments": [0]})
        await asked.wait()
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800
        answered.set()
        await asyncio.sleep(0)
        await session.settled()


async def test_the_harness_fails_what_was_not_consumed() -> None:
    def register(server: Server) -> None:
        @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
        def opened(params: types.DidOpenTextDocumentParams) -> None:
            document = params.text_document
            published = {"uri": document.uri, "version": document.version, "diagnostics": []}
            server.send_raw("textDocument/publishDiagnostics", published)

    async with Session(make=make_with(register)) as session:
        session.open(URI, "")
        with pytest.raises(AssertionError, match="not consumed"):
            session.expect_nothing()
        assert await session.diagnostics_of(URI) == []
    with pytest.raises(AssertionError, match="not consumed"):
        async with Session(make=make_with(register)) as session:
            session.open(URI, "")


async def test_the_harness_says_which_error_it_got() -> None:
    async with Session(make=bare) as session:
        with pytest.raises(ErrorAnswerError, match="-32601"):
            await session.request("no/such")


async def test_frames_in_any_pieces_are_the_same_messages() -> None:
    async with Session(make=hovering) as session:
        frame = encode({"jsonrpc": "2.0", "id": "in pieces", "method": HOVER, "params": at(URI, 0, 0)})
        for byte in frame:
            session.feed(bytes([byte]))
        response = await session._next(lambda message: message.get("id") == "in pieces", "the answer")
        assert "error" not in response
