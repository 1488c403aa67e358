"""Answers to policies that are kept: what comes back, whose they are, bounds, damage, several at once."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cite_lsp.store import Answers, StoreError

ME = "systemone m at http://127.0.0.1"
ROW = {"row": {"riddle": 0.75}}
DAY = 24 * 3600.0


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def several(count: int, start: int = 0) -> dict[str, dict[str, Any]]:
    return {f"{number:064x}": {"row": {"riddle": number / 1e6}} for number in range(start, start + count)}


def rows_of(folder: Path, question: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(folder / "answers-1.db")
    try:
        return database.execute(question).fetchall()
    finally:
        database.close()


def test_what_was_kept_comes_back_in_another_process(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom cite_lsp.store import Answers\n"
        f"kept = Answers(sys.argv[1]).of({ME!r})\n"
        f"kept.keep({{'k': {ROW!r}, 'l': {{'answers': {{'confirm:0': {{'noul': 0.5}}}}}}}})\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    answers = Answers(str(tmp_path))
    assert answers.of(ME).recall(["k", "unknown", "l"]) == {
        "k": ROW,
        "l": {"answers": {"confirm:0": {"noul": 0.5}}},
    }
    answers.close()
    assert answers.of(ME).recall(["k"]) == {"k": ROW}
    answers.close()


def test_what_another_client_said_is_none_of_its_answers(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"k": ROW})
    answers.of("openai m at http://127.0.0.1").keep({"k": {"row": {"riddle": 0.25}}})
    assert answers.of(ME).recall(["k"]) == {"k": ROW}
    assert answers.of("somebody else").recall(["k"]) == {}
    assert answers.of(f"{ME}k").recall([""]) == {}
    answers.close()


def test_a_newer_answer_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"k": ROW})
    answers.of(ME).keep({"k": {"row": {"riddle": 0.25}}})
    assert answers.of(ME).recall(["k"]) == {"k": {"row": {"riddle": 0.25}}}
    assert answers.info().rows == 1
    answers.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text(max_size=8), st.dictionaries(st.text(max_size=5), JSON, max_size=3), max_size=5))
def test_whatever_json_is_kept_comes_back_and_nothing_raises(tmp_path: Path, known: dict[str, Any]) -> None:
    answers = Answers(str(tmp_path))
    answers.clear()
    answers.of(ME).keep(known)
    assert answers.of(ME).recall(list(known)) == known
    answers.close()


def test_half_of_a_character_is_not_kept_and_does_no_harm(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"bad": {"why": "\ud800"}, "good": ROW})
    assert answers.of(ME).recall(["bad", "good"]) == {"good": ROW}
    assert answers.message == ""
    answers.close()


def test_more_keys_than_one_question_takes(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))
    known = several(1000)
    answers.of(ME).keep(known)
    assert answers.of(ME).recall(list(known)) == known
    answers.close()


def test_those_used_longest_ago_make_room(tmp_path: Path) -> None:
    clock = Clock()
    answers = Answers(str(tmp_path), max_rows=100, clock=clock)
    old, used = several(50), several(50, 50)
    answers.of(ME).keep(old)
    answers.of(ME).keep(used)
    clock.now += 2 * DAY
    answers.of(ME).recall(list(used))
    answers.of(ME).keep(several(10, 100))
    kept = answers.of(ME).recall([*old, *used])
    assert set(used) <= set(kept)
    assert len(kept) == 80
    assert answers.info().rows == 90
    answers.close()


def test_info_counts_by_client_and_clear_forgets_all(tmp_path: Path) -> None:
    clock = Clock()
    answers = Answers(str(tmp_path), clock=clock)
    assert (answers.info().rows, answers.info().bytes, answers.clear()) == (0, 0, 0)
    assert not (tmp_path / "answers-1.db").exists()
    answers.of(ME).keep(several(3))
    clock.now += DAY
    answers.of("other").keep(several(1))
    info = answers.info()
    assert (info.path, info.rows, dict(info.clients)) == (str(tmp_path / "answers-1.db"), 4, {ME: 3, "other": 1})
    assert (info.newest, info.oldest) == (clock.now, clock.now - DAY)
    assert info.bytes > 0
    assert answers.clear() == 4
    assert answers.of(ME).recall(list(several(3))) == {}
    assert rows_of(tmp_path, "SELECT count(*) FROM answers") == [(0,)]
    answers.close()


def test_a_damaged_file_is_put_aside_and_another_one_begun(tmp_path: Path) -> None:
    (tmp_path / "answers-1.db").write_bytes(b"no database at all" * 100)
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"k": ROW})
    assert answers.of(ME).recall(["k"]) == {"k": ROW}
    assert "was damaged and was put aside as" in answers.message
    assert len(list(tmp_path.glob("answers-1.db.corrupt-*"))) == 1
    answers.close()


def test_a_row_that_says_nothing_that_we_know_is_not_known(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"k": ROW, "l": ROW})
    answers.close()
    with sqlite3.connect(tmp_path / "answers-1.db") as database:
        database.execute("UPDATE answers SET value = '[1' WHERE rowid = 1")
        database.execute("UPDATE answers SET value = '[1]' WHERE rowid = 2")
    database.close()
    assert answers.of(ME).recall(["k", "l"]) == {}
    answers.close()


def test_where_no_file_can_be_kept_it_works_on_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answers = Answers(str(tmp_path / "file" / "cache"))
    answers.of(ME).keep({"k": ROW})
    assert answers.of(ME).recall(["k"]) == {"k": ROW}
    assert "cannot be used, so what was found out is not kept" in answers.message
    answers.close()


def test_a_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "answers-1.db") as database:
        database.execute("PRAGMA user_version=7")
    database.close()
    answers = Answers(str(tmp_path))
    answers.of(ME).keep({"k": ROW})
    assert "a newer cite-lsp has written it (version 7" in answers.message
    with pytest.raises(StoreError, match="a newer cite-lsp"):
        answers.clear()
    answers.close()
    assert rows_of(tmp_path, "PRAGMA user_version") == [(7,)]


def test_threads_keep_and_recall_at_once(tmp_path: Path) -> None:
    answers = Answers(str(tmp_path))

    def work(number: int) -> int:
        mine = answers.of(f"client {number % 3}")
        known = several(20, number * 20)
        mine.keep(known)
        return len(mine.recall(list(known)))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(24))) == [20] * 24
    assert answers.info().rows == 480
    answers.close()


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom cite_lsp.store import Answers\n"
        "answers = Answers(sys.argv[1])\n"
        "for number in range(50):\n"
        "    assert answers.keep(sys.argv[2], {f'{number}': {'row': {'a': 0.5}}}), answers.message\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in ("one", "two")]
    assert [each.wait(60) for each in running] == [0, 0]
    answers = Answers(str(tmp_path))
    assert answers.info().clients == {"one": 50, "two": 50}
    answers.close()
