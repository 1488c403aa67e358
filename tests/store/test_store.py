"""What is kept from run to run: several processes, damage, limits; and that a warm run walks no history."""

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baseline import Written
from cite_lsp.snapshot.baselines import Asked, Baselines
from cite_lsp.store import Store, Table

CODE = [f"line {number}" for number in range(1, 41)]
DOC = "The pool gives up after three tries (`src/pool.py:10-12`).\n"
OTHER = "The reader stops at the first line (`src/reader.py:1`).\n"


def store_in(folder: Path, **options: int) -> Store:
    return Store(str(folder), **options)


def kept(store: Store, place: str = "p", keys: tuple[str, ...] = ("k",)) -> dict[str, list[tuple[str, bytes]]]:
    return store.recall(place, keys)


# The file


def test_what_is_kept_is_there_in_the_next_run(tmp_path):
    store = store_in(tmp_path / "new" / "cache")
    assert kept(store) == {}
    store.remember("p", "h1", {"k": b"one", "other": b"x"})
    store.remember("p", "h2", {"k": b"two"})
    store.remember("q", "h1", {"k": b"of another place"})
    store.close()
    store = store_in(tmp_path / "new" / "cache")
    assert kept(store) == {"k": [("h2", b"two"), ("h1", b"one")]}
    assert kept(store, keys=("k", "other", "none")).keys() == {"k", "other"}
    assert store.message == ""
    store.close()
    assert (tmp_path / "new/cache").stat().st_mode & 0o077 == 0


def test_more_keys_than_one_question_takes(tmp_path):
    store = store_in(tmp_path)
    values = {f"k{number}": b"x" for number in range(2500)}
    store.remember("p", "h", values)
    assert store.recall("p", list(values)).keys() == values.keys()
    store.close()


def test_only_the_latest_heads_are_kept(tmp_path):
    store = store_in(tmp_path)
    for number in range(10):
        store.remember("p", f"h{number}", {"k": b"%d" % number})
    assert [head for head, _ in kept(store)["k"]] == ["h9", "h8", "h7", "h6"]
    store.close()


def test_what_was_used_longest_ago_goes_first(tmp_path):
    store = store_in(tmp_path, most_bytes=400_000)
    for number in range(60):
        store.remember("p", "h", {f"k{number}": os.urandom(20_000)})
    names = {f"k{number}" for number in range(60)}
    left = set(store.recall("p", sorted(names)))
    assert "k59" in left
    assert "k0" not in left
    assert 5 < len(left) < 25
    store.close()


