"""Accepted findings: the file, what an entry covers, and when it lapses."""

import json
import os
import threading
from pathlib import Path

import pytest

from cite_lsp.config import Settings
from cite_lsp.document.document import Document
from cite_lsp.findings.accepted import NOTHING, Accepted, Entry, accepted_path, cited_hash, entry_of, update
from cite_lsp.findings.check import examine
from cite_lsp.snapshot.snapshot import Snapshot

TEN = "".join(f"line {number}\n" for number in range(1, 11))
ONE = Entry("docs/a.md", "src/a.py:3", "blank-line", "sha256:0123")
TWO = Entry("docs/a.md", "src/ü.py:3", "blank-line", "sha256:4567")


def hash_of(citation: str, **files: str) -> str:
    texts = {name.replace("_", "/").replace("/py", ".py"): text for name, text in files.items()}
    snapshot = Snapshot.of(texts)
    document = Document.parse(f"See `{citation}`.\n", "a.md", snapshot.known)
    anchor = document.anchors[0]
    return cited_hash(anchor, snapshot.resolve(anchor, document), snapshot)


# What the hash says


def test_the_hash_is_that_of_the_cited_lines_and_nothing_else():
    before = hash_of("src/a.py:3-4", src_a_py=TEN)
    assert before.startswith("sha256:")
    assert len(before) == 39
    assert hash_of("src/a.py:3-4", src_a_py="x\n" + TEN.replace("line 1\n", "")) == before
    assert hash_of("src/a.py:3-4", src_a_py=TEN.replace("line 3\n", "line 3 \t\r\n")) == before
    assert hash_of("src/a.py:4-5", src_a_py="new\n" + TEN) == before
    for other in (TEN.replace("line 3", " line 3"), TEN.replace("line 4", "line 44")):
        assert hash_of("src/a.py:3-4", src_a_py=other) != before
    assert hash_of("src/a.py:3", src_a_py=TEN) != before
    assert hash_of("src/a.py:3, 4", src_a_py=TEN) != before
    assert hash_of("src/a.py:3, 6", src_a_py=TEN) != hash_of("src/a.py:3, 6", src_a_py=TEN.replace("line 6", "6"))


def test_a_citation_that_shows_nothing_lapses_when_something_appears():
    gone, late = hash_of("src/a.py:30", src_b_py=TEN), hash_of("src/a.py:30", src_a_py=TEN)
    assert gone != late
    assert hash_of("src/a.py:30", src_a_py=TEN + "more\n") == late
    assert hash_of("src/a.py:30", src_a_py=TEN * 3) != late
    assert hash_of("src/a.py:31", src_b_py=TEN) == gone
    assert hash_of("src/c.py:31", src_b_py=TEN) != gone
    partly = hash_of("src/a.py:9-12", src_a_py=TEN)
    assert hash_of("src/a.py:9-12", src_a_py=TEN + "more\n") != partly
    assert hash_of("src/a.py:12-9", src_a_py=TEN) == hash_of("src/a.py:10-9", src_a_py=TEN + "x\n")


def test_a_very_long_span_goes_by_the_whole_file():
    long = "x\n" * 20_000
    assert hash_of("src/a.py:1-15000", src_a_py=long) != hash_of("src/a.py:1-15000", src_a_py=long + "y\n")


def test_a_citation_as_of_a_commit_goes_by_its_object():
    snapshot = Snapshot.of({"src/a.py": TEN})
    document = Document.parse("See `src/a.py:3`.\n", "a.md", snapshot.known)
    anchor = document.anchors[0]
    now = snapshot.resolve(anchor, document)
    then = now._replace(as_of="1" * 40, blob="2" * 40)
    assert cited_hash(anchor, then, snapshot) == cited_hash(anchor, then, Snapshot.of({}))
    assert cited_hash(anchor, then, snapshot) != cited_hash(anchor, now, snapshot)
    assert cited_hash(anchor, then, snapshot) != cited_hash(anchor, then._replace(blob="3" * 40), snapshot)


# What an entry covers


def examined(text: str, accepted: Accepted = NOTHING, path: str = "a.md", **files: str):
    snapshot = Snapshot.of({"src/a.py": TEN, "src/blank.py": "\n\n", **files})
    return examine(Document.parse(text, path, snapshot.known), snapshot, Settings(), accepted=accepted), snapshot


