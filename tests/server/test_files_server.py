"""Files that come, go and change, and what that does to open documents."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.client import Worker
from tests.server.at_rest import codes, shown_at_rest, under_way
from tests.server.harness import Session

CODE = "import time\n\nLIMIT = 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


async def test_many_events_at_once_are_one_event(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    (folder / "many").mkdir()
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `many/f700.py:1` and `a.py:3`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["missing"] or codes(shown[uri]) == ["elsewhere"]
        for number in range(800):
            (folder / f"many/f{number}.py").write_text("x = 1\n")
        (folder / "a.py").write_text("x = 1\n")
        events = [((folder / f"many/f{number}.py").as_uri(), 1) for number in range(800)]
        session.files_changed(*events, ((folder / "a.py").as_uri(), 2))
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]


async def test_a_cited_file_that_changes_on_disk_counts_unless_it_is_open(folder: Path) -> None:
    uri, code = (folder / "a.md").as_uri(), folder / "a.py"
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `a.py:3`.\n")
        shown = await shown_at_rest(session)
        code.write_text("x = 1\n")
        session.files_changed((code.as_uri(), 2))
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]
        session.open(code.as_uri(), CODE, language="python")
        assert codes((await shown_at_rest(session, shown))[uri]) == []
        code.write_text("y = 1\n")
        session.files_changed((code.as_uri(), 2))
        assert codes((await shown_at_rest(session, shown))[uri]) == []
        session.close(code.as_uri())
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]


async def test_a_client_that_does_not_watch_is_watched_for(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], capabilities={}) as session:
        session.open(uri, "See `a.py:3`.\n")
        shown = await shown_at_rest(session)
        assert session.requests == []
        for number in range(100):
            (folder / "a.py").write_text(f"x = {number}\n")
            await asyncio.sleep(0.1)
            if codes((await shown_at_rest(session, shown))[uri]):
                break
        assert codes(shown[uri]) == ["line-out-of-range"]


async def test_ignore_rules_that_change_on_disk_count(folder: Path) -> None:
    (folder / ".gitignore").write_text("nothing\n")
    (folder / "made").mkdir()
    (folder / "made/b.md").write_text("See `a.py:9`.\n")
    uri = (folder / "made/b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        (folder / ".gitignore").write_text("made/\n")
        session.files_changed(((folder / ".gitignore").as_uri(), 2))
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_a_document_that_was_ignored_and_left_out_is_one_again_when_neither_holds(folder: Path) -> None:
    ignore, project = folder / ".gitignore", folder / "cite-lsp.toml"
    ignore.write_text("*.md\n")
    (folder / "b.md").write_text("See `a.py:9`.\n")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert shown.get(uri, []) == []
        project.write_text('[files]\nexclude = ["b.md"]\n')
        session.files_changed((project.as_uri(), 1))
        await shown_at_rest(session, shown)
        ignore.unlink()
        session.files_changed((ignore.as_uri(), 3))
        await shown_at_rest(session, shown)
        project.unlink()
        session.files_changed((project.as_uri(), 3))
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]


async def test_a_cited_file_that_is_only_an_open_buffer_is_found_whenever_it_is_opened(folder: Path) -> None:
    """It is found when the buffer was opened before; opened after, the citation stayed `missing`."""
    (folder / "src").mkdir()
    (folder / "src/b.py").write_text("x = 1\n")
    document, code = (folder / "a.md").as_uri(), (folder / "src/new.py").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(document, "See `src/new.py:1`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[document]) == ["missing"]
        session.open(code, "x = 1\n", language="python")
        assert codes((await shown_at_rest(session, shown))[document]) == []
        session.close(code)
        assert codes((await shown_at_rest(session, shown))[document]) == ["missing"]


@pytest.mark.parametrize("folder_uri", ["file:///\ud83d", "file:///%ff%fe"])
async def test_a_folder_whose_name_is_no_text_does_not_stop_the_others(folder: Path, folder_uri: str) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder, folder_uri]) as session:
        await session.settled()
        session.open(uri, "See `./none/x.py:99`.\n")
        for _ in range(200):
            if not under_way(session):
                break
            await asyncio.sleep(0.02)
        assert under_way(session) == []
        assert codes((await shown_at_rest(session))[uri]) == ["missing"]


class Held(Worker):
    """The real worker, whose listings are given only when they may be."""

    def __init__(self) -> None:
        super().__init__()
        self.listed = 0
        self.began = asyncio.Event()
        self.may = asyncio.Event()

    async def call(self, do: str, **more: Any) -> Any:
        answer = await super().call(do, **more)
        if do == "paths":
            self.listed += 1
            self.began.set()
            await self.may.wait()
        return answer


async def test_a_file_that_appears_while_files_are_being_listed_is_listed_after_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cite_lsp.server.session.Worker", Held)
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `new.py:1`.\n")
        worker = session.server.session.worker
        await worker.began.wait()
        (folder / "deep").mkdir()
        (folder / "deep/new.py").write_text("x = 1\n")
        session.files_changed(((folder / "deep/new.py").as_uri(), 1))
        await session.settled()
        worker.may.set()
        assert codes((await shown_at_rest(session))[uri]) == []
        assert worker.listed == 2


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Line 30 of `Makefile`.", "line-out-of-range"),
        ("See `Makefile` line 30.", "line-out-of-range"),
        ("[The rule](Makefile#L30).", "line-out-of-range"),
        ("In `Makefile`, at `:30`.", "end-out-of-range"),
    ],
)
async def test_what_counts_only_as_its_file_is_there_is_told_once_the_files_are_listed(
    folder: Path, text: str, code: str
) -> None:
    uri = (folder / "a.md").as_uri()
    (folder / "Makefile").write_text("all:\n\ttrue\n")
    async with Session(folders=[folder]) as session:
        session.open(uri, f"{text}\n")
        assert codes((await shown_at_rest(session))[uri]) == [code]
        (folder / "Makefile").unlink()
        session.files_changed(((folder / "Makefile").as_uri(), 3))
        assert codes((await shown_at_rest(session))[uri]) == []
        (folder / "Makefile").write_text("all:\n")
        session.files_changed(((folder / "Makefile").as_uri(), 1))
        assert codes((await shown_at_rest(session))[uri]) == [code]
