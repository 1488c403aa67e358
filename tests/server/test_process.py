"""The real process: how it ends, and that no input breaks it."""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server.stdio import Frames

COMMAND = [sys.executable, "-m", "cite_lsp", "serve"]
HANG = 60  # seconds; ends a test that would wait for ever


class Process:
    """The server as a process, with a thread that reads what it says."""

    def __init__(self, *options: str, command: Sequence[str] = COMMAND, read: bool = True) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*command, *options], stdin=pipe, stdout=pipe, stderr=pipe)
        assert self.process.stdin
        self.stdin = self.process.stdin
        self.messages: queue.Queue[Any] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        if read:
            self.reader.start()
        self._number = 0

    def _read(self) -> None:
        frames = Frames()
        assert self.process.stdout
        while chunk := os.read(self.process.stdout.fileno(), 65536):
            for item in frames.feed(chunk):
                self.messages.put(item)
        self.messages.put(None)

    def raw(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.raw(frame(message))

    def request(self, method: str, params: Any = None) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method}
        self.send(message if params is None else {**message, "params": params})
        answer = self.next()
        while answer.get("method") == "cite-lsp/status":  # told when it has something to tell
            answer = self.next()
        assert answer["id"] == self._number
        return answer

    def next(self) -> Any:
        message = self.messages.get(timeout=HANG)
        assert message is not None, f"the server ended: {self.errors()}"
        return message

    def start(self, **more: Any) -> None:
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **more})
        assert "result" in answer
        self.send({"method": "initialized", "params": {}})

    def alive(self) -> None:
        """Fail where an unknown request is not answered."""
        assert self.request("cite-lsp/alive")["error"]["code"] == -32601

    def ended(self) -> int:
        return self.process.wait(HANG)

    def errors(self) -> bytes:
        assert self.process.stderr
        self.process.wait(HANG)
        return self.process.stderr.read()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if self.reader.ident is not None:
            self.reader.join(HANG)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream
            with contextlib.suppress(OSError):
                stream.close()


