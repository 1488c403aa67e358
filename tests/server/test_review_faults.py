"""Faults found by the adversarial review of the server: each test is the smallest way to one."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import codes, rest, shown_at_rest
from tests.server.harness import PUBLISH, Session

CODE = "import time\n\nLIMIT = 3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(CODE)
    return tmp_path


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


async def test_a_save_and_a_key_stroke_that_arrive_together_are_judged(folder: Path) -> None:
    """One read brings `didSave` and `didChange`: the run begins between the change and its check."""
    uri = (folder / "b.md").as_uri()
    text = "The limit is 4 (`a.py:3`).\n\nMore.\n"
    (folder / "b.md").write_text(text)
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, text)
        await shown_at_rest(session)
        session.save(uri)
        session.change(uri, (0, 0), (0, 0), "Now: ")
        await shown_at_rest(session)
        assert session.server.session.documents[uri].counts["rows"] == 1


async def test_a_file_that_is_cited_by_a_link_to_it_counts_when_it_changes_on_disk(folder: Path) -> None:
    """`CLAUDE.md` is often a link to `AGENTS.md`; the news names the file, not the link."""
    (folder / "link.py").symlink_to("a.py")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `link.py:6`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        (folder / "a.py").write_text(CODE * 2)
        session.files_changed(((folder / "a.py").as_uri(), 2))
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_a_file_that_is_cited_by_a_link_to_it_counts_when_it_is_typed_in(folder: Path) -> None:
    (folder / "link.py").symlink_to("a.py")
    uri, code = (folder / "b.md").as_uri(), (folder / "a.py").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `link.py:4`.\n")
        session.open(code, CODE, language="python")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        session.change(code, (3, 0), (3, 0), "more = 1\n")
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_a_file_in_a_linked_folder_counts_when_it_changes(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real/x.py").write_text(CODE)
    (folder / "src").symlink_to("real")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `src/x.py:6`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri])[:1] != []
        (folder / "real/x.py").write_text(CODE * 2)
        session.files_changed(((folder / "real/x.py").as_uri(), 2))
        assert "line-out-of-range" not in codes((await shown_at_rest(session, shown))[uri])


async def test_nested_workspace_folders_hold_each_file_once(tmp_path: Path) -> None:
    inner = tmp_path / "packages/one"
    (inner / "src").mkdir(parents=True)
    (inner / "src/unique.py").write_text(CODE)
    uri = (tmp_path / "b.md").as_uri()
    async with Session(folders=[tmp_path, inner]) as session:
        await session.settled()
        session.open(uri, "See `unique.py:1`.\n")
        assert (await shown_at_rest(session))[uri] == []


async def test_a_workspace_folder_that_is_a_link_has_the_history_of_what_it_leads_to(tmp_path: Path) -> None:
    """VS Code names the link, git the folder that it leads to."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    (real / "goner.py").write_text(CODE)
    git(real, "init", "-q")
    git(real, "add", "-A")
    git(real, "commit", "-qm", "one")
    git(real, "rm", "-q", "goner.py")
    git(real, "commit", "-qm", "two")
    real.mkdir(exist_ok=True)
    link.symlink_to(real)
    uri = (link / "b.md").as_uri()
    async with Session(folders=[link]) as session:
        await session.settled()
        session.open(uri, "See `goner.py:1`.\n")
        assert codes((await shown_at_rest(session))[uri]) == ["missing"]


async def test_a_new_file_does_not_make_a_finding_flicker(folder: Path) -> None:
    """Git's history says that the file was here; that stays so whatever other file appears."""
    (folder / "lib").mkdir()
    (folder / "lib/goner.py").write_text(CODE)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "mv", "lib/goner.py", "lib/renamed_to_this.py")
    git(folder, "commit", "-qm", "two")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `goner.py:1` and `lib/goner.py:2`.\n")
        before = (await shown_at_rest(session))[uri]
        (folder / "scratch.txt").write_text("x\n")
        session.files_changed(((folder / "scratch.txt").as_uri(), 1))
        await rest(session)
        published = [params["diagnostics"] for params in session.discard(PUBLISH) if params["uri"] == uri]
        assert [each for each in published if each != before] == []


async def test_verdicts_are_asked_for_again_when_a_branch_is_switched(folder: Path) -> None:
    uri = (folder / "b.md").as_uri()
    text = "`LIMIT` is 4 (`a.py:3`).\n"
    (folder / "b.md").write_text(text)
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, text)
        session.save(uri)
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["unsupported"], shown
        (folder / "a.py").write_text(CODE.replace("3", "4"))
        many = [(folder / f"x{number}.py") for number in range(600)]
        for path in many:
            path.write_text("x\n")
        session.files_changed(((folder / "a.py").as_uri(), 2), *((path.as_uri(), 1) for path in many))
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_verdicts_go_when_the_judge_is_switched_off(folder: Path) -> None:
    uri = (folder / "b.md").as_uri()
    text = "`LIMIT` is 4 (`a.py:3`).\n"
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, text)
        session.save(uri)
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["unsupported"], shown
        session.configure({"judge": {"run": "off"}})
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_files_are_listed_while_news_never_rest(folder: Path) -> None:
    """A build writes a file every some milliseconds, before the folders were listed for the first time."""
    uri = (folder / "b.md").as_uri()
    (folder / "out").mkdir()
    async with Session(folders=[folder]) as session:
        session.open(uri, "See `./none.py:9`.\n")
        await session.settled()
        space = session.server.session.workspace
        for number in range(60):
            path = folder / f"out/{number}.o"
            path.write_text("x")
            session.files_changed((path.as_uri(), 1))
            await asyncio.sleep(0.05)
            if space.complete:
                break
        assert space.complete
        await shown_at_rest(session)


