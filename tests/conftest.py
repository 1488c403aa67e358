"""What every test may ask for."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

from cite_lsp.worker.client import Worker

os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
"""Nobody's real keyring is asked by a test, nor by the programs that it starts."""

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that runs the tests in the background has them pass over Ctrl-C, and the programs that they start as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("default", deadline=None)
settings.load_profile("default")


def shared_folder() -> Path | None:
    """The folder of specification data beside the checkout, where the machine has one."""
    named = os.environ.get("CITE_LSP_SHARED")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared"
    return folder if (folder / "vectors").is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = shared_folder()
    if folder is None:
        pytest.skip("not run: the specification data (shared/) is not beside this checkout")
    return folder


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for whoever runs git here: nothing of the machine's settings and repositories counts."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        '[user]\nname=A\nemail=a@example.org\n[init]\ndefaultBranch=main\n[protocol "file"]\nallow=always\n'
    )
    for name in list(os.environ):
        if name.startswith(("GIT_", "CITE_LSP_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def worker() -> Iterator[Worker]:
    """The child process that the server has, started when it is first asked."""
    made = Worker()
    yield made
    made.close()


@pytest.fixture
def ends() -> Callable[[], AbstractContextManager[None]]:
    """`with ends():` fails when what it holds hangs. It measures nothing: a minute is more than any machine needs."""

    @contextmanager
    def guard() -> Iterator[None]:
        def ring(*_: object) -> None:
            raise TimeoutError("this did not end within a minute")

        before = signal.signal(signal.SIGALRM, ring)
        signal.alarm(60)
        try:
            yield
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    return guard
