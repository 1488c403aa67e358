"""Faults that are open: each test is the smallest way to one, and goes to the tests of its kind once it passes."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import Session

CODE = "import time\n\nLIMIT = 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


class Held(Worker):
    """The real worker, whose listings are given only when they may be."""

    def __init__(self) -> None:
        super().__init__()
        self.listed = 0
        self.may = asyncio.Event()

    async def call(self, do: str, **more: Any) -> Any:
        answer = await super().call(do, **more)
        if do == "paths":
            self.listed += 1
            await self.may.wait()
        return answer


async def test_a_file_that_appears_while_files_are_being_listed_is_listed_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`list_soon`, called at the end of `_list`, finds the listing still under way and only notes "again"."""
    monkeypatch.setattr("cite_lsp.server.session.Worker", Held)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `new.py:1`.\n")
        worker = session.server.session.worker
        while not worker.listed:
            await asyncio.sleep(0.01)
        (folder / "deep").mkdir()
        (folder / "deep/new.py").write_text("x = 1\n")
        session.files_changed(((folder / "deep/new.py").as_uri(), 1))
        await session.settled()
        worker.may.set()
        assert codes((await shown_at_rest(session))[uri]) == []
        assert worker.listed == 2