@pytest.mark.parametrize("damage", [b"no database at all" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_put_aside(tmp_path, damage):
    (tmp_path / "baselines-1.db").write_bytes(damage)
    store = store_in(tmp_path)
    assert kept(store) == {}
    store.remember("p", "h", {"k": b"one"})
    assert kept(store) == {"k": [("h", b"one")]}
    assert store.message == ""
    store.close()
    (aside,) = tmp_path.glob("baselines-1.db.corrupt-*")
    assert aside.read_bytes() == damage
    assert not (tmp_path / "baselines-1.db.lock").exists()


def test_damage_that_shows_while_it_is_open(tmp_path):
    store = store_in(tmp_path)
    store.remember("p", "h", {f"k{number}": b"x" * 3000 for number in range(200)})
    store.close()
    path = tmp_path / "baselines-1.db"
    data = bytearray(path.read_bytes())
    data[4096 * 3 :] = b"\xaa" * (len(data) - 4096 * 3)
    path.write_bytes(bytes(data))
    store = store_in(tmp_path)
    for number in range(200):
        store.recall("p", [f"k{number}"])
    store.remember("p", "h", {"k": b"one"})
    assert kept(store) == {"k": [("h", b"one")]}
    store.close()
    assert len(list(tmp_path.glob("*.corrupt-*"))) == 1


def test_a_lock_that_was_left_behind_is_taken_over(tmp_path):
    (tmp_path / "baselines-1.db").write_bytes(b"no database" * 1000)
    lock = tmp_path / "baselines-1.db.lock"
    lock.touch()
    os.utime(lock, (0, 0))
    store = store_in(tmp_path)
    store.remember("p", "h", {"k": b"one"})
    store.close()
    assert list(tmp_path.glob("*.corrupt-*"))


def test_a_folder_that_cannot_be_used_leaves_memory_and_one_message(tmp_path):
    (tmp_path / "file").write_text("")
    store = store_in(tmp_path / "file" / "cache")
    store.remember("p", "h", {"k": b"one"})
    assert kept(store) == {"k": [("h", b"one")]}
    assert "is not kept" in store.message
    store.close()


def test_a_log_that_is_refused_leaves_memory(tmp_path, monkeypatch):
    path = tmp_path / "baselines-1.db"
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("CREATE TABLE x (y)")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM x").fetchall()  # while somebody reads, the log cannot be begun
    monkeypatch.setattr("cite_lsp.store.table._BUSY_SECONDS", 0.1)
    store = store_in(tmp_path)
    store.remember("p", "h", {"k": b"one"})
    assert kept(store) == {"k": [("h", b"one")]}
    assert "is not kept" in store.message
    reader.close()
    store.close()
    assert path.exists()


def test_a_change_that_fails_changes_nothing(tmp_path):
    table = Table(str(tmp_path), "t-1.db", "CREATE TABLE IF NOT EXISTS t (x INTEGER NOT NULL);")

    def half(database: sqlite3.Connection) -> None:
        database.execute("INSERT INTO t VALUES (1)")
        database.execute("INSERT INTO t VALUES (NULL)")

    assert not table.write(half)
    assert table.read(lambda database: database.execute("SELECT count(*) FROM t").fetchone()[0], -1) == 0
    assert table.write(lambda database: database.execute("INSERT INTO t VALUES (2)") and None)
    assert table.read(lambda database: database.execute("SELECT x FROM t").fetchall(), []) == [(2,)]
    table.close()


WRITER = """
import sys
from cite_lsp.store import Store
store = Store(sys.argv[1])
for number in range(int(sys.argv[3])):
    store.remember("p", "h", {f"{sys.argv[2]}-{number}-{each}": b"x" * 2000 for each in range(5)})
    print(number, flush=True)
store.close()
"""


def writer(folder: Path, name: str, times: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", WRITER, str(folder), name, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def test_two_processes_write_at_once(tmp_path):
    children = [writer(tmp_path, name, 60) for name in "ab"]
    for child in children:
        child.communicate()
        assert child.returncode == 0
    store = store_in(tmp_path)
    keys = [f"{name}-{number}-{each}" for name in "ab" for number in range(60) for each in range(5)]
    assert store.recall("p", keys).keys() == set(keys)
    store.close()
    assert [path.name for path in tmp_path.glob("*.corrupt-*")] == []


def test_a_process_that_is_killed_while_it_writes_harms_nothing(tmp_path):
    for round_ in range(4):
        child = writer(tmp_path, f"r{round_}", 100_000)
        assert child.stdout is not None
        for _ in range(5 + round_):
            child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.communicate()
    store = store_in(tmp_path)
    for round_ in range(4):
        keys = [f"r{round_}-{number}-{each}" for number in range(5) for each in range(5)]
        assert store.recall("p", keys).keys() == set(keys)
    for number in range(40):  # each change was made as a whole or not at all
        there = store.recall("p", [f"r0-{number}-{each}" for each in range(5)])
        assert len(there) in (0, 5)
    store.remember("p", "h", {"k": b"one"})
    assert kept(store) == {"k": [("h", b"one")]}
    store.close()
    assert [path.name for path in tmp_path.glob("*.corrupt-*")] == []


# Baselines kept in it


class Repo:
    def __init__(self, root: Path, log: Path) -> None:
        self.root = root
        self.log = log
        self.time = 1_700_000_000

    def git(self, *arguments: str) -> str:
        date = f"@{self.time} +0000"
        env = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, capture_output=True, check=True)
        return done.stdout.decode().strip()

    def commit(self, **files: list[str] | str | None) -> str:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text if isinstance(text, str) else "".join(f"{line}\n" for line in text))
        self.time += 24 * 3600
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def ask(self, cache: Path, *paths: str, as_of: str = "") -> tuple[list[tuple[Written, ...]], list[str]]:
        """Ask for documents with a store; the second value are the git commands that this took."""
        paths = paths or ("docs/a.md", "docs/b.md")
        self.log.write_text("")
        store = Store(str(cache))
        found = Baselines.of(str(self.root), store)
        assert isinstance(found, Baselines)
        documents = [Document.parse((self.root / path).read_text(), path) for path in paths]
        answer = found.written([Asked(document, as_of) for document in documents])
        found.close()
        store.close()
        commands = [line.split() for line in self.log.read_text().splitlines()]
        return answer, [word for line in commands for word in line if word in ("rev-list", "diff-tree")]

    def both(self, cache: Path, *paths: str) -> list[str]:
        """Ask with the store and without, which must be the same; gives the git commands of the first."""
        answer, commands = self.ask(cache, *paths)
        found = Baselines.of(str(self.root))
        assert isinstance(found, Baselines)
        documents = [
            Document.parse((self.root / path).read_text(), path) for path in (paths or ("docs/a.md", "docs/b.md"))
        ]
        assert found.written([Asked(document) for document in documents]) == answer
        found.close()
        return commands


@pytest.fixture
def repo(tmp_path: Path, person: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository, and in front of git a program that notes how it is called."""
    real = next(entry for entry in os.environ["PATH"].split(os.pathsep) if (Path(entry) / "git").exists())
    log = tmp_path / "log"
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{real}/git" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}")
    root = tmp_path / "r"
    root.mkdir()
    made = Repo(root, log)
    made.git("init", "-q")
    made.commit(**{"docs/a.md": DOC, "docs/b.md": OTHER, "src/pool.py": CODE, "src/reader.py": CODE})
    return made


WALK = ["rev-list", "diff-tree"]


def test_a_warm_run_walks_no_history(repo, tmp_path):
    assert repo.both(tmp_path / "cache") == WALK
    assert repo.both(tmp_path / "cache") == []
    (repo.root / "docs/a.md").write_text(DOC + "\nMore.\n")
    assert repo.both(tmp_path / "cache") == WALK
    assert repo.both(tmp_path / "cache") == []
    _, commands = repo.ask(tmp_path / "cache", as_of="written")
    assert commands == WALK


def test_after_a_commit_only_what_is_new_is_looked_at(repo, tmp_path):
    for _ in range(5):
        repo.commit(**{"src/other.py": f"{repo.time}\n"})
    repo.both(tmp_path / "cache")
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    assert not walks_it_all(repo, tmp_path / "cache", "docs/a.md", "docs/b.md")
    assert repo.both(tmp_path / "cache") == []


def walks_it_all(repo: Repo, cache: Path, *paths: str) -> bool:
    """Whether one of the walks begins at HEAD and goes back to the first commit."""
    repo.log.write_text("")
    repo.ask(cache, *paths)
    return any("rev-list" in line and " ^" not in line for line in repo.log.read_text().splitlines())


@pytest.mark.parametrize(
    ("change", "whole"),
    [
        ({"src/pool.py": ["new", *CODE]}, False),
        ({"docs/c.md": "x\n"}, False),
        ({"docs/a.md": f"# More\n\n{DOC}"}, True),
        ({"src/pool.py": None}, True),
    ],
    ids=["code", "another-document", "document", "deleted"],
)
def test_what_a_commit_touches_is_found_anew(repo, tmp_path, change, whole):
    repo.ask(tmp_path / "cache", "docs/a.md")
    repo.commit(**change)
    assert walks_it_all(repo, tmp_path / "cache", "docs/a.md") is whole
    assert repo.both(tmp_path / "cache") is not None


def test_a_file_that_was_renamed_since_has_its_new_name(repo, tmp_path):
    repo.both(tmp_path / "cache")
    repo.git("mv", "src/pool.py", "src/retry.py")
    repo.commit()
    repo.both(tmp_path / "cache")
    (answer, _), _ = repo.ask(tmp_path / "cache")
    assert answer[0].baselines[0].now == "src/retry.py"


def test_code_that_comes_after_its_document_is_looked_for_again(repo, tmp_path):
    repo.commit(**{"docs/a.md": DOC.replace("pool.py", "late.py")})
    repo.both(tmp_path / "cache")
    repo.commit(**{"src/late.py": CODE})
    repo.both(tmp_path / "cache")
    (answer, _), _ = repo.ask(tmp_path / "cache")
    assert answer[0].baselines[0].state == "text"


def test_branches_have_answers_of_their_own(repo, tmp_path):
    repo.both(tmp_path / "cache")
    repo.git("checkout", "-qb", "side")
    repo.commit(**{"docs/a.md": DOC + "\nSide, `src/pool.py:1`.\n"})
    repo.both(tmp_path / "cache")
    repo.git("checkout", "-q", "main")
    assert repo.both(tmp_path / "cache") == []
    repo.commit(**{"src/pool.py": None})
    repo.both(tmp_path / "cache")
    repo.git("checkout", "-q", "side")
    assert repo.both(tmp_path / "cache") == []
    repo.git("merge", "-q", "-m", "m", "main")
    repo.both(tmp_path / "cache")


def test_a_history_that_was_rewritten_is_walked_anew(repo, tmp_path):
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.both(tmp_path / "cache")
    repo.git("commit", "-q", "--amend", "-m", "y")
    repo.both(tmp_path / "cache")
    assert walks_it_all(repo, tmp_path / "other", "docs/a.md")


def test_what_a_fetch_may_bring_is_not_kept(repo, tmp_path):
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone", repo.log)
    assert clone.both(tmp_path / "cache") == WALK
    clone.git("fetch", "-q", "--unshallow")
    assert clone.both(tmp_path / "cache") == WALK
    assert clone.both(tmp_path / "cache") == []


def test_when_a_text_went_is_kept_too(repo, tmp_path):
    went = repo.commit(**{"src/pool.py": ["new", *CODE]})
    answers = []
    for _ in range(2):
        (answer, _), _ = repo.ask(tmp_path / "cache")
        repo.log.write_text("")
        store = Store(str(tmp_path / "cache"))
        found = Baselines.of(str(repo.root), store)
        assert isinstance(found, Baselines)
        baseline = answer[0].baselines[0]
        answers.append(found.departures([(baseline, False), (baseline, True)]))
        found.close()
        store.close()
    assert answers == [[(went, repo.time), None]] * 2
    assert "diff-tree" not in repo.log.read_text()
    later = repo.commit(**{"src/pool.py": CODE[20:]})
    store = Store(str(tmp_path / "cache"))
    found = Baselines.of(str(repo.root), store)
    assert isinstance(found, Baselines)
    assert found.departures([(baseline, False), (baseline, True)]) == [
        (went, repo.time - 24 * 3600),
        (later, repo.time),
    ]
    found.close()
    store.close()


def test_rows_of_another_form_are_not_used(repo, tmp_path):
    first, _ = repo.ask(tmp_path / "cache")
    database = sqlite3.connect(tmp_path / "cache/baselines-1.db", isolation_level=None)
    for data in (b"", b"nonsense", b"x\x9c\x03\x00\x00\x00\x00\x01"):
        database.execute("UPDATE baselines SET data = ?", (data,))
        again, commands = repo.ask(tmp_path / "cache")
        assert again == first
        assert commands == WALK
    database.close()
