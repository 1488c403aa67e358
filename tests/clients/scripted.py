"""A real HTTP server on loopback that does what a test tells it to, request by request, and remembers all of it.

    with ScriptedServer(reply(500), reply_for("openai", '{"results": []}')) as server:
        ...  # ask at server.base("openai")
        assert len(server.requests) == 2

Each request takes the next step of the script; once it is used up, the last step is taken again and again. A step may
also be given as a function of the request: `by_request(lambda request: reply_for("ollama", answer_to(request)))`.
"""

import json
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, Self

Wire = Literal["openai", "ollama", "anthropic"]
WIRES: tuple[Wire, ...] = ("openai", "ollama", "anthropic")
_PATHS = {"openai": "/v1/chat/completions", "ollama": "/api/chat", "anthropic": "/v1/messages"}
_TICK = 0.02


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked; the names of headers are in lower case, `body` is parsed (None if it is no JSON)."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: Any
    connection: int


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request of any wire asks a model: its texts, the schema, by which means, and the most tokens."""

    system: str
    user: str
    schema: Mapping[str, Any] | None
    means: Literal["json_schema", "tool", "json_object", "text"]
    max_tokens: int | None


class Gone(Exception):  # noqa: N818  # no error: the other side has hung up
    """The client closed the connection."""


@dataclass(slots=True)
class Exchange:
    """One request and the connection it came by; steps answer through it."""

    server: "ScriptedServer"
    connection: socket.socket
    request: Request
    keeps: bool = True

    def send(self, data: bytes) -> None:
        """Send bytes, counting them; raises `Gone` when nobody takes them any more or the server is stopped."""
        view = memoryview(data)
        while view:
            self.look()
            _, ready, _ = select.select([], [self.connection], [], _TICK)
            if not ready:
                continue
            try:
                sent = self.connection.send(view[: 1 << 16])
            except OSError as error:
                raise Gone from error
            self.server.sent += sent
            view = view[sent:]

    def look(self) -> None:
        """Raise `Gone` when the client has closed the connection, or the server is stopped."""
        if self.server.stopping.is_set():
            raise Gone
        ready, _, _ = select.select([self.connection], [], [], 0)
        if ready:
            try:
                taken = self.connection.recv(1, socket.MSG_PEEK)
            except OSError as error:
                raise Gone from error
            if not taken:
                raise Gone

    def wait(self, seconds: float) -> None:
        """Wait, noticing a closed connection within a moment."""
        end = time.monotonic() + seconds
        while True:
            self.look()
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(_TICK, left))

    def head(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status line and the headers."""
        lines = [f"HTTP/1.1 {status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1"))


Step = Callable[[Exchange], None]


# --- steps -----------------------------------------------------------------------------------------------------------


def reply(status: int = 200, body: object = "", headers: Mapping[str, str] | None = None) -> Step:
    """Answer in full; a body that is neither text nor bytes is written as JSON."""
    data = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()

    def step(exchange: Exchange) -> None:
        exchange.head(status, {"Content-Type": "application/json", "Content-Length": str(len(data)), **(headers or {})})
        exchange.send(data)

    return step


def by_request(choose: Callable[[Request], Step]) -> Step:
    """Choose the step by what was asked."""
    return lambda exchange: choose(exchange.request)(exchange)


def after(seconds: float, then: Step) -> Step:
    """Wait before anything is sent."""

    def step(exchange: Exchange) -> None:
        exchange.wait(seconds)
        then(exchange)

    return step


def until(event: threading.Event, then: Step) -> Step:
    """Wait for the test's word before anything is sent."""

    def step(exchange: Exchange) -> None:
        while not event.is_set():
            exchange.wait(_TICK)
        then(exchange)

    return step


def hang(*, after_head: bool = False) -> Step:
    """Never answer; or send the head and never the body."""

    def step(exchange: Exchange) -> None:
        if after_head:
            exchange.head(200, {"Content-Type": "application/json", "Content-Length": "1000"})
        while True:
            exchange.wait(60)

    return step


