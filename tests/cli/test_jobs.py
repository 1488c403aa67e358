"""`--jobs`: children change how long a check takes, and nothing else."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cite_lsp.cli.jobs import MOST_CHILDREN, SHARE, WORTH_A_CHILD, begin_with, jobs_for, shared_out

linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="not run: processes are found through /proc")

MANY = 3 * SHARE + 5


@pytest.fixture
def corpus(workspace) -> Path:
    files = {"src/a.py": "x = 1\n\n" * 20, "net/bin.txt": "a\0b"}
    for number in range(MANY):
        files[f"docs/d{number:03}.md"] = f"One (`src/a.py:{number + 1}`) and `src/gone{number}.py:1`.\n"
    return workspace(files)


def check(folder: Path, *arguments: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "cite_lsp", "check", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, input=stdin, check=False, timeout=120)


def without_time(text: bytes) -> list[str]:
    return [line.partition(" in ")[0] if " in " in line else line for line in text.decode().splitlines()]


def test_text_is_the_same_with_children(corpus):
    alone, shared = check(corpus, "--jobs", "1"), check(corpus, "--jobs", "3")
    assert shared.returncode == alone.returncode == 1
    assert shared.stderr == alone.stderr == b""
    assert without_time(shared.stdout) == without_time(alone.stdout)
    assert len(alone.stdout.splitlines()) > MANY


def test_json_is_the_same_with_children(corpus):
    outputs = [json.loads(check(corpus, "--format", "json", "--excerpts", "--jobs", jobs).stdout) for jobs in "12"]
    for output in outputs:
        assert output["summary"].pop("seconds") > 0
    assert outputs[0] == outputs[1]
    assert [each["path"] for each in outputs[0]["documents"]] == sorted(
        each["path"] for each in outputs[0]["documents"]
    )


def test_standard_input_reaches_the_children(corpus):
    done = check(corpus, "-", "docs", "--stdin-path", "docs/new.md", "--jobs", "2", stdin=b"See `src/a.py:99`.\n")
    assert b"docs/new.md\n" in done.stdout
    assert b"`src/a.py` has 40 lines; line 99 does not exist" in done.stdout


def test_a_wrong_setting_is_told_once(corpus):
    (corpus / "cite-lsp.toml").write_text('[rules]\nmissing = "loud"\n')
    done = check(corpus, "--jobs", "2")
    assert done.returncode == 2
    assert done.stdout.count(b"cite-lsp.toml:2:1") == 1


def test_as_many_jobs_as_the_documents_are_worth():
    cores = len(os.sched_getaffinity(0))
    assert jobs_for(10, 0) == jobs_for(WORTH_A_CHILD, 0) == 1
    assert jobs_for(100_000, 0) == min(cores, MOST_CHILDREN)
    assert jobs_for(3, 8) == 3
    assert jobs_for(0, 8) == 1


def test_a_long_document_is_begun_first_and_nothing_is_left_out():
    sizes = {"a.md": 10, "b.md": 10, "c.md": 500, "d.md": 0, "e.md": 0, "f.md": 200}
    parts = shared_out(sizes, 30)
    assert [path for part in parts for path in part.documents] == list(sizes)
    assert [part.size for part in parts] == [20, 500, 0, 200]
    assert begin_with(parts, 30) == [1, 3, 0, 2]
    assert max(len(part.documents) for part in shared_out(dict.fromkeys(map(str, range(100)), 0), 0)) == SHARE


BUSY = 5
"""Ticks of the processor (1/100 s) that only a child that checks documents has used."""


def children_of(process: int) -> list[int]:
    """Find the processes that `multiprocessing` started for `process` and that are at work, as Linux lists them.

    Anything that is being started, git for one, looks like its parent until it has become itself: it must have worked.
    """
    found = []
    own = Path(f"/proc/{process}/cmdline").read_bytes()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:  # it has ended meanwhile
            continue
        if int(state[1]) == process and command == own and int(state[11]) + int(state[12]) >= BUSY:
            found.append(int(folder.name))
    return found


def started(folder: Path) -> tuple[subprocess.Popen[bytes], list[int]]:
    """Start a check with children and wait until they are at work."""
    command = [sys.executable, "-m", "cite_lsp", "check", "--jobs", "2"]
    parent = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while parent.poll() is None:
        children = children_of(parent.pid)
        if children:
            return parent, children
        time.sleep(0.005)
    raise AssertionError("no child was at work")


@pytest.fixture
def slow(workspace) -> Path:
    """Documents that take a child some seconds."""
    files = {"src/a.py": "".join(f"value_{number} = {number}\n" for number in range(3_000))}
    for number in range(300):
        files[f"docs/d{number:03}.md"] = "".join(
            f"- The `value_{line}` of it is {line} (`src/a.py:{line + number}`).\n" for line in range(100)
        )
    return workspace(files)


@linux
def test_a_killed_child_is_said_and_is_not_a_clean_end(slow):
    parent, children = started(slow)
    os.kill(children[0], signal.SIGKILL)
    _, err = parent.communicate(timeout=60)
    assert parent.returncode == 3
    assert b"--jobs 1" in err
    assert b"Traceback" not in err


@linux
def test_an_interrupt_ends_parent_and_children_quietly(slow):
    parent, children = started(slow)
    parent.send_signal(signal.SIGINT)
    _, err = parent.communicate(timeout=60)
    assert parent.returncode in (130, -signal.SIGINT)
    assert b"Traceback" not in err
    ended(children)


@linux
def test_children_end_with_a_parent_that_is_killed(slow):
    parent, children = started(slow)
    parent.kill()
    parent.communicate(timeout=60)
    ended(children)


def ended(children: list[int]) -> None:
    for _ in range(4_000):
        if not any(Path(f"/proc/{child}/cmdline").exists() for child in children):
            return
        time.sleep(0.005)
    raise AssertionError("a child outlived its parent")
