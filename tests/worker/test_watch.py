"""The worker watches folders: news of files come as parts, and a child that was killed begins anew."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker

HANG = 60.0


@pytest.fixture
async def worker() -> AsyncIterator[Worker]:
    made = Worker()
    yield made
    made.close()


async def cancelled(call: asyncio.Future[Any]) -> None:
    call.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await call


async def test_news_of_files_and_a_new_beginning_after_a_kill(worker: Worker, tmp_path: Path) -> None:
    parts: asyncio.Queue[Any] = asyncio.Queue()
    there = tmp_path / "a.py"
    there.write_text("a = 1\n")
    call = asyncio.ensure_future(worker.call("watch", on_part=parts.put_nowait, deadline=1e9, roots=[str(tmp_path)]))
    assert await asyncio.wait_for(parts.get(), HANG) is None
    there.write_text("a = 2\n")
    assert await asyncio.wait_for(parts.get(), HANG) == {"changed": [str(there)], "moved": []}
    (tmp_path / "b.py").write_text("b = 1\n")
    assert str(tmp_path / "b.py") in (await asyncio.wait_for(parts.get(), HANG))["moved"]
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    assert await asyncio.wait_for(parts.get(), HANG) is None
    there.unlink()
    assert (await asyncio.wait_for(parts.get(), HANG))["moved"] == [str(there)]
    await cancelled(call)


async def test_watching_holds_up_nothing(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    began = asyncio.Event()
    call = asyncio.ensure_future(
        worker.call("watch", on_part=lambda _: began.set(), deadline=1e9, roots=[str(tmp_path)])
    )
    await asyncio.wait_for(began.wait(), HANG)
    assert (await worker.call("paths", root=str(tmp_path)))["paths"] == ["a.md"]
    assert not call.done()
    await cancelled(call)
