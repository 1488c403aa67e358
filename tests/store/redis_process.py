"""A real Redis or Valkey server on loopback, which can be killed, stopped and started again at its port."""

import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

PROGRAM = shutil.which("redis-server") or shutil.which("valkey-server")
ABSENT = "not run: no redis-server or valkey-server; apt-get install redis-server, pip install redis"


def needed() -> None:
    """Skip the test where there is no server, or no package to reach it."""
    if PROGRAM is None:
        pytest.skip(ABSENT)
    pytest.importorskip("redis", reason=ABSENT)


class RedisProcess:
    """The server; `options` are those of its command line, without their dashes."""

    def __init__(self, folder: Path, options: Mapping[str, str] | None = None, *, tls: bool = False) -> None:
        self._folder = folder
        self._options = dict(options or {})
        self._tls = tls
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.start()

    @property
    def url(self) -> str:
        return f"redis{'s' if self._tls else ''}://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        ports = {"port": "0", "tls-port": str(self.port)} if self._tls else {"port": str(self.port)}
        told = {"bind": "127.0.0.1", "save": "", "appendonly": "no", "dir": str(self._folder), **ports, **self._options}
        command = [str(PROGRAM), *(part for name, value in told.items() for part in (f"--{name}", value))]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self._listens, "the server did not begin")

    def kill(self) -> None:
        """Let it die at once; what it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def stop(self) -> None:
        """Let it hang: its connections stay, and nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def client(self, **more: Any) -> Any:
        """A connection of the test's own."""
        import redis

        return redis.Redis(port=self.port, protocol=2, **more)

    def _listens(self) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", self.port)) == 0


def until(true: Any, otherwise: str, seconds: float = 20.0) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
