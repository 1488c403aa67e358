"""A real Emacs in a terminal of tmux, configured by what `editors/emacs.md` says, with the real server."""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors import retrying

REPOSITORY = Path(__file__).resolve().parents[3]
PAGE = REPOSITORY / "editors" / "emacs.md"
HERE = Path(__file__).parent
PROGRAMS = ("emacs", "emacsclient", "tmux")
ABSENT = "not run: Emacs with Eglot, or tmux, absent; apt-get install emacs-nox elpa-eglot elpa-markdown-mode tmux"
LIBRARIES = "(progn (package-initialize) (require 'eglot) (require 'markdown-mode) (require 'server))"


def blocks_of_the_page() -> str:
    """What a person copies into their configuration: the page's blocks of Emacs Lisp."""
    return "\n".join(re.findall(r"(?ms)^```elisp\n(.*?)^```$", PAGE.read_text(encoding="utf-8")))


class Emacs:
    """One Emacs: a person's, in a terminal of so many columns and lines."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._folder, self._home = folder, home
        self._pid = 0

    def start(self, size: tuple[int, int]) -> None:
        """Open the window, and wait until Emacs answers."""
        (self._home / "e").unlink(missing_ok=True)
        columns, lines = size
        window = ["new-session", "-d", "-x", str(columns), "-y", str(lines), "-c", str(self._folder)]
        self._tmux(*window, "emacs", "-nw", "-q", "--no-site-file", "-l", str(HERE / "init.el"))
        self._pid = int(self._tmux("display-message", "-p", "#{pane_pid}"))
        while self._client("t").returncode:
            assert self.runs(self._pid), "Emacs ended while it started"
            time.sleep(0.05)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-S", str(self._home / "t"), "-f", "/dev/null", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def _client(self, form: str) -> subprocess.CompletedProcess[str]:
        command = ["emacsclient", "-s", str(self._home / "e"), "--eval", form]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def lisp(self, form: str) -> Any:
        """What a form gives in the person's buffer."""
        said = self._client(f"(look (lambda () {form}))")
        assert said.returncode == 0, said.stderr + said.stdout
        return json.loads(base64.b64decode(said.stdout.strip().strip('"')))

    def keys(self, *keys: str) -> None:
        """Press keys, named as tmux names them: `C-x`, `M-.`, `Enter`."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type, as a person does."""
        self._tmux("send-keys", "-l", text)

    def command(self, name: str) -> None:
        """`M-x NAME`."""
        self.keys("M-x")
        self.type(name)
        self.keys("Enter")

    def screen(self) -> list[str]:
        """The window's rows, as the person sees them."""
        return self._tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def coloured(self) -> str:
        """The window with its colours, as a terminal takes it."""
        return self._tmux("capture-pane", "-p", "-e")

    def wait(self, form: str, tries: int = 300) -> Any:
        """Look until a form holds."""
        for _ in range(tries):
            found = self.lisp(form)
            if found:
                return found
            time.sleep(0.05)
        log = self.lisp('(look-text "*Messages*")')
        screen = "\n".join(self.screen())
        raise AssertionError(f"never came true: {form}\n{self.findings()}\n{log[-2000:]}\n{screen}")

    def sees(self, text: str, tries: int = 300) -> list[str]:
        """Look until a text is on the screen; the screen's rows."""
        for _ in range(tries):
            rows = self.screen()
            if any(text in row for row in rows):
                return rows
            time.sleep(0.05)
        raise AssertionError(f"never seen: {text}\n" + "\n".join(rows))

    def open(self, path: str) -> None:
        """Visit a file below the workspace, and wait for the server."""
        self.visit(path)
        self.wait("(eglot-managed-p)")

    def visit(self, path: str) -> None:
        self.keys("C-x", "C-f")
        self.wait("(look-question)")
        self.type(str(self._folder / path))
        self.keys("Enter")
        self.wait(f'(and (not (look-question)) buffer-file-name (string-suffix-p "{path}" buffer-file-name))')

    def findings(self) -> list[dict[str, Any]]:
        return list(self.lisp("(look-findings)"))

    def line(self, number: int) -> str:
        return str(
            self.lisp(
                f"(save-excursion (goto-char (point-min)) (forward-line {number - 1})"
                " (buffer-substring-no-properties (line-beginning-position) (line-end-position)))"
            )
        )

    def server(self) -> int:
        """The process id of the language server of the person's buffer."""
        return int(self.lisp("(process-id (jsonrpc--process (eglot-current-server)))"))

    @staticmethod
    def runs(pid: int) -> bool:
        """Whether a process is there (one that ended and was not waited for is not)."""
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False

    def close(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._tmux("kill-server")
        while self._pid and self.runs(self._pid):
            time.sleep(0.02)


def is_usable() -> bool:
    if not all(map(shutil.which, PROGRAMS)):
        return False
    return subprocess.run(["emacs", "--batch", "--eval", LIBRARIES], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="session")
def programs() -> None:
    """A test that needs Emacs is not run without."""
    if not is_usable():
        pytest.skip(ABSENT)


@pytest.fixture
def workspace(person: Path, tmp_path: Path) -> Path:
    return retrying.commit(tmp_path / "w")


@pytest.fixture
def start(
    programs: None,
    workspace: Path,
    person: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ends: Callable[..., Any],
) -> Iterator[Callable[..., Emacs]]:
    """Start an Emacs in the workspace; everything it started is gone after the test."""
    folder = tmp_path / "e"
    folder.mkdir(mode=0o700)
    (folder / "page.el").write_text(blocks_of_the_page(), encoding="utf-8")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("LOOK_FOLDER", str(folder))
    monkeypatch.setenv("LOOK_FILE", str(HERE / "look.el"))
    for name in ("LC_ALL", "TMUX", "DISPLAY", "EMACS", "EMACSLOADPATH", "INSIDE_EMACS", "EMACS_SOCKET_NAME"):
        monkeypatch.delenv(name, raising=False)
    with contextlib.ExitStack() as stack:
        stack.enter_context(ends())

        def run(size: tuple[int, int] = (120, 30)) -> Emacs:
            emacs = Emacs(workspace, folder)
            stack.callback(emacs.close)
            emacs.start(size)
            return emacs

        yield run


@pytest.fixture
def emacs(start: Callable[..., Emacs]) -> Emacs:
    return start()
