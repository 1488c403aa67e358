"""Judging over HTTP in the editor: who is asked, about what, when, and what is said where that fails."""

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server.keys import VARIABLE, take_secrets
from tests.bench.client import Client
from tests.clients.scripted import ScriptedServer, error_for, hang, until
from tests.server.at_rest import codes, opened, popups, rest, shown_at_rest, status
from tests.server.harness import CAPABILITIES, ErrorAnswerError, Session, at
from tests.server.judged import answering, choose, claims_in, rows_in

CODE = "".join(f"LIMIT_{number} = {number}\n\n" for number in range(1200))
"""Line 2n + 1 says LIMIT_n = n, and is a unit of its own."""

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "limits.py").write_text(CODE)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(answering()) as server:
        choose(monkeypatch, server, tmp_path / "cache")
        yield server


def text_of(*numbers: int, first: str = "The limit") -> str:
    """A paragraph for each number, which cites the line that says it."""
    return "".join(f"{first} of step {number} is {number} (`limits.py:{2 * number + 1}`).\n\n" for number in numbers)


def written(folder: Path, text: str, name: str = "a.md") -> str:
    (folder / name).write_text(text)
    return (folder / name).as_uri()


def commit(folder: Path, message: str) -> None:
    for command in (["add", "."], ["commit", "-qm", message]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)


def chosen_in_file(monkeypatch: pytest.MonkeyPatch, judge: ScriptedServer, person: Path) -> None:
    """Have the user's file say who judges, in place of the environment, which outranks a project."""
    for name in ("NAME", "MODEL", "BASE_URL"):
        monkeypatch.delenv(f"CITE_LSP_JUDGE_{name}")
    (person / ".config" / "cite-lsp").mkdir(parents=True)
    table = f'[judge]\nname = "openai"\nmodel = "gpt-test"\nbase_url = "{judge.base("openai")}"\n'
    (person / ".config" / "cite-lsp" / "cite-lsp.toml").write_text(table)


async def comes(true: Callable[[], bool]) -> None:
    """Wait until something is so."""
    for _ in range(2_000):
        if true():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come true")


def test_a_session_loads_nothing_of_judges_elsewhere_before_one_is_needed() -> None:
    code = (
        "import sys, cite_lsp.server.session, cite_lsp.server.features.commands, cite_lsp.server.features.hover\n"
        "print([name for name in sys.modules if name in ('httpx', 'sqlite3') or name.startswith('cite_lsp.clients')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- who is asked about what


async def test_saving_asks_about_the_rows_that_changed_and_no_others(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 13))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        assert judge.requests == []
        session.save(uri)
        assert await shown_at_rest(session) == {uri: []}
        assert sorted(map(len, map(rows_in, judge.requests))) == [2, 8]
        session.save(uri)
        await rest(session)
        assert len(judge.requests) == 2
        session.change(uri, (4, 0), (4, 9), "Our limit")
        session.save(uri)
        assert (await shown_at_rest(session))[uri] == []
        assert claims_in(judge.requests[2:]) == ["Our limit of step 5 is 5."]
        assert session.server.session.documents[uri].counts["supported"] == 10


async def test_one_edited_sentence_of_a_thousand_citations_is_one_request_with_one_row(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_REQUEST", "200")
    text = text_of(*range(3, 1003))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 1000
        before = len(judge.requests)
        session.change(uri, (1000, 0), (1000, 3), "Their")
        session.save(uri)
        await shown_at_rest(session)
        (request,) = judge.requests[before:]
        assert len(rows_in(request)) == 1
        assert session.server.session.documents[uri].counts["supported"] == 1000


async def test_a_false_claim_is_a_warning_and_hover_names_judge_reason_and_age(
    folder: Path, judge: ScriptedServer
) -> None:
    text = "The limit of step 4 is 77 (`limits.py:9`).\n\nThe limit of step 9 is 9 (`limits.py:19`).\n"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        (found,) = (await shown_at_rest(session))[uri]
        assert (found["code"], found["severity"]) == ("unsupported", 2)
        false = (await session.request("textDocument/hover", at(uri, 0, 32)))["contents"]["value"]
        assert "**unsupported**" in false
        assert "no line says it" in false or "no line bears on it" in false
        assert f"judge openai gpt-test at {judge.base('openai')}" in false.replace("\\", "").replace("\u200b", "")
        assert "just now" in false
        true = (await session.request("textDocument/hover", at(uri, 2, 32)))["contents"]["value"]
        assert "**supported**" in true
        assert ">19  LIMIT_9 = 9" in true


async def test_a_server_that_starts_again_knows_what_was_said(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 9))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
    asked_before = len(judge.requests)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 6
    assert len(judge.requests) == asked_before == 1