def accepting(text: str, path: str = "a.md") -> Accepted:
    checked, snapshot = examined(text, path=path)
    return NOTHING.with_added(
        entry_of(each.code, path, checked.anchors[each.anchor], checked.resolutions[each.anchor], snapshot)
        for each in checked.findings
        if each.anchor is not None
    )


def test_an_accepted_finding_is_counted_and_not_told():
    text = "`src/blank.py:1` and `src/blank.py:2` and `src/a.py:44` and `src/blank.py:1` again.\n"
    accepted = accepting("`src/blank.py:1` and `src/a.py:44`.\n")
    checked, _ = examined(text, accepted)
    assert [checked.anchors[each.anchor].text for each in checked.findings] == ["src/blank.py:2"]
    assert (checked.accepted, checked.outcome) == (3, "findings")
    only, _ = examined("`src/blank.py:1`\n", accepted)
    assert (only.findings, only.accepted, only.outcome) == ((), 1, "accepted")
    elsewhere, _ = examined("`src/blank.py:1`\n", accepted, path="b.md")
    assert (len(elsewhere.findings), elsewhere.accepted) == (1, 0)
    changed, _ = examined("`src/a.py:44`\n", accepted, **{"src/a.py": TEN * 4 + "\n\n\n\n"})
    assert [each.code for each in changed.findings] == ["blank-line"]


def test_only_the_accepted_code_is_silent():
    accepted = accepting("[src/blank.py:1](src/blank.py#L2)\n")
    assert {entry.code for entry in accepted.entries} == {"blank-line", "link-disagrees"}
    one = accepted.without([entry for entry in accepted.entries if entry.code == "blank-line"])
    checked, _ = examined("[src/blank.py:1](src/blank.py#L2)\n", one)
    assert [each.code for each in checked.findings] == ["blank-line"]


def test_an_ignore_comment_is_used_though_the_finding_is_accepted_too():
    accepted = accepting("`src/blank.py:1`\n")
    checked, _ = examined("`src/blank.py:1` <!-- cite-lsp: ignore blank-line so it is -->\n", accepted)
    assert (checked.findings, checked.accepted) == ((), 0)


def test_what_moved_replaces_is_covered_where_git_does_not_know_that_it_moved():
    accepted = NOTHING.with_added([Entry("a.md", "src/a.py:30", "moved", "sha256:1")])
    assert accepted.covers("line-out-of-range", "a.md", "src/a.py:30", "sha256:1")
    assert accepted.covers("moved", "a.md", "src/a.py:30", "sha256:1")
    assert accepted.covers("wrong-lines", "a.md", "src/a.py:30", "sha256:1")
    assert not accepted.covers("case-differs", "a.md", "src/a.py:30", "sha256:1")
    assert not accepted.covers("moved", "a.md", "src/a.py:30", "sha256:2")
    reverse = NOTHING.with_added([Entry("a.md", "src/a.py:30", "line-out-of-range", "sha256:1")])
    assert not reverse.covers("moved", "a.md", "src/a.py:30", "sha256:1")


def test_a_citation_that_is_broken_over_lines_is_the_same():
    accepted = accepting("as line 1 of\n  `src/blank.py` says\n")
    assert len(accepted.entries) == 1
    checked, _ = examined("as line 1\nof `src/blank.py` says\n", accepted)
    assert (checked.findings, checked.accepted) == ((), 1)


def test_nothing_is_read_where_nothing_is_accepted(monkeypatch):
    checked, snapshot = examined("`src/blank.py:1`\n")
    finding = checked.findings[0]
    monkeypatch.setattr(Snapshot, "reader", None, raising=False)
    monkeypatch.setattr(snapshot, "reader", None)
    anchor, resolution = checked.anchors[0], checked.resolutions[0]
    assert not NOTHING.holds(finding.code, "a.md", anchor, resolution, snapshot)
    assert NOTHING.left(checked.findings, "a.md", checked.anchors, checked.resolutions, snapshot) is checked.findings
    other = accepting("`src/blank.py:2`\n")
    assert not other.holds(finding.code, "a.md", anchor, resolution, snapshot)


# The file


