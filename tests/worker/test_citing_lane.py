"""The lane of who cites what, in the real child and by itself."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.worker.citing_lane import CitingLane
from cite_lsp.worker.client import Worker
from cite_lsp.worker.frames import LANES
from cite_lsp.worker.lanes import Request

CODE = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """src/retry.py, and two documents that cite it."""
    for path, text in {
        "src/retry.py": CODE,
        "docs/a.md": "`src/retry.py:3` 😀 `retry.py:9-12`\n",
        "docs/plans/b.md": "`src/retry.py:9`\n",
        "docs/c.md": "`docs/a.md:1`\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def params(root: Path, **more: Any) -> dict[str, Any]:
    """What every request says."""
    return {"roots": [str(root)], "settings": {}, "edition": 0, "encoding": "utf-16", **more}


def never() -> bool:
    return False


def test_its_tasks_hold_up_no_other_lane():
    assert LANES["citing"] == LANES["renaming"] == "citing"
    assert [name for name, lane in LANES.items() if lane == "citing"] == ["citing", "renaming", "symbols"]


async def test_the_child_says_who_cites_lines(root):
    worker = Worker()
    try:
        asked = {str(root / "src/retry.py"): [[10, 10]]}
        answer = await worker.call("citing", **params(root, asked=asked))
        assert answer == {
            "documents": [[str(root / "docs/a.md"), [[0, 21, 0, 34, "retry.py:9-12", [[9, 12]], "same-document"]]]],
            "complete": True,
        }
        asked = {str(root / "src/retry.py"): None}
        answer = await worker.call("citing", **params(root, asked=asked, without=[str(root / "docs/a.md")]))
        assert [path for path, _ in answer["documents"]] == [str(root / "docs/plans/b.md")]
        assert await worker.call("citing", **params(root)) == {"documents": [], "complete": True}
    finally:
        worker.close()


async def test_the_child_gives_the_edits_of_a_renaming_document_by_document(root):
    worker = Worker()
    parts: list[Any] = []
    try:
        moves = [[str(root / "src"), str(root / "lib")]]
        done = await worker.call("renaming", on_part=parts.append, **params(root, moves=moves))
    finally:
        worker.close()
    assert done == {"documents": 1}  # docs/plans holds records
    (part,) = parts
    assert part["path"] == str(root / "docs/a.md")
    start, end = {"line": 0, "character": 1}, {"line": 0, "character": 13}
    assert part["edits"] == [{"range": {"start": start, "end": end}, "newText": "lib/retry.py"}]


async def test_a_question_that_nobody_waits_for_is_left(root):
    worker = Worker()
    try:
        task = asyncio.ensure_future(worker.call("citing", **params(root)))
        await asyncio.sleep(0)
        task.cancel()
        asked = {str(root / "docs/a.md"): None}
        answer = await worker.call("citing", **params(root, asked=asked))
        assert [path for path, _ in answer["documents"]] == [str(root / "docs/c.md")]
    finally:
        worker.close()


def test_it_is_asked_between_documents_whether_anybody_waits(root):
    lane = CitingLane()
    looks = iter([False, True, True])
    answer = lane.citing(Request(params(root), lambda: next(looks), lambda _: None))
    assert answer["complete"] is False
    ((citing, _),) = lane._kept.values()
    assert citing.count == 2  # the first document's


def test_open_texts_have_edits_where_the_client_has_them(root):
    lane = CitingLane()
    parts: list[Any] = []
    overlay = {str(root / "docs/a.md"): "\n\nnow `src/retry.py:5`\n"}
    moves = [[str(root / "src/retry.py"), str(root / "src/again.py")]]
    lane.renaming(Request(params(root, moves=moves, overlay=overlay), never, parts.append))
    assert [edit["range"]["start"] for edit in parts[0]["edits"]] == [{"line": 2, "character": 5}]
    parts.clear()
    without = [str(root / "docs/a.md")]
    lane.renaming(Request(params(root, moves=moves, without=without), never, parts.append))
    assert parts == []


def test_settings_of_the_editor_count_once_they_are_another_edition(root):
    lane = CitingLane()
    asked = {str(root / "src/retry.py"): None}

    def documents(**more: Any) -> list[str]:
        answer = lane.citing(Request({**params(root, asked=asked), **more}, never, lambda _: None))
        return [Path(path).name for path, _ in answer["documents"]]

    assert documents() == ["a.md", "b.md"]
    settings = {str(root): {"files": {"exclude": ["docs/plans/**"]}}}
    assert documents(settings=settings, edition=1) == ["a.md"]
    assert documents(settings={}, edition=2) == ["a.md", "b.md"]


def test_another_encoding_is_counted_anew(root):
    lane = CitingLane()
    asked = {str(root / "src/retry.py"): [[10, 10]]}
    columns = []
    for encoding in ("utf-8", "utf-16", "utf-32"):
        request = Request({**params(root, asked=asked), "encoding": encoding}, never, lambda _: None)
        columns.append(lane.citing(request)["documents"][0][1][0][1])
    assert columns == [23, 21, 20]