async def test_a_verdict_that_was_kept_says_how_old_it_is(folder: Path, judge: ScriptedServer, tmp_path: Path) -> None:
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
    with sqlite3.connect(tmp_path / "cache" / "verdicts-1.db") as database:
        database.execute("UPDATE verdicts SET at = at - 2 * 86400")
    database.close()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
        shown = (await session.request("textDocument/hover", at(uri, 0, 32)))["contents"]["value"]
        assert "2 days ago" in shown
    assert len(judge.requests) == 1


async def test_what_was_heard_before_the_end_is_known_to_the_next_server(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 19))
    uri = written(folder, text)
    judge.script(answering(), hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await comes(lambda: session.server.session.judging.queued == 8)
    assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 0)
    judge.script(answering())
    before = len(judge.requests)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 16
    assert len(claims_in(judge.requests[before:])) == 8


async def test_each_folder_has_the_judge_that_its_settings_mean(
    folder: Path, judge: ScriptedServer, tmp_path: Path, person: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project may keep to the judge that sends nothing; it may not choose another."""
    chosen_in_file(monkeypatch, judge, person)
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("import time\n\nLIMIT = 3\n")
    (other / "cite-lsp.toml").write_text('[judge]\nname = "embedded"\n')
    here, there = written(folder, text_of(3)), written(other, "`LIMIT` is 7 (`a.py:3`).\n")
    async with Session(folders=[folder, other]) as session:
        session.open(here, text_of(3))
        session.open(there, "`LIMIT` is 7 (`a.py:3`).\n")
        now = await shown_at_rest(session)
        session.save(here)
        session.save(there)
        await shown_at_rest(session, now)
        assert (codes(now[here]), codes(now[there])) == ([], ["unsupported"])
        assert [word.verdict.judge.split()[0] for uri in (here, there) for word in words(session, uri)] == [
            "openai",
            "embedded/2",
        ]
        openai, embedded = status(session)["judge"].split(", ")
        assert openai.startswith("openai gpt-test at http://127.0.0.1")
        assert embedded == "embedded/2"
    assert claims_in(judge.requests) == ["The limit of step 3 is 3."]


async def test_lines_that_change_while_they_are_judged_lose_their_verdict(folder: Path, judge: ScriptedServer) -> None:
    gate = threading.Event()
    uri, code = written(folder, text_of(5, 9)), (folder / "limits.py").as_uri()
    judge.script(answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(5, 9))
        session.open(code, CODE, language="python")
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 1)
        session.change(code, (10, 0), (10, 5), "BOUND")
        await session.settled()
        gate.set()
        await shown_at_rest(session)
        assert [word and word.verdict.label for word in words(session, uri)] == [None, "supported"]
    assert len(judge.requests) == 1


async def test_only_the_rows_of_a_sample_are_asked(folder: Path, judge: ScriptedServer) -> None:
    (folder / "cite-lsp.toml").write_text('[audit]\nscope = "sample"\nsample_per_section = 2\n')
    text = f"## One\n\n{text_of(*range(3, 9))}## Two\n\n{text_of(*range(20, 29))}"
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        counts = session.server.session.documents[uri].counts
        assert (counts["rows"], counts["supported"], counts["unchecked"]) == (4, 4, 0)
    assert len(claims_in(judge.requests)) == 4


async def test_typing_in_a_cited_file_asks_nobody_until_the_next_save(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(5, 9)
    uri, code = written(folder, text), (folder / "limits.py").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.open(code, CODE, language="python")
        session.save(uri)
        await shown_at_rest(session)
        session.change(code, (10, 0), (10, 5), "BOUND")
        await shown_at_rest(session)
        assert len(claims_in(judge.requests)) == 2
        labels = [judged and judged.verdict.label for judged in words(session, uri)]
        assert labels == [None, "supported"]
        session.save(code)
        await shown_at_rest(session)
        assert len(claims_in(judge.requests)) == 3
        assert [judged.verdict.label for judged in words(session, uri)] == ["supported", "supported"]


def words(session: Session, uri: str) -> list[Any]:
    document = session.server.session.documents[uri]
    return [judged for block in document.document.blocks for judged in document.verdicts.of(block)]


# --- while it goes on


async def test_a_newer_save_ends_the_older_run_and_keeps_what_was_heard(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 19))
    uri = written(folder, text)
    judge.script(answering(), hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: len(server.requests) == 2)
        await comes(lambda: session.server.session.judging.queued == 8)
        judge.script(answering())
        session.change(uri, (0, 0), (0, 3), "Our")
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.gone == 1)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 16
        assert session.server.session.judging.queued == 0
        asked = claims_in(judge.requests[2:])
        assert len(asked) in (8, 9)  # the changed one was among those heard, or among those that were not
        assert any(claim.startswith("Our") for claim in asked)


async def test_verdicts_are_shown_as_they_come_and_those_of_before_stay(folder: Path, judge: ScriptedServer) -> None:
    gate = threading.Event()
    false = "".join(
        f"The limit of step {number} is 7777 (`limits.py:{2 * number + 1}`).\n\n" for number in range(3, 11)
    )
    uri = written(folder, false)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, false)
        session.save(uri)
        assert codes((await shown_at_rest(session))[uri]) == ["unsupported"] * 8
        # one sentence more that is answered at once, and one that waits
        more = "The limit of step 20 is 8888 (`limits.py:41`).\n\nThe limit of step 21 is 9999 (`limits.py:43`).\n\n"
        judge.script(answering(lambda step: until(gate, step)))
        session.change(uri, (0, 0), (0, 0), more)
        assert codes(await session.diagnostics_of(uri)) == ["unsupported"] * 8
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running > 0)
        document = session.server.session.documents[uri]
        assert sum(judged is not None for judged in words(session, uri)) == 8
        assert len(document.published) == 8
        gate.set()
        assert codes((await shown_at_rest(session))[uri]) == ["unsupported"] * 10


async def test_parts_of_a_long_run_are_published_before_it_ends(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_TURNS", "1")
    gate = threading.Event()
    text = "".join(f"The limit of step {number} is 7777 (`limits.py:{2 * number + 1}`).\n\n" for number in range(3, 19))
    uri = written(folder, text)
    judge.script(answering(), answering(lambda step: until(gate, step)))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        part = await session.diagnostics(uri)
        assert len(part) == 8
        assert session.server.session.judging.busy
        gate.set()
        assert len((await shown_at_rest(session))[uri]) == 16


async def test_progress_says_how_far_it_is_and_ends_the_run(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 23))
    uri = written(folder, text)
    judge.script(answering(), hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        token = (await session.asked("window/workDoneProgress/create"))["token"]
        begin = await session.notification("$/progress")
        assert begin["token"] == token
        assert begin["value"]["kind"] == "begin"
        assert begin["value"]["cancellable"] is True
        report = await session.notification("$/progress")
        assert (report["value"]["kind"], report["value"]["message"]) == ("report", "8 of 20 citations")
        session.notify("window/workDoneProgress/cancel", {"token": token})
        await shown_at_rest(session)
        end = session.discard("$/progress")[-1]
        assert end == {"token": token, "value": {"kind": "end", "message": "stopped"}}
        counts = session.server.session.documents[uri].counts
        assert (counts["rows"], counts["supported"], counts["unchecked"]) == (20, 8, 12)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 0)


async def test_a_client_without_progress_is_asked_for_none(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 23))
    uri = written(folder, text)
    capabilities = {**CAPABILITIES, "window": {}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert not [method for method, _ in session.requests if method.startswith("window/workDone")]
        assert session.server.session.documents[uri].counts["supported"] == 20


async def test_hover_and_typing_go_on_while_a_judge_hangs(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(*range(3, 11))
    uri = written(folder, text)
    judge.script(hang())
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: server.running > 0)
        assert await session.request("textDocument/hover", at(uri, 0, 32)) is not None
        session.change(uri, (0, 0), (0, 0), "`limits.py:99999` ")
        assert codes(await session.diagnostics_of(uri)) == ["line-out-of-range"]
    assert await asyncio.to_thread(judge.wait_for, lambda server: server.running == 0)


# --- a judge that fails


async def test_a_failing_judge_is_told_of_once_for_each_cause(folder: Path, judge: ScriptedServer) -> None:
    text = text_of(3, 4)
    uri = written(folder, text)
    judge.script(error_for("openai", 401, "no"))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        for number in range(3):
            session.change(uri, (0, 0), (0, 0), f"{number} ")
            session.save(uri)
            await shown_at_rest(session)
        (message,) = popups(session)
        assert "401" in message
        assert "127.0.0.1" in message
        assert "2 citations were not checked" in message
        now = status(session)
        assert (now["judged"], now["unchecked"], now["queued"]) == (0, 2, 0)
        assert "401" in now["lastError"]
        judge.script(error_for("openai", 404, "no such model"))  # another cause
        session.save(uri)
        await shown_at_rest(session)
        assert len(popups(session)) == 1
        judge.script(answering())
        session.save(uri)
        await shown_at_rest(session)
        assert popups(session) == []
        now = status(session)
        assert (now["judged"], now["lastError"]) == (2, None)
        judge.script(error_for("openai", 404, "no such model"))  # the same again, but it has worked in between
        session.change(uri, (0, 0), (0, 0), "Again. And ")
        session.save(uri)
        await shown_at_rest(session)
        assert len(popups(session)) == 1


async def test_a_day_limit_declines_and_is_counted(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY", "8")
    text = text_of(*range(3, 13))
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        (message,) = popups(session)
        assert "max_rows_per_day" in message
        now = status(session)
        assert (now["judged"], now["declined"], now["requests"]) == (8, 2, 1)
        assert (now["tokensIn"], now["tokensOut"]) == (100, 20)
        assert now["judge"].startswith("openai gpt-test at http://127.0.0.1:")
        session.change(uri, (4, 0), (4, 3), "Our")
        session.save(uri)
        await shown_at_rest(session)
        assert popups(session) == []  # the same cause, though there are other numbers in it
        assert status(session)["declined"] == 5
    assert len(judge.requests) == 1


async def test_a_judge_that_cannot_be_made_is_said_once(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "command")
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        for _ in range(3):
            session.save(uri)
            await shown_at_rest(session)
        assert len(popups(session)) == 1
        assert status(session)["lastError"]
        assert session.server.session.documents[uri].counts == {"rows": 1, "unchecked": 1}
    assert judge.connections == 0


# --- what is not sent, and when nobody is asked


@pytest.mark.parametrize("by", ["options", "setting"])
async def test_in_an_untrusted_workspace_nothing_is_sent(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    if by == "setting":
        monkeypatch.setenv("CITE_LSP_SERVER_TRUSTED", "false")
    uri = written(folder, text_of(3, 4))
    async with Session(folders=[folder], options={"trusted": False} if by == "options" else None) as session:
        await opened(session, uri, text_of(3, 4))
        session.save(uri)
        session.save(uri)
        await shown_at_rest(session)
        (message,) = popups(session)
        assert "not trusted" in message
        counts = await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
        assert (counts["rows"], counts["unchecked"]) == (2, 2)
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert found["labels"]["unchecked"] == found["rows"] == 2
        await shown_at_rest(session)
        assert popups(session) == []
    assert judge.connections == 0


async def test_texts_that_are_excluded_or_ignored_are_not_sent_and_say_so(folder: Path, judge: ScriptedServer) -> None:
    (folder / ".gitignore").write_text("private.py\n")
    (folder / "cite-lsp.toml").write_text('[judge]\nexclude = ["secret/**", "notes.md"]\n')
    (folder / "secret").mkdir()
    for name in ("private.py", "secret/key.py"):
        (folder / name).write_text("TOKEN = 3\n")
    (folder / "way.py").symlink_to("secret/key.py")
    (folder / "other.py").symlink_to("private.py")
    text = "".join(
        f"The token is 3 here (`{name}:1`).\n\n" for name in ("private.py", "secret/key.py", "way.py", "other.py")
    )
    uri = written(folder, text + text_of(9))
    notes = written(folder, text_of(5), "notes.md")
    async with Session(folders=[folder]) as session:
        session.open(uri, text + text_of(9))
        session.open(notes, text_of(5))
        await shown_at_rest(session)
        session.save(uri)
        session.save(notes)
        await shown_at_rest(session)
        counts = session.server.session.documents[uri].counts
        assert (counts["rows"], counts["supported"], counts["unchecked"]) == (5, 1, 4)
        assert session.server.session.documents[notes].counts == {"rows": 1, "unchecked": 1}
        shown = [
            (await session.request("textDocument/hover", at(uri, 2 * line, 24)))["contents"]["value"]
            for line in range(4)
        ]
        assert ["judge.exclude" in text for text in shown] == [False, True, True, False]
        assert ["ignored by git" in text for text in shown] == [True, False, False, True]
        assert all("**unchecked**" in text for text in shown)
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert (found["rows"], found["labels"]["supported"], found["labels"]["unchecked"]) == (6, 1, 5)
        await shown_at_rest(session)
    assert claims_in(judge.requests) == ["The limit of step 9 is 9."]
    assert not any(b"TOKEN" in request.raw for request in judge.requests)


async def test_what_is_saved_before_the_files_are_listed_waits_for_it(
    folder: Path, judge: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then it is not known what git ignores."""
    (folder / ".gitignore").write_text("private.py\n")
    (folder / "private.py").write_text("TOKEN = 3\n")
    text = "The token is 3 here (`private.py:1`).\n\n" + text_of(9)
    uri = written(folder, text)
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        session.save(uri)
        await session.settled()
        assert judge.requests == []
        await shown_at_rest(session)
        counts = session.server.session.documents[uri].counts
        assert (counts["supported"], counts["unchecked"]) == (1, 1)
    assert claims_in(judge.requests) == ["The limit of step 9 is 9."]


async def test_a_file_that_has_become_ignored_or_a_link_to_what_is_ignored_is_not_sent(
    folder: Path, judge: ScriptedServer
) -> None:
    for name in ("one.py", "two.py", "private.py"):
        (folder / name).write_text("TOKEN = 3\n")
    (folder / ".gitignore").write_text("private.py\n")
    text = "The token is 3 (`one.py:1`).\n\nThe token is 3 there (`two.py:1`).\n\n"
    uri, ignore = written(folder, text), (folder / ".gitignore").as_uri()
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text)
        session.save(uri)
        await shown_at_rest(session)
        assert len(claims_in(judge.requests)) == 2
        (folder / ".gitignore").write_text("private.py\none.py\n")
        (folder / "two.py").unlink()
        (folder / "two.py").symlink_to("private.py")
        session.change_all(uri, text.replace("The token", "Its token"))
        session.save(ignore)
        session.save(uri)  # before the files are listed anew
        session.files_changed(((folder / "two.py").as_uri(), 2))
        await shown_at_rest(session)
        assert len(claims_in(judge.requests)) == 2
        reasons = [word.verdict.reason for word in words(session, uri)]
        assert all("ignored by git" in reason for reason in reasons)


