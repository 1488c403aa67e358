"""The protocol on top of pygls: who may ask what when, and an answer to everything that asks.

pygls gives the types, the registration of handlers and the requests to the client. Its documents are not used, and what
it does with foreign, broken or untimely messages is replaced here (LSP 3.17, JSON-RPC 2.0).
"""

import contextvars
import inspect
import logging
import os
import threading
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

from cattrs import Converter
from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from cite_lsp import __version__
from cite_lsp.server.client import Client
from cite_lsp.server.converter import lenient_converter, structured_or_why, without_broken_capabilities
from cite_lsp.server.stdio import Broken, Item, Json, encode
from cite_lsp.server.tracing import Tracing

log = logging.getLogger(__name__)

Handler = Callable[..., Any]
_Given = TypeVar("_Given", bound=Handler)

_WITHOUT_PARAMS = frozenset({types.SHUTDOWN, types.EXIT})
# What pygls does for these works on its own documents; ours are the handlers' business.
_NOT_BUILT_IN = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)


class Protocol(LanguageServerProtocol):
    """Takes decoded messages by `receive` and answers every request exactly once."""

    _server: "Server"

    def __init__(self, server: "Server", converter: Converter) -> None:
        super().__init__(server, converter)
        self._initialized = False
        self._shutdown_id: int | str | None = None
        self._told: set[tuple[str, str, int]] = set()
        self.tracing = Tracing(self.send_raw)
        self._noticed_count = 0

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for method in _NOT_BUILT_IN:
            self.fm.builtin_features.pop(method, None)

    @property
    def was_shut_down(self) -> bool:
        """Whether the client has asked to shut down, as it must before it says `exit`."""
        return self._shutdown

    # -- what comes in

    def receive(self, items: list[Item]) -> None:
        """Handle decoded bodies in their order. Never raises."""
        for item in items:
            try:
                self._receive_one(item)
            except Exception as error:  # noqa: BLE001 - one message must not take the others with it
                self.report("a message", error)

    def _receive_one(self, item: Item) -> None:
        if isinstance(item, Broken):
            log.error("broken input: %s", item.reason)
            self._send_error(None, JsonRpcParseError(item.reason))
        elif not isinstance(item, dict):
            self._send_error(None, JsonRpcInvalidRequest("a message is one JSON object"))
        elif "method" not in item:
            self._receive_response(item)
        elif not isinstance(item["method"], str):
            self._send_error(_id_or_none(item), JsonRpcInvalidRequest("method is no string"))
        elif "id" in item:
            self._receive_request(item)
        else:
            self._receive_notification(item)

    def _receive_request(self, data: dict[str, Any]) -> None:
        self.tracing.received(data)
        msg_id, method = _id_or_none(data), data["method"]
        if msg_id is None:
            self._send_error(None, JsonRpcInvalidRequest("id is neither a number nor a string"))
            return
        refusal = self._untimely(method)
        if refusal is not None:
            self._send_error(msg_id, refusal)
            return
        try:
            handler = self._get_handler(method)
        except JsonRpcMethodNotFound as error:
            log.info("request for unknown method %r", method)
            self._send_error(msg_id, error)
            return
        params, why = self._params(data)
        if why is not None:
            log.warning("params of %s: %s", method, why)
            self._send_error(msg_id, JsonRpcInvalidParams(f"params of {method}: {why}"))
            return
        if method == types.INITIALIZE:
            self._initialized = True
        answer = partial(self._answer, msg_id=msg_id, method=method)
        contextvars.copy_context().run(self._run_request, msg_id, handler, answer, params)

    def _run_request(
        self, msg_id: int | str, handler: Handler, answer: Callable[[Future[Any]], None], params: Json
    ) -> None:
        self._ctx_msg_id.set(msg_id)
        self._execute_handler(msg_id, handler, answer, (params,))

    def _untimely(self, method: str) -> JsonRpcException | None:
        if self._shutdown:
            return JsonRpcInvalidRequest("the server has been shut down")
        if method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize came twice") if self._initialized else None
        return None if self._initialized else JsonRpcServerNotInitialized("initialize comes first")

    def _receive_notification(self, data: dict[str, Any]) -> None:
        with self.tracing.of_notification(data):
            self._take_notification(data)

    def _take_notification(self, data: dict[str, Any]) -> None:
        method = data["method"]
        if method != types.EXIT and (self._shutdown or not self._initialized):
            log.info("notification %r at the wrong time", method)
            return
        params, why = self._params(data)
        if why is not None:
            log.warning("params of %s: %s", method, why)
            return
        if method == types.CANCEL_REQUEST:
            self._handle_cancel_notification(params.id)
            return
        try:
            handler = self._get_handler(method)
        except JsonRpcMethodNotFound:
            log.debug("notification for unknown method %r", method)
            return
        self._noticed_count += 1
        key = f"notification {self._noticed_count}"
        done = partial(self._noticed, key=key, method=method)
        contextvars.copy_context().run(self._execute_handler, key, handler, done, (params,))

    def _params(self, data: dict[str, Any]) -> tuple[Any, str | None]:
        """Give the params as the method's type, or plain where the method has none; else one line saying why not."""
        method = data["method"]
        if method in _WITHOUT_PARAMS:
            return None, None
        kind = self.get_message_type(method)
        if kind is None:
            return data.get("params"), None
        if method == types.INITIALIZED:
            data = {**data, "params": {}}
        data = {"jsonrpc": "2.0", **data}
        message, why = structured_or_why(self._converter, data, kind)
        if why is not None and method == types.INITIALIZE:
            log.warning("params of %s: %s", method, why)
            data = {**data, "params": without_broken_capabilities(self._converter, data.get("params"))}
            message, why = structured_or_why(self._converter, data, kind)
        return (None, why) if why is not None else (getattr(message, "params", None), None)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and msg_id not in self._result_types:
            future.cancel()

    # -- answers of the client

    def _receive_response(self, data: dict[str, Any]) -> None:
        msg_id = _id_or_none(data)
        if msg_id is None or msg_id not in self._result_types:
            log.info("a response to nothing that was asked")
            return
        kind = self._result_types.pop(msg_id)
        future = self._request_futures.pop(msg_id, None)
        if future is None or future.done():
            return
        error = data.get("error")
        self.tracing.answered(msg_id, error=error is not None)
        if error is not None:
            future.set_exception(_error_of(error))
            return
        result: Any = data.get("result")
        if kind is not None:
            message, why = structured_or_why(self._converter, {"jsonrpc": "2.0", "id": msg_id, "result": result}, kind)
            if why is not None:
                future.set_exception(JsonRpcInvalidParams(f"the client's result: {why}"))
                return
            result = message.result
        future.set_result(result)

    # -- what goes out

    def _answer(self, future: Future[Any], *, msg_id: int | str, method: str) -> None:
        """Send what a handler gave, or why it gave nothing."""
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._send_error(msg_id, JsonRpcRequestCancelled(f"{method} was cancelled"))
            return
        error = future.exception()
        try:
            if error is None:
                self._send_data({"jsonrpc": "2.0", "id": msg_id, "result": future.result()})
                return
        except Exception as unsendable:  # noqa: BLE001 - a result that is no JSON is a fault of the handler
            error = unsendable
        if isinstance(error, JsonRpcException):
            log.info("%s refused: %s", method, error.message)
            self._send_error(msg_id, error)
            return
        self.report(method, error)
        self._send_error(msg_id, JsonRpcException(f"{method} failed: {_one_line(error)}"))

    def _noticed(self, future: Future[Any], *, key: str, method: str) -> None:
        self._request_futures.pop(key, None)
        if not future.cancelled() and (error := future.exception()) is not None:
            self.report(method, error)

    def report(self, where: str, error: BaseException) -> None:
        """Log a fault of ours: with its traceback the first time, in one line at DEBUG when the same comes again."""
        frames = traceback.extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)
        cause = (type(error).__name__, *place)
        if cause in self._told:
            log.debug("%s failed again: %s", where, _one_line(error))
            return
        self._told.add(cause)
        log.error("%s failed: %s", where, _one_line(error), exc_info=error)

    def _send_error(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        fault = {"code": error.code, "message": _first_line(str(error.message))}
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": fault})

    def send_raw(self, method: str, params: Json) -> None:
        """Send a notification whose params are JSON already (dicts, lists, strings, …): nothing is converted."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    def _send_data(self, data: object) -> None:
        if self.writer is not None:
            body = encode(data, self._serialize_message)
            self.writer.write(body)
            self.tracing.sent(data, len(body))

    # -- lifecycle

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Answer what this server can do, after the registered handler has had its say."""
        server = self._server
        self.client_capabilities = params.capabilities
        server.client = Client.of(params)
        server.process_id = params.process_id
        self.tracing.level = params.trace
        if params.process_id is not None:
            server.watch(params.process_id)
        handler = self.fm.features.get(types.INITIALIZE)
        if handler is not None:
            yield handler, (params,), None
        builder = ServerCapabilitiesBuilder(
            params.capabilities,
            {*self.fm.features, *self.fm.builtin_features},
            self.fm.feature_options,
            list(self.fm.commands),
            types.TextDocumentSyncKind.Incremental,
            None,
            types.PositionEncodingKind(server.client.position_encoding),
        )
        capabilities = builder.build()  # type: ignore[no-untyped-call]
        capabilities.text_document_sync = types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        )
        if capabilities.workspace is None:
            capabilities.workspace = types.WorkspaceOptions()
        capabilities.workspace.workspace_folders = types.WorkspaceFoldersServerCapabilities(
            supported=True, change_notifications=True
        )
        self.server_capabilities = capabilities
        return types.InitializeResult(capabilities, types.ServerInfo(server.name, server.version))

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: object) -> Generator[Any, Any, None]:
        """Refuse requests from now on and end those that run; what they had is answered with "cancelled"."""
        self._shutdown = True
        mine = self._shutdown_id = self.msg_id
        handler = self.fm.features.get(types.SHUTDOWN)
        last = None
        if handler is not None:
            last = yield handler, args, None
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != mine and not future.done():
                future.cancel()
        if last is not None:
            yield last, (), None

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: object) -> None:  # type: ignore[override]
        """End the process, whatever else it does, once `shutdown` is answered."""
        self.leave_when_answered()

    def leave_when_answered(self) -> None:
        """End the process; where `shutdown` waits for its last moment yet, when it is answered."""
        future = self._request_futures.get(self._shutdown_id) if self._shutdown_id is not None else None
        if future is None or future.done():
            self._server.leave()
        else:
            future.add_done_callback(lambda _: self._server.leave())  # behind the one that sends the answer

    @lsp_method(types.SET_TRACE)
    def lsp_set_trace(self, params: types.SetTraceParams) -> None:  # type: ignore[override]
        """Trace to the client from now on, or no longer."""
        self.tracing.level = params.value

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Json:  # type: ignore[override]
        """Run a command with its arguments as they came; to cancel the request is to cancel the command."""
        handler = self.fm.commands.get(params.command)
        if handler is None:
            raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
        arguments = params.arguments or ()
        try:
            _bind(handler, arguments)
        except TypeError as error:
            raise JsonRpcInvalidParams(f"arguments of {params.command}: {error}") from None
        result = handler(*arguments)
        return await result if inspect.isawaitable(result) else result


