"""A decision model as the judge in the editor: two requests a row, its evidence, and what is not checked."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients import systemone_server as faults
from tests.clients.systemone_server import SystemOne, rule, serving
from tests.server.at_rest import rest, shown_at_rest
from tests.server.harness import Session, at

pytestmark = pytest.mark.usefixtures("person")

CODE = "".join(f"LIMIT_{number} = {number}\n\n" for number in range(40))
"""Line 2n + 1 says LIMIT_n = n, and is a unit of its own."""
TEXT = "".join(f"The limit of step {number} is {number} (`limits.py:{2 * number + 1}`).\n\n" for number in range(3, 7))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text(CODE)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SystemOne]:
    against = [rule(0.9, key="conflict", state="step 5"), rule(0.9, key="says_otherwise", text="LIMIT_5")]
    with serving(rule(0.9, key="makes_a_claim"), *against, rule(0.9, key="supports", text="LIMIT")) as server:
        for name, value in {"NAME": "decision", "BASE_URL": server.url}.items():
            monkeypatch.setenv(f"CITE_LSP_JUDGE_{name}", value)
        monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
        yield server


def saved(folder: Path, text: str = TEXT) -> str:
    (folder / "a.md").write_text(text)
    return (folder / "a.md").as_uri()


async def opened(session: Session, uri: str) -> None:
    session.open(uri, TEXT)
    await shown_at_rest(session)


def counts(session: Session, uri: str) -> dict[str, int]:
    found: dict[str, int] = dict(session.server.session.documents[uri].counts)
    return {name: number for name, number in found.items() if number}


async def test_saving_asks_twice_about_each_row_that_changed(folder: Path, judge: SystemOne) -> None:
    uri = saved(folder)
    async with Session(folders=[folder]) as session:
        await opened(session, uri)
        assert judge.counts()["requests"] == 0
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert (found["code"], found["severity"], found["range"]["start"]["line"]) == ("unsupported", 2, 4)
        assert "LIMIT_5 = 5" in found["message"]
        assert judge.counts()["requests"] == 8
        assert counts(session, uri)["supported"] == 3
        hover: dict[str, Any] = await session.request("textDocument/hover", at(uri, 0, 32))
        told = hover["contents"]["value"].replace("\\", "").replace("\u200b", "")
        assert "**supported**" in told
        assert f"judge decision jev-1.13.0 at {judge.url}" in told
        session.save(uri)
        await rest(session)
        assert judge.counts()["requests"] == 8
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        await shown_at_rest(session)
        assert judge.counts()["requests"] == 10
        assert counts(session, uri)["supported"] == 3


async def test_what_was_said_is_known_to_the_next_server(folder: Path, judge: SystemOne) -> None:
    uri = saved(folder)
    for _ in range(2):
        async with Session(folders=[folder]) as session:
            await opened(session, uri)
            session.save(uri)
            await shown_at_rest(session)
            assert counts(session, uri)["supported"] == 3
    assert judge.counts()["requests"] == 8


async def test_a_row_of_which_a_side_failed_is_not_checked_and_shown_as_nothing(folder: Path, judge: SystemOne) -> None:
    judge.script(faults=[faults.missing(holds='"lines".*LIMIT_[45]', times=None)])
    uri = saved(folder)
    async with Session(folders=[folder]) as session:
        await opened(session, uri)
        session.save(uri)
        assert (await shown_at_rest(session))[uri] == []
        assert counts(session, uri)["supported"] == 2
        assert "unsupported" not in counts(session, uri)
        status = session.discard("cite-lsp/status")[-1]
        assert (status["judged"], status["unchecked"], status["requests"]) == (2, 2, 8)
        assert "left out questions" in status["lastError"]
        (message,) = [params["message"] for params in session.discard("window/showMessage")]
        assert f"the judge at {judge.url} left out questions" in message
        judge.script(faults=[])
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert found["code"] == "unsupported"
        assert counts(session, uri)["supported"] == 3


async def test_a_newer_save_ends_what_is_under_way(folder: Path, judge: SystemOne) -> None:
    judge.script(faults=[faults.hang(times=None)])
    uri = saved(folder)
    async with Session(folders=[folder]) as session:
        await opened(session, uri)
        session.save(uri)
        assert await counted(judge, "running", 1)
        judge.script(faults=[])
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        assert await counted(judge, "gone", 1)
        await shown_at_rest(session)
        assert counts(session, uri)["supported"] == 3


async def counted(judge: SystemOne, name: str, number: int) -> bool:
    """Let the session go on until the server has counted so many."""
    return await asyncio.to_thread(judge.wait_for, lambda counts: counts[name] >= number)