@pytest.mark.parametrize("run", ["manual", "off"])
async def test_nobody_is_asked_where_the_settings_say_so(folder: Path, judge: ScriptedServer, run: str) -> None:
    (folder / "cite-lsp.toml").write_text(f'[judge]\nrun = "{run}"\n')
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await rest(session)
        assert judge.connections == 0
        if run == "manual":
            counts = await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
            assert counts["supported"] == 1
            await shown_at_rest(session)
        else:
            with pytest.raises(ErrorAnswerError, match="switched off"):
                await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
            found = await session.command("cite-lsp.server.judgeWorkspace")
            assert (found["rows"], found["documents"]["not-judged"]) == (0, 1)
            assert judge.connections == 0


# --- the workspace


async def test_the_whole_workspace_is_judged_closed_documents_too(folder: Path, judge: ScriptedServer) -> None:
    (folder / "docs").mkdir()
    for number in range(20):
        written(folder, text_of(number + 3, number + 30), f"docs/{number}.md")
    false = written(folder, "The limit of step 4 is 7777 (`limits.py:9`).\n", "false.md")
    written(folder, "Nothing is cited here.\n", "vacuous.md")
    uri = written(folder, text_of(3), "a.md")
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(100))  # not saved: the buffer counts
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert found["rows"] == 42
        assert (found["labels"]["supported"], found["labels"]["unsupported"]) == (41, 1)
        assert found["documents"] == {
            "not-judged": 0, "findings": 1, "accepted": 0, "partial": 0, "review": 0, "vacuous": 1, "clean": 21,
        }  # fmt: skip
        assert found["cancelled"] is False
        assert "The limit of step 100 is 100." in claims_in(judge.requests)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 1
        before = len(judge.requests)
        session.open(false, "The limit of step 4 is 7777 (`limits.py:9`).\n")
        session.save(false)
        assert codes((await shown_at_rest(session))[false]) == ["unsupported"]
        assert len(judge.requests) == before
        assert (await session.command("cite-lsp.server.judgeWorkspace"))["rows"] == 42
        await shown_at_rest(session)
        assert len(judge.requests) == before