def _bind(handler: Handler, arguments: Sequence[Json]) -> None:
    """Check that the arguments fit. Raises TypeError.

    pygls gives what takes the server first an attribute `func`; a partial without arguments is a bound method of ours.
    """
    wrapped = getattr(handler, "func", None)
    if wrapped is None or (isinstance(handler, partial) and not handler.args):
        inspect.signature(handler).bind(*arguments)
    else:
        inspect.signature(wrapped).bind(None, *arguments)


def _registering(register: Callable[[Handler], object]) -> Callable[[_Given], _Given]:
    """Let a decorator of pygls take bound methods, which it cannot put its marks on."""

    def decorate(handler: _Given) -> _Given:
        register(partial(handler) if inspect.ismethod(handler) else handler)
        return handler

    return decorate


def _id_or_none(data: dict[str, Any]) -> int | str | None:
    msg_id = data.get("id")
    return msg_id if isinstance(msg_id, (int, str)) and not isinstance(msg_id, bool) else None


def _error_of(error: Json) -> JsonRpcException:
    fields = error if isinstance(error, dict) else {}
    code = fields.get("code")
    message = str(fields.get("message", "")) or "the client refused"
    return JsonRpcException(message, code if isinstance(code, int) else None, fields.get("data"))


def _first_line(text: str) -> str:
    return text.replace("\r", "\n").split("\n", 1)[0]


