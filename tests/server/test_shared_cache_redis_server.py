"""Editors over a shared cache: what a colleague has asked is there, and a save never waits for a cache that is away."""

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.clients.scripted import ScriptedServer
from tests.server.at_rest import opened, popups, rest, shown_at_rest, status
from tests.server.harness import Session
from tests.server.judged import answering, choose, claims_in
from tests.store.redis_process import RedisProcess, needed

pytestmark = pytest.mark.usefixtures("person")

CODE = "".join(f"LIMIT_{number} = {number}\n\n" for number in range(99))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text(CODE)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisProcess]:
    needed()
    server = RedisProcess(tmp_path)
    yield server
    server.kill()


@pytest.fixture
def judge() -> Iterator[ScriptedServer]:
    with ScriptedServer(answering()) as server:
        yield server


@pytest.fixture
def at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, judge: ScriptedServer, redis: RedisProcess
) -> Callable[[str], None]:
    """Be somebody with a machine of their own, and the team's cache."""

    def sit(name: str) -> None:
        choose(monkeypatch, judge, tmp_path / name)
        monkeypatch.setenv("CITE_LSP_CACHE_URL", redis.url)

    return sit


def text_of(*numbers: int) -> str:
    return "".join(f"The limit of step {number} is {number} (`limits.py:{2 * number + 1}`).\n\n" for number in numbers)


def written(folder: Path, text: str) -> str:
    (folder / "a.md").write_text(text)
    return (folder / "a.md").as_uri()


async def connected(session: Session, uri: str) -> None:
    """Wait until the session can look things up: on a slow machine a first save may be done before."""
    inner = session.server.session
    settings = inner.documents[uri].place.settings
    await inner.judges.load(settings)
    for _ in range(2_000):
        if inner.judges.shared(settings).connected:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it was not connected")


async def saved(folder: Path, numbers: range) -> dict[str, object]:
    """Open and save a document in a session of its own; give the status in the end."""
    text = text_of(*numbers)
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        await connected(session, uri)
        session.save(uri)
        assert (await shown_at_rest(session))[uri] == []
        assert popups(session) == []
        return {**status(session), "supported": session.server.session.documents[uri].counts["supported"]}


async def test_what_a_colleague_has_asked_is_not_asked_again(
    folder: Path, judge: ScriptedServer, redis: RedisProcess, at: Callable[[str], None]
) -> None:
    at("one")
    assert (await saved(folder, range(3, 13)))["supported"] == 10
    assert len(claims_in(judge.requests)) == 10
    assert redis.client().dbsize() == 10  # written by the end of the session
    at("two")
    found = await saved(folder, range(3, 14))
    assert (found["supported"], found["lastError"]) == (11, None)
    assert claims_in(judge.requests)[10:] == ["The limit of step 13 is 13."]
    assert redis.client().dbsize() == 11


async def test_a_cache_that_is_away_is_said_in_the_status_and_nowhere_else(
    folder: Path, judge: ScriptedServer, redis: RedisProcess, at: Callable[[str], None]
) -> None:
    at("one")
    redis.kill()
    text = text_of(3, 4)
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await rest(session)
        session.save(uri)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 2
        assert f"the shared cache at redis://127.0.0.1:{redis.port}/0 cannot be reached" in status(session)["lastError"]
        assert popups(session) == []
        redis.start()
        shared = session.server.session.judges
        for _ in range(2_000):
            if not shared.shared_message:
                break
            await asyncio.sleep(0.01)
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        await shown_at_rest(session)
        assert status(session)["lastError"] is None
    assert len(claims_in(judge.requests)) == 3
    assert redis.client().dbsize() == 3


async def test_in_an_untrusted_workspace_the_shared_cache_is_left_alone(
    folder: Path, judge: ScriptedServer, redis: RedisProcess, at: Callable[[str], None]
) -> None:
    at("one")
    text = text_of(3)
    uri = written(folder, text)
    before = redis.client().info("stats")["total_connections_received"]
    async with Session(folders=[folder], options={"trusted": False}) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        popups(session)
        assert session.server.session.judges._shared == {}
    assert redis.client().info("stats")["total_connections_received"] == before + 1  # the one that asks
    assert judge.requests == []
