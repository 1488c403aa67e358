"""What no client should send and what no machine should do: the server answers or keeps silent, and goes on."""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

import cite_lsp.server.session as session_module
from cite_lsp.worker.client import Worker
from tests.server.at_rest import codes, popups, rest, shown, shown_at_rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session, at, range_of

CODE = "import time\n\nLIMIT = 3\n\n\ndef retry(call):\n    for attempt in range(LIMIT):\n        call()\n"
TEXT = "`LIMIT` is 7 (`a.py:3`).\n\nSee `a.py:99`.\n"
NO_PULL = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], "configuration": False}}
BIG = 2**31 - 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "a.md").write_text(TEXT)
    return tmp_path


async def alive(session: Session, folder: Path, name: str = "alive.md") -> None:
    """Fail where a document that is opened now is not checked."""
    uri = (folder / name).as_uri()
    session.open(uri, "See `a.py:99`.\n")
    assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]
    session.close(uri)
    await shown_at_rest(session)


# --- positions and ranges


def asking(uri: str) -> list[tuple[str, dict[str, Any]]]:
    """Every request about a place or a document."""
    place = at(uri, 0, 0)
    document = {"textDocument": {"uri": uri}}
    return [
        ("textDocument/hover", place),
        ("textDocument/definition", place),
        ("textDocument/declaration", place),
        ("textDocument/documentLink", document),
        ("textDocument/codeAction", {**document, "range": range_of((0, 0), (0, 0)), "context": {"diagnostics": []}}),
    ]


@pytest.mark.parametrize("place", [(0, BIG), (BIG, 0), (BIG, BIG), (3, 0), (3, 5), (2, 15)])
async def test_a_position_past_the_end_is_the_end(folder: Path, place: tuple[int, int]) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        for method in ("hover", "definition", "declaration"):
            assert await session.request(f"textDocument/{method}", at(uri, *place)) is None
        params = {"textDocument": {"uri": uri}, "range": range_of(place, place), "context": {"diagnostics": []}}
        assert await session.request("textDocument/codeAction", params) == []


@pytest.mark.parametrize("place", [(-1, 0), (0, -1), ("x", 0), (None, 0), (2**31, 0), ([], {})])
async def test_a_position_that_is_none_is_refused(folder: Path, place: tuple[Any, Any]) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        for method in ("hover", "definition", "declaration"):
            error = await session.request_error(f"textDocument/{method}", at(uri, *place))
            assert error["code"] == -32602
        params = {"textDocument": {"uri": uri}, "range": range_of((0, 0), place), "context": {"diagnostics": []}}
        assert (await session.request_error("textDocument/codeAction", params))["code"] == -32602
        # a change at no place is dropped as a whole, and the text stays what it was
        session.change(uri, (0, 0), place, "lost")
        await session.settled()
        assert session.server.session.documents[uri].buffer.text == TEXT


async def test_a_code_action_for_a_reversed_range_is_answered(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:7-99`.\n")
        await shown_at_rest(session)
        span = range_of((0, 12), (0, 7))
        params = {"textDocument": {"uri": uri}, "range": span, "context": {"diagnostics": []}}
        titles = [action["title"] for action in await session.request("textDocument/codeAction", params)]
        assert (titles[0], titles[2]) == ("End at line 8", "Ignore end-out-of-range here")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_wild_edits_are_clamped_and_what_was_told_stays_in_step(folder: Path, encoding: str) -> None:
    uri = (folder / "a.md").as_uri()
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        session.open(uri, "😀 `a.py:99`\r\nsecond")
        session.change(uri, (0, BIG), (0, BIG), "!")
        session.change(uri, (7, 3), (9, 9), "\nSee `a.py:98`.")
        text = "😀 `a.py:99`!\r\nsecond\nSee `a.py:98`."
        found = (await shown_at_rest(session))[uri]
        assert session.server.session.documents[uri].buffer.text == text
        assert [each["message"] for each in found] == [
            f"`a.py` has 8 lines; line {number} does not exist" for number in (99, 98)
        ]
        assert found[1]["range"] == range_of((2, 5), (2, 12))


# --- documents that come and go as they should not


async def test_what_is_said_of_a_document_that_is_not_open(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.change(uri, (0, 0), (0, 0), "x")
        session.save(uri)
        session.close(uri)
        for method, params in asking(uri):
            assert await session.request(method, params) is None
        for name in ("judgeDocument", "fixAll", "requestRepair"):
            argument = {"uri": uri, "range": range_of((0, 0), (0, 0))}
            error = await session.request_error(
                "workspace/executeCommand", {"command": f"cite-lsp.server.{name}", "arguments": [argument]}
            )
            assert error["code"] == -32602
            assert "is not open" in error["message"]
        await rest(session)
        await alive(session, folder)


async def test_opening_twice_takes_the_second_text_and_closing_twice_is_closing(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:98`.\n")
        session.open(uri, "See `a.py:3`.\n", version=7)
        assert (await shown_at_rest(session))[uri] == []
        session.change_all(uri, "See `a.py:97`.\n")
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]
        session.close(uri)
        assert await session.diagnostics(uri) == []
        session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        await rest(session)
        await alive(session, folder)