def _one_line(error: BaseException) -> str:
    text = _first_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _watch_nothing(_: int) -> None:
    pass


def _nothing() -> None:
    pass


class Server(LanguageServer):
    """One server for one client. `client` is known, and `session` may be set, from the INITIALIZE handler on."""

    protocol: Protocol

    def __init__(self, exit_process: Callable[[int], None] = os._exit) -> None:
        super().__init__("cite-lsp", __version__, protocol_cls=Protocol, converter_factory=lenient_converter)
        self.client = Client()
        self.session: Any = None
        self.secrets: Mapping[str, str] = {}
        """Keys of judges by the host they are for, as the editor hands them over."""
        self.on_exit: list[Callable[[], None]] = []
        """Called once, in order, before the process ends: from any thread, so they must be short and wait for none."""
        self.last_moment = threading.Event()
        """Not set while what `shutdown` waits for is being done."""
        self.last_moment.set()
        self.watch: Callable[[int], None] = _watch_nothing
        """Given the number of the editor's process, has the server leave when that process ends."""
        self.loaded: Callable[[], object] = _nothing
        """Called once, when what every session needs is loaded and no document is there yet."""
        self._exit_process = exit_process
        self._leaving = threading.Lock()

    def feature(self, feature_name: str, options: object = None) -> Callable[[_Given], _Given]:
        """Register a handler, a bound method too; it gets the server first if its first parameter is named `ls`."""
        return _registering(super().feature(feature_name, options))

    def command(self, command_name: str) -> Callable[[_Given], _Given]:
        """Register a command; it gets the arguments of the request as plain JSON values."""
        return _registering(super().command(command_name))

    def send_raw(self, method: str, params: Json) -> None:
        """Send a notification of plain JSON values."""
        self.protocol.send_raw(method, params)

    def leave(self) -> None:
        """End the process now: status 0 after `shutdown`, else 1. From any thread, in any state."""
        if self._leaving.acquire(blocking=False):
            for callback in self.on_exit:
                try:
                    callback()
                except Exception as error:  # noqa: BLE001 - the others are called all the same
                    self.protocol.report("leaving", error)
        self._exit_process(0 if self.protocol.was_shut_down else 1)

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log it: nobody is helped by a window that pops up."""
        self.protocol.report(getattr(source, "__name__", "pygls"), error)


def make_server(exit_process: Callable[[int], None] = os._exit) -> Server:
    """Make the server with all its handlers."""
    from cite_lsp.server import handlers  # noqa: PLC0415 - handlers import this module

    server = Server(exit_process)
    handlers.register(server)
    return server