def write(folder: Path, text: str | bytes) -> str:
    path = folder / "cite-lsp.accepted.json"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def test_the_file_is_an_entry_a_line_sorted(tmp_path):
    path = str(tmp_path / "cite-lsp.accepted.json")
    made = update(path, str(tmp_path), lambda before: before.with_added([TWO, ONE, ONE]))
    assert made.problem is None
    assert Path(path).read_text() == (
        '{"schema": 1, "accepted": [\n'
        '{"document": "docs/a.md", "anchor": "src/a.py:3", "code": "blank-line", "cited": "sha256:0123"},\n'
        '{"document": "docs/a.md", "anchor": "src/ü.py:3", "code": "blank-line", "cited": "sha256:4567"}\n'
        "]}\n"
    )
    assert Accepted.load(path, str(tmp_path)) == made
    none = update(path, str(tmp_path), lambda before: before.without(set(before.entries)))
    assert Path(path).read_text() == '{"schema": 1, "accepted": [\n]}\n'
    assert Accepted.load(path, str(tmp_path)) == none
    assert sorted(os.listdir(tmp_path)) == ["cite-lsp.accepted.json"]


def test_what_a_person_wrote_beside_an_entry_stays(tmp_path):
    row = {**ONE._asdict(), "reason": "the file is generated", "by": ["A"]}
    path = write(tmp_path, json.dumps({"schema": 1, "accepted": [row]}))
    update(path, str(tmp_path), lambda before: before.with_added([ONE, TWO]))
    assert json.loads(Path(path).read_text())["accepted"] == [row, TWO._asdict()]


def test_nothing_is_written_where_nothing_changes(tmp_path):
    path = write(tmp_path, json.dumps({"accepted": [ONE._asdict()], "schema": 1}, indent=4))
    before = Path(path).stat().st_mtime_ns, Path(path).read_bytes()
    update(path, str(tmp_path), lambda accepted: accepted.with_added([ONE]))
    assert (Path(path).stat().st_mtime_ns, Path(path).read_bytes()) == before
    missing = str(tmp_path / "none.json")
    assert update(missing, str(tmp_path), lambda accepted: accepted) == NOTHING
    assert not Path(missing).exists()


def test_a_folder_is_made_and_modes_are_kept(tmp_path):
    path = accepted_path(str(tmp_path), "meta/known/a.json")
    assert update(path, str(tmp_path), lambda before: before.with_added([ONE])).problem is None
    Path(path).chmod(0o640)
    update(path, str(tmp_path), lambda before: before.with_added([TWO]))
    assert Path(path).stat().st_mode & 0o777 == 0o640
    assert len(Accepted.load(path, str(tmp_path)).entries) == 2


def test_strange_names_come_back(tmp_path):
    strange = Entry("docs/\udce9.md", 'a "b"\\\u2028.py:3', "missing", "sha256:1")
    path = str(tmp_path / "a.json")
    update(path, str(tmp_path), lambda before: before.with_added([strange, TWO]))
    assert set(Accepted.load(path, str(tmp_path)).entries) == {strange, TWO}


BROKEN = [
    ('{"schema": 1,\n "accepted": [}', 2, 15, "this is not valid JSON"),
    ("[1, 2]", None, None, 'this file holds no list "accepted"'),
    ('{"schema": 1}', None, None, 'this file holds no list "accepted"'),
    ('{"schema": 2, "accepted": []}', None, None, 'does not say "schema": 1'),
    ('{"schema": 1, "accepted": [], "more": 1}', None, None, "'more'"),
    ('{"schema": 1, "accepted": [1]}', None, None, 'entry 1 of "accepted" is no object'),
    (json.dumps({"schema": 1, "accepted": [ONE._asdict(), {"code": 1}]}), None, None, 'entry 2 of "accepted" has no'),
    ('{"schema": 1, "accepted": [\n<<<<<<< HEAD\n=======\n>>>>>>> x\n]}', 2, 1, "the marks of a merge conflict"),
    ("[" * 100_000, None, None, "this is not"),
    ('{"schema": ' + "1" * 5_000 + "}", None, None, "this is not the JSON"),
    (b"\xff\xfe{\x00}\x00", None, None, "this file is not UTF-8"),
    (b"caf\xe9", None, None, "this file is not UTF-8"),
    (b"a\0b", None, None, "this file holds NUL bytes"),
    (b" " * 10_000_001, None, None, "over the limit of 10,000,000"),
]