async def test_a_record_is_judged_by_the_lines_as_they_were_when_it_was_written(
    folder: Path, judge: ScriptedServer
) -> None:
    (folder / "docs" / "adr").mkdir(parents=True)
    text = text_of(5)
    written(folder, text, "docs/adr/0001.md")
    commit(folder, "write")
    (folder / "limits.py").write_text(CODE.replace("LIMIT_5 = 5", "LIMIT = 777"))
    commit(folder, "change")
    written(folder, text, "today.md")
    async with Session(folders=[folder]) as session:
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert found["documents"]["clean"] == found["documents"]["findings"] == 1
        assert (found["labels"]["supported"], found["labels"]["unsupported"]) == (1, 1)


async def test_the_embedded_judge_judges_the_workspace_as_well(folder: Path) -> None:
    (folder / "a.py").write_text("import time\n\nLIMIT = 3\n")
    written(folder, "`LIMIT` is 7 (`a.py:3`).\n", "false.md")
    written(folder, "`LIMIT` is 3 (`a.py:3`).\n", "true.md")
    async with Session(folders=[folder]) as session:
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert (found["rows"], found["labels"]["unsupported"], found["documents"]["findings"]) == (2, 1, 1)


async def test_where_no_folder_is_open_there_is_no_workspace_to_judge(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(3))
    async with Session(folders=None) as session:
        found = await session.command("cite-lsp.server.judgeWorkspace")
        assert (found["rows"], sum(found["documents"].values())) == (0, 0)
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["supported"] == 1


