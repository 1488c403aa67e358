"""willDeleteFiles and didDeleteFiles: who cites what is deleted is warned of, in closed documents too."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, Session, range_of

CODE = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """src/retry.py and src/pool.py, cited by a.md; src/pool.py alone by docs/b.md."""
    for path, text in {
        "src/retry.py": CODE,
        "src/pool.py": CODE,
        "a.md": "😀 `src/retry.py:3` and `src/pool.py:3` and `src/never.py:1`\n",
        "docs/b.md": "[here](../src/pool.py#L3)\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def uri(folder: Path, name: str) -> str:
    return (folder / name).as_uri()


async def will_delete(session: Session, *uris: str) -> None:
    """Announce a deletion; nobody waits for more than the answer, which is no edit."""
    files = {"files": [{"uri": each} for each in uris]}
    assert await session.request("workspace/willDeleteFiles", files) is None


def did_delete(session: Session, *uris: str) -> None:
    session.notify("workspace/didDeleteFiles", {"files": [{"uri": each} for each in uris]})


async def delete(session: Session, folder: Path, name: str) -> None:
    """Delete a file or folder as an editor does it."""
    await will_delete(session, uri(folder, name))
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    did_delete(session, uri(folder, name))


@asynccontextmanager
async def at_work(folder: Path, **more: Any) -> AsyncIterator[tuple[Session, dict[str, Any]]]:
    """A session at rest, and what it shows."""
    async with Session(folders=[folder], **more) as session:
        yield session, await shown_at_rest(session)


async def test_a_closed_document_is_warned_of_until_the_file_is_back(folder: Path) -> None:
    operations = {"fileOperations": {"willDelete": True, "didDelete": True}}
    capabilities = {**CAPABILITIES, "workspace": {**CAPABILITIES["workspace"], **operations}}
    async with at_work(folder, capabilities=capabilities) as (session, shown):
        assert set(session.capabilities_of_server["workspace"]["fileOperations"]) >= {"willDelete", "didDelete"}
        await delete(session, folder, "src/retry.py")
        await shown_at_rest(session, shown)
        assert set(shown) == {uri(folder, "a.md")}
        (found,) = shown[uri(folder, "a.md")]  # of what was missing before, nothing is told
        assert (found["code"], found["severity"], found["source"]) == ("missing", 1, "cite-lsp")
        assert found["range"]["start"]["line"] == 0
        assert "src/retry.py" in found["message"]
        (folder / "src/retry.py").write_text(CODE)
        session.files_changed((uri(folder, "src/retry.py"), 1))
        assert (await shown_at_rest(session, shown))[uri(folder, "a.md")] == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
async def test_warnings_stand_in_the_clients_units(folder: Path, encoding: str) -> None:
    capabilities = {**CAPABILITIES, "general": {"positionEncodings": [encoding]}}
    async with at_work(folder, capabilities=capabilities) as (session, shown):
        await delete(session, folder, "src/retry.py")
        (found,) = (await shown_at_rest(session, shown))[uri(folder, "a.md")]
    first = {"utf-8": 6, "utf-16": 4, "utf-32": 3}[encoding]
    assert found["range"] == range_of((0, first), (0, first + len("src/retry.py:3")))


async def test_a_folder_takes_its_files_with_it(folder: Path) -> None:
    async with at_work(folder) as (session, shown):
        await delete(session, folder, "src")
        await shown_at_rest(session, shown)
        assert {name: codes(found) for name, found in shown.items()} == {
            uri(folder, "a.md"): ["elsewhere", "elsewhere"],  # there is no folder `src` any more
            uri(folder, "docs/b.md"): ["elsewhere"],
        }
        (folder / "docs/b.md").write_text("nothing\n")
        session.files_changed((uri(folder, "docs/b.md"), 2))
        await shown_at_rest(session, shown)
        assert shown[uri(folder, "docs/b.md")] == []
        assert len(shown[uri(folder, "a.md")]) == 2


async def test_an_open_document_tells_by_itself_and_takes_over_when_it_is_opened(folder: Path) -> None:
    async with at_work(folder) as (session, shown):
        session.open(uri(folder, "docs/b.md"), (folder / "docs/b.md").read_text())
        await shown_at_rest(session, shown)
        await delete(session, folder, "src/pool.py")
        await shown_at_rest(session, shown)
        assert codes(shown[uri(folder, "docs/b.md")]) == codes(shown[uri(folder, "a.md")]) == ["missing"]
        session.open(uri(folder, "a.md"), (folder / "a.md").read_text())
        assert codes((await shown_at_rest(session, shown))[uri(folder, "a.md")]) == ["missing", "missing"]
        session.close(uri(folder, "a.md"))
        assert (await shown_at_rest(session, shown))[uri(folder, "a.md")] == []


async def test_a_deletion_that_did_not_happen_is_nothing(folder: Path) -> None:
    async with at_work(folder) as (session, shown):
        await will_delete(session, uri(folder, "src/retry.py"), "untitled:Untitled-1", uri(folder, "none"))
        did_delete(session, uri(folder, "src/retry.py"))
        assert await shown_at_rest(session, shown) == {}


async def test_a_client_that_only_announces_is_heard_when_the_file_is_gone(folder: Path) -> None:
    async with at_work(folder) as (session, shown):
        await will_delete(session, uri(folder, "src/retry.py"))
        (folder / "src/retry.py").unlink()
        session.files_changed((uri(folder, "src/retry.py"), 3))
        assert codes((await shown_at_rest(session, shown))[uri(folder, "a.md")]) == ["missing"]


@pytest.mark.parametrize("how", ["comment", "rule", "excluded"])
async def test_what_is_silenced_is_not_warned_of(folder: Path, how: str) -> None:
    if how == "comment":
        text = (folder / "a.md").read_text()
        (folder / "a.md").write_text(f"<!-- cite-lsp: ignore missing it comes back -->\n{text}")
    settings = {"rule": {"rules": {"missing": "off"}}, "excluded": {"files": {"exclude": ["a.md"]}}}.get(how, {})
    async with at_work(folder, settings=settings) as (session, shown):
        await delete(session, folder, "src/retry.py")
        assert await shown_at_rest(session, shown) == {}


async def test_a_lost_worker_warns_of_nothing(folder: Path) -> None:
    async with at_work(folder) as (session, shown):
        session.server.session.worker.close()
        await will_delete(session, uri(folder, "src/retry.py"))
        (folder / "src/retry.py").unlink()
        did_delete(session, uri(folder, "src/retry.py"))
        await asyncio.sleep(0)
        assert shown == {}


@pytest.mark.parametrize("how", ["added", "removed", "all removed"])
async def test_warnings_follow_the_workspace_folders(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, how: str
) -> None:
    """With other folders what was warned of is looked at anew: still told, taken back, never left standing."""
    other = tmp_path_factory.mktemp("other")
    folders = [folder, other] if how == "removed" else [folder]
    async with Session(folders=folders) as session:
        shown = await shown_at_rest(session)
        await delete(session, folder, "src/retry.py")
        await shown_at_rest(session, shown)
        assert codes(shown[uri(folder, "a.md")]) == ["missing"]
        if how == "added":
            session.folders_changed(added=[other])
            await shown_at_rest(session, shown)
            assert codes(shown[uri(folder, "a.md")]) == ["missing"]
            (folder / "src/retry.py").write_text(CODE)
            session.files_changed((uri(folder, "src/retry.py"), 1))
        else:
            session.folders_changed(removed=[folder])
        assert (await shown_at_rest(session, shown))[uri(folder, "a.md")] == []