def drip(body: object, seconds: float) -> Step:
    """Send the body one byte at a time, as chunks, with a pause before each."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def step(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"})
        for index in range(len(data)):
            exchange.wait(seconds)
            exchange.send(b"1\r\n" + data[index : index + 1] + b"\r\n")
        exchange.send(b"0\r\n\r\n")

    return step


def reset() -> Step:
    """Reset the connection without a word."""

    def step(exchange: Exchange) -> None:
        exchange.keeps = False
        exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return step


def hang_up() -> Step:
    """Close the connection without a word."""

    def step(exchange: Exchange) -> None:
        exchange.keeps = False

    return step


def cut_off(body: object, share: float = 0.5) -> Step:
    """Promise a body, send a part of it and close the connection."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def step(exchange: Exchange) -> None:
        exchange.head(200, {"Content-Type": "application/json", "Content-Length": str(len(data))})
        exchange.send(data[: int(len(data) * share)])
        exchange.keeps = False

    return step


def redirect(to: str, status: int = 307) -> Step:
    """Send the client somewhere else."""
    return reply(status, b"", {"Location": to})


def flood(size: int = 200_000_000, *, declared: bool = False, status: int = 200) -> Step:
    """Send a JSON text of `size` bytes that never ends; `declared` says so in its head first."""

    def step(exchange: Exchange) -> None:
        length = {"Content-Length": str(size)} if declared else {"Transfer-Encoding": "chunked"}
        exchange.head(status, {"Content-Type": "application/json", **length})
        block = b" " * (1 << 16)
        chunk = block if declared else b"10000\r\n" + block + b"\r\n"
        for _ in range(size // len(block)):
            exchange.send(chunk)

    return step


# --- the three wires -------------------------------------------------------------------------------------------------


def reply_for(
    wire: Wire,
    text: str,
    tokens: tuple[int, int] = (11, 7),
    *,
    cut_off: bool = False,
    refusal: str = "",
) -> Step:
    """Answer as a server of the wire does, by the means that the request asks for (a tool call where it has a tool).

    Args:
        wire: Which wire.
        text: What the model says: JSON, if it keeps to the schema.
        tokens: Tokens in and out.
        cut_off: Whether the reply ended at the output limit.
        refusal: What the model says in place of an answer.
    """
    return by_request(lambda request: reply(200, body_for(wire, request, text, tokens, cut_off, refusal)))


def body_for(
    wire: Wire, request: Request, text: str, tokens: tuple[int, int], cut_off: bool, refusal: str
) -> dict[str, Any]:
    """The body of `reply_for`."""
    makers = {"openai": _openai_body, "ollama": _ollama_body, "anthropic": _anthropic_body}
    return makers[wire](request, text, tokens, cut_off, refusal)


def _openai_body(request: Request, text: str, tokens: tuple[int, int], cut_off: bool, refusal: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None if refusal else text}
    if refusal:
        message["refusal"] = refusal
    elif isinstance(request.body, dict) and request.body.get("tools"):
        function = {"name": request.body["tools"][0]["function"]["name"], "arguments": text}
        message |= {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if cut_off else "stop"}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


def _ollama_body(request: Request, text: str, tokens: tuple[int, int], cut_off: bool, refusal: str) -> dict[str, Any]:
    return {
        "model": "scripted",
        "created_at": "2025-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": refusal or text},
        "done": True,
        "done_reason": "length" if cut_off else "stop",
        "prompt_eval_count": tokens[0],
        "eval_count": tokens[1],
    }


def _anthropic_body(
    request: Request, text: str, tokens: tuple[int, int], cut_off: bool, refusal: str
) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": refusal or text}]
    stop = "refusal" if refusal else "end_turn"
    if not refusal and isinstance(request.body, dict) and request.body.get("tools"):
        try:
            given = json.loads(text)
        except ValueError:
            given = None
        if isinstance(given, dict):
            name = request.body["tools"][0]["name"]
            content = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": given}]
            stop = "tool_use"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": "max_tokens" if cut_off else stop,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }


def error_for(wire: Wire, status: int, message: str, headers: Mapping[str, str] | None = None) -> Step:
    """Refuse as a server of the wire does, with its own message."""
    bodies: dict[str, object] = {
        "openai": {"error": {"message": message, "type": "invalid_request_error", "code": None}},
        "ollama": {"error": message},
        "anthropic": {"type": "error", "error": {"type": "invalid_request_error", "message": message}},
    }
    return reply(status, bodies[wire], headers)


