"""workspace/willRenameFiles: citations follow the files that they cite, and the documents that they are in."""

from pathlib import Path
from typing import Any

import pytest

from cite_lsp.server import space
from cite_lsp.server.features import rename_files
from tests.server.at_rest import codes, rest, shown_at_rest
from tests.server.harness import CAPABILITIES, PUBLISH, Session
from tests.server.living import apply_edits

CODE = "".join(f"line {number}\n" for number in range(1, 21))
QUIET = ("cite-lsp/status", PUBLISH)
OPERATIONS = {"willRename": True, "didRename": True}
ABLE = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], "fileOperations": OPERATIONS}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/retry.py, and documents that cite it."""
    for path, text in {
        "src/retry.py": CODE,
        "README.md": "`src/retry.py:3`\n",
        "docs/a.md": "[😀 it](../src/retry.py#L4) `retry.py:5`\n",
        "docs/plans/old.md": "`src/retry.py:6`\n",
        "docs/link.md": "https://github.com/o/r/blob/main/src/retry.py#L7\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


async def will_rename(session: Session, folder: Path, *pairs: tuple[str, str]) -> Any:
    """The answer to a renaming, of root-relative paths."""
    files = [{"oldUri": (folder / old).as_uri(), "newUri": (folder / new).as_uri()} for old, new in pairs]
    return await session.request("workspace/willRenameFiles", {"files": files})


def applied(folder: Path, edit: dict[str, Any], texts: dict[str, str] | None = None) -> dict[str, str]:
    """The texts after the edit, by root-relative path."""
    found = {}
    for change in edit["documentChanges"]:
        path = change["textDocument"]["uri"].removeprefix(f"{folder.as_uri()}/")
        text = (texts or {}).get(path) or (folder / path).read_text()
        found[path] = apply_edits(text, change["edits"], "utf-16")
    return found


async def test_the_server_asks_to_be_told_of_all_files_and_folders(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        await rest(session)
        operations = session.capabilities_of_server["workspace"]["fileOperations"]
    filters = [{"scheme": "file", "pattern": {"glob": "**"}}]
    assert operations == {"willRename": {"filters": filters}, "didRename": {"filters": filters}}


async def test_citations_of_a_renamed_file_follow_it_and_records_do_not(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        session.open((folder / "README.md").as_uri(), "\n\nunsaved `src/retry.py:3`\n", version=7)
        await rest(session)
        edit = await will_rename(session, folder, ("src/retry.py", "src/again.py"))
        assert [change["textDocument"] for change in edit["documentChanges"]] == [
            {"uri": (folder / "README.md").as_uri(), "version": 7},
            {"uri": (folder / "docs/a.md").as_uri(), "version": None},
        ]
        assert applied(folder, edit, {"README.md": "\n\nunsaved `src/retry.py:3`\n"}) == {
            "README.md": "\n\nunsaved `src/again.py:3`\n",
            "docs/a.md": "[😀 it](../src/again.py#L4) `again.py:5`\n",
        }


async def test_a_renamed_folder_takes_along_what_is_cited_below_it(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        await rest(session)
        edit = await will_rename(session, folder, ("src", "lib"))
        assert applied(folder, edit) == {
            "README.md": "`lib/retry.py:3`\n",
            "docs/a.md": "[😀 it](../lib/retry.py#L4) `retry.py:5`\n",
        }


async def test_a_moved_document_still_leads_to_its_files(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        session.open((folder / "docs/a.md").as_uri(), (folder / "docs/a.md").read_text())
        await rest(session)
        edit = await will_rename(session, folder, ("docs/a.md", "docs/deep/er/b.md"))
        assert applied(folder, edit) == {"docs/a.md": "[😀 it](../../../src/retry.py#L4) `retry.py:5`\n"}


async def test_open_text_without_the_citation_is_not_edited(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        session.open((folder / "README.md").as_uri(), "nothing\n")
        await rest(session)
        edit = await will_rename(session, folder, ("src/retry.py", "src/again.py"))
        assert list(applied(folder, edit)) == ["docs/a.md"]


async def test_a_client_without_document_changes_gets_changes(folder):
    plain = {**ABLE["workspace"], "workspaceEdit": {}}
    async with Session(folders=[folder], capabilities={**ABLE, "workspace": plain}, ignored=QUIET) as session:
        await rest(session)
        edit = await will_rename(session, folder, ("src", "lib"))
        assert set(edit) == {"changes"}
        assert set(edit["changes"]) == {(folder / path).as_uri() for path in ("README.md", "docs/a.md")}


async def test_nothing_is_answered_where_nothing_is_cited(folder):
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        await rest(session)
        assert await will_rename(session, folder, ("docs/a.md", "docs/b.md")) is None
        assert await will_rename(session, folder, ("src/retry.py", "src/retry.py")) is None
        assert await will_rename(session, folder, ("../other.py", "../another.py")) is None


async def test_after_the_renaming_the_files_are_listed_anew(folder):
    uri = (folder / "README.md").as_uri()
    async with Session(folders=[folder], capabilities=ABLE, ignored=("cite-lsp/status",)) as session:
        session.open(uri, "`src/again.py:3`\n")
        assert codes((await shown_at_rest(session))[uri]) == ["missing"]
        (folder / "src/retry.py").rename(folder / "src/again.py")
        names = {"oldUri": (folder / "src/retry.py").as_uri(), "newUri": (folder / "src/again.py").as_uri()}
        session.notify("workspace/didRenameFiles", {"files": [names]})
        assert (await shown_at_rest(session))[uri] == []


async def test_what_is_known_in_time_is_given_and_the_rest_is_said(folder, monkeypatch):
    monkeypatch.setattr(rename_files, "SECONDS", 0.0)
    async with Session(folders=[folder], capabilities=ABLE, ignored=QUIET) as session:
        await rest(session)
        assert await will_rename(session, folder, ("src", "lib")) is None
        message = (await session.notification("window/showMessage"))["message"]
        assert "not all documents could be looked at in time" in message


@pytest.mark.parametrize("pair", [("src/retry.py", "src/again.py"), ("src", "lib")])
async def test_between_the_edit_and_the_renaming_nothing_is_missing(folder, pair):
    (folder / "docs/a.md").write_text("`src/retry.py:5` [it](../src/retry.py#L4) `never/was.py:1`\n")
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], capabilities=ABLE, ignored=("cite-lsp/status",)) as session:
        session.open(uri, (folder / "docs/a.md").read_text())
        assert codes((await shown_at_rest(session))[uri]) == ["elsewhere"]
        edit = await will_rename(session, folder, pair)
        session.change_all(uri, applied(folder, edit)["docs/a.md"])
        assert codes((await shown_at_rest(session))[uri]) == ["elsewhere"]
        (folder / pair[0]).rename(folder / pair[1])
        names = {"oldUri": (folder / pair[0]).as_uri(), "newUri": (folder / pair[1]).as_uri()}
        session.notify("workspace/didRenameFiles", {"files": [names]})
        assert codes((await shown_at_rest(session)).get(uri, [{"code": "elsewhere"}])) == ["elsewhere"]


async def test_a_renaming_that_never_comes_is_not_waited_for(folder, monkeypatch):
    monkeypatch.setattr(space, "_LONGEST_RENAMING", 0.3)
    uri = (folder / "docs/a.md").as_uri()
    async with Session(folders=[folder], capabilities=ABLE, ignored=("cite-lsp/status",)) as session:
        session.open(uri, (folder / "docs/a.md").read_text())
        await shown_at_rest(session)
        edit = await will_rename(session, folder, ("src", "lib"))
        session.change_all(uri, applied(folder, edit)["docs/a.md"])
        assert await session.diagnostics_of(uri) == []
        assert codes(await session.diagnostics(uri)) == ["elsewhere"]