async def test_a_cache_that_cannot_be_written_is_said_once_and_verdicts_are_shown(
    folder: Path, judge: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "file" / "cache"))
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        for number in range(3):
            session.change(uri, (0, 0), (0, 0), f"{number} and ")
            session.save(uri)
            await shown_at_rest(session)
            assert session.server.session.documents[uri].counts["supported"] == 1
        (message,) = popups(session)
        assert str(tmp_path / "file") in message


async def test_judging_the_workspace_can_be_ended(folder: Path, judge: ScriptedServer) -> None:
    for number in range(40):
        written(folder, text_of(number + 3), f"{number}.md")
    judge.script(answering(), answering(), hang())
    async with Session(folders=[folder]) as session:
        command = session.start(
            "workspace/executeCommand", {"command": "cite-lsp.server.judgeWorkspace", "arguments": []}
        )
        token = (await session.asked("window/workDoneProgress/create"))["token"]
        begin = await session.notification("$/progress")
        assert begin["value"]["title"] == "Judging the workspace"
        assert await asyncio.to_thread(judge.wait_for, lambda server: len(server.requests) >= 3)
        refused = await session.request_error(
            "workspace/executeCommand", {"command": "cite-lsp.server.judgeWorkspace", "arguments": []}
        )
        assert "already" in refused["message"]
        session.notify("window/workDoneProgress/cancel", {"token": token})
        found = (await session.answer(command))["result"]
        assert found["cancelled"] is True
        assert sum(found["documents"].values()) == 40
        assert found["documents"]["not-judged"] >= 24
        assert session.discard("$/progress")[-1]["value"] == {"kind": "end", "message": "stopped"}