async def test_a_thousand_edits_in_one_message(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "\n" * 2000)
        session.changes(uri, [((2 * line, 0), (2 * line, 0), "See `a.py:99`.") for line in range(1000)])
        found = (await shown_at_rest(session))[uri]
        assert len(found) == 501
        assert "500 more findings" in found[-1]["message"]


async def test_a_change_of_five_megabytes(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:99`.\n")
        session.change(uri, (1, 0), (1, 0), "words and words\n" * 330_000)
        session.change(uri, (0, 0), (0, 0), "x")
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]
        await alive(session, folder)


async def test_a_document_over_the_limit_is_not_read_and_that_is_said(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(
        folders=[folder], capabilities=NO_PULL, options={"files": {"max_document_bytes": 1000}}
    ) as session:
        session.open(uri, "See `a.py:99`.\n" + "words\n" * 1000)
        found = (await shown_at_rest(session))[uri]
        assert len(found) == 1
        assert "max_document_bytes" in found[0]["message"]
        session.change_all(uri, "See `a.py:99`.\n")
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]


# --- params of any kind

METHODS = (
    "textDocument/hover", "textDocument/definition", "textDocument/declaration", "textDocument/documentLink",
    "textDocument/codeAction", "codeAction/resolve", "workspace/executeCommand", "textDocument/inlayHint",
    "textDocument/codeLens", "workspace/symbol", "workspace/willDeleteFiles",
)  # fmt: skip
NOTIFICATIONS = (
    "textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
    "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "workspace/didChangeWorkspaceFolders",
    "initialized", "$/setTrace", "$/cancelRequest", "workspace/didDeleteFiles",
)  # fmt: skip
WRONG: tuple[Any, ...] = (
    None, 7, "x", [], {}, [{}], {"textDocument": None}, {"textDocument": {"uri": 7}}, {"textDocument": {"uri": None}},
    {"textDocument": [], "position": {}}, {"textDocument": {"uri": "file:///a.md"}, "contentChanges": 7},
    {"textDocument": {"uri": "file:///a.md"}, "position": []}, {"settings": 7}, {"settings": [1]},
    {"changes": [{"uri": 7, "type": 9}]}, {"changes": 1}, {"event": {"added": [{}], "removed": 1}}, {"command": 7},
    {"command": "cite-lsp.server.fixAll", "arguments": {}}, {"title": 7}, {"title": "x", "data": [], "kind": 7},
)  # fmt: skip


async def test_wrong_types_in_the_params_of_every_method(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], ignored=("cite-lsp/status", "window/showMessage")) as session:
        session.open(uri, TEXT)
        for params in WRONG:
            for method in METHODS:
                answer = await session.answer(session.start(method, params))
                assert "error" not in answer or answer["error"]["code"] in (-32602, -32600), (method, params, answer)
            for method in NOTIFICATIONS:
                session.notify(method, params)
        assert codes((await shown_at_rest(session))[uri]) == ["line-out-of-range"]
        said = popups(session)
        assert len(said) == len(set(said)) <= 2, said
        assert session.server.session.documents[uri].buffer.text == TEXT
        await alive(session, folder)


async def test_wrong_arguments_of_commands(folder: Path) -> None:
    nothing = "file:///nothing.md"
    wrong = (None, 7, "x", [], {}, {"uri": 7}, {"uri": None}, {"uri": nothing, "range": 7}, {"uri": "", "range": {}})
    async with Session(folders=[folder]) as session:
        for name in ("judgeDocument", "fixAll", "requestRepair"):
            for arguments in ([], [{}, {}], *([argument] for argument in wrong)):
                params = {"command": f"cite-lsp.server.{name}", "arguments": arguments}
                error = await session.request_error("workspace/executeCommand", params)
                assert error["code"] == -32602, (params, error)


async def test_a_repair_at_no_place(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    places = (
        None,
        7,
        {},
        {"start": 7},
        {"start": {"line": "x", "character": 0}},
        {"start": {"line": -4, "character": -1}},
        {"start": {"line": float("1e300"), "character": 0}},
        {"start": {"line": 10**400, "character": 10**400}},
    )
    async with Session(folders=[folder], ignored=("cite-lsp/status", "window/showMessage")) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        for where in places:
            params = {"command": "cite-lsp.server.requestRepair", "arguments": [{"uri": uri, "range": where}]}
            answer = await session.answer(session.start("workspace/executeCommand", params))
            assert answer.get("error", {"code": -32602})["code"] == -32602, (where, answer)


# --- settings


@pytest.mark.parametrize(
    "settings",
    [
        7,
        "x",
        [],
        [1],
        {"rules": 7},
        {"rules": {"missing": 7}},
        {"judge": []},
        {"files": {"include": "x"}},
        {"nothing": 1},
        {"anchors": {"pattern": "("}},
        {"server": {"max_diagnostics": -1}},
        {"judge": {"run": {"a": 1}}},
        {"a.b.c": {"d": [1]}},
    ],
)
async def test_settings_of_the_wrong_type_are_refused_and_said_once(folder: Path, settings: Any) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], capabilities=NO_PULL) as session:
        session.open(uri, TEXT)
        now = await shown_at_rest(session)
        for _ in range(100):
            session.configure(settings)
            session.configure({})
        assert codes((await shown_at_rest(session, now))[uri]) == ["line-out-of-range"]
        said = popups(session)
        assert len(said) == 1, said
        await alive(session, folder)


OWN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("pushed", {"judge": {"base_url": "http://127.0.0.1:1/"}}),
    ("pulled", {"judge": {"command": ["rm"]}}),
    ("options", {"cache": {"path": "/x"}}),
    ("pushed", {"judge": {"name": "command"}}),
    ("pulled", {"judge.base_url": "http://127.0.0.1:1/"}),
    ("options", {"judge": {"headers": {"a": "b"}}}),
    ("pushed", {"server": {"trusted": True}}),
    ("pulled", {"anchors": {"repositories": {"x": "/"}}}),
    ("options", {"policies": {"run": "save"}}),
)


@pytest.mark.parametrize(("way", "settings"), OWN)
async def test_a_users_own_setting_from_the_editor_is_refused_and_said_once(
    folder: Path, settings: Any, way: str
) -> None:
    capabilities = CAPABILITIES if way == "pulled" else NO_PULL
    options = settings if way == "options" else None
    uri = (folder / "a.md").as_uri()
    async with Session(
        folders=[folder], capabilities=capabilities, options=options, settings=settings if way == "pulled" else None
    ) as session:
        session.open(uri, TEXT)
        for number in range(100):
            session.configure(
                settings if way == "pushed" else {"rules": {"missing": "hint" if number % 2 else "error"}}
            )
            if number % 10 == 0:
                session.save(uri)
                await session.settled()
        await shown_at_rest(session)
        said = popups(session)
        assert len(said) == 1, said
        assert "is the user's own setting" in said[0]
        assert "127.0.0.1" not in said[0]
        used = session.server.session.documents[uri].place.settings
        assert (used.judge.name, used.judge.base_url, used.cache.path) == ("embedded", None, None)
        assert not used.anchors.repositories


# --- addresses

URIS = (
    "untitled:Untitled-1", "git:/x/a.md?%7B%22ref%22%3A%22%22%7D", "vscode-remote://ssh-remote%2Bhost/x/a.md",
    "http://example.com/a.md", "", "file:", "file://", "file:///", "file:///" + "long/" * 2000 + "a.md",
    "file:///a%00.md", "file:///a%.md", "file:///a%zz.md", "file:///%ff%fe.md",
    "file:///c%3A/x/a.md", "file:///C:/x/a.md", "a.md", "/a.md",
    "file://server/share/a.md", "file:///tmp/../../../etc/a.md", "file:///dev/zero", "file:///proc/self/mem",
    "FILE:///a.md", ":", "::", "file:///a.md#fragment", "file:///a.md?query", "\ud83d", "file:///\ud83d.md",
    "vscode-notebook-cell:/x/a.md#1", "inmemory://model/1",
)  # fmt: skip


async def test_any_address_is_taken(folder: Path) -> None:
    async with Session(folders=[folder]) as session:
        for uri in URIS:
            session.open(uri, "See `a.py:99` and ../a.py:3.\n")
            session.change(uri, (0, 0), (0, 0), "x")
            for method, params in asking(uri):
                await session.request(method, params)
            session.save(uri)
            session.files_changed((uri, 1), (uri, 2), (uri, 3))
            session.folders_changed(added=[uri], removed=[uri])
        now = await shown_at_rest(session)
        for uri in URIS:
            session.close(uri)
        now = await shown_at_rest(session, now)
        assert not any(now.values())
        assert popups(session) == []
        await alive(session, folder)


async def test_one_document_in_two_spellings(folder: Path) -> None:
    spellings = (
        ("a b.md", "a%20b.md"),
        ("(a).md", "%28a%29.md"),
        ("ä.md", "%C3%A4.md"),
        ("b.md", "%62.md"),
        ("c.md", "./c.md"),
    )
    async with Session(folders=[folder]) as session:
        for one, other in spellings:
            first, second = f"{folder.as_uri()}/{one}", f"{folder.as_uri()}/{other}"
            session.open(first, "See `a.py:99`.\n")
            assert codes((await shown_at_rest(session))[first]) == ["line-out-of-range"]
            session.change_all(second, "See `a.py:3`.\n")
            assert (await shown_at_rest(session)) == {first: []}
            assert await session.request("textDocument/hover", at(second, 0, 7)) is not None
            session.close(second)
            await rest(session)
            assert await session.request("textDocument/hover", at(first, 0, 7)) is None
            assert shown(session) == {}


# --- texts


TEXTS = (
    "\r`a.py:99`\r",
    "\0`a.py:99`\0",
    "\ud83d `a.py:99` \udc00",
    "\ufeff`a.py:99`",
    "`a.py:99`\x85\u2028\u2029\x0b\x0c",
    "\x1b]8;;x\x07`a.py:99`",
    "`a.py:99`" + "`" * 10_000,
    "[" * 10_000 + "`a.py:99`",
    "> " * 5_000 + "`a.py:99`",
    "`a.py:99`" + "\u202e" * 2,
    "`a.py:" + "9" * 5_000 + "`",
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_any_text_is_taken_and_kept(folder: Path, encoding: str) -> None:
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        uris = [(folder / f"t{number}.md").as_uri() for number in range(len(TEXTS))]
        for uri, text in zip(uris, TEXTS, strict=True):
            session.open(uri, text)
            session.change(uri, (BIG, 0), (BIG, 0), text)
        now = await shown_at_rest(session)
        for uri, text in zip(uris, TEXTS, strict=True):
            assert session.server.session.documents[uri].buffer.text == text + text
            assert now[uri], text
            for method, params in asking(uri):
                await session.request(method, params)
            session.save(uri)
        await shown_at_rest(session, now)
        await alive(session, folder)


async def test_a_cited_file_of_any_bytes(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    (folder / "nul.py").write_bytes(b"a\0b\n" * 9)
    (folder / "latin.py").write_bytes(b"caf\xe9 = 1\n")
    (folder / "cr.py").write_bytes(b"a = 1\rb = 2\rc = 3\r")
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `nul.py:3`, `latin.py:1`, `cr.py:3` and `cr.py:4`.\n")
        now = await shown_at_rest(session)
        assert codes(now[uri]) == ["line-out-of-range", "not-text"]
        hover = await session.request("textDocument/hover", at(uri, 0, 20))
        assert "some bytes are no text" in hover["contents"]["value"]
        session.save(uri)
        await shown_at_rest(session, now)


# --- the worker


async def verdict(session: Session, uri: str) -> list[str]:
    """The verdict findings of a document once the server is at rest."""
    return [code for code in codes((await shown_at_rest(session))[uri]) if code in ("unsupported", "partial", "review")]


async def test_a_worker_that_is_killed_between_judging_is_started_again(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        inner = session.server.session
        for number in range(3):
            os.kill(inner.worker.pid, signal.SIGKILL)
            session.change_all(uri, f"`LIMIT` is {number + 7} (`a.py:3`).\n")
            session.save(uri)
            assert len(await verdict(session, uri)) == 1
            assert inner.judging.error == ""
        assert popups(session) == []


async def test_a_worker_that_is_killed_while_it_judges_loses_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = (folder / "a.md").as_uri()
    text = "".join(f"`LIMIT` is {number + 7} (`a.py:3`).\n\n" for number in range(200))
    async with Session(folders=[folder]) as session:
        session.open(uri, text)
        await shown_at_rest(session)
        inner = session.server.session
        keep, at_work = inner.judging._hear, asyncio.Event()

        def kept(*arguments: Any) -> None:
            at_work.set()
            keep(*arguments)

        monkeypatch.setattr(inner.judging, "_hear", kept)
        session.save(uri)
        await at_work.wait()
        assert inner.judging.queued > 0
        os.kill(inner.worker.pid, signal.SIGKILL)
        assert len(await verdict(session, uri)) == 200
        assert inner.judging.queued == 0
        assert popups(session) == []


def fake(monkeypatch: pytest.MonkeyPatch, *command: str, deadline: float = 0.3) -> None:
    """Have sessions start another program as their worker."""
    monkeypatch.setattr(session_module, "Worker", lambda: Worker(command, deadline=deadline))


SLEEPS = (sys.executable, "-c", "import time; time.sleep(1000)")
ENDS = (sys.executable, "-c", "pass")
NOISE = (sys.executable, "-c", "print('no frame at all ' * 100)")
ABSENT = ("/nowhere/at/all",)


@pytest.mark.parametrize("command", [SLEEPS, ENDS, NOISE, ABSENT])
async def test_a_worker_that_never_works_leaves_what_needs_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    fake(monkeypatch, *command)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], ignored=("$/progress",)) as session:
        session.open(uri, TEXT)
        now = await shown_at_rest(session)
        assert codes(now[uri]) == ["line-out-of-range"]
        assert await session.request("textDocument/hover", at(uri, 0, 18)) is not None
        for _ in range(3):
            session.save(uri)
            await shown_at_rest(session, now)
        counts = await session.command("cite-lsp.server.judgeDocument", {"uri": uri})
        assert (counts["rows"], counts["unchecked"]) == (1, 1)
        await shown_at_rest(session, now)
        assert codes(now[uri]) == ["line-out-of-range"]
        status = session.discard("cite-lsp/status")
        assert status[-1]["lastError"]
        assert status[-1]["queued"] == 0
        assert len(popups(session)) <= 1


async def test_a_worker_that_works_again_is_used_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flag = folder / "works"
    program = (
        "import os, runpy, sys, time\n"
        f"if not os.path.exists({str(flag)!r}): time.sleep(1000)\n"
        "runpy.run_module('cite_lsp.worker', run_name='__main__')\n"
    )
    fake(monkeypatch, sys.executable, "-c", program, deadline=2.5)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], ignored=("$/progress",)) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        flag.write_text("")
        session.change(uri, (0, 0), (0, 0), "Now. ")
        session.save(uri)
        assert len(await verdict(session, uri)) == 1
        assert session.server.session.judging.error == ""
        session.files_changed((flag.as_uri(), 1))
        await shown_at_rest(session)
        status = session.discard("cite-lsp/status")
        assert (status[-1]["lastError"], status[-1]["indexing"]) == (None, False)


