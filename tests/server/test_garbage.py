"""Garbage of cycles is looked for while nobody waits, and only then."""

import asyncio
import gc
import weakref

import pytest

from cite_lsp.server import garbage
from cite_lsp.server.garbage import Garbage


class Ring:
    def __init__(self) -> None:
        self.me = self


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_BETWEEN", 0.05)
    monkeypatch.setattr(garbage, "_REST", 0.1)


async def wait_for(looks: list[float], count: int) -> None:
    async with asyncio.timeout(60):
        while len(looks) < count:  # noqa: ASYNC110 - the look is no event of the test
            await asyncio.sleep(0.01)


async def test_what_is_old_and_hangs_on_itself_goes_once_messages_rest() -> None:
    ring = Ring()
    gone = weakref.ref(ring)
    gc.collect()  # it is old now
    before, _ = gc.get_threshold(), gc.set_threshold(100_000, 50, 50)
    given_back = asyncio.Event()
    loop = asyncio.get_running_loop()
    try:
        del ring
        assert gone() is not None
        Garbage(loop, lambda: loop.call_soon_threadsafe(given_back.set)).heard()
        async with asyncio.timeout(60):
            await given_back.wait()
        assert gone() is None
    finally:
        gc.set_threshold(*before)


async def test_none_is_looked_for_while_messages_come_nor_where_none_came() -> None:
    loop, looks = asyncio.get_running_loop(), list[float]()
    one = Garbage(loop, lambda: None, lambda: looks.append(loop.time()))
    await asyncio.sleep(0.3)
    assert not looks
    last = 0.0
    for _ in range(30):
        last = loop.time()
        one.heard()
        await asyncio.sleep(0.01)
        assert not looks or looks[0] - last >= 0.1  # where this test was kept waiting
    await wait_for(looks, 1)
    assert looks[0] - last >= 0.1
    await asyncio.sleep(0.3)
    assert len(looks) == 1
    one.heard()
    await wait_for(looks, 2)


async def test_looks_that_take_long_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(garbage, "_TIMES", 1e9)
    loop, looks = asyncio.get_running_loop(), list[float]()
    one = Garbage(loop, lambda: None, lambda: looks.append(loop.time()))
    one.heard()
    await wait_for(looks, 1)
    one.heard()
    await asyncio.sleep(0.3)
    assert len(looks) == 1