async def test_a_cleared_cache_knows_nothing_of_before(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(3, 4))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3, 4))
        session.save(uri)
        await shown_at_rest(session)
        assert len(judge.requests) == 1
        assert await session.command("cite-lsp.server.clearCache") == 2
        session.save(uri)
        await shown_at_rest(session)
        assert len(judge.requests) == 2
        commands = session.capabilities_of_server["executeCommandProvider"]["commands"]
        assert {f"cite-lsp.server.{name}" for name in ("judgeDocument", "judgeWorkspace", "clearCache")} <= set(
            commands
        )


# --- what a repository may not do


def ours(judge: ScriptedServer, bait: socket.socket) -> dict[str, Any]:
    return {
        "name": "openai",
        "base_url": f"http://127.0.0.1:{bait.getsockname()[1]}/v1",
        "api_key_env": "PRIVATE_KEY",
        "headers": {"Authorization": "Bearer $PRIVATE_KEY"},
        "command": ["touch", "ran"],
    }


@pytest.fixture
def bait() -> Iterator[socket.socket]:
    """A socket that listens, and that nobody must come to."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.setblocking(False)
        yield listener
        with pytest.raises(BlockingIOError):
            listener.accept()


@pytest.mark.parametrize("way", ["cite-lsp.toml", "pyproject.toml", "options", "pulled", "pushed"])
@pytest.mark.parametrize("chosen", ["openai", "embedded"])
async def test_a_repository_cannot_name_who_is_asked(
    folder: Path,
    judge: ScriptedServer,
    bait: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    chosen: str,
) -> None:
    """Its settings are refused with a message, and work goes on with the user's judge."""
    monkeypatch.setenv("PRIVATE_KEY", "sk-private-of-the-user")
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", chosen)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{bait.getsockname()[1]}/v1")
    monkeypatch.setenv("OPENAI_API_BASE", f"http://127.0.0.1:{bait.getsockname()[1]}/v1")
    given = ours(judge, bait)
    if way.endswith(".toml"):
        table = "judge" if way == "cite-lsp.toml" else "tool.cite-lsp.judge"
        rows = [f"{name} = {json.dumps(value)}" for name, value in given.items() if name != "headers"]
        rows.append('headers = { Authorization = "Bearer $PRIVATE_KEY" }')
        (folder / way).write_text(f"[{table}]\n" + "\n".join(rows) + "\n")
    (folder / ".env").write_text(f"OPENAI_BASE_URL={given['base_url']}\nCITE_LSP_JUDGE_BASE_URL={given['base_url']}\n")
    tree = {"judge": given}
    uri = written(folder, text_of(3))
    settings = tree if way == "pulled" else None
    async with Session(folders=[folder], options=tree if way == "options" else None, settings=settings) as session:
        session.open(uri, text_of(3))
        if way == "pushed":
            session.configure(tree)
        now = await shown_at_rest(session)
        session.save(uri)
        await shown_at_rest(session, now)
        refused = [each["message"] for diagnostics in now.values() for each in diagnostics] + popups(session)
        assert sum("judge.base_url" in message for message in refused) == 1
        assert sum("judge.api_key_env" in message for message in refused) == 1
        assert not any("sk-private" in message for message in refused)
        counts = session.server.session.documents[uri].counts
        assert counts["rows"] == 1
        if chosen == "openai":
            assert counts["supported"] == 1
        session.discard("cite-lsp/status")
    assert len(judge.requests) == (1 if chosen == "openai" else 0)
    assert not any(b"sk-private" in json.dumps(dict(request.headers)).encode() for request in judge.requests)
    assert not (folder / "ran").exists()


