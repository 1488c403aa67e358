"""Verdicts that are kept: what comes back, bounds, damage, the limits of a day."""

import gzip
import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cite_lsp.audit.judgement import Judged
from cite_lsp.audit.verdicts import KINDS, LABELS, Evidence, Verdict
from cite_lsp.store import StoreError, Verdicts

GOOD = Judged(
    Verdict("supported", reason="It says so.", evidence=(Evidence(0, 1, "x = 3"),), judge="m 1"), 1_700_000_000.5
)
DAY = 24 * 3600.0


def key(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def as_known(judged: Judged) -> Judged:
    return Judged(judged.verdict, judged.at, cached=True)


def several(count: int, start: int = 0) -> dict[str, Judged]:
    return {key(number): GOOD for number in range(start, start + count)}


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def rows_of(folder: Path, question: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(folder / "verdicts-1.db")
    try:
        return database.execute(question).fetchall()
    finally:
        database.close()


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
EVIDENCE = st.builds(Evidence, st.integers(0, 9), st.integers(0, 10_000), TEXTS)


@st.composite
def judged(draw: st.DrawFn) -> Judged:
    label = draw(st.sampled_from(LABELS))
    verdict = Verdict(
        label,
        draw(st.sampled_from([None, *KINDS])) if label == "unsupported" else None,
        draw(TEXTS),
        draw(TEXTS),
        tuple(draw(st.lists(EVIDENCE, min_size=int(label == "supported"), max_size=3))),
        draw(st.none() | st.floats(0, 1)),
        draw(TEXTS),
    )
    return Judged(verdict, draw(st.floats(0, 4e9)))


KEPT = st.dictionaries(st.integers(0, 10_000).map(key), judged(), max_size=12)


# What comes back


def test_what_is_kept_is_there_in_the_next_run(tmp_path):
    verdicts = Verdicts(str(tmp_path / "new" / "cache"))
    assert verdicts.info().rows == 0
    assert not (tmp_path / "new").exists()
    assert verdicts.recall([key(1)]) == {}
    other = Judged(Verdict("unsupported", "off-topic", "No.", "nothing of it", (), 0.25, "m 2"), 5.0)
    assert verdicts.keep({key(1): GOOD, key(2): other})
    verdicts.close()
    verdicts = Verdicts(str(tmp_path / "new" / "cache"))
    assert verdicts.recall([key(2), key(1), key(3), key(1)]) == {key(1): as_known(GOOD), key(2): as_known(other)}
    info = verdicts.info()
    assert (info.rows, info.oldest, info.newest, dict(info.judges)) == (2, 5.0, GOOD.at, {"m 1": 1, "m 2": 1})
    assert info.bytes > 0
    assert verdicts.message == ""
    verdicts.close()
    assert (tmp_path / "new/cache").stat().st_mode & 0o077 == 0


@given(kept=KEPT)
@settings(max_examples=60, deadline=None)
def test_whatever_is_kept_comes_back_as_it_was(kept):
    with tempfile.TemporaryDirectory() as folder:
        verdicts = Verdicts(folder)
        verdicts.keep(kept)
        assert verdicts.recall(kept) == {name: as_known(each) for name, each in kept.items()}
        verdicts.close()


def test_more_keys_than_one_question_takes(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    assert verdicts.keep(several(2500))
    assert verdicts.recall([key(number) for number in range(3000)]).keys() == several(2500).keys()
    verdicts.close()


def test_of_two_verdicts_under_a_key_the_newer_one_stays(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    newer = Judged(Verdict("unchecked", judge="m 1"), GOOD.at + 1)
    verdicts.keep({key(1): newer})
    verdicts.keep({key(1): GOOD})
    assert verdicts.recall([key(1)])[key(1)].verdict.label == "unchecked"
    verdicts.close()


def test_half_characters_of_a_model_do_no_harm(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    odd = Verdict("supported", reason="\ud83d\ude00 and \ud83d", evidence=(Evidence(0, 0, "\udc80"),), judge="m\udfff")
    assert verdicts.keep({key(1): Judged(odd, 1.0), key(2): GOOD})
    found = verdicts.recall([key(1), key(2)])
    assert found[key(1)].verdict.reason == "😀 and �"
    assert found[key(2)] == as_known(GOOD)
    assert verdicts.export_to(str(tmp_path / "f.jsonl")) == 2
    assert verdicts.import_from(str(tmp_path / "f.jsonl")).rows == 2
    verdicts.close()


def test_reading_writes_once_a_day_at_most(tmp_path):
    clock = Clock()
    verdicts = Verdicts(str(tmp_path), clock=clock)
    verdicts.keep(several(3))
    began = clock.now
    for hours, used in [(1, began), (20, began), (30, began + 30 * 3600), (50, began + 30 * 3600)]:
        clock.now = began + hours * 3600
        assert len(verdicts.recall([key(0)])) == 1
        assert rows_of(tmp_path, "SELECT DISTINCT used FROM verdicts ORDER BY used DESC")[0] == (used,)
    verdicts.close()


@pytest.mark.parametrize(
    "change", ["label = 'fine'", "kind = 'odd'", "evidence = 'x'", "evidence = '[[1]]'", "confidence = 'high'"]
)
def test_a_row_that_says_nothing_is_not_known(tmp_path, change):
    verdicts = Verdicts(str(tmp_path))
    verdicts.keep(several(2))
    database = sqlite3.connect(tmp_path / "verdicts-1.db", isolation_level=None)
    database.execute(f"UPDATE verdicts SET {change} WHERE key = ?", (key(0),))  # noqa: S608
    database.close()
    assert verdicts.recall([key(0), key(1)]).keys() == {key(1)}
    verdicts.keep({key(0): Judged(GOOD.verdict, GOOD.at + 1)})
    assert verdicts.recall([key(0), key(1)]).keys() == {key(0), key(1)}
    verdicts.close()


# Bounds


def test_there_are_never_more_than_the_most(tmp_path):
    clock = Clock()
    verdicts = Verdicts(str(tmp_path), max_rows=100, clock=clock)
    counts = []
    for number in range(0, 600, 7):
        clock.now += 1
        verdicts.keep(several(7, number))
        counts.append(verdicts.info().rows)
    assert max(counts) <= 100
    assert min(counts[20:]) >= 84
    dropped = sum(after < before + 7 for before, after in pairwise(counts))
    assert dropped < len(counts) / 1.5  # what is dropped makes room for some writes
    assert len(verdicts.recall(several(7, 595))) == 7
    assert verdicts.recall(several(7)) == {}
    verdicts.close()


def test_what_was_used_longest_ago_goes_first(tmp_path):
    clock = Clock()
    verdicts = Verdicts(str(tmp_path), max_rows=100, clock=clock)
    verdicts.keep(several(100))
    clock.now += 3 * DAY
    wanted = several(20, 40)
    assert verdicts.recall(wanted).keys() == wanted.keys()
    verdicts.keep(several(60, 1000))
    assert verdicts.recall(wanted).keys() == wanted.keys()
    assert verdicts.recall(several(60, 1000)).keys() == several(60, 1000).keys()
    assert verdicts.info().rows == 90
    verdicts.close()


def test_more_at_once_than_there_is_room_for(tmp_path):
    verdicts = Verdicts(str(tmp_path), max_rows=1)
    verdicts.keep(several(50))
    assert verdicts.info().rows == 1
    verdicts.close()


# Damage


@pytest.mark.parametrize("damage", [b"no database at all" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside_and_it_is_said(tmp_path, damage):
    (tmp_path / "verdicts-1.db").write_bytes(damage)
    verdicts = Verdicts(str(tmp_path))
    assert verdicts.recall([key(1)]) == {}
    assert verdicts.keep({key(1): GOOD})
    assert verdicts.recall([key(1)]) == {key(1): as_known(GOOD)}
    (aside,) = tmp_path.glob("verdicts-1.db.corrupt-*")
    assert aside.read_bytes() == damage
    assert str(aside) in verdicts.message
    verdicts.close()
    again = Verdicts(str(tmp_path))
    assert again.recall([key(1)]).keys() == {key(1)}
    assert again.message == ""
    again.close()


def test_damage_that_shows_while_it_is_open(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    verdicts.keep(several(2000))
    verdicts.close()
    path = tmp_path / "verdicts-1.db"
    data = bytearray(path.read_bytes())
    data[4096 * 6 :] = b"\xaa" * (len(data) - 4096 * 6)
    path.write_bytes(bytes(data))
    target = tmp_path / "f.gz"
    verdicts = Verdicts(str(tmp_path))
    with pytest.raises(StoreError, match="put aside"):
        verdicts.export_to(str(target))
    assert not target.exists()
    assert verdicts.keep({key(1): GOOD})
    assert verdicts.recall([key(1)]) == {key(1): as_known(GOOD)}
    verdicts.close()
    assert len(list(tmp_path.glob("*.corrupt-*"))) == 1


def test_the_file_of_a_newer_program_is_left_alone(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    verdicts.keep(several(1))
    verdicts.close()
    database = sqlite3.connect(tmp_path / "verdicts-1.db", isolation_level=None)
    database.execute("PRAGMA user_version=7")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    (tmp_path / "verdicts-2.db").write_bytes(b"of the next version")
    before = (tmp_path / "verdicts-1.db").read_bytes()
    verdicts = Verdicts(str(tmp_path))
    assert verdicts.recall(several(1)) == {}
    assert verdicts.keep(several(2))
    assert len(verdicts.recall(several(2))) == 2
    assert "a newer cite-lsp has written it" in verdicts.message
    with pytest.raises(StoreError, match="newer"):
        verdicts.clear()
    verdicts.close()
    assert (tmp_path / "verdicts-1.db").read_bytes() == before
    assert (tmp_path / "verdicts-2.db").read_bytes() == b"of the next version"
    assert list(tmp_path.glob("*.corrupt-*")) == []


def test_a_folder_that_cannot_be_used_leaves_memory_and_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    verdicts = Verdicts(str(tmp_path / "file" / "cache"), max_rows=100)
    assert verdicts.keep(several(150))
    assert verdicts.info().rows <= 100
    assert verdicts.recall([key(149)]) == {key(149): as_known(GOOD)}
    message = verdicts.message
    assert "is not kept" in message
    assert "count what this process asks" in message
    assert verdicts.admit("j", 4, 0.0, most_rows=5) == ""
    assert "4 rows were asked" in verdicts.admit("j", 4, 0.0, most_rows=5)
    assert verdicts.message == message
    for act in (verdicts.export_to, verdicts.import_from):
        with pytest.raises(StoreError, match="is not kept"):
            act(str(tmp_path / "f.jsonl"))
    verdicts.close()


def test_a_file_that_somebody_holds_is_said_and_written_later(tmp_path, monkeypatch):
    verdicts = Verdicts(str(tmp_path))
    verdicts.keep(several(1))
    verdicts.close()
    monkeypatch.setattr("cite_lsp.store.table._BUSY_SECONDS", 0.05)
    verdicts = Verdicts(str(tmp_path))
    assert len(verdicts.recall(several(1))) == 1
    holder = sqlite3.connect(tmp_path / "verdicts-1.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert not verdicts.keep(several(1, 5))
    assert "new verdicts are not kept" in verdicts.message
    assert "locked" in verdicts.message
    assert len(verdicts.recall(several(1))) == 1
    assert verdicts.admit("j", 1, 0.0) == ""
    assert "judge.limits cannot be kept" in verdicts.admit("j", 1, 0.0, most_rows=100)
    holder.execute("ROLLBACK")
    holder.close()
    assert verdicts.keep(several(1, 5))
    assert verdicts.message == ""
    verdicts.close()


# Clearing


def test_clearing_forgets_the_verdicts_and_not_what_was_spent(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    assert verdicts.clear() == 0
    assert list(tmp_path.iterdir()) == []
    verdicts.keep(several(3000))
    assert verdicts.admit("j", 9, 0.5, most_rows=10) == ""
    size = verdicts.info().bytes
    assert verdicts.clear() == 3000
    info = verdicts.info()
    assert info.rows == 0
    assert info.bytes < size / 3
    assert [(each.judge, each.rows, each.cost) for each in info.spent] == [("j", 9, 0.5)]
    assert "9 rows were asked" in verdicts.admit("j", 2, 0.0, most_rows=10)
    assert verdicts.recall(several(3000)) == {}
    verdicts.close()
    assert b"It says so." not in (tmp_path / "verdicts-1.db").read_bytes()


# The limits of a day


def test_a_limit_of_rows_is_not_passed_and_says_what_to_do(tmp_path):
    clock = Clock()
    verdicts = Verdicts(str(tmp_path), clock=clock)
    assert verdicts.admit("model m", 300, 0.0, most_rows=500) == ""
    assert verdicts.admit("model m", 200, 0.0, most_rows=500) == ""
    said = verdicts.admit("model m", 1, 0.0, most_rows=500)
    for part in ("judge.limits.max_rows_per_day", "500", "model m", "1 more"):
        assert part in said
    assert "repair.limits.max_rows" in verdicts.admit("model m", 1, 0.0, most_rows=500, section="repair.limits")
    assert verdicts.admit("another", 500, 0.0, most_rows=500) == ""
    assert verdicts.admit("model m", 1, 0.0) == ""
    assert verdicts.admit("model m", 1, 0.0, most_rows=502) == ""
    clock.now += DAY
    assert verdicts.admit("model m", 500, 0.0, most_rows=500) == ""
    assert [each.rows for each in verdicts.info().spent] == [500]
    verdicts.close()


def test_a_limit_of_cost_counts_to_the_last_tenth(tmp_path):
    verdicts = Verdicts(str(tmp_path))
    admitted = 0
    while not (said := verdicts.admit("m", 8, 0.1, most_rows=1000, most_cost=1.0)):
        admitted += 1
        assert admitted <= 10
    assert admitted == 10
    assert "judge.limits.max_cost_per_day is 1 and 1 was spent" in said
    assert "0.1 more" in said
    assert verdicts.info().spent[0].rows == 80  # what was declined is not booked
    verdicts.close()


def test_days_long_past_are_forgotten(tmp_path):
    clock = Clock()
    verdicts = Verdicts(str(tmp_path), clock=clock)
    for _ in range(100):
        verdicts.admit("m", 1, 0.0)
        clock.now += DAY
    assert 50 < len(rows_of(tmp_path, "SELECT * FROM spent")) < 70
    verdicts.close()


SPENDER = """
import sys
from cite_lsp.store import Verdicts
verdicts = Verdicts(sys.argv[1])
rows = cost = 0
while not verdicts.admit("m", 3, 0.25, most_rows=int(sys.argv[2]), most_cost=float(sys.argv[3])):
    rows, cost = rows + 3, cost + 0.25
verdicts.close()
print(rows, cost)
"""


@pytest.mark.parametrize(("most_rows", "most_cost", "rows"), [(500, 1e9, 498), (10**9, 40.0, 480)])
def test_no_number_of_processes_passes_a_limit(tmp_path, most_rows, most_cost, rows):
    command = [sys.executable, "-c", SPENDER, str(tmp_path), str(most_rows), str(most_cost)]
    children = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    spent = [tuple(map(float, child.communicate(timeout=60)[0].split())) for child in children]
    assert [child.returncode for child in children] == [0] * 4
    assert sum(each[0] for each in spent) == rows
    verdicts = Verdicts(str(tmp_path))
    assert verdicts.info().spent[0].rows == rows
    assert verdicts.info().spent[0].cost == rows / 12
    verdicts.close()


# Files from machine to machine


@given(kept=KEPT, name=st.sampled_from(["v.jsonl", "v.jsonl.gz"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_is_exported_is_there_after_the_import(kept: Mapping[str, Judged], name: str):
    with tempfile.TemporaryDirectory() as folder:
        one, other = Verdicts(f"{folder}/one"), Verdicts(f"{folder}/other")
        one.keep(kept)
        assert one.export_to(f"{folder}/{name}") == len(kept)
        done = other.import_from(f"{folder}/{name}")
        assert (done.rows, done.added, done.renewed) == (len(kept), len(kept), 0)
        assert other.recall(kept) == one.recall(kept)
        again = other.import_from(f"{folder}/{name}")
        assert (again.added, again.renewed) == (0, 0)
        assert other.export_to(f"{folder}/again.jsonl") == len(kept)
        one.close()
        other.close()


def exported(folder: Path, kept: Mapping[str, Judged]) -> Path:
    verdicts = Verdicts(str(folder / "theirs"))
    verdicts.keep(kept)
    verdicts.export_to(str(folder / "v.jsonl"))
    verdicts.close()
    return folder / "v.jsonl"


def test_an_import_is_merged_and_the_newer_verdict_stays(tmp_path):
    path = exported(tmp_path, {key(number): Judged(Verdict("review", judge="theirs"), 100.0) for number in range(3)})
    ours = Verdicts(str(tmp_path / "ours"))
    ours.keep({key(1): Judged(Verdict("partial"), 50.0), key(2): Judged(Verdict("partial"), 150.0), key(9): GOOD})
    done = ours.import_from(str(path))
    assert (done.rows, done.added, done.renewed) == (3, 1, 1)
    found = ours.recall([key(number) for number in (0, 1, 2, 9)])
    assert [each.verdict.label for each in found.values()].count("review") == 2
    assert found[key(2)].verdict.label == "partial"
    assert found[key(9)] == as_known(GOOD)
    ours.close()


def test_an_import_keeps_to_the_most(tmp_path):
    path = exported(tmp_path, several(300))
    ours = Verdicts(str(tmp_path / "ours"), max_rows=100)
    assert ours.import_from(str(path)).rows == 300
    assert 50 < ours.info().rows <= 100
    ours.close()


def test_an_export_holds_evidence_and_no_more_of_the_documents(tmp_path):
    lines = exported(tmp_path, several(1)).read_text().splitlines()
    assert json.loads(lines[0]) == {"form": "cite-lsp verdicts", "version": 1, "rows": 1}
    assert json.loads(lines[1]).keys() == {
        "key", "at", "label", "kind", "reason", "basis", "evidence", "confidence", "judge",
    }  # fmt: skip
    assert json.loads(lines[1])["evidence"] == [[0, 1, "x = 3"]]


WRONG = {
    "label": (lambda line: {**line, "label": "fine"}, "label"),
    "kind": (lambda line: {**line, "kind": "off-topic"}, "kind"),
    "no evidence": (lambda line: {**line, "evidence": []}, "without evidence"),
    "evidence": (lambda line: {**line, "evidence": [[0, -1, "x"]]}, "evidence"),
    "evidence's text": (lambda line: {**line, "evidence": [[0, 1, 5]]}, "evidence"),
    "confidence": (lambda line: {**line, "confidence": 2}, "confidence"),
    "at": (lambda line: {**line, "at": 1e300}, "at"),
    "reason": (lambda line: {**line, "reason": 5}, "reason"),
    "key": (lambda line: {**line, "key": "x"}, "key"),
    "more": (lambda line: {**line, "document": "secret"}, "document"),
    "less": (lambda line: {name: line[name] for name in line if name != "judge"}, "judge"),
    "a list": (lambda line: [line], ""),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_line_is_named_and_nothing_is_taken_in(tmp_path, wrong):
    change, what = WRONG[wrong]
    path = exported(tmp_path, several(40))
    lines = path.read_text().splitlines()
    lines[24] = json.dumps(change(json.loads(lines[24])))
    path.write_text("\n".join(lines))
    refused(tmp_path, path, f"{path}:25: ", what)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"{", "25"),
        (b"\xff\xfe", "25"),
        (b"[" * 50_000, "25"),
        (b'{"key": "' + b"x" * 2_000_000, "longer"),
        (b'{"at": NaN}', "25"),
    ],
    ids=["half", "no-text", "deep", "long", "nan"],
)
def test_a_line_that_is_no_json_is_named(tmp_path, line, what):
    path = exported(tmp_path, several(40))
    lines = path.read_bytes().splitlines()
    lines[24] = line
    path.write_bytes(b"\n".join(lines))
    refused(tmp_path, path, f"{path}:25: ", what)


def refused(folder: Path, path: Path, *parts: str) -> None:
    ours = Verdicts(str(folder / "ours"))
    ours.keep({key(1000): GOOD})
    before = ours.info().rows
    with pytest.raises(StoreError) as raised:
        ours.import_from(str(path))
    for part in parts:
        assert part in str(raised.value)
    assert len(str(raised.value)) < 400 + len(str(path))
    assert ours.info().rows == before
    assert ours.message == ""
    assert ours.keep(several(3))
    ours.close()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "1: this is no file"),
        (b"[project]\nname = 'x'\n", "1: this is no file"),
        (
            b'{"form": "cite-lsp verdicts", "version": 2, "rows": 0}\n',
            "form 2 of another cite-lsp; this one reads form 1",
        ),
        (b'{"form": "other", "version": 1}\n', "1: this is no file"),
    ],
)
def test_a_file_that_is_no_export_is_refused(tmp_path, data, what):
    (tmp_path / "f").write_bytes(data)
    refused(tmp_path, tmp_path / "f", what)


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    whole = gzip.compress(exported(tmp_path, several(4000)).read_bytes())
    (tmp_path / "f.gz").write_bytes(whole[: len(whole) // 2])
    refused(tmp_path, tmp_path / "f.gz", "cut off")
    (tmp_path / "f.gz").write_bytes(whole[:200] + b"\0" * 400 + whole[600:])
    refused(tmp_path, tmp_path / "f.gz", "damaged")
    (tmp_path / "f.gz").write_bytes(b"plain")
    refused(tmp_path, tmp_path / "f.gz", "damaged")
    refused(tmp_path, tmp_path / "none", "cannot be read: No such file")
    refused(tmp_path, tmp_path, "cannot be read: Is a directory")


def test_a_plain_export_that_lacks_lines_is_refused(tmp_path):
    path = exported(tmp_path, several(40))
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:30]))
    refused(tmp_path, path, "29 of 40")


def test_an_export_replaces_an_export_and_nothing_else(tmp_path):
    verdicts = Verdicts(str(tmp_path / "cache"))
    verdicts.keep(several(2))
    target = tmp_path / "v.jsonl"
    for count in (2, 3):
        verdicts.keep(several(count))
        assert verdicts.export_to(str(target)) == count
    (tmp_path / "README.md").write_text("Mine.\n")
    (tmp_path / "empty").touch()
    os.mkfifo(tmp_path / "pipe")
    for name in ("README.md", "empty", "pipe", "cache", "no/such/folder"):
        with pytest.raises(StoreError):
            verdicts.export_to(str(tmp_path / name))
    assert (tmp_path / "README.md").read_text() == "Mine.\n"
    (tmp_path / "link").symlink_to(target)
    verdicts.keep(several(9))
    verdicts.export_to(str(tmp_path / "link"))
    assert (tmp_path / "link").is_symlink()
    assert len(target.read_text().splitlines()) == 10
    assert [path.name for path in tmp_path.glob(".cite-lsp-*")] == []
    verdicts.close()