# --- the file system


async def test_two_servers_on_one_workspace(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as one, Session(folders=[folder]) as other:
        for session in (one, other):
            session.open(uri, TEXT)
        one.save(uri)
        other.save(uri)
        first, second = await shown_at_rest(one), await shown_at_rest(other)
        assert first == second
        assert codes(first[uri]) == ["line-out-of-range", "unsupported"]


@pytest.mark.parametrize("what", ["absent", "file", "home", "root", "relative"])
async def test_a_workspace_folder_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (home / "a.py").write_text(CODE)
    (tmp_path / "file").write_text("x")
    folder = {
        "absent": (tmp_path / "absent").as_uri(),
        "file": (tmp_path / "file").as_uri(),
        "home": home.as_uri(),
        "root": "file:///",
        "relative": "file:relative",
    }[what]
    uri = (home / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        session.open("file:///a.md", "See `b.py:3`.\n")
        now = await shown_at_rest(session)
        assert codes(now[uri])[:1] == ["line-out-of-range"]
        session.save(uri)
        await shown_at_rest(session, now)
        assert len(popups(session)) <= 1


async def test_files_that_vanish_between_index_and_reading(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    for number in range(20):
        (folder / f"b{number}.py").write_text(CODE)
    async with Session(folders=[folder]) as session:
        session.open(uri, "nothing\n")
        await shown_at_rest(session)
        for number in range(20):
            (folder / f"b{number}.py").unlink()
        session.change_all(uri, " ".join(f"`b{number}.py:3`" for number in range(20)))
        found = (await shown_at_rest(session))[uri]
        assert len(found) == 20
        session.files_changed(*(((folder / f"b{number}.py").as_uri(), 3) for number in range(20)))
        found = (await shown_at_rest(session)).get(uri, found)
        assert set(codes(found)) <= {"missing", "elsewhere"}
        assert len(found) == 20


async def test_a_folder_where_a_file_was(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        (folder / "a.py").unlink()
        (folder / "a.py").mkdir()
        session.files_changed(((folder / "a.py").as_uri(), 3), ((folder / "a.py").as_uri(), 1))
        found = (await shown_at_rest(session))[uri]
        assert len(found) == 2


async def test_loops_of_links(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    (folder / "self").symlink_to(folder / "self")
    (folder / "up").symlink_to(folder, target_is_directory=True)
    (folder / "one.py").symlink_to(folder / "two.py")
    (folder / "two.py").symlink_to(folder / "one.py")
    os.mkfifo(folder / "pipe.py")
    async with Session(folders=[folder]) as session:
        session.open(uri, "`one.py:3` `self:3` `self/x.py:3` `up/up/up/a.py:99` `pipe.py:1`\n")
        found = (await shown_at_rest(session))[uri]
        assert len(found) >= 3
        await alive(session, folder)


async def test_no_folder_at_all(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    for none in (None, ()):
        async with Session(folders=none) as session:
            session.open(uri, TEXT)
            session.open("untitled:Untitled-1", "See `a.py:99`.\n")
            now = await shown_at_rest(session)
            assert codes(now[uri]) == ["line-out-of-range"]


async def test_nothing_is_published_of_a_closed_document(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        session.open(uri, TEXT)
        await shown_at_rest(session)
        session.change_all(uri, "`LIMIT` is 9 (`a.py:3`).\n")
        session.save(uri)
        session.close(uri)
        await rest(session)
        left = session.discard(PUBLISH)
        assert all(params["diagnostics"] == [] for params in left[-1:])
