"""Files that are listed anew: what is the same stays the same objects, and what is other is taken."""

import asyncio
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from cite_lsp.server.folders import Folders
from cite_lsp.server.space import Change, Space
from cite_lsp.snapshot.snapshot import Scope
from cite_lsp.worker.client import Worker

pytestmark = pytest.mark.usefixtures("person")


def git(folder: Path, *arguments: str) -> None:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, *names: str) -> str:
    folder.mkdir()
    git(folder, "init", "-q")
    for name in names:
        (folder / name).write_text("x\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return os.path.realpath(folder)


class Told(list[Change]):
    """What a space told."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = asyncio.Event()

    def __call__(self, _: Space, change: Change) -> None:
        self.append(change)
        if change.answers:
            self.answered.set()


async def test_the_same_files_are_the_same_index(worker: Worker, tmp_path: Path) -> None:
    root, told = repository(tmp_path / "w", "a.py", "b.py"), Told()
    space = Space((root,), [Scope()], dict, Folders(worker), told)
    await space.list_now()
    (index,) = space.snapshot.indexes
    before = space.snapshot
    await space.list_now()
    assert space.snapshot is before
    assert [change.everything for change in told] == [True, False]
    space.list_soon(appeared=True)
    await space.list_now()
    assert space.snapshot is not before
    assert space.snapshot.indexes[0] is index
    (tmp_path / "w/c.py").write_text("x\n")
    await space.list_now()
    assert space.snapshot.indexes[0].paths == ("a.py", "b.py", "c.py")
    assert "c.py" not in (space.snapshot.indexes[0].tracked or ())
    git(tmp_path / "w", "add", "-A")
    await space.list_now()
    assert "c.py" in (space.snapshot.indexes[0].tracked or ())
    space.close()


async def test_a_child_that_was_started_anew_tells_all(worker: Worker, tmp_path: Path) -> None:
    root, told = repository(tmp_path / "w", "a.py"), Told()
    space = Space((root,), [Scope()], dict, Folders(worker), told)
    await space.list_now()
    before = space.snapshot
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    await space.list_now()
    assert (space.snapshot, space.error) == (before, "")
    (tmp_path / "w/b.py").write_text("x\n")
    await space.list_now()
    assert space.snapshot.indexes[0].paths == ("a.py", "b.py")
    space.close()


async def test_an_answer_that_was_not_taken_is_not_built_upon(worker: Worker, tmp_path: Path) -> None:
    """Of two roots the second cannot be listed: what was said of the first is asked again in full."""
    roots = (repository(tmp_path / "w", "a.py"), repository(tmp_path / "v", "b.py"))
    space = Space(roots, [Scope(), Scope()], dict, Folders(worker), Told())
    await space.list_now()
    (tmp_path / "w/new.py").write_text("x\n")
    call = worker.call

    async def failing(do: str, **params: object) -> object:
        if do == "paths" and params["root"] == roots[1]:
            params["limit"] = "none"
        return await call(do, **params)  # type: ignore[arg-type]

    worker.call = failing  # type: ignore[method-assign]
    await space.list_now()
    assert "could not be listed" in space.error
    assert space.snapshot.indexes[0].paths == ("a.py",)
    worker.call = call  # type: ignore[method-assign]
    await space.list_now()
    assert space.error == ""
    assert space.snapshot.indexes[0].paths == ("a.py", "new.py")
    space.close()


async def test_files_of_another_repository_that_change_are_taken(worker: Worker, tmp_path: Path) -> None:
    root, other = repository(tmp_path / "w", "a.py"), repository(tmp_path / "v", "b.py")
    told = Told()
    space = Space((root,), [Scope((), {"a/v": other})], dict, Folders(worker), told)
    await space.list_now()
    await space.list_now()
    (tmp_path / "v/c.py").write_text("x\n")
    await space.list_now()
    assert [change.everything for change in told] == [True, False, True]
    await space.list_now()
    shutil.rmtree(tmp_path / "v")
    await space.list_now()
    assert [change.everything for change in told] == [True, False, True, False, True]
    space.close()


async def test_names_of_the_past_are_kept_while_the_history_is_the_same(worker: Worker, tmp_path: Path) -> None:
    root, told = repository(tmp_path / "w", "a.py", "b.py"), Told()
    git(tmp_path / "w", "rm", "-q", "b.py")
    git(tmp_path / "w", "commit", "-qm", "two")
    space = Space((root,), [Scope()], dict, Folders(worker), told)
    await space.list_now()

    async def names() -> frozenset[str] | None:
        past = space._pasts[root]
        past.names_in_history()
        told.answered.clear()
        space.ask()
        await asyncio.wait_for(told.answered.wait(), 60)
        return past.names_in_history()

    first = await names()
    assert first == {"a.py", "b.py"}
    (tmp_path / "w/c.py").write_text("x\n")
    await space.list_now()
    assert await names() is first
    git(tmp_path / "w", "add", "-A")
    git(tmp_path / "w", "commit", "-qm", "three")
    space.list_soon(appeared=True)
    await space.list_now()
    assert await names() == {"a.py", "b.py", "c.py"}
    space.close()