async def test_a_code_file_outside_the_workspace_has_no_files_listed_and_leaves_nothing(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("library")
    (other / "x.py").write_text(CODE)
    uri = (other / "x.py").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        await rest(session)
        session.open(uri, CODE, language="python")
        await rest(session)
        session.close(uri)
        await shown_at_rest(session)
        assert len(session.server.session.spaces) == 1


async def test_a_single_file_sees_what_changed_on_disk(tmp_path: Path) -> None:
    """No workspace folder: nobody watches, so a save looks again."""
    (tmp_path / "a.py").write_text(CODE)
    (tmp_path / "b.md").write_text("See `a.py:6`.\n")
    uri = (tmp_path / "b.md").as_uri()
    async with Session(folders=[]) as session:
        await session.settled()
        session.open(uri, "See `a.py:6`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["line-out-of-range"]
        (tmp_path / "a.py").write_text(CODE * 2)
        session.save(uri)
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_the_settings_of_the_second_folder_count_in_it(folder: Path, tmp_path_factory: Any) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / "cite-lsp.toml").write_text('[anchors]\nforeign = ["upstream"]\n')
    (other / "upstream").mkdir()
    uri = (other / "b.md").as_uri()
    async with Session(folders=[folder, other]) as session:
        await session.settled()
        session.open(uri, "See `upstream/x.c:3`.\n")
        assert (await shown_at_rest(session)).get(uri, []) == []


async def test_documents_and_files_of_a_submodule_are_looked_at(tmp_path: Path, person: Path) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    for each in (inner, outer):
        each.mkdir()
        git(each, "init", "-q")
        (each / "a.py").write_text(CODE)
        (each / "b.md").write_text("See `a.py:9`.\n")
        git(each, "add", "-A")
        git(each, "commit", "-qm", "one")
    git(outer, "submodule", "add", "-q", str(inner), "sub")
    git(outer, "commit", "-qm", "two")
    uri, sub = (outer / "c.md").as_uri(), (outer / "sub/b.md").as_uri()
    async with Session(folders=[outer]) as session:
        await session.settled()
        session.open(uri, "See `sub/a.py:3`.\n")
        session.open(sub, "See `a.py:9`.\n")
        shown = await shown_at_rest(session)
        assert shown[uri] == []
        assert codes(shown[sub]) == ["line-out-of-range"]


async def test_a_document_in_a_linked_folder_is_looked_at(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real/b.md").write_text("See `a.py:9`.\n")
    (folder / "docs").symlink_to("real")
    uri = (folder / "docs/b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:9`.\n")
        assert codes((await shown_at_rest(session)).get(uri, [])) == ["line-out-of-range"]


async def test_what_is_added_to_git_is_no_longer_untracked(folder: Path) -> None:
    git(folder, "init", "-q")
    (folder / "b.md").write_text("x\n")
    git(folder, "add", "b.md")
    git(folder, "commit", "-qm", "one")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `a.py:1`.\n")
        shown = await shown_at_rest(session)
        assert codes(shown[uri]) == ["untracked-target"]
        git(folder, "add", "a.py")
        git(folder, "commit", "-qm", "two")
        session.files_changed(((folder / ".git/index").as_uri(), 2))
        assert (await shown_at_rest(session, shown))[uri] == []


async def test_a_hover_has_no_link_out_of_a_reason(folder: Path) -> None:
    from cite_lsp.server.features.hover import _Markdown

    assert "www." not in _Markdown().text("see www.example.com now").replace("\u200b", "|")


async def test_what_happens_while_the_files_are_listed_is_listed_after_it(folder: Path) -> None:
    """The index is older than the news: without another listing `gone.md` is missing and its own closest path."""
    (folder / "gone.md").write_text("x\n")
    uri = (folder / "b.md").as_uri()
    async with Session(folders=[folder]) as session:
        await session.settled()
        session.open(uri, "See `./gone.md:1`.\n")
        await shown_at_rest(session)
        space = session.server.session.workspace
        call = space._worker.call

        async def slowly(do: str, **params: Any) -> Any:
            answer = await call(do, **params)
            if do == "paths":  # the files were looked at; now one vanishes before the answer is there
                space._worker.call = call
                (folder / "gone.md").unlink()
                session.files_changed(((folder / "gone.md").as_uri(), 3))
            return answer

        space._worker.call = slowly
        (folder / "new.txt").write_text("x\n")
        session.files_changed(((folder / "new.txt").as_uri(), 1))
        (found,) = (await shown_at_rest(session))[uri]
        assert found["code"] == "missing"
        assert "closest" not in found["message"]
        assert "gone.md" not in space.snapshot.indexes[0]
