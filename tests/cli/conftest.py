"""The program, run as a person runs it: in this process where that tells enough, else in one of its own."""

import contextlib
import io
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from cite_lsp.cli.app import main


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode()


@pytest.fixture(autouse=True)
def _alone(person, tmp_path, monkeypatch):
    """A home of its own, without settings, and a repository of ours above the folder does not count."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))


@pytest.fixture(autouse=True)
def _no_command_goes_on(monkeypatch) -> Iterator[None]:
    """What a failing test has left running would ask the servers that the next ones use."""
    begun: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen):
        """A process that is remembered."""

        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            begun.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield
    for each in begun:
        if each.poll() is None and isinstance(each.args, list) and "cite_lsp" in each.args:
            each.kill()
            each.wait()


@pytest.fixture
def workspace(tmp_path) -> Callable[..., Path]:
    """Make a folder with files; bytes and texts are written as they are."""

    def make(files: Mapping[str, str | bytes], name: str = "w") -> Path:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for path, text in files.items():
            full = folder / path
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_bytes(text.encode() if isinstance(text, str) else text)
        return folder

    return make


@pytest.fixture
def cli(monkeypatch) -> Callable[..., Ran]:
    """Run the command line in this process."""

    def run(folder: Path, *arguments: str, stdin: bytes = b"") -> Ran:
        raw, err = io.BytesIO(), io.StringIO()
        out = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["cite-lsp", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code: object = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                code = end.code
        out.flush()
        assert isinstance(code, int), code
        return Ran(code, raw.getvalue(), err.getvalue())

    return run


@pytest.fixture
def process() -> Callable[..., Ran]:
    """Run the command line in a process of its own; no traceback is ever right."""

    def run(folder: Path, *arguments: str | bytes, stdin: bytes = b"", seconds: float = 60, **options: object) -> Ran:
        command: Sequence[str | bytes] = [sys.executable, "-m", "cite_lsp", *arguments]
        done = subprocess.run(
            command, cwd=folder, input=stdin, capture_output=True, timeout=seconds, check=False, **options
        )
        err = done.stderr.decode("utf-8", "replace")
        assert "Traceback" not in err, err
        assert b"Traceback" not in done.stdout
        return Ran(done.returncode, done.stdout, err)

    return run
