"""The worker: real child processes, asked for real things."""

import asyncio
import io
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.audit.row_data import row_to_data, verdict_from_data
from cite_lsp.audit.verdicts import Row
from cite_lsp.snapshot.paths import list_paths
from cite_lsp.worker.answers import index_of
from cite_lsp.worker.client import Worker, WorkerFailed
from cite_lsp.worker.frames import BadFrame, encoded, read_message

ROW = row_to_data(Row.of(claim="MAX_ATTEMPTS is 3.", lines=[(24, "MAX_ATTEMPTS = 5")], path="retry.py"))


def git(folder: Path, *arguments: str) -> None:
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *person, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q")
    (root / "src" / "old_name.py").write_text("a = 1\n" * 30)
    (root / "src" / "pool.py").write_text("b = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    git(root, "mv", "src/old_name.py", "src/new_name.py")
    git(root, "commit", "-qm", "two")
    (root / "loose.md").write_text("text\n")
    return root


async def test_paths_are_those_of_the_index(worker: Worker, repository: Path) -> None:
    root = str(repository)
    answer = await worker.call("paths", root=root)
    assert answer["paths"] == ["loose.md", "src/new_name.py", "src/pool.py"]
    assert answer["tracked"] == {"missing": ["loose.md"], "more": []}
    again, here = index_of(root, answer), list_paths(root)
    assert (again.root, again.paths, again.tracked, again.notes) == (root, here.paths, here.tracked, here.notes)


async def test_a_limit_cuts_the_paths_and_what_git_tracks_stays_known(worker: Worker, repository: Path) -> None:
    answer = await worker.call("paths", root=str(repository), limit=1)
    assert answer["paths"] == ["loose.md"]
    assert answer["tracked"]["more"] == ["src/new_name.py", "src/pool.py"]
    assert "1" in answer["notes"][-1]


async def test_no_repository_is_said(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    answer = await worker.call("paths", root=str(tmp_path))
    assert (answer["paths"], answer["tracked"], answer["notes"]) == (["a.md"], None, [])
    history = await worker.call("history", root=str(tmp_path))
    assert "no git work tree" in history["none"]
    assert await worker.call("renamed", root=str(tmp_path), paths=["x.py"]) == {"x.py": None}


async def test_files_that_are_the_same_are_not_sent_again(worker: Worker, repository: Path) -> None:
    root = str(repository)
    mark = (await worker.call("paths", root=root))["mark"]
    assert await worker.call("paths", root=root, known=mark) == {"same": mark}
    (repository / "fresh.py").write_text("c = 1\n")
    more = await worker.call("paths", root=root, known=mark)
    assert (more["added"], more["removed"]) == (["fresh.py"], [])
    assert (await worker.call("paths", root=root, known=mark))["mark"] == more["mark"], (
        "an older answer is not the last"
    )
    git(repository, "add", "fresh.py")
    added = await worker.call("paths", root=root, known=more["mark"])
    assert added["tracked"]["missing"] == ["loose.md"]
    assert await worker.call("paths", root=root, known=added["mark"]) == {"same": added["mark"]}
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGKILL)
    every = (await worker.call("paths", root=root, known=added["mark"]))["paths"]
    assert every == ["fresh.py", "loose.md", "src/new_name.py", "src/pool.py"], "it is another child"


async def test_names_of_a_history_that_is_the_same_are_not_sent_again(worker: Worker, repository: Path) -> None:
    root = str(repository)
    mark = (await worker.call("history", root=root))["mark"]
    assert await worker.call("history", root=root, known=mark) == {"same": mark}
    git(repository, "rm", "-q", "src/pool.py")
    git(repository, "commit", "-qm", "three")
    git(repository, "mv", "src/new_name.py", "src/newest.py")
    git(repository, "commit", "-qm", "four")
    later = await worker.call("history", root=root, known=mark)
    assert (later["added"], later["removed"]) == (["newest.py"], [])
    assert later["mark"] != mark
    again = await worker.call("history", root=root, known=mark)
    assert again["names"] == ["new_name.py", "newest.py", "old_name.py", "pool.py"], "an older answer is not the last"


async def test_two_lanes_that_need_the_files_have_them_listed_once(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, log, folder = shutil.which("git"), tmp_path / "log", tmp_path / "bin"
    folder.mkdir()
    script = f"""#!/bin/sh
echo "$*" >> '{log}'
case "$*" in *--others*) sleep 0.5;; esac
exec '{real}' "$@"
"""
    (folder / "git").write_text(script)
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    worker = Worker()
    try:
        text = "See `src/pool.py:1`.\n"
        question = {"root": str(repository), "path": "loose.md", "text": text}
        listed, *_ = await asyncio.gather(
            worker.call("paths", root=str(repository)),
            worker.call("baselines", **question),
            worker.call("closest", root=str(repository), paths=["src/pol.py"]),
        )
    finally:
        worker.close()
    assert "src/pool.py" in listed["paths"]
    assert log.read_text().count("--others") == 1


async def test_history_and_renames(worker: Worker, repository: Path) -> None:
    history = await worker.call("history", root=str(repository))
    assert same(history["top"], repository)
    assert history["names"] == ["new_name.py", "old_name.py", "pool.py"]
    renamed = await worker.call("renamed", root=str(repository), paths=["src/old_name.py", "src/never.py"])
    assert renamed == {"src/old_name.py": "src/new_name.py", "src/never.py": None}


async def test_history_is_walked_anew_when_asked_anew(worker: Worker, repository: Path) -> None:
    await worker.call("history", root=str(repository))
    git(repository, "rm", "-q", "src/pool.py")
    (repository / "src" / "fresh.py").write_text("c = 1\n")
    git(repository, "add", "src")
    git(repository, "commit", "-qm", "three")
    history = await worker.call("history", root=str(repository))
    assert "fresh.py" in history["names"]


async def test_closest_asks_the_last_index(worker: Worker, repository: Path) -> None:
    await worker.call("paths", root=str(repository))
    closest = await worker.call("closest", root=str(repository), paths=["src/pol.py", "nothing/like/it.rs"])
    assert closest == {"src/pol.py": ["src/pool.py"], "nothing/like/it.rs": []}


async def test_each_verdict_is_a_part(worker: Worker) -> None:
    parts: list[dict[str, object]] = []
    done = await worker.call("judge", rows=[ROW, ROW], judge="embedded", on_part=parts.append)
    assert done == {"rows": 2}
    assert [part["index"] for part in parts] == [0, 1]
    verdict = verdict_from_data(parts[0]["verdict"])
    assert (verdict.label, verdict.kind, verdict.judge) == ("unsupported", "contradicted", "embedded/2")
    assert [(each.offset, each.text) for each in verdict.evidence] == [(0, "MAX_ATTEMPTS = 5")]


async def test_better_lines_are_found_in_the_file(worker: Worker) -> None:
    file = ["x = 1", "", "", "# limits", "", "MAX_ATTEMPTS = 5", "", "y = 2"]
    row = row_to_data(Row.of(claim="MAX_ATTEMPTS is 5.", lines=[(1, "x = 1")], path="retry.py"))
    found = await worker.call("better", row=row, file=file, first=1, last=1)
    assert [(each["first"], each["last"], each["verdict"]["label"]) for each in found] == [(6, 6, "supported")]


async def test_a_failure_is_told_and_the_worker_goes_on(worker: Worker) -> None:
    with pytest.raises(WorkerFailed, match="knows no such task"):
        await worker.call("dance")
    with pytest.raises(WorkerFailed, match="no judge 'oracle'"):
        await worker.call("judge", rows=[ROW], judge="oracle")
    with pytest.raises(WorkerFailed, match="'claim'"):
        await worker.call("judge", rows=[{}])
    assert await worker.call("judge", rows=[]) == {"rows": 0}
    assert worker.restarts == 0


async def test_lone_surrogates_go_through(worker: Worker) -> None:
    odd = row_to_data(Row.of(claim="LIMIT is 3 \ud800.", lines=[(1, "LIMIT = 5  # \udfff")], path="a.py"))
    parts: list[dict[str, dict[str, list[list[object]]]]] = []
    await worker.call("judge", rows=[odd], on_part=parts.append)
    assert parts[0]["verdict"]["evidence"] == [[0, 0, "LIMIT = 5  # \udfff"]]


async def test_a_hundred_thousand_paths(worker: Worker, tmp_path: Path) -> None:
    paths = [f"folder-{n % 97}/some-longer-name-of-a-file-{n}.py" for n in range(100_000)]
    answer = await worker.call("renamed", root=str(tmp_path), paths=paths)
    assert len(answer) == 100_000
    assert answer[paths[-1]] is None


async def test_a_part_that_cannot_be_taken_fails_its_call_only(worker: Worker) -> None:
    def refuse(part: object) -> None:
        raise LookupError("no room")

    with pytest.raises(LookupError, match="no room"):
        await worker.call("judge", rows=[ROW] * 50, on_part=refuse)
    assert await worker.call("judge", rows=[ROW]) == {"rows": 1}


async def test_what_is_no_plain_data_is_refused_before_it_is_sent(worker: Worker) -> None:
    with pytest.raises(WorkerFailed, match="judge: "):
        await worker.call("judge", rows=[object()])
    assert await worker.call("judge", rows=[]) == {"rows": 0}


async def test_two_workers_at_once(worker: Worker) -> None:
    other = Worker()
    try:
        both = await asyncio.gather(
            *(each.call("judge", rows=[ROW] * count) for count, each in ((3, worker), (4, other)) for _ in range(5))
        )
    finally:
        other.close()
    assert [answer["rows"] for answer in both] == [3] * 5 + [4] * 5


async def test_a_judgement_does_not_wait_for_git(worker: Worker, tmp_path: Path) -> None:
    """The walk sent first, of far more names, is answered last: the lanes are apart."""
    paths = [f"a/{n}-{'x' * 30}.py" for n in range(20_000)]
    (tmp_path / "a").mkdir()
    for n in range(200):
        (tmp_path / "a" / f"{n}-{'x' * 28}.py").write_text("")
    await worker.call("judge", rows=[])
    order: list[str] = []
    slow = asyncio.create_task(worker.call("closest", root=str(tmp_path), paths=paths))
    slow.add_done_callback(lambda _: order.append("git"))
    await asyncio.sleep(0)
    await worker.call("judge", rows=[ROW])
    order.append("judge")
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert order[0] == "judge"


def test_the_child_stays_light() -> None:
    """What it loads for both lanes is without what only the server and the command line need."""
    code = (
        "import sys, cite_lsp.worker.__main__, cite_lsp.worker.git_lane, cite_lsp.worker.judge_lane;"
        "print(sorted({'asyncio', 'pydantic', 'typer', 'rich', 'pygls', 'lsprotocol', 'sentencex'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_the_child_fits_in_sixty_megabytes(worker: Worker, repository: Path) -> None:
    await worker.call("judge", rows=[ROW] * 50)
    await worker.call("paths", root=str(repository))
    assert resident_kilobytes(worker.pid) <= 60 * 1024


def same(first: str, second: Path) -> bool:
    return Path(first).samefile(second)


def resident_kilobytes(pid: int | None) -> int:
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("not run: /proc absent; run on Linux")
    return int(status.read_text().partition("VmRSS:")[2].split()[0])


def test_frames_are_read_as_they_were_written() -> None:
    message = {"id": 1, "do": "x", "text": "é\u2028", "odd": "\ud800"}
    pipe = io.BytesIO(encoded(message) + encoded({"drop": 1}))
    assert [read_message(pipe), read_message(pipe), read_message(pipe)] == [message, {"drop": 1}, None]


@pytest.mark.parametrize(
    "rubbish", [b"\x00", b"\xff\xff\xff\xff", b"\x00\x00\x00\x05{}", b"\x00\x00\x00\x02[]", b"\x00\x00\x00\x02ab"]
)
def test_rubbish_is_no_frame(rubbish: bytes) -> None:
    with pytest.raises(BadFrame):
        read_message(io.BytesIO(rubbish))
