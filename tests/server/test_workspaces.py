"""Folders that come and go, no folder at all, documents that are no file yet, and folders that nobody watches."""

import asyncio
import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server import folders
from cite_lsp.worker.answers import index_of
from cite_lsp.worker.client import WorkerFailed
from tests.server.at_rest import codes, rest, shown_at_rest, status
from tests.server.harness import PUBLISH, Refused, Session, at, range_of

CODE = 'import time\n\n\ndef wait():\n    """Wait."""\n    time.sleep(3)\n\n\nLIMIT = 5\n'
UNTITLED = "untitled:Untitled-1"
QUIET = ("$/progress", "cite-lsp/status", PUBLISH)
TEXT = "# Title\n\nIt waits 3 seconds (`src/a.py:6`).\n\nThe limit is 7 (`src/a.py:9`).\n\nNone: `src/a.py:99`\n"
ALL_ON: dict[str, Any] = {"server": {"inlay_hints": True, "code_lens": True}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/a.py of nine lines."""
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    (folder / "src/a.py").write_text(CODE)
    return folder


async def until(session: Session, shown: dict[str, Any], wanted: Callable[[], bool]) -> None:
    """Wait until the client shows what is wanted."""
    for _ in range(200):
        await shown_at_rest(session, shown)
        if wanted():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"it did not come: {shown}")


# --- documents that are no file


async def test_every_feature_works_in_an_untitled_document(folder: Path) -> None:
    document = {"textDocument": {"uri": UNTITLED}}
    async with Session(folders=[folder], settings=ALL_ON, ignored=QUIET) as session:
        session.open(UNTITLED, TEXT)
        await rest(session)
        assert await session.command("cite-lsp.server.judgeDocument", {"uri": UNTITLED}) == {
            "rows": 2, "supported": 1, "partial": 0, "unsupported": 1, "review": 0, "unchecked": 0,
        }  # fmt: skip
        shown = await shown_at_rest(session)
        assert codes(shown[UNTITLED]) == ["line-out-of-range", "unsupported"]
        hover = await session.request("textDocument/hover", at(UNTITLED, 2, 24))
        assert "time.sleep(3)" in hover["contents"]["value"]
        (place,) = await session.request("textDocument/definition", at(UNTITLED, 2, 24))
        assert place["targetUri"] == (folder / "src/a.py").as_uri()
        links = await session.request("textDocument/documentLink", document)
        assert [each["range"]["start"]["line"] for each in links] == [2, 4]
        hints = await session.request("textDocument/inlayHint", {**document, "range": range_of((0, 0), (9, 0))})
        assert [each["label"] for each in hints] == ["✓ supported", "✗ unsupported"]
        (lens,) = await session.request("textDocument/codeLens", document)
        assert lens["command"]["title"] == "3 citations, 1 broken, 1 unsupported"
        context = {"context": {"includeDeclaration": False}}
        found = await session.request("textDocument/references", {**at(UNTITLED, 2, 24), **context})
        assert found == [{"uri": UNTITLED, "range": range_of((2, 21), (2, 31))}]
        code = (folder / "src/a.py").as_uri()
        assert await session.request("textDocument/references", {**at(code, 5, 0), **context}) == found
        symbols = await session.request("workspace/symbol", {"query": "a.py:6"})
        assert [each["location"] for each in symbols] == found
        where = range_of((4, 20), (4, 20))
        actions = {**document, "range": where, "context": {"diagnostics": shown[UNTITLED]}}
        titles = [each["title"] for each in await session.request("textDocument/codeAction", actions)]
        assert any("gnore" in title for title in titles)


async def test_an_untitled_document_that_is_saved_is_the_file_from_then_on(folder: Path) -> None:
    saved = folder / "notes.md"
    async with Session(folders=[folder], ignored=QUIET) as session:
        session.open(UNTITLED, TEXT)
        shown = await shown_at_rest(session)
        assert codes(shown[UNTITLED]) == ["line-out-of-range"]
        saved.write_text(TEXT)
        session.close(UNTITLED)  # as VS Code does it
        session.open(saved.as_uri(), TEXT)
        session.files_changed((saved.as_uri(), 1))
        session.save(saved.as_uri())
        await shown_at_rest(session, shown)
        assert shown[UNTITLED] == []
        assert codes(shown[saved.as_uri()]) == ["line-out-of-range", "unsupported"]


async def test_without_a_folder_an_untitled_document_has_nothing_to_cite(folder: Path) -> None:
    async with Session(folders=None, settings=ALL_ON, ignored=QUIET) as session:
        session.open(UNTITLED, TEXT)
        assert await shown_at_rest(session) == {}
        assert await session.request("textDocument/hover", at(UNTITLED, 2, 24)) is None
        assert await session.request("textDocument/codeLens", {"textDocument": {"uri": UNTITLED}}) == []
        assert await session.request("workspace/symbol", {"query": ""}) == []
        session.folders_changed(added=[folder])  # and when one comes it has
        shown = await shown_at_rest(session)
        assert codes(shown[UNTITLED]) == ["line-out-of-range"]
        session.folders_changed(removed=[folder])
        assert (await shown_at_rest(session, shown))[UNTITLED] == []


async def test_a_file_in_no_folder_has_every_feature_of_its_own_project(folder: Path) -> None:
    (folder / "cite-lsp.toml").write_text("")
    uri = (folder / "a.md").as_uri()
    (folder / "a.md").write_text(TEXT)
    async with Session(folders=None, settings=ALL_ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        session.save(uri)
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range", "unsupported"]
        document = {"textDocument": {"uri": uri}}
        hints = await session.request("textDocument/inlayHint", {**document, "range": range_of((0, 0), (9, 0))})
        assert [each["label"] for each in hints] == ["✓ supported", "✗ unsupported"]
        (lens,) = await session.request("textDocument/codeLens", document)
        assert lens["command"]["title"] == "3 citations, 1 broken, 1 unsupported"
        symbols = await session.request("workspace/symbol", {"query": "a.py:6"})
        assert [each["location"]["uri"] for each in symbols] == [uri]


# --- folders that come and go


async def test_a_folder_that_is_added_has_its_settings_its_files_and_its_documents(folder: Path) -> None:
    other = folder.parent / "other"
    (other / "lib").mkdir(parents=True)
    (other / "lib/b.py").write_text(CODE)
    (other / "cite-lsp.toml").write_text('[rules]\nline-out-of-range = "hint"\nmissing = "loud"\n')
    (other / "b.md").write_text("# B\n\n`lib/b.py:3` `lib/b.py:99`\n")
    uri, project = (other / "b.md").as_uri(), (other / "cite-lsp.toml").as_uri()
    code = (other / "lib/b.py").as_uri()
    async with Session(folders=[folder], settings=ALL_ON, ignored=QUIET) as session:
        shown = await shown_at_rest(session)
        assert await session.request("textDocument/codeLens", {"textDocument": {"uri": code}}) == []
        session.folders_changed(added=[other])
        await shown_at_rest(session, shown)
        assert codes(shown[project]) == ["setting"]  # though no document of it is open
        lenses = await session.request("textDocument/codeLens", {"textDocument": {"uri": code}})
        assert [each["command"]["title"] for each in lenses] == ["cited by 1", "cited by 1"]
        session.open(uri, (other / "b.md").read_text())
        found = (await shown_at_rest(session, shown))[uri]
        assert [each["severity"] for each in found if each["code"] == "line-out-of-range"] == [4]
        session.close(uri)
        session.folders_changed(removed=[other])
        await shown_at_rest(session, shown)
        assert await session.request("textDocument/codeLens", {"textDocument": {"uri": code}}) == []
        assert shown[uri] == []
        assert shown[project] == []


async def test_a_folder_that_is_added_is_watched_where_the_client_does_not(folder: Path) -> None:
    other = folder.parent / "other"
    other.mkdir()
    (other / "b.py").write_text(CODE)
    uri = (other / "b.md").as_uri()
    async with Session(folders=[folder], capabilities={}, ignored=QUIET) as session:
        await rest(session)
        session.folders_changed(added=[other])
        session.open(uri, "`b.py:3`\n")
        shown = await shown_at_rest(session)
        assert status(session)["watching"] == "server"

        def wanted() -> bool:
            (other / "b.py").write_text("x = 1\n")
            return codes(shown[uri]) == ["line-out-of-range"]

        await until(session, shown, wanted)
        session.folders_changed(removed=[folder, other])
        await rest(session)
        assert status(session)["watching"] == "nobody"


# --- folders that are not watched


@pytest.mark.parametrize("what", ["home", "root"])
async def test_a_home_directory_is_neither_listed_nor_watched_and_the_status_says_why(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    root = folder.as_uri() if what == "home" else "file:///"
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[root], capabilities={}, ignored=QUIET) as session:
        session.open(uri, "`src/a.py:9` `src/a.py:99` `src/none.py:1`\n")
        shown = await shown_at_rest(session)
        found = status(session)
        assert found["watching"] == "nobody"
        assert "not a project" in found["lastError"]
        assert not found["indexing"]
        (folder / "src/a.py").write_text("x = 1\n")
        session.save(uri)
        await shown_at_rest(session, shown)
        if what == "home":
            assert codes(shown[uri])[:2] == ["line-out-of-range", "line-out-of-range"]


async def test_folders_that_the_system_cannot_watch_are_looked_at_on_save(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    async with Session(folders=[folder], capabilities={}, ignored=QUIET, initialize=False) as session:
        await session.request("initialize", session.initialize_params())
        session.open(uri, "`src/a.py:9`\n")
        inner = session.server.session
        call = inner.worker.call

        async def refusing(do: str, **params: Any) -> Any:
            if do == "watch":  # what the system says when it has no more watches to give
                raise WorkerFailed('watch: OSError: OS file watch limit reached. about ["/x"]')
            return await call(do, **params)

        inner.worker.call = refusing
        session.notify("initialized", {})
        shown = await shown_at_rest(session)
        assert shown[uri] == []
        found = status(session)
        assert found["watching"] == "nobody"
        assert "seen when a document is saved" in found["lastError"]
        (folder / "src/a.py").write_text("x = 1\n")
        session.save(uri)
        assert codes((await shown_at_rest(session, shown))[uri]) == ["line-out-of-range"]
        assert session.discard("window/showMessage") == []


async def test_a_client_that_refuses_to_watch_is_watched_for(folder: Path) -> None:
    uri = (folder / "a.md").as_uri()
    answers = {"client/registerCapability": Refused()}
    async with Session(folders=[folder], answers=answers, ignored=QUIET) as session:
        session.open(uri, "`src/a.py:9`\n")
        shown = await shown_at_rest(session)
        assert status(session)["watching"] == "server"

        def wanted() -> bool:
            (folder / "src/a.py").write_text("x = 1\n")
            return codes(shown[uri]) == ["line-out-of-range"]

        await until(session, shown, wanted)


# --- what is gone is let go of


@pytest.mark.parametrize("listing", [False, True])
@pytest.mark.parametrize("stray", [False, True])
async def test_a_space_that_is_closed_is_not_kept_alive(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, stray: bool, listing: bool
) -> None:
    """Each holds the names of all its files; `listing`: they are being listed anew when it is closed."""
    monkeypatch.setattr(folders, "_STAYS", 0.0)
    (folder / "a.md").write_text(TEXT)
    uri, code = (folder / "a.md").as_uri(), (folder / "src/a.py").as_uri()
    other = folder.parent / "other"
    other.mkdir()
    (other / "b.py").write_text(CODE)
    async with Session(folders=[other if stray else folder], settings=ALL_ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        session.save(uri)
        await rest(session)
        inner = session.server.session
        space = weakref.ref(inner.spaces[-1])
        assert folder.as_posix() in space().roots
        await session.request("textDocument/references", {**at(uri, 2, 24), "context": {"includeDeclaration": True}})
        await session.request("textDocument/codeLens", {"textDocument": {"uri": code}})
        await session.request("workspace/symbol", {"query": "a.py"})
        index = weakref.ref(inner.spaces[-1].snapshot.indexes[0])
        assert len(index()) > 0
        gc.collect()
        gc.disable()
        if listing:
            inner.spaces[-1].list_soon(0.0, appeared=True)
            while inner.spaces[-1]._listing.done():  # noqa: ASYNC110 - that a listing begins is no event of the test
                await asyncio.sleep(0)
        try:
            session.close(uri)
            if not stray:
                session.folders_changed(added=[other], removed=[folder])
            await rest(session)
            assert index() is None, gc.get_referrers(index())  # it does not wait until garbage is looked for
        finally:
            gc.enable()
        gc.collect()
        assert space() is None, gc.get_referrers(space())


@pytest.mark.parametrize("stray", [False, True])
async def test_a_folder_that_is_opened_again_soon_is_not_told_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, stray: bool
) -> None:
    """The files of a large one would take most of a second to send and to read."""
    (folder / "a.md").write_text(TEXT)
    uri, other = (folder / "a.md").as_uri(), folder.parent / "other"
    other.mkdir()
    async with Session(folders=[other if stray else folder], settings=ALL_ON, ignored=QUIET) as session:
        session.open(uri, TEXT)
        await rest(session)
        inner = session.server.session
        index = next(space for space in inner.spaces if folder.as_posix() in space.roots).snapshot.indexes[0]
        made: list[str] = []
        monkeypatch.setattr(folders, "index_of", lambda root, *more: made.append(root) or index_of(root, *more))
        if stray:
            session.close(uri)
            await rest(session)
            assert len(inner.spaces) == 1
            session.open(uri, TEXT)
        else:
            session.folders_changed(added=[other])
        await rest(session)
        space = next(space for space in inner.spaces if folder.as_posix() in space.roots)
        assert space.snapshot.indexes[0] is index
        assert made == ([] if stray else [other.as_posix()])
        (folder / "src/new.py").write_text(CODE)
        space.list_soon(appeared=True)
        await rest(session)
        assert "src/new.py" in space.snapshot.indexes[0]


async def test_who_waits_for_the_files_of_a_space_that_was_closed_is_told(folder: Path) -> None:
    (folder / "a.md").write_text(TEXT)
    async with Session(folders=[folder], settings=ALL_ON, ignored=QUIET) as session:
        session.open((folder / "a.md").as_uri(), TEXT)
        await rest(session)
        space = session.server.session.workspace
        space.list_soon(5.0)
        before = asyncio.ensure_future(space.list_now())
        await asyncio.sleep(0)
        space.list_soon(5.0)
        space.close()
        async with asyncio.timeout(60):
            await before
            await space.list_now()
