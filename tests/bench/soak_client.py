"""A language client for the soak: nothing that its server sends is lost, and all of it is counted."""

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

from tests.bench.client import Gone, bodies

HANG = 60.0
"""Seconds after which an answer is given up."""
_REFUSALS = {
    -32800: "cancelled",
    -32801: "content modified",
    -32802: "server cancelled",
    -32602: "refused",
    -32803: "refused",
}
"""Codes of answers that are no faults, and what they say."""


class SoakClient:
    """A server and the pipes to it. What it asks is answered as it arrives, in a thread of its own.

    `settings` is what the editor's settings are at any moment: the server pulls them.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], errors: Path, pid: int | None = None
    ) -> None:
        self.settings: Mapping[str, Any] = {}
        self.sent: dict[int, tuple[str, float]] = {}
        """Of each request its method and when it was sent."""
        self.answers: Counter[int] = Counter()
        self.results: dict[int, Any] = {}
        """Results that somebody waits for."""
        self.refused: Counter[str] = Counter()
        self.faults: list[str] = []
        self.seconds: dict[str, list[float]] = {}
        """By method, how long its answers took."""
        self.shown: dict[str, list[dict[str, Any]]] = {}
        self.status: Mapping[str, Any] = {}
        self.messages: list[str] = []
        """What a person was shown."""
        self.registered: set[str] = set()
        self.capabilities: Mapping[str, Any] = {}
        self.edits: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        """Edits that the server wants applied: the number of its request, and the edit."""
        self.arrived = time.monotonic()
        """When the last message came that answers nothing."""
        self.ended = threading.Event()
        self._numbers = 0
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._process_id = os.getpid() if pid is None else pid
        with errors.open("wb") as stderr:
            self._process = subprocess.Popen(
                command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr
            )
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    @property
    def pid(self) -> int:
        """The number of the server's process."""
        return self._process.pid

    @property
    def open_requests(self) -> list[str]:
        """The methods of requests that were not answered yet."""
        return [f"{method} ({number})" for number, (method, _) in list(self.sent.items()) if not self.answers[number]]

    # --- what arrives

    def _read(self, out: BinaryIO) -> None:
        try:
            for body in bodies(out):
                self._take(orjson.loads(body))
        except (OSError, ValueError) as error:
            self.faults.append(f"what the server wrote cannot be read: {error}")
        self.ended.set()
        with self._changed:
            self._changed.notify_all()

    def _take(self, message: Mapping[str, Any]) -> None:
        method = message.get("method")
        if method is None:
            self._answered(message)
        else:
            self.arrived = time.monotonic()
            if "id" in message:
                self._asked(message["id"], method, message.get("params") or {})
            else:
                self._told(method, message.get("params") or {})
        with self._changed:
            self._changed.notify_all()

    def _answered(self, message: Mapping[str, Any]) -> None:
        number = message.get("id")
        if not isinstance(number, int) or number not in self.sent:
            self.faults.append(f"an answer to nothing that was asked: {str(message)[:300]}")
            return
        method, at = self.sent[number]
        self.answers[number] += 1
        if self.answers[number] > 1:
            self.faults.append(f"{method} ({number}) was answered {self.answers[number]} times")
        self.seconds.setdefault(method, []).append(time.perf_counter() - at)
        error = message.get("error")
        if error is None:
            if number in self.results:
                self.results[number] = message.get("result")
        elif error.get("code") in _REFUSALS:
            self.refused[f"{method}: {_REFUSALS[error['code']]}"] += 1
        else:
            self.faults.append(f"{method} failed: {str(error)[:500]}")

    def _asked(self, number: object, method: str, params: Mapping[str, Any]) -> None:
        result: Any = None
        if method == "workspace/configuration":
            result = [dict(self.settings) for _ in params.get("items", ())]
        elif method == "workspace/applyEdit":
            self.edits.put((number, params.get("edit") or {}))
            return
        elif method == "client/registerCapability":
            self.registered |= {each["method"] for each in params["registrations"]}
        self.reply(number, result)

    def _told(self, method: str, params: Mapping[str, Any]) -> None:
        if method == "textDocument/publishDiagnostics":
            self.shown[params["uri"]] = params["diagnostics"]
        elif method == "cite-lsp/status":
            self.status = params
        elif method == "window/showMessage":
            self.messages.append(params["message"])

    # --- what is sent

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
        pipe = self._process.stdin
        assert pipe is not None
        with self._writing:
            try:
                pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
                pipe.flush()
            except OSError as error:
                raise Gone(f"the server reads no more: {error}") from None

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification. Raises Gone."""
        self._send({"method": method, "params": params})

    def reply(self, number: object, result: object) -> None:
        """Answer a request of the server."""
        with contextlib.suppress(Gone):  # it is noticed by who asks next
            self._send({"id": number, "result": result})

    def begin(self, method: str, params: object = None, *, wanted: bool = False) -> int:
        """Send a request; give its number. `wanted`: somebody will `wait` for its result."""
        self._numbers += 1
        number = self._numbers
        self.sent[number] = method, time.perf_counter()
        if wanted:
            self.results[number] = None
        message = {"id": number, "method": method}
        self._send(message if params is None else {**message, "params": params})
        return number

    def cancel(self, number: int) -> None:
        """Say that an answer is not wanted any more."""
        self.notify("$/cancelRequest", {"id": number})

    def wait(self, number: int, seconds: float = HANG) -> Any:
        """Give the result of a wanted request; None where it was refused. Raises Gone."""
        self.wait_until(lambda: self.answers[number] > 0, seconds, self.sent[number][0])
        return self.results.pop(number, None)

    def ask(self, method: str, params: object = None, seconds: float = HANG) -> Any:
        """Send a request and give its result. Raises Gone."""
        return self.wait(self.begin(method, params, wanted=True), seconds)

    def wait_until(self, true: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until something is true of what arrived. Raises Gone."""
        with self._changed:
            if not self._changed.wait_for(lambda: true() or self.ended.is_set(), seconds):
                raise Gone(f"{what}: not within {seconds:g} seconds")
        if not true():
            raise Gone(f"{what}: the server has ended")

    def all_answered(self, apply_wanted: Callable[[], object], seconds: float = HANG) -> None:
        """Wait until all requests are answered; meanwhile apply what edits are asked for. Raises Gone."""
        end = time.monotonic() + seconds
        try:
            while self.open_requests:  # some of them may be answered only once an edit is applied
                self.wait_until(
                    lambda: not self.open_requests or not self.edits.empty(), end - time.monotonic(), "answers"
                )
                apply_wanted()
        except Gone as error:
            raise Gone(f"{error}: {', '.join(self.open_requests[:20])}") from None

    # --- the protocol's steps

    def initialize(
        self, folders: Sequence[Path], capabilities: Mapping[str, object], options: Mapping[str, object] | None
    ) -> None:
        """Say `initialize` and `initialized`. Raises Gone."""
        params = {
            "processId": self._process_id,
            "clientInfo": {"name": "soak"},
            "rootUri": folders[0].as_uri() if folders else None,
            "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
            "capabilities": capabilities,
            "initializationOptions": options,
        }
        result = self.ask("initialize", params)
        self.capabilities = (result or {}).get("capabilities", {})
        self.notify("initialized", {})

    def leave(self) -> int:
        """Shut down and exit; give the status of the process. Raises Gone."""
        self.ask("shutdown")
        self.notify("exit")
        try:
            return self._process.wait(timeout=HANG)
        except subprocess.TimeoutExpired:
            raise Gone("exit: the process is still there") from None
