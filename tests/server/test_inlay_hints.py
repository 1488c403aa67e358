"""textDocument/inlayHint: what is known of a citation, behind it, where the setting wants it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import rest
from tests.server.drift_desk import Desk, lines
from tests.server.harness import CAPABILITIES, PUBLISH, Session, range_of
from tests.server.living import ENCODINGS

CODE = 'import time\n\n\ndef wait():\n    """Wait."""\n    time.sleep(3)\n\n\nLIMIT = 5\n'
ON: dict[str, Any] = {"server": {"inlay_hints": True}}
QUIET = ("cite-lsp/status", "$/progress", PUBLISH)
REFRESHED: dict[str, Any] = {
    **CAPABILITIES,
    "workspace": {
        **CAPABILITIES["workspace"],
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """a.py of nine lines."""
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


async def hints(session: Session, uri: str, first: int = 0, last: int = 100) -> list[tuple[int, int, str]]:
    """Line, column and label of each hint."""
    params = {"textDocument": {"uri": uri}, "range": range_of((first, 0), (last, 0))}
    found = await session.request("textDocument/inlayHint", params)
    return [(each["position"]["line"], each["position"]["character"], each["label"]) for each in found]


TEXT = """It waits 3 seconds (`a.py:6`).

The limit is 7 (`a.py:9`).

