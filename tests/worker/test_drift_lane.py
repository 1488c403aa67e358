"""The worker asked about the past of citations: real processes, real histories."""

import gc
import io
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.baseline_data import written_from_data
from cite_lsp.snapshot.baselines import Asked, Baselines
from cite_lsp.snapshot.lines import FileText
from cite_lsp.snapshot.paths import list_paths
from cite_lsp.snapshot.versions import Version
from cite_lsp.worker import drift_lane, lanes
from cite_lsp.worker.drift_lane import DriftLane
from cite_lsp.worker.lanes import Request

pytestmark = pytest.mark.usefixtures("person")

CODE = [f"line {number}" for number in range(1, 41)]
DOC = "The pool gives up after three tries (`src/pool.py:10-12`), see `Makefile:3`.\n"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def commit(folder: Path, **files: str | list[str]) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else "".join(f"{line}\n" for line in text))
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "r"
    made.mkdir()
    git(made, "init", "-q")
    commit(made, **{"docs/a.md": DOC, "src/pool.py": CODE, "Makefile": CODE})
    commit(made, **{"src/pool.py": ["new", *CODE]})
    return made


def here(root: Path, text: str = DOC, as_of: str = "") -> tuple[Written, ...]:
    """What this process finds out itself."""
    document = Document.parse(text, "docs/a.md", list_paths(str(root)).known())
    found = Baselines.of(str(root))
    assert isinstance(found, Baselines)
    (written,) = found.written([Asked(document, as_of)])
    found.close()
    return written


def question(root: Path, text: str = DOC, **more: object) -> dict[str, Any]:
    return {"root": str(root), "path": "docs/a.md", "text": text, "as_of": "", "pattern": None, "in_fences": False,
            "extensions": [], "foreign": [], **more}  # fmt: skip


def read(answer: dict[str, Any], root: Path) -> tuple[Written, ...]:
    assert "none" not in answer, answer
    return written_from_data(answer["written"], str(root))


async def test_baselines_are_those_that_are_found_here(worker, root, tmp_path):
    for _ in range(2):
        answer = await worker.call("baselines", **question(root, cache=str(tmp_path / "cache"), anchors=2))
        assert read(answer, root) == here(root)
        assert (answer["files"], answer["message"]) == ({}, "")
    assert (tmp_path / "cache/baselines-1.db").exists()


async def test_a_text_that_is_not_saved_and_a_commit_in_between(worker, root):
    text = "First of all.\n\n" + DOC + "\nThe end is `src/pool.py:41`.\n"
    answer = await worker.call("baselines", **question(root, text))
    assert read(answer, root) == here(root, text)
    assert read(answer, root)[2].baselines[0].state == "unknown"
    last = commit(root, **{"docs/a.md": text})
    answer = await worker.call("baselines", **question(root, text))
    assert read(answer, root)[2].baselines[0].commit == last


async def test_a_record_comes_with_the_texts_of_its_files(worker, root):
    answer = await worker.call("baselines", **question(root, as_of="written"))
    written = read(answer, root)
    assert written == here(root, as_of="written")
    resolution = written[0].resolution
    assert resolution is not None
    assert answer["files"][resolution.blob]["lines"] == CODE
    assert len(answer["files"]) == 1  # both files hold the same
    assert len(answer["files"][resolution.blob]["sha256"]) == 64


async def test_when_texts_went(worker, root):
    written = read(await worker.call("baselines", **question(root)), root)
    data = [[list(one.baselines[0]), anywhere] for one in written for anywhere in (False, True)]
    answers = await worker.call("departed", root=str(root), asked=data)
    head = git(root, "rev-parse", "HEAD")
    assert answers == [[head, int(git(root, "log", "-1", "--format=%ct"))], None, None, None]
    assert await worker.call("departed", root=str(root.parent), asked=data) == [None] * 4


async def test_no_repository_is_an_answer_and_one_that_is_made_later_is_seen(worker, tmp_path):
    folder = tmp_path / "plain"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/a.md").write_text("See `docs/a.md:1`.\n")
    answer = await worker.call("baselines", **question(folder, "See `docs/a.md:1`.\n"))
    assert answer == {"none": f"{folder} is in no git work tree"}
    git(folder, "init", "-q")
    first = commit(folder)
    answer = await worker.call("baselines", **question(folder, "See `docs/a.md:1`.\n"))
    assert read(answer, folder)[0].baselines[0].commit == first


async def test_a_file_that_the_index_did_not_have_yet(worker, root):
    await worker.call("paths", root=str(root))
    commit(root, Justfile=CODE)
    text = DOC + "\nAnd `Justfile:1`.\n"
    answer = await worker.call("baselines", **question(root, text, anchors=3))
    assert len(read(answer, root)) == 3
    answer = await worker.call("baselines", **question(root, text, anchors=7))
    assert "differently" in answer["none"]


async def test_settings_of_the_grammar_count(worker, root):
    text = "See `src/pool.py:1`.\n\n```\nsrc/pool.py:2\n```\n"
    assert len(read(await worker.call("baselines", **question(root, text)), root)) == 1
    answer = await worker.call("baselines", **question(root, text, in_fences=True))
    assert len(read(answer, root)) == 2
    answer = await worker.call("baselines", **question(root, pattern=r"Makefile:[0-9]+"))
    assert [one.baselines[0].path for one in read(answer, root)] == ["Makefile"]
    answer = await worker.call("baselines", **question(root, foreign=["src"]))
    assert read(answer, root)[0].baselines[0].reason == "is that of another repository"


def test_what_nobody_asks_for_any_more_is_left(root):
    lane = DriftLane()
    request = Request(question(root), lambda: True, lambda _: None)
    assert "none" in lane.baselines(request)
    baseline = list(here(root)[0].baselines[0])
    request = Request({"root": str(root), "asked": [[baseline, False]]}, lambda: True, lambda _: None)
    assert lane.departed(request) == [None]


def test_a_cache_that_cannot_be_used_is_said(root, tmp_path):
    (tmp_path / "file").write_text("")
    lane = DriftLane()
    cache = os.fspath(tmp_path / "file" / "cache")
    answer = lane.baselines(Request(question(root, cache=cache), lambda: False, lambda _: None))
    assert "is not kept" in answer["message"]
    assert read(answer, root) == here(root)


def test_at_rest_it_holds_no_texts_of_commits_and_answers_the_same(root):
    lane = DriftLane()

    def ask() -> dict[str, Any]:
        return lane.baselines(Request(question(root, as_of="written"), lambda: False, print))

    def texts() -> int:
        gc.collect()
        return sum(isinstance(each, FileText | Version) for each in gc.get_objects())

    texts_before, first = texts(), ask()
    assert texts() > texts_before
    lane.rest()
    assert texts() == texts_before
    assert ask() == first
    commit(root, **{"src/pool.py": ["newer", *CODE]})
    assert ask() == first


def test_a_lane_rests_once_nothing_is_asked_and_serves_on(monkeypatch, root):
    rested, out = threading.Event(), io.BytesIO()

    def rest() -> None:
        rested.set()
        raise ValueError("a fault of the lane's")

    monkeypatch.setattr(lanes, "_REST", 0.05)
    monkeypatch.setattr(drift_lane, "rest", rest)
    served = lanes.Lanes(out)
    for number in (1, 2):
        rested.clear()
        served.take({"id": number, "do": "departed", "root": str(root), "asked": []})
        assert rested.wait(20)
        assert out.getvalue().count(b'"done"') == number