@pytest.mark.parametrize(("text", "line", "column", "said"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_one_message_and_is_never_overwritten(tmp_path, text, line, column, said):
    path = write(tmp_path, text)
    before = Path(path).read_bytes()
    accepted = Accepted.load(path, str(tmp_path))
    assert not accepted
    assert accepted.problem is not None
    assert accepted.problem.source == path
    assert (accepted.problem.line, accepted.problem.column) == (line, column)
    assert said in accepted.problem.message
    assert accepted.problem.message.endswith("; nothing is accepted until it is mended")
    assert update(path, str(tmp_path), lambda known: known.with_added([ONE])).problem == accepted.problem
    assert Path(path).read_bytes() == before


def test_an_empty_file_accepts_nothing_and_may_be_written(tmp_path):
    path = write(tmp_path, "\n")
    assert Accepted.load(path, str(tmp_path)).problem is None
    assert update(path, str(tmp_path), lambda known: known.with_added([ONE])).problem is None
    assert set(Accepted.load(path, str(tmp_path)).entries) == {ONE}


def test_links_out_are_neither_read_nor_written(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    out = write(tmp_path, json.dumps({"schema": 1, "accepted": [ONE._asdict()]}))
    (root / "a.json").symlink_to(out)
    (root / "folder").symlink_to(tmp_path)
    (root / "dangling.json").symlink_to(tmp_path / "new.json")
    before = Path(out).read_bytes()
    for name in ("a.json", "folder/cite-lsp.accepted.json", "folder/other/new.json", "dangling.json"):
        path = accepted_path(str(root), name)
        assert not Accepted.load(path, str(root))
        problem = update(path, str(root), lambda known: known.with_added([TWO])).problem
        assert problem is not None, name
        assert "outside" in problem.message
    assert Path(out).read_bytes() == before
    assert not (tmp_path / "new.json").exists()
    assert not (tmp_path / "other").exists()


def test_a_link_inside_stays_a_link(tmp_path):
    real = tmp_path / "real.json"
    (tmp_path / "a.json").symlink_to(real)
    assert update(str(tmp_path / "a.json"), str(tmp_path), lambda known: known.with_added([ONE])).problem is None
    assert (tmp_path / "a.json").is_symlink()
    assert set(Accepted.load(str(real), str(tmp_path)).entries) == {ONE}


def test_a_folder_in_its_place_and_a_read_only_file(tmp_path):
    (tmp_path / "a.json").mkdir()
    loaded = Accepted.load(str(tmp_path / "a.json"), str(tmp_path))
    assert loaded.problem is not None
    assert "is a folder" in loaded.problem.message
    path = write(tmp_path, "")
    Path(path).chmod(0o444)
    done = update(path, str(tmp_path), lambda known: known.with_added([ONE]))
    assert done.problem is not None
    assert "is read-only" in done.problem.message
    assert Path(path).read_bytes() == b""


def test_two_who_accept_at_once_both_count(tmp_path):
    path, root = str(tmp_path / "a.json"), str(tmp_path)
    entries = [Entry("a.md", f"src/a.py:{number}", "missing", "sha256:1") for number in range(60)]

    def work(mine: list[Entry]) -> None:
        for entry in mine:
            assert update(path, root, lambda known, entry=entry: known.with_added([entry])).problem is None

    threads = [threading.Thread(target=work, args=(entries[at::3],)) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(Accepted.load(path, root).entries) == set(entries)
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_file_that_a_person_saves_meanwhile_is_read_again(tmp_path):
    path = write(tmp_path, "")
    seen = []

    def change(known: Accepted) -> Accepted:
        if len(seen) == 1:
            write(tmp_path, json.dumps({"schema": 1, "accepted": [TWO._asdict()]}))
        seen.append(known)
        return known.with_added([ONE])

    assert update(path, str(tmp_path), change).problem is None
    assert set(Accepted.load(path, str(tmp_path)).entries) == {ONE, TWO}
    assert len(seen) == 3


def test_a_lock_that_a_dead_process_left_is_taken_over(tmp_path):
    path = write(tmp_path, "")
    lock = Path(path + ".lock")
    lock.mkdir()
    os.utime(lock, (1, 1))
    assert update(path, str(tmp_path), lambda known: known.with_added([ONE])).problem is None
    assert not lock.exists()
