"""What changes while a judge over HTTP is asked: settings, the document, the cache, and who waits for the outcome."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker, WorkerLost
from tests.clients.scripted import ScriptedServer, error_for, hang, until
from tests.server.at_rest import opened, popups, shown_at_rest, status
from tests.server.harness import ErrorAnswerError, Session, at
from tests.server.judged import answering, choose, claims_in
from tests.server.test_judging_server import CODE, comes, text_of, words, written

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text(CODE)
    return folder


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(answering()) as server:
        choose(monkeypatch, server, tmp_path / "cache")
        yield server


def set_project(session: Session, folder: Path, text: str) -> None:
    there = (folder / "cite-lsp.toml").exists()
    (folder / "cite-lsp.toml").write_text(text)
    session.files_changed(((folder / "cite-lsp.toml").as_uri(), 2 if there else 1))


@pytest.mark.parametrize(
    ("text", "supported", "asked"),
    [
        ('[audit]\nscope = "sample"\nsample_per_section = 2\n', 2, None),
        ('[judge]\nexclude = ["limits.py"]\n', 0, 8),
        ('[judge]\nexclude = ["a.md"]\n', 0, 8),
        ('[judge]\nrun = "off"\n', 0, 8),
        ('[files]\nexclude = ["a.md"]\n', 0, 8),
        ('[rules]\nmissing = "hint"\n', 16, 16),
    ],
)
async def test_settings_that_change_while_rows_are_asked_hold_for_those_that_are_left(
    folder: Path, judge: ScriptedServer, text: str, supported: int, asked: int | None
) -> None:
    gate = threading.Event()
    document = text_of(*range(3, 19))
    uri = written(folder, document)
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, document)
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        set_project(session, folder, text)
        await session.settled()
        gate.set()
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == supported
        assert popups(session) == []
        now = status(session)
        assert (now["lastError"], now["queued"]) == (None, 0)
    assert asked is None or len(claims_in(judge.requests)) == asked


async def test_a_file_that_is_excluded_while_the_workspace_is_judged_is_not_sent(
    folder: Path, judge: ScriptedServer
) -> None:
    for number in range(40):
        written(folder, text_of(number + 3), f"{number:02}.md")
    gate = threading.Event()
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        command = {"command": "cite-lsp.server.judgeWorkspace", "arguments": []}
        number = session.start("workspace/executeCommand", command)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        set_project(session, folder, '[judge]\nexclude = ["limits.py"]\n')
        await session.settled()
        gate.set()
        found = (await session.answer(number))["result"]
        assert found["rows"] == 40
        assert found["labels"]["unchecked"] >= 24
        await shown_at_rest(session)
        assert popups(session) == []
        session.discard("$/progress")
    assert len(claims_in(judge.requests)) <= 16  # those that were read together with the first


async def test_clearing_the_cache_disturbs_no_question(folder: Path, judge: ScriptedServer) -> None:
    gate = threading.Event()
    uri = written(folder, text_of(*range(3, 19)))
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(*range(3, 19)))
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        assert await session.command("cite-lsp.server.clearCache") == 0
        gate.set()
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 16
        assert status(session)["lastError"] is None
    assert len(judge.requests) == 2


async def test_who_waits_for_a_run_gets_the_outcome_of_the_one_that_takes_its_place(
    folder: Path, judge: ScriptedServer
) -> None:
    gate = threading.Event()
    uri = written(folder, text_of(*range(3, 10)))
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(*range(3, 10)))
        command = {"command": "cite-lsp.server.judgeDocument", "arguments": [{"uri": uri}]}
        number = session.start("workspace/executeCommand", command)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        gate.set()
        assert (await session.answer(number))["result"]["supported"] == 7
        await shown_at_rest(session)


async def test_what_was_heard_before_a_command_is_cancelled_is_shown(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(*range(3, 19)))
    judge.script(answering(), hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(*range(3, 19)))
        command = {"command": "cite-lsp.server.judgeDocument", "arguments": [{"uri": uri}]}
        number = session.start("workspace/executeCommand", command)
        await comes(lambda: session.server.session.judging.queued == 8)
        session.cancel(number)
        assert (await session.answer(number))["error"]["code"] == -32800
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 0)
        await shown_at_rest(session)
        counts = session.server.session.documents[uri].counts
        assert (counts["supported"], counts["unchecked"]) == (8, 8)
        session.discard("$/progress")
    assert len(judge.requests) <= 2


async def test_an_error_is_over_when_nothing_is_left_to_ask(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(3, 4))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3, 4))
        session.save(uri)
        await shown_at_rest(session)
        judge.script(error_for("openai", 401, "no"))
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        await shown_at_rest(session)
        assert "401" in status(session)["lastError"]
        session.change(uri, (0, 0), (0, 3), "The")  # undone
        session.save(uri)
        await shown_at_rest(session)
        assert status(session)["lastError"] is None
        assert [word.verdict.label for word in words(session, uri)] == ["supported", "supported"]
        assert len(popups(session)) == 1


async def test_hover_names_no_judge_and_no_age_where_nobody_was_asked(folder: Path, judge: ScriptedServer) -> None:
    (folder / "cite-lsp.toml").write_text('[judge]\nexclude = ["limits.py"]\n')
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
        shown = (await session.request("textDocument/hover", at(uri, 0, 32)))["contents"]["value"]
        assert "judge.exclude" in shown
        assert "— judge" not in shown
        assert "just now" not in shown


async def test_shutdown_is_answered_though_exit_comes_with_it(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(*range(3, 19)))
    judge.script(answering(), hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(*range(3, 19)))
        session.save(uri)
        await comes(lambda: session.server.session.judging.queued == 8)
        frames = [{"id": 999, "method": "shutdown"}, {"method": "exit"}]
        bodies = [json.dumps({"jsonrpc": "2.0", **each}).encode() for each in frames]
        session.feed(b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies))
        assert session.exits == []  # the answer comes first
        assert "error" not in await session.answer(999)
        await comes(lambda: session.exits == [0])
        session.discard("$/progress")


async def test_a_workspace_whose_files_cannot_be_listed_is_not_called_judged(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder, text_of(3))
    call = Worker.call

    async def failing(worker: Worker, do: str, **params: Any) -> Any:
        if do == "paths":
            raise WorkerLost("the worker ended twice over this request")
        return await call(worker, do, **params)

    monkeypatch.setattr(Worker, "call", failing)
    async with Session(folders=[folder]) as session:
        with pytest.raises(ErrorAnswerError, match="nothing was judged: the files could not be listed"):
            await session.command("cite-lsp.server.judgeWorkspace")
        session.discard("cite-lsp/status")
    assert judge.connections == 0


async def test_an_edit_that_comes_as_a_run_ends_is_looked_over_by_the_next_one(
    folder: Path, judge: ScriptedServer
) -> None:
    """The run that follows, for lines that changed meanwhile, begins with what was checked and nothing newer."""
    gate = threading.Event()
    uri, code = written(folder, text_of(5, 9)), (folder / "limits.py").as_uri()
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(5, 9))
        session.open(code, CODE, language="python")
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        session.change(code, (10, 0), (10, 5), "BOUND")
        inner = session.server.session
        await comes(lambda: inner.judging._outdated != set())
        told = inner.judging._told

        def told_and_typed(document: Any) -> None:
            told(document)  # the last that a run does; what is typed now comes before anybody is told of its end
            asyncio.get_running_loop().call_soon(session.change, uri, (0, 0), (0, 3), "Our")
            inner.judging._told = told

        inner.judging._told = told_and_typed
        gate.set()
        await shown_at_rest(session)
        assert status(session)["lastError"] is None
        assert [word and word.verdict.label for word in words(session, uri)] == [None, "supported"]
