"""A language client for the bench: one process on pipes, and the moment at which each of its messages had arrived."""

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

import orjson

WAIT = 30.0
"""Seconds after which an answer is given up."""

CAPABILITIES: Mapping[str, object] = {
    "textDocument": {
        "publishDiagnostics": {"versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
        "completion": {},
    },
}
"""Of a client that watches no files, completes, and knows which version a finding is of."""


@dataclass(frozen=True)
class Arrived:
    """A message of the server; `at` is the clock of `time.perf_counter` when its last byte was read."""

    at: float
    message: Mapping[str, Any]

    @property
    def params(self) -> Mapping[str, Any]:
        """What a notification says."""
        return self.message.get("params") or {}


class Gone(Exception):  # noqa: N818 - it says what happened
    """The server has ended, or did not answer in time."""


class Client:
    """A server and the pipes to it. Use it as a context: the process is killed at its end."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._arrived: queue.SimpleQueue[Arrived | None] = queue.SimpleQueue()
        self._numbers = 0
        self._last = "none"
        self.version = 1
        self.on_other: Callable[[Arrived], None] | None = None
        """Called with what arrives while something else is waited for."""
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
    def uri(self) -> str:
        """The workspace folder's."""
        return self.folder.as_uri()

    # --- messages

    def _read(self, out: BinaryIO) -> None:
        with contextlib.suppress(OSError, ValueError):
            for body in bodies(out):
                at = time.perf_counter()
                self._arrived.put(Arrived(at, orjson.loads(body)))
        self._arrived.put(None)

    def _send(self, message: Mapping[str, Any]) -> float:
        """Send a message; give the time just before."""
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
        pipe = self._process.stdin
        assert pipe is not None
        at = time.perf_counter()
        pipe.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        pipe.flush()
        return at

    def notify(self, method: str, params: object = None) -> float:
        """Send a notification; give the time just before."""
        return self._send({"method": method, "params": params})

    def begin(self, method: str, params: object = None) -> tuple[int, float]:
        """Send a request; give its number and the time just before."""
        self._numbers += 1
        message = {"id": self._numbers, "method": method}
        return self._numbers, self._send(message if params is None else {**message, "params": params})

    def wait(self, wanted: Callable[[Arrived], bool], seconds: float = WAIT) -> Arrived:
        """Wait for a message; requests of the server are answered meanwhile. Raises Gone."""
        end = time.perf_counter() + seconds
        while True:
            try:
                arrived = self._arrived.get(timeout=max(0.0, end - time.perf_counter()))
            except queue.Empty:
                raise Gone(f"no answer in {seconds:g} seconds; the last message was {self._last}") from None
            if arrived is None:
                raise Gone(f"the server has ended; its last message was {self._last}")
            self._last = str(arrived.message)[:500]
            if "method" in arrived.message and "id" in arrived.message:
                self._send({"id": arrived.message["id"], "result": _answer(arrived)})
            elif wanted(arrived):
                return arrived
            elif self.on_other is not None:
                self.on_other(arrived)

    def ended(self, number: int, seconds: float = WAIT) -> Arrived:
        """Wait for the answer to a request."""
        return self.wait(lambda arrived: arrived.message.get("id") == number, seconds)

    def ask(self, method: str, params: object = None) -> tuple[float, Any]:
        """Send a request and wait; give the seconds that it took and its result."""
        number, at = self.begin(method, params)
        arrived = self.ended(number)
        return arrived.at - at, arrived.message.get("result")

    # --- the protocol's steps

    def initialize(
        self, options: Mapping[str, object] | None = None, capabilities: Mapping[str, object] | None = None
    ) -> float:
        """Say `initialize`; give the seconds from the start of the process to its answer."""
        params = {
            "processId": os.getpid(),
            "rootUri": self.uri,
            "workspaceFolders": [{"uri": self.uri, "name": self.folder.name}],
            "capabilities": capabilities or CAPABILITIES,
            "initializationOptions": options or {},
        }
        number, _ = self.begin("initialize", params)
        return self.ended(number).at - self.started

    def initialized(self) -> None:
        """Say that the session begins."""
        self.notify("initialized", {})

    def uri_of(self, path: str) -> str:
        """Give the URI of a path below the folder."""
        return f"{self.uri}/{path}"

    def open(self, path: str, text: str, language: str = "markdown") -> float:
        """Open a document; give the time just before."""
        item = {"uri": self.uri_of(path), "languageId": language, "version": self.version, "text": text}
        return self.notify("textDocument/didOpen", {"textDocument": item})

    def change(self, path: str, changes: Sequence[Mapping[str, object]]) -> float:
        """Change a document under a new version; give the time just before."""
        self.version += 1
        document = {"uri": self.uri_of(path), "version": self.version}
        return self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def close(self, path: str) -> None:
        """Close a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": self.uri_of(path)}})

    def findings(self, path: str, seconds: float = WAIT) -> Arrived:
        """Wait for the diagnostics of a document in its newest version."""
        uri, version = self.uri_of(path), self.version

        def wanted(arrived: Arrived) -> bool:
            return is_publish(arrived, uri) and arrived.params.get("version") == version

        return self.wait(wanted, seconds)

    def leave(self) -> float:
        """Shut down and exit; give the seconds that it took until the process had ended."""
        number, at = self.begin("shutdown")
        self.ended(number)
        self.notify("exit")
        self._process.wait(timeout=WAIT)
        return time.perf_counter() - at


def bodies(out: BinaryIO) -> Iterator[bytes]:
    """Give the bodies of the messages that a server writes, until it ends. Raises OSError and ValueError."""
    while True:
        length = 0
        while (line := out.readline()) not in (b"\r\n", b""):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = out.read(length) if length else b""
        if not body:
            return
        yield body


def is_publish(arrived: Arrived, uri: str) -> bool:
    """Say whether a message brings the diagnostics of a document."""
    return arrived.message.get("method") == "textDocument/publishDiagnostics" and arrived.params.get("uri") == uri


def insertion(line: int, text: str, character: int = 3, remove: int = 0) -> dict[str, object]:
    """Give a change that writes at a position, in place of `remove` characters behind it."""
    start, end = {"line": line, "character": character}, {"line": line, "character": character + remove}
    return {"range": {"start": start, "end": end}, "text": text}


def _answer(arrived: Arrived) -> object:
    if arrived.message["method"] == "workspace/configuration":
        return [None for _ in arrived.params.get("items", ())]
    return None