def frame(message: dict[str, Any]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


ALIVE = frame({"id": "alive", "method": "cite-lsp/alive"})


@pytest.fixture
def server() -> Iterator[Process]:
    process = Process()
    yield process
    process.close()


def test_shutdown_and_exit_end_it_well_and_silently(server: Process) -> None:
    server.start()
    assert server.request("shutdown")["result"] is None
    server.send({"method": "exit"})
    assert server.ended() == 0
    assert server.errors() == b""


def test_all_at_once_is_answered_in_order(server: Process) -> None:
    initialize = {"processId": None, "rootUri": None, "capabilities": {}}
    server.raw(
        frame({"id": 1, "method": "initialize", "params": initialize})
        + frame({"method": "initialized", "params": {}})
        + frame({"id": 2, "method": "no/such"})
        + frame({"id": 3, "method": "shutdown"})
        + frame({"method": "exit"})
    )
    server.stdin.close()
    answers = [server.next() for _ in range(3)]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert server.ended() == 0


def test_exit_without_shutdown_is_a_failure(server: Process) -> None:
    server.start()
    server.send({"method": "exit"})
    assert server.ended() == 1
    assert server.errors() == b""


def test_exit_before_initialize_ends_it(server: Process) -> None:
    server.send({"method": "exit"})
    assert server.ended() == 1


@pytest.mark.parametrize(("shut_down", "status"), [(False, 1), (True, 0)])
def test_the_end_of_input_ends_it(server: Process, shut_down: bool, status: int) -> None:
    server.start()
    if shut_down:
        server.request("shutdown")
    server.stdin.close()
    assert server.ended() == status
    assert server.errors() == b""


def test_a_client_that_no_longer_reads_ends_it() -> None:
    server = Process(read=False)
    try:
        server.process.stdout.close()  # type: ignore[union-attr]
        with contextlib.suppress(BrokenPipeError):
            server.raw(ALIVE)
        assert server.ended() == 1
        assert server.errors() == b""
    finally:
        server.close()


@pytest.mark.parametrize("told", ["initialize", "option", "other process"])
def test_the_end_of_the_editor_ends_it_though_input_stays_open(told: str) -> None:
    """The editor here is a process that dies; the test holds the pipes open, as a leaked descriptor would."""
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    options = ["--clientProcessId", str(editor.pid)] if told == "option" else []
    server = Process(*options)
    try:
        server.start(processId=editor.pid if told != "option" else None)
        server.alive()
        editor.kill()
        editor.wait()
        assert server.ended() == 1
        assert server.errors() == b""
    finally:
        editor.kill()
        editor.wait()
        assert editor.stdin
        editor.stdin.close()
        server.close()


def test_a_process_of_another_machine_is_not_waited_for(server: Process) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    server.start(processId=gone.pid)
    server.alive()


def bad_then_good(server: Process, data: bytes) -> list[Any]:
    """Send something and then a request; give what came before the answer to that request."""
    server.start()
    server.raw(data + ALIVE)
    before = []
    while (message := server.next()).get("id") != "alive":
        before.append(message)
    assert message["error"]["code"] == -32601
    return before


BODY = json.dumps({"jsonrpc": "2.0", "id": "good", "method": "cite-lsp/alive"}).encode()
SHOULD = b"Content-Length: %d\r\n\r\n%b"


@pytest.mark.parametrize(
    "data",
    [
        b"content-length: %d\r\n\r\n%b",
        b"CONTENT-LENGTH:%d\r\n\r\n%b",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n%b",
        b"Content-Length: %d\r\nContent-Type: x\r\nX-More: y\r\n\r\n%b",
        b"Content-Length: %d\n\n%b",
        b"Content-Length: %d\nX: y\r\n\n%b",
        b"\r\n\r\nContent-Length: %d\r\n\r\n%b",
    ],
)
def test_headers_of_every_dress_are_read(server: Process, data: bytes) -> None:
    (answer,) = bad_then_good(server, data % (len(BODY), BODY))
    assert answer["id"] == "good"


def test_a_length_that_is_too_long_loses_nothing_once_more_comes(server: Process) -> None:
    (answer,) = bad_then_good(server, SHOULD % (len(BODY) + 40, BODY))
    assert answer["id"] == "good"


@pytest.mark.parametrize(
    "data",
    [
        SHOULD % (len(BODY) - 5, BODY),
        SHOULD % (0, b""),
        SHOULD % (9_999_999_999, BODY),
        b"Content-Length: 99999999999999999999\r\n\r\n" + BODY,
        b"Content-Length: -5\r\n\r\n" + BODY,
        b"Content-Length: many\r\n\r\n" + BODY,
        b"Content-Length: %d\r\n%b\r\n" % (len(BODY), BODY),
        b"Content-Type: x\r\n\r\n" + BODY,
        b"a line that is no header\r\n\r\n",
        SHOULD % (3, b"{]}"),
        SHOULD % (5, b"\xff\xfe\x00\x01\x02"),
    ],
)
def test_what_is_broken_is_told_once_and_the_next_message_is_read(server: Process, data: bytes) -> None:
    answers = bad_then_good(server, data)
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(None, -32700)]


def test_a_stream_that_is_no_protocol_ends_it_quietly(server: Process) -> None:
    with contextlib.suppress(BrokenPipeError):
        for _ in range(80):
            server.raw(b"GET / HTTP/1.1 and so on, " * 4096)
    assert server.ended() == 1
    assert server.errors() == b""


def test_a_large_document_comes_through(server: Process) -> None:
    server.start()
    text = "a line of text, and é\n" * 200_000
    document = {"uri": "file:///nowhere/a.py", "languageId": "python", "version": 1, "text": text}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
    server.raw(ALIVE)
    while server.next().get("id") != "alive":
        pass