async def test_openai_base_url_is_not_read_where_the_user_names_no_address(
    folder: Path, tmp_path: Path, bait: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The provider's own address is asked then; here there is no key for it, so nothing is."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_BASE"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{bait.getsockname()[1]}/v1")
    for name in ("OPENAI_API_KEY", "CITE_LSP_JUDGE_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "openai")
    monkeypatch.setenv("CITE_LSP_JUDGE_MODEL", "gpt-test")
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
    uri = written(folder, text_of(3))
    async with Session(folders=[folder]) as session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
        (message,) = popups(session)
        assert "no key" in message
        assert "api.openai.com" in message
        session.discard("cite-lsp/status")


# --- keys that the editor hands over


def test_the_keys_are_taken_out_of_the_environment() -> None:
    environment = {VARIABLE: '{"api.example.org": "sk-one", "LocalHost:8000": "sk-two", "": "x", "b": ""}', "HOME": "/"}
    assert take_secrets(environment) == {"api.example.org": "sk-one", "localhost:8000": "sk-two"}
    assert environment == {"HOME": "/"}
    assert take_secrets(environment) == {}


@pytest.mark.parametrize("text", ["sk-bare", "[]", '{"a": 1}', '{"a": ', "null", "[" * 100_000])
def test_what_is_no_object_of_keys_is_not_used_and_not_shown(text: str, caplog: pytest.LogCaptureFixture) -> None:
    environment = {VARIABLE: text}
    assert take_secrets(environment) == {}
    assert environment == {}
    assert VARIABLE in caplog.text
    assert "sk-bare" not in caplog.text


async def test_a_key_of_the_editor_goes_to_its_host_only(folder: Path, judge: ScriptedServer) -> None:
    uri = written(folder, text_of(3))
    session = Session(folders=[folder])
    make = session._make

    def with_secrets(leave: Any) -> Any:
        server = make(leave)
        server.secrets = {f"127.0.0.1:{judge.port}": "sk-of-the-editor", "127.0.0.1:1": "sk-other"}
        return server

    session._make = with_secrets
    async with session:
        await opened(session, uri, text_of(3))
        session.save(uri)
        await shown_at_rest(session)
    (request,) = judge.requests
    assert request.headers["authorization"] == "Bearer sk-of-the-editor"


def test_the_process_takes_its_keys_and_no_child_inherits_them(
    folder: Path, judge: ScriptedServer, tmp_path: Path
) -> None:
    """The real process, with its worker beside it."""
    secrets = json.dumps({f"127.0.0.1:{judge.port}": "sk-of-the-editor"})
    uri = written(folder, text_of(3))
    command = [sys.executable, "-m", "cite_lsp", "serve", "--stdio"]
    with Client(command, folder, {**os.environ, VARIABLE: secrets}) as client:
        client.initialize()
        client.initialized()
        client.open("a.md", text_of(3))
        client.findings("a.md")
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        assert judge.wait_for(lambda server: len(server.requests) == 1)
        assert judge.requests[0].headers["authorization"] == "Bearer sk-of-the-editor"
        children = [child for task in Path(f"/proc/{client.pid}/task").iterdir() for child in _children(task)]
        assert children
        for child in children:
            assert b"sk-of-the-editor" not in Path(f"/proc/{child}/environ").read_bytes()
        client.leave()


def test_a_process_whose_judge_hangs_ends_when_it_should(folder: Path, judge: ScriptedServer) -> None:
    judge.script(hang())
    uri = written(folder, text_of(3))
    with Client([sys.executable, "-m", "cite_lsp", "serve", "--stdio"], folder, dict(os.environ)) as client:
        client.initialize()
        client.initialized()
        client.open("a.md", text_of(3))
        client.findings("a.md")
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        assert judge.wait_for(lambda server: server.running == 1)
        client.leave()
    assert judge.wait_for(lambda server: server.running == 0)


def _children(task: Path) -> list[str]:
    return (task / "children").read_text().split()


@pytest.mark.parametrize("how", ["by a file", "by the editor", "unchanged"])
async def test_settings_that_change_end_a_run_that_they_do_not_allow(
    folder: Path, judge: ScriptedServer, how: str
) -> None:
    """What a person forbids while a run is under way is not sent any more, however much of it is left."""
    go = threading.Event()
    now: dict[str, Any] = {}
    judge.script(answering(lambda step: until(go, step)))
    text = text_of(*range(1, 60))
    uri = written(folder, text)
    async with Session(folders=[folder], settings=lambda _: now) as session:
        await opened(session, uri, text)
        session.save(uri)
        assert await asyncio.to_thread(judge.wait_for, lambda server: len(server.requests) == 1)
        if how == "by a file":
            (folder / "cite-lsp.toml").write_text('[judge]\nexclude = ["limits.py"]\n')
            session.files_changed(((folder / "cite-lsp.toml").as_uri(), 1))
        else:
            now = {"judge": {"exclude": ["limits.py"]}} if how == "by the editor" else {"records": ["old/**"]}
            session.configure(None)
        await session.request("textDocument/hover", at(uri, 0, 24))
        go.set()
        await shown_at_rest(session)
        counts = session.server.session.documents[uri].counts
        assert counts["supported" if how == "unchanged" else "unchecked"] == 59
    assert len(judge.requests) == (8 if how == "unchanged" else 1)
