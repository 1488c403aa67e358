"""Paths that may be offered are made ready ahead: when, and for whom."""

import asyncio
from pathlib import Path

import pytest

from tests.server.at_rest import HANG
from tests.server.drift_desk import Desk
from tests.server.harness import CAPABILITIES

CREATED = 1


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr("cite_lsp.server.offers._REST", 0.2)
    return Desk(tmp_path).write("a.py", "x = 1\n").write("a.md", "It is one (`a.py:1`).\n")


async def made(desk: Desk, times: int) -> None:
    """Wait until paths were made ready so often, and a little longer: not more often."""
    end = asyncio.get_running_loop().time() + HANG
    while desk.calls["offering"] < times:
        assert asyncio.get_running_loop().time() < end, desk.calls
        await asyncio.sleep(0.01)
    await desk.rest()
    await asyncio.sleep(0.4)
    assert desk.calls["offering"] == times


async def test_behind_the_first_document_and_behind_other_files(desk: Desk) -> None:
    async with desk.at_work():
        await made(desk, 0)
        desk.open("a.md")
        await made(desk, 1)
        desk.write("b.py", "y = 2\n").session.files_changed((desk.uri("b.py"), CREATED))
        await made(desk, 2)
        root = desk.session.server.session.workspace.roots[0]
        assert await desk.session.server.session.worker.call("offered", root=root, typed="b.p") == [[0, "b.py"]]


async def test_findings_come_first(desk: Desk) -> None:
    desk.commit()
    gate = asyncio.Event()
    async with desk.at_work():
        desk.hold("baselines", gate)
        desk.open("a.md")
        await asyncio.sleep(0.7)
        assert desk.calls["baselines"] == 1
        assert desk.calls["offering"] == 0
        gate.set()
        await made(desk, 1)


async def test_a_worker_that_is_lost_over_it_costs_nothing(desk: Desk) -> None:
    async with desk.at_work():
        desk.lose("offering", 1)
        desk.open("a.md")
        await made(desk, 1)
        assert await desk.says() == []


async def test_not_for_a_client_that_does_not_complete(desk: Desk) -> None:
    document = {name: can for name, can in CAPABILITIES["textDocument"].items() if name != "completion"}
    async with desk.at_work(capabilities={**CAPABILITIES, "textDocument": document}):
        desk.open("a.md")
        await made(desk, 0)


async def test_not_where_a_setting_switches_completion_off(desk: Desk) -> None:
    async with desk.at_work(options={"judge": {"run": "off"}, "server": {"completion": False}}):
        desk.open("a.md")
        await made(desk, 0)