def test_a_start_without_streams_says_so() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])", *COMMAND],
        capture_output=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--socket=1"],
        ["--tcp"],
        ["here.md"],
        ["--client-process-id", "x"],
        ["--clientProcessId=0"],
        ["--log-level", "loud"],
    ],
)
def test_wrong_options_are_one_line(options: list[str]) -> None:
    done = subprocess.run(
        [*COMMAND, *options], capture_output=True, timeout=HANG, check=False, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1


def test_help_names_the_options() -> None:
    done = subprocess.run([*COMMAND, "--help"], capture_output=True, timeout=HANG, check=False, text=True)
    assert done.returncode == 0
    for option in ("--stdio", "--client-process-id", "--clientProcessId", "--log-file", "--log-level"):
        assert option in done.stdout
    whole = subprocess.run([*COMMAND[:-1], "--help"], capture_output=True, timeout=HANG, check=False, text=True)
    assert "serve" in whole.stdout


def test_a_log_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "--log-file", str(tmp_path / "no" / "log")], capture_output=True, timeout=HANG, check=False
    )
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_the_log_holds_what_happened_and_no_text(tmp_path: Path) -> None:
    log = tmp_path / "log"
    server = Process("--stdio", "--log-file", str(log), "--log-level", "debug")
    try:
        server.start()
        document = {"uri": "file:///nowhere/a.md", "languageId": "markdown", "version": 1, "text": "my secret text"}
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        server.send({"method": "textDocument/didOpen", "params": {"textDocument": {"text": "my secret text"}}})
        server.raw(ALIVE)
        while server.next().get("id") != "alive":
            pass
        server.send({"method": "exit"})
        server.ended()
    finally:
        server.close()
    written = log.read_text(encoding="utf-8")
    assert "textDocument/didOpen" in written
    assert "my secret text" not in written


DISTURBED = """
import asyncio, os, subprocess, sys, time
from cite_lsp.server import protocol, serve

real = protocol.make_server
def make():
    server = real()
    @server.command("test.print")
    def printing(argument):
        print("a stray print", flush=True)
        os.write(1, b"a stray write")
        return subprocess.run([sys.executable, "-c", "print(input('a child'))"], stderr=-3, text=True).returncode
    @server.command("test.busy")
    def busy(argument):
        server.send_raw("test/busy", {})
        time.sleep(600)
    @server.command("test.wait")
    async def wait(argument):
        server.send_raw("test/busy", {})
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 600)
    server.on_exit.append(lambda: os.write(2, b"called"))
    return server
protocol.make_server = make
serve.main([])
"""


@pytest.fixture
def disturbed() -> Iterator[Process]:
    process = Process(command=[sys.executable, "-c", DISTURBED])
    yield process
    process.close()


def test_prints_and_children_cannot_break_a_frame_or_eat_input(disturbed: Process) -> None:
    disturbed.start()
    answer = disturbed.request("workspace/executeCommand", {"command": "test.print", "arguments": [{}]})
    assert answer["result"] == 1  # the child has met the end of its input
    disturbed.alive()
    disturbed.send({"method": "exit"})
    assert disturbed.ended() == 1
    assert b"a stray print" in disturbed.errors()


@pytest.mark.parametrize("command", ["test.busy", "test.wait"])
@pytest.mark.parametrize("way", ["exit", "end of input"])
def test_it_ends_though_the_loop_or_a_thread_is_busy(disturbed: Process, command: str, way: str) -> None:
    disturbed.start()
    disturbed.send({"id": 9, "method": "workspace/executeCommand", "params": {"command": command, "arguments": [{}]}})
    assert disturbed.next()["method"] == "test/busy"
    if way == "exit":
        disturbed.send({"method": "exit"})
    else:
        disturbed.stdin.close()
    assert disturbed.ended() == 1
    assert disturbed.errors() == b"called"


def test_an_interrupt_ends_it(server: Process) -> None:
    server.start()
    server.process.send_signal(signal.SIGINT)
    assert server.ended() == 130
    assert server.errors() == b""


def test_the_server_starts_without_the_libraries_of_other_rooms() -> None:
    code = (
        "import sys, cite_lsp.server.serve, cite_lsp.__main__; from cite_lsp.server.fast_import import load_types; "
        "load_types(); import cite_lsp.server.handlers; "
        "print(sorted({'typer', 'rich', 'pydantic', 'httpx', 'watchfiles', 'sentencex', 'regex'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG, check=True)
    assert done.stdout == "[]\n"
