"""A client in the same process: the real server, fed as standard input feeds it, its output read as a client reads it.

    async with Session(folders=[tmp_path]) as session:
        session.open(uri, "text")
        published = await session.diagnostics(uri)
        result = await session.request("textDocument/hover", {...})

Waiting is for messages, never for time; the one limit, `HANG`, is there to end a test that would wait for ever. Leaving
the block shuts the server down, and fails the test when a message was not consumed or an error of ours was logged.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from pathlib import Path
from typing import Any, Self

from cite_lsp.server.protocol import Server, make_server
from cite_lsp.server.stdio import Frames, encode
from cite_lsp.server.uris import to_uri

HANG = 60.0
"""Seconds after which a test that waits for a message is ended."""

PUBLISH = "textDocument/publishDiagnostics"
IGNORED = ("cite-lsp/status", "$/progress")
"""Notifications that need not be consumed, unless a test says otherwise."""

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]},
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
    },
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "declaration": {"linkSupport": True},
        "documentLink": {"tooltipSupport": True},
        "completion": {
            "contextSupport": True,
            "completionItem": {
                "documentationFormat": ["markdown", "plaintext"],
                "insertReplaceSupport": True,
                "labelDetailsSupport": True,
                "resolveSupport": {"properties": ["documentation"]},
            },
            "completionItemKind": {"valueSet": list(range(1, 26))},
        },
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
    "window": {"workDoneProgress": True, "showMessage": {"messageActionItem": {"additionalPropertiesSupport": False}}},
}
"""A client that can do all the server asks about; a test that needs less gives its own."""

Position = tuple[int, int]
Message = dict[str, Any]
Answer = Any | Callable[[Any], Any | Awaitable[Any]]


class Refused(Exception):  # noqa: N818 - a word of the protocol
    """An answer that is an error."""

    def __init__(self, code: int = -32803, message: str = "refused") -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class ErrorAnswerError(AssertionError):
    """The server answered a request with an error where a result was expected."""

    def __init__(self, method: str, error: Message) -> None:
        super().__init__(f"{method}: {error}")
        self.error = error


class _Writer:
    def __init__(self, arrived: Callable[[bytes], None]) -> None:
        self._arrived = arrived

    def write(self, data: bytes) -> None:
        self._arrived(data)

    def close(self) -> None:
        pass


class _Faults(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.records: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(self.format(record))


class Session:
    """One server and its client.

    capabilities: of the client; default is `CAPABILITIES`. folders: workspace folders, paths or URIs; None is "no
    folder". options: initializationOptions. settings: what `workspace/configuration` is answered with, a value or a
    function of one ConfigurationItem (a dict). answers: by method, what requests of the server are answered with: a
    value, a `Refused`, or a function of the params that gives one of these (or an awaitable of it). ignored:
    notifications that need not be consumed. initialize=False leaves `initialize` to the test.

    `requests` are the requests of the server so far as (method, params); `exits` the statuses it would have exited
    with; `errors_expected` is for tests that provoke faults.
    """

    def __init__(
        self,
        *,
        capabilities: Message | None = None,
        folders: Iterable[Path | str] | None = (),
        options: Any = None,
        settings: Any = None,
        answers: dict[str, Answer] | None = None,
        ignored: Iterable[str] = IGNORED,
        client: str = "harness",
        initialize: bool = True,
        make: Callable[[Callable[[int], None]], Server] = make_server,
    ) -> None:
        self.capabilities = CAPABILITIES if capabilities is None else capabilities
        self.folders = None if folders is None else [_uri(folder) for folder in folders]
        self.options = options
        self.settings = settings
        self.answers: dict[str, Answer] = {
            "client/registerCapability": None,
            "client/unregisterCapability": None,
            "window/workDoneProgress/create": None,
            "window/showMessageRequest": None,
            "window/showDocument": {"success": True},
            "workspace/applyEdit": {"applied": True},
            "workspace/configuration": self._configuration,
            **(answers or {}),
        }
        self.ignored = set(ignored)
        self.client = client
        self.requests: list[tuple[str, Any]] = []
        self.exits: list[int] = []
        self.errors_expected = False
        self.capabilities_of_server: Message = {}
        self.versions: dict[str, int] = {}
        self._initialize = initialize
        self._make = make
        self._number = 0
        self._inbox: deque[Message] = deque()
        self._unseen_requests: deque[tuple[str, Any]] = deque()
        self._arrival = asyncio.Event()
        self._from_server = Frames()
        self._to_server = Frames()
        self._faults = _Faults()
        self._tasks: set[asyncio.Task[None]] = set()

    # -- the session

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        logging.getLogger("cite_lsp").addHandler(self._faults)
        self.server = self._make(self.exits.append)
        self.server.protocol.set_writer(_Writer(self._written))
        if self._initialize:
            result = await self.request("initialize", self.initialize_params())
            self.capabilities_of_server = result["capabilities"]
            self.notify("initialized", {})
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if not self.exits:
                self._number += 1
                shutdown = self._number
                self.send({"id": shutdown, "method": "shutdown"})
                await self._next(lambda message: message.get("id") == shutdown, "the answer to shutdown")
                self.notify("exit")
            for task in list(self._tasks):
                task.cancel()
        finally:
            logging.getLogger("cite_lsp").removeHandler(self._faults)
        if kind is None:
            self.expect_nothing()
            assert self.errors_expected or not self._faults.records, "\n".join(self._faults.records)

    def initialize_params(self, **more: Any) -> Message:
        """Params of `initialize` for this session."""
        folders = (
            None if self.folders is None else [{"uri": uri, "name": uri.rsplit("/", 1)[-1]} for uri in self.folders]
        )
        return {
            "processId": None,
            "rootUri": self.folders[0] if self.folders else None,
            "clientInfo": {"name": self.client},
            "capabilities": self.capabilities,
            "initializationOptions": self.options,
            "workspaceFolders": folders,
            **more,
        }

    # -- to the server

    def feed(self, data: bytes) -> None:
        """Send bytes as they are."""
        items = self._to_server.feed(data)
        if items:
            self.server.protocol.receive(items)

    def send(self, message: Message) -> None:
        """Send a message in a frame; "jsonrpc" is added."""
        self.feed(encode({"jsonrpc": "2.0", **message}))

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"method": method} if params is None else {"method": method, "params": params})

    def start(self, method: str, params: Any = None) -> int:
        """Send a request without waiting; its number is for `answer` and `cancel`."""
        self._number += 1
        self.send({"id": self._number, "method": method, **({} if params is None else {"params": params})})
        return self._number

    def cancel(self, number: int) -> None:
        """Send `$/cancelRequest`."""
        self.notify("$/cancelRequest", {"id": number})

    async def answer(self, number: int) -> Message:
        """Wait for the response to request `number`, whatever it is."""
        return await self._next(lambda message: message.get("id") == number, f"the answer to request {number}")

    async def request(self, method: str, params: Any = None) -> Any:
        """Send a request and give its result. Raises ErrorAnswerError where the answer is an error."""
        response = await self.answer(self.start(method, params))
        if "error" in response:
            raise ErrorAnswerError(method, response["error"])
        return response["result"]

    async def request_error(self, method: str, params: Any = None) -> Message:
        """Send a request and give the error it is answered with."""
        response = await self.answer(self.start(method, params))
        assert "error" in response, f"{method} was answered with {response.get('result')!r}"
        error: Message = response["error"]
        return error

    async def command(self, name: str, *arguments: Any) -> Any:
        """Run a command of the server and give its result."""
        return await self.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def open(self, uri: str, text: str, *, language: str = "markdown", version: int = 1) -> None:
        """Send `didOpen`."""
        self.versions[uri] = version
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, start: Position, end: Position, text: str) -> None:
        """Send `didChange` with one edit; columns in units of the session's encoding."""
        self.changes(uri, [(start, end, text)])

    def changes(self, uri: str, edits: Iterable[tuple[Position, Position, str]]) -> None:
        """Send `didChange` with several edits, each seeing the ones before it."""
        self._change(uri, [{"range": range_of(start, end), "text": text} for start, end, text in edits])

    def change_all(self, uri: str, text: str) -> None:
        """Send `didChange` with the whole text."""
        self._change(uri, [{"text": text}])

    def _change(self, uri: str, changes: list[Message]) -> None:
        self.versions[uri] = self.versions.get(uri, 0) + 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def save(self, uri: str) -> None:
        """Send `didSave`."""
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        """Send `didClose`."""
        self.versions.pop(uri, None)
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def files_changed(self, *changes: tuple[str, int]) -> None:
        """Send `didChangeWatchedFiles`: (URI, 1 created, 2 changed or 3 deleted)."""
        events = [{"uri": uri, "type": kind} for uri, kind in changes]
        self.notify("workspace/didChangeWatchedFiles", {"changes": events})

    def folders_changed(self, *, added: Iterable[Path | str] = (), removed: Iterable[Path | str] = ()) -> None:
        """Send `didChangeWorkspaceFolders`."""
        event = {
            "added": [{"uri": _uri(folder), "name": _uri(folder)} for folder in added],
            "removed": [{"uri": _uri(folder), "name": _uri(folder)} for folder in removed],
        }
        self.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def configure(self, settings: Any) -> None:
        """Send `didChangeConfiguration`; None has the server pull."""
        pushed = None if settings is None else {"cite-lsp": settings}
        self.notify("workspace/didChangeConfiguration", {"settings": pushed})

    # -- from the server

    async def publish(self, uri: str) -> Message:
        """Wait for the next publish for `uri` and consume it: its params."""
        message = await self._next(
            lambda message: message.get("method") == PUBLISH and message["params"]["uri"] == uri,
            f"a publish for {uri}",
        )
        params: Message = message["params"]
        return params

    async def diagnostics(self, uri: str) -> list[Message]:
        """Wait for the next publish for `uri` and consume it: its diagnostics."""
        found: list[Message] = (await self.publish(uri))["diagnostics"]
        return found

    async def diagnostics_of(self, uri: str, version: int | None = None) -> list[Message]:
        """Consume publishes for `uri` up to the one for `version` (default: the last sent): its diagnostics."""
        wanted = self.versions[uri] if version is None else version
        while (params := await self.publish(uri)).get("version") != wanted:
            pass
        found: list[Message] = params["diagnostics"]
        return found

    async def notification(self, method: str) -> Any:
        """Wait for the next notification and consume it: its params."""
        message = await self._next(lambda message: message.get("method") == method, method)
        return message.get("params")

    async def asked(self, method: str) -> Any:
        """Wait for the next request of the server by this method and consume it: its params."""
        while True:
            for request in self._unseen_requests:
                if request[0] == method:
                    self._unseen_requests.remove(request)
                    return request[1]
            await self._wait(f"the server's request {method}")

    async def settled(self) -> None:
        """Wait until the server has handled all that was sent, and has given its loop away once."""
        await self.request_error("cite-lsp/no-such-method")
        await asyncio.sleep(0)

    def expect_nothing(self) -> None:
        """Fail where a message is left that was not consumed and is not ignored."""
        left = [message for message in self._inbox if message.get("method") not in self.ignored]
        assert not left, f"not consumed: {left}"

    def discard(self, method: str) -> list[Any]:
        """Consume every notification by this method that is there: their params."""
        found = [message for message in self._inbox if message.get("method") == method]
        for message in found:
            self._inbox.remove(message)
        return [message.get("params") for message in found]

    async def _next(self, wanted: Callable[[Message], bool], name: str) -> Message:
        while True:
            for message in self._inbox:
                if wanted(message):
                    self._inbox.remove(message)
                    return message
            await self._wait(name)

    async def _wait(self, name: str) -> None:
        self._arrival.clear()
        try:
            await asyncio.wait_for(self._arrival.wait(), HANG)
        except TimeoutError:
            raise AssertionError(f"{name} did not come; there is {list(self._inbox)}") from None

    def _written(self, data: bytes) -> None:
        if threading.get_ident() == self._thread:
            self._arrived(data)
        else:
            self._loop.call_soon_threadsafe(self._arrived, data)

    def _arrived(self, data: bytes) -> None:
        for message in self._from_server.feed(data):
            assert isinstance(message, dict)
            assert message["jsonrpc"] == "2.0"
            if "id" in message and "method" in message:
                request = (message["method"], message.get("params"))
                self.requests.append(request)
                self._unseen_requests.append(request)
                task = self._loop.create_task(self._respond(message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                self._inbox.append(message)
        self._arrival.set()

    async def _respond(self, message: Message) -> None:
        method = message["method"]
        response: Message = {"id": message["id"]}
        try:
            answer = self.answers.get(method, Refused(-32601, f"no answer to {method}"))
            if callable(answer):
                answer = answer(message.get("params"))
            if isawaitable(answer):
                answer = await answer
            if isinstance(answer, Refused):
                raise answer
            response["result"] = answer
        except Refused as refused:
            response["error"] = {"code": refused.code, "message": refused.message}
        self.send(response)

    def _configuration(self, params: Any) -> list[Any]:
        items = params["items"]
        return [self.settings(item) if callable(self.settings) else self.settings for item in items]


def range_of(start: Position, end: Position) -> Message:
    """A Range from (line, column) pairs, 0-based."""
    return {
        "start": {"line": start[0], "character": start[1]},
        "end": {"line": end[0], "character": end[1]},
    }


def at(uri: str, line: int, column: int) -> Message:
    """Params of a request about a position, 0-based."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": column}}


def _uri(folder: Path | str) -> str:
    return folder if isinstance(folder, str) else to_uri(folder.as_posix())