def asked(wire: Wire, request: Request) -> Asked:
    """What a request asks the model."""
    body = request.body
    if wire == "anthropic":
        system = "".join(part["text"] for part in body["system"])
        form = (body.get("output_config") or {}).get("format")
        schema = body["tools"][0]["input_schema"] if body.get("tools") else form["schema"] if form else None
        means = "tool" if body.get("tools") else "json_schema" if form else "text"
        user = "".join(_text_of(message["content"]) for message in body["messages"])
        return Asked(system, user, schema, means, body.get("max_tokens"))
    texts = {message["role"]: message["content"] for message in body["messages"]}
    system, user = texts.get("system", ""), texts["user"]
    if wire == "ollama":
        form = body.get("format")
        options = body.get("options") or {}
        schema = form if isinstance(form, dict) else None
        means = "json_schema" if schema is not None else "json_object" if form == "json" else "text"
        return Asked(system, user, schema, means, options.get("num_predict"))
    most = body.get("max_completion_tokens", body.get("max_tokens"))
    if body.get("tools"):
        return Asked(system, user, body["tools"][0]["function"]["parameters"], "tool", most)
    form = body.get("response_format") or {}
    kind = form.get("type", "text")
    return Asked(system, user, form["json_schema"]["schema"] if kind == "json_schema" else None, kind, most)


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")  # type: ignore[attr-defined]


# --- the server ------------------------------------------------------------------------------------------------------


class ScriptedServer:
    """The server; `with` begins and ends it.

    Attributes:
        requests: What was asked, in the order it came.
        connections: How many connections were taken.
        sent: How many bytes were sent in all.
        gone: How many exchanges the client left before they were answered in full.
        running: How many requests are being answered.
        most: How many were being answered at the same time, at most.
    """

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.requests: list[Request] = []
        self.connections = self.sent = self.gone = self.running = self.most = 0
        self.stopping = threading.Event()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        """`http://127.0.0.1:port`."""
        return f"http://127.0.0.1:{self.port}"

    def base(self, wire: Wire) -> str:
        """The base address a client of the wire is given."""
        return f"{self.url}/v1" if wire == "openai" else self.url

    def path(self, wire: Wire) -> str:
        """Where a client of the wire asks."""
        return _PATHS[wire]

    def script(self, *steps: Step) -> None:
        """Begin another script."""
        with self._changed:
            self.steps = list(steps)

    def wait_for(self, true: Callable[["ScriptedServer"], bool], seconds: float = 10.0) -> bool:
        """Wait until something is true of the server; False when it does not come true in time. Blocks."""
        with self._changed:
            return self._changed.wait_for(lambda: true(self), seconds)

    def __enter__(self) -> Self:
        self._listener.listen(64)
        self._begin(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._listener.close()
        for thread in list(self._threads):
            thread.join(10)
            assert not thread.is_alive(), "a thread of the scripted server does not end"

    def _begin(self, work: Callable[..., None], *given: object) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                ready, _, _ = select.select([self._listener], [], [], _TICK)
                if not ready:
                    continue
                connection, _ = self._listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except (OSError, ValueError):  # closed
                return
            with self._changed:
                self.connections += 1
                number = self.connections
                self._changed.notify_all()
            self._begin(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection:
            pending = b""
            while not self.stopping.is_set():
                read = self._read(connection, pending, number)
                if read is None:
                    return
                request, pending = read
                if not self._answer(Exchange(self, connection, request)):
                    return

    def _answer(self, exchange: Exchange) -> bool:
        with self._counted():
            with self._changed:
                self.requests.append(exchange.request)
                step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
                self._changed.notify_all()
            try:
                step(exchange)
            except Gone:
                with self._changed:
                    self.gone += 0 if self.stopping.is_set() else 1
                    self._changed.notify_all()
                return False
        return exchange.keeps

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._changed:
            self.running += 1
            self.most = max(self.most, self.running)
        try:
            yield
        finally:
            with self._changed:
                self.running -= 1
                self._changed.notify_all()

    def _read(self, connection: socket.socket, pending: bytes, number: int) -> tuple[Request, bytes] | None:
        taken = self._take(connection, pending, lambda data: b"\r\n\r\n" in data)
        if taken is None:
            return None
        head, _, rest = taken.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", "0"))
        taken = self._take(connection, rest, lambda data: len(data) >= length)
        if taken is None:
            return None
        raw, rest = taken[:length], taken[length:]
        body = None
        with suppress(ValueError):
            body = json.loads(raw)
        return Request(method, path, headers, raw, body, number), rest

    def _take(self, connection: socket.socket, data: bytes, enough: Callable[[bytes], bool]) -> bytes | None:
        while not enough(data):
            if self.stopping.is_set():
                return None
            ready, _, _ = select.select([connection], [], [], _TICK)
            if not ready:
                continue
            try:
                more = connection.recv(1 << 16)
            except OSError:
                return None
            if not more:
                return None
            data += more
        return data