Nothing is there (`a.py:99`).
"""


async def test_a_verdict_stands_behind_its_citation(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        assert session.capabilities_of_server["inlayHintProvider"]
        session.open(uri, TEXT)
        await rest(session)
        assert await hints(session, uri) == []  # nobody was asked yet
        session.save(uri)
        await rest(session)
        found = await hints(session, uri)
        assert found == [(0, 28, "✓ supported"), (2, 24, "✗ unsupported")]
        assert await hints(session, uri, 1, 2) == found[1:]
        assert await hints(session, uri, 3, 9) == []
        session.change(uri, (0, 0), (0, 2), "He")  # another sentence: what was said is of the one before
        assert await hints(session, uri) == found[1:]


async def test_a_citation_that_could_not_be_judged_says_so(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        session.open(uri, "See `a.py:1-9`.\n")
        session.save(uri)
        await rest(session)
        ((_, _, label),) = await hints(session, uri)
        assert label in ("– not checked", "? review")


async def test_what_was_worked_out_goes_with_the_text(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        for number in range(100):
            session.change(uri, (0, 0), (0, 2), f"{number:02}")
            await hints(session, uri)
        document = session.server.session.find(uri)
        assert len(document.marks) == len(document.cited) <= 2 * len(document.checks.pieces) + 16


async def test_the_reason_is_shown_as_a_text(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        session.save(uri)
        await rest(session)
        params = {"textDocument": {"uri": uri}, "range": range_of((2, 0), (2, 9))}
        assert await session.request("textDocument/inlayHint", params)
        (hint,) = await session.request("textDocument/inlayHint", params)
        assert isinstance(hint["tooltip"], str)
        assert "7" in hint["tooltip"]


@pytest.mark.parametrize("how", ["comment", "rule"])
async def test_what_is_silenced_has_no_mark(folder: Path, how: str) -> None:
    uri = (folder / "a.md").as_uri()
    text = (
        TEXT.replace("The limit", "<!-- cite-lsp: ignore unsupported as agreed -->\nThe limit")
        if how == "comment"
        else TEXT
    )
    settings = {**ON, "rules": {"unsupported": "off"}} if how == "rule" else ON
    async with Session(folders=[folder], settings=settings, ignored=QUIET) as session:
        session.open(uri, text)
        session.save(uri)
        await rest(session)
        assert [label for _, _, label in await hints(session, uri)] == ["✓ supported"]


@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_marks_stand_behind_what_closes_in_the_clients_units(folder: Path, encoding: str) -> None:
    uri = (folder / "a.md").as_uri()
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with Session(folders=[folder], settings=ON, capabilities=capabilities, ignored=QUIET) as session:
        session.open(uri, "😀 The limit is 5 (**``a.py:9``**).\n\n😀 The limit is 5 ([here](a.py#L9)).\n")
        session.save(uri)
        await rest(session)
        more = {"utf-8": 3, "utf-16": 1, "utf-32": 0}[encoding]
        assert await hints(session, uri) == [(0, 32 + more, "✓ supported"), (2, 33 + more, "✓ supported")]


async def test_they_are_off_by_default_and_a_change_counts_at_once(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    settings: dict[str, Any] = {}
    async with Session(
        folders=[folder],
        settings=lambda _: settings,
        ignored=QUIET,
        capabilities=REFRESHED,
        answers={"workspace/inlayHint/refresh": None, "workspace/codeLens/refresh": None},
    ) as session:
        session.open(uri, TEXT)
        session.save(uri)
        await rest(session)
        assert await hints(session, uri) == []
        assert not any(method.endswith("/refresh") for method, _ in session.requests)
        settings.update(ON)
        session.configure(None)
        await session.asked("workspace/inlayHint/refresh")
        assert len(await hints(session, uri)) == 2
        settings.clear()
        session.configure(None)
        await session.asked("workspace/inlayHint/refresh")
        assert await hints(session, uri) == []
        assert ("workspace/codeLens/refresh", None) not in session.requests


async def test_clients_are_asked_to_ask_again_when_verdicts_come_and_never_after_an_edit(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(
        folders=[folder],
        settings=ON,
        ignored=QUIET,
        capabilities=REFRESHED,
        answers={"workspace/inlayHint/refresh": None},
    ) as session:
        session.open(uri, TEXT)
        await rest(session)
        before = len(session.requests)
        for _ in range(3):
            session.change(uri, (1, 0), (1, 0), "x")
            await rest(session)
        assert session.requests[before:] == []
        session.save(uri)
        await session.asked("workspace/inlayHint/refresh")


async def test_a_client_that_cannot_ask_again_is_not_asked_to(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        session.save(uri)
        await rest(session)
        assert not any(method.endswith("/refresh") for method, _ in session.requests)


async def test_there_are_none_where_no_document_is(folder: Path) -> None:
    code = (folder / "a.py").as_uri()
    async with Session(folders=[folder], settings=ON, ignored=QUIET) as session:
        session.open(code, CODE, language="python")
        await rest(session)
        assert await hints(session, code) == []
        assert await hints(session, (folder / "closed.md").as_uri()) == []


@pytest.fixture
def desk(tmp_path: Path, person: Path) -> Desk:
    """A repository in which a document cites the third of eight lines."""
    folder = tmp_path / "project"
    folder.mkdir()
    code = lines("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    return Desk(folder).write("a.py", code).write("a.md", "Gamma is computed (`a.py:3`).\n").commit()


async def test_what_moved_says_where_it_stands(desk: Desk) -> None:
    options = {"judge": {"run": "off"}, **ON}
    async with desk.at_work(options=options):
        desk.open("a.md", "a.py")
        assert await desk.says() == []
        assert await hints(desk.session, desk.uri("a.md")) == []
        desk.type("a.py", "import os\n" + desk.texts["a.py"])
        assert await desk.says() == ["a.py:3 moved"]
        assert await hints(desk.session, desk.uri("a.md")) == [(0, 27, "→ moved to 4")]
        desk.type("a.py", "nothing at all\n" * 8)
        assert await desk.says() == ["a.py:3 gone"]
        assert await hints(desk.session, desk.uri("a.md")) == [(0, 27, "✗ gone")]


async def test_a_client_is_not_asked_again_while_it_has_not_answered(folder: Path) -> None:
    answered = asyncio.Event()
    asked: list[object] = []

    async def answer(params: object) -> None:
        asked.append(params)
        await answered.wait()

    answers = {"workspace/inlayHint/refresh": answer, "workspace/codeLens/refresh": None}
    async with Session(
        folders=[folder], settings=ON, ignored=QUIET, capabilities=REFRESHED, answers=answers
    ) as session:
        session.open((folder / "a.md").as_uri(), TEXT)
        while not asked:
            session.save((folder / "a.md").as_uri())
            await asyncio.sleep(0.05)
        timers = session.server.session.timers
        for number in range(3):
            (folder / "a.py").write_text(f"# {number}\n" * 20)
            session.files_changed(((folder / "a.py").as_uri(), 2))
            await session.settled()
            while timers.waiting:  # noqa: ASYNC110 - timers tell nobody
                await asyncio.sleep(0.01)
        assert len(asked) == 1
        answered.set()
        await rest(session)
        assert len(asked) > 1
