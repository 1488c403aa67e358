"""The walk of a history, the trees of its commits, and whether a citation stands in an older version."""

import os
import subprocess
from pathlib import Path

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot import git as git_module
from cite_lsp.snapshot import history as module
from cite_lsp.snapshot.git import Conversation
from cite_lsp.snapshot.history import History
from cite_lsp.snapshot.lines import FileText, Unread
from cite_lsp.snapshot.objects import Kept, Objects
from cite_lsp.snapshot.paths import PathIndex
from cite_lsp.snapshot.trees import CommitFiles, CommitPaths, Trees
from cite_lsp.snapshot.versions import Version, carried, sought_in

pytestmark = pytest.mark.usefixtures("person")


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)
    return os.fsdecode(done.stdout).strip()


def new(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


def commit(folder: Path, files: dict[str, str | None]) -> str:
    for name, text in files.items():
        path = folder / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return git(folder, "rev-parse", "HEAD")


def history_of(folder: Path, head: str) -> History:
    found = History(str(folder), head.encode())
    found.cover({b".md"})
    return found


LONG = "".join(f"line {number}\n" for number in range(60))


# The walk


def test_commits_are_listed_children_first_with_the_first_parent_first(tmp_path):
    repo = new(tmp_path / "r")
    first = commit(repo, {"a.md": "1\n"})
    git(repo, "checkout", "-qb", "side")
    side = commit(repo, {"b.md": "1\n"})
    git(repo, "checkout", "-q", "main")
    main = commit(repo, {"a.md": "2\n"})
    git(repo, "merge", "-qm", "m", "side")
    head = git(repo, "rev-parse", "HEAD")
    found = history_of(repo, head)
    assert found.commits[0] == head.encode()
    assert found.commits[-1] == first.encode()
    assert [found.commits[at] for at in found.parents[0]] == [main.encode(), side.encode()]
    changes = found.changes(0)
    assert set(changes) == {b"b.md"}  # against the first parent only
    assert changes[b"b.md"].status == b"A"


def test_only_documents_are_kept_and_all_paths_that_came_and_went(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, {"a.md": "1\n", "src/x.py": LONG, "src/y.py": "1\n", "z.MD": "1\n"})
    git(repo, "mv", "src/x.py", "lib.py")
    commit(repo, {"src/y.py": None, "z.MD": "2\n"})
    found = history_of(repo, commit(repo, {"a.md": "2\n", "lib.py": LONG + "more\n"}))
    assert set(found.changes(0)) == {b"a.md"}
    assert set(found.changes(1)) == {b"z.MD"}
    assert set(found.changes(2)) == {b"a.md", b"z.MD"}
    assert found.read == 3
    assert {path: [tuple(event) for event in events] for path, events in found.gone.items()} == {
        b"src/x.py": [(1, b"lib.py")], b"src/y.py": [(1, b"")],
    }  # fmt: skip
    assert found.came_after(b"lib.py", 2, 1 << 40) == [1]
    assert found.came_after(b"x.py", 2, 1 << 40) == []
    assert {b"src/x.py", b"src/y.py", b"lib.py", b"a.md"} <= found.paths()
    names = [(position, bool(blob)) for position, blob in found.versions(b"src/x.py", 2)]
    assert names == [(1, True), (0, True)]
    assert [blob for _, blob in found.versions(b"src/y.py", 2)] == [b""]
    found.cover({b".py"})
    assert set(found.changes(0)) == {b"a.md", b"lib.py"}


def test_a_walk_reads_no_further_than_it_is_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_FIRST_PART", 2)
    repo = new(tmp_path / "r")
    for number in range(14):
        head = commit(repo, {"a.md": f"{number}\n"})
    found = history_of(repo, head)
    found.changes(0)
    assert found.read == 2
    found.changes(2)
    assert found.read == 10
    found.changes(13)
    assert found.read == 14
    assert all(set(found.changes(position)) == {b"a.md"} for position in range(14))


def test_a_history_that_takes_too_long_says_so(tmp_path, monkeypatch):
    repo = new(tmp_path / "r")
    head = commit(repo, {"a.md": "1\n"})
    found = history_of(repo, head)
    monkeypatch.setattr(module, "_PART_SECONDS", 0.0)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert found.changes(0) == {}
    assert found.reason == "could not be read to its end"
    monkeypatch.setattr(module, "_LIST_SECONDS", 0.2)
    assert history_of(repo, head).reason == "could not be read in time"


def test_renames_without_the_content_are_those_of_equal_files(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, {"old.py": LONG, "one.py": LONG * 2})
    blob = git(repo, "rev-parse", "HEAD:old.py")
    git(repo, "mv", "old.py", "new.py")
    git(repo, "mv", "one.py", "two.py")
    head = commit(repo, {"new.py": LONG + "x\n"})
    (repo / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found = history_of(repo, head)
    found.changes(1)
    assert found.reason == ""
    assert found.gone[b"one.py"][0].to == b"two.py"
    assert found.gone[b"old.py"][0].to == b""


def test_a_path_is_followed_forward(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, {"a.py": LONG})
    git(repo, "mv", "a.py", "b.py")
    commit(repo, {})
    commit(repo, {"a.py": "another\n"})
    git(repo, "mv", "b.py", "c.py")
    found = history_of(repo, commit(repo, {}))
    found.changes(3)
    head = {b"a.py", b"c.py"}
    assert found.now(b"a.py", 3, head.__contains__) == b"c.py"
    assert found.now(b"a.py", 1, head.__contains__) == b"a.py"
    assert found.now(b"b.py", 2, head.__contains__) == b"c.py"
    assert found.now(b"none.py", 3, head.__contains__) == b""


# Trees


def paths_of(repo: Path, revision: str = "HEAD", prefix: str = "") -> CommitPaths:
    head = git(repo, "rev-parse", revision).encode()
    return CommitPaths(Trees(Objects(str(repo))), head, str(repo / prefix).rstrip("/"), prefix)


FILES = {
    "README.md": "1\n", "src/pool.py": "1\n", "src/deep/pool.py": "1\n", "src/Deep/Other.py": "1\n",
    "lib/a/b/c/mod.rs": "1\n", "lib/mod.rs": "1\n", "über/ä.py": "1\n", "src/deep/odd name.py": "1\n",
}  # fmt: skip


@pytest.mark.parametrize("prefix", ["", "src/"])
def test_the_paths_of_a_commit_answer_like_those_of_the_index(tmp_path, prefix):
    repo = new(tmp_path / "r")
    commit(repo, FILES)
    commit(repo, dict.fromkeys(FILES, None) | {"keep": ""})
    found = paths_of(repo, "HEAD~1", prefix)
    index = PathIndex.of([path[len(prefix) :] for path in FILES if path.startswith(prefix)], str(repo / prefix))
    for path in (*FILES, "src", "deep/pool.py", "src/pool.py/x", "", "none", "../r/README.md"):
        assert (path in found) == (path in index), path
    for folder in ("", ".", "src", "src/", "deep", "lib/a/b", "none", "src/pool.py"):
        assert found.has_folder(folder) == index.has_folder(folder), folder
    for suffix in ("pool.py", "deep/pool.py", "mod.rs", "c/mod.rs", "ä.py", "x/pool.py", "eep/pool.py"):
        assert found.with_suffix(suffix) == index.with_suffix(suffix), suffix
    for pattern in ("src/.../pool.py", "lib/…/mod.rs", "…/mod.rs", "lib/.../", "deep/.../pool.py"):
        assert found.matching(pattern) == index.matching(pattern), pattern
    for spelling in ("POOL.py", "src/deep/other.py", "ÜBER/ä.py", "u\u0308ber/ä.py", "readme.md", "README.md"):
        assert found.spelled(spelling) == index.spelled(spelling), spelling


def test_files_of_a_commit(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, FILES)
    found = paths_of(repo)
    files = CommitFiles(found)
    assert files.exists(str(repo / "src/pool.py"))
    assert not files.exists(str(repo / "src"))
    assert not files.exists("/etc/passwd")
    text = files.read(str(repo / "src/pool.py"))
    assert isinstance(text, FileText)
    assert text.lines == ("1",)
    for path in ("src", "none", "../r/README.md", "\udfff"):
        missing = files.read(str(repo / path))
        assert isinstance(missing, Unread)
        assert missing.status == "missing"


def test_links_that_lead_round_and_out_are_left(tmp_path):
    repo = new(tmp_path / "r")
    (repo / "round").symlink_to("round")
    (repo / "out").symlink_to("../outside")
    (repo / "nowhere").symlink_to("none.py")
    commit(repo, {"a.py": "1\n"})
    files = CommitFiles(paths_of(repo))
    for name in ("round", "out"):
        found = files.read(str(repo / name))
        assert isinstance(found, Unread)
        assert found.status == "not-available"
    assert not files.exists(str(repo / "nowhere"))


# Objects


def test_objects_say_what_they_are(tmp_path):
    repo = new(tmp_path / "r")
    head = commit(repo, {"a.py": "1\n"}).encode()
    objects = Objects(str(repo))
    assert objects.commit("HEAD") == head
    assert objects.commit(head[:9].decode()) == head
    for name in ("", "none", "--all", "HEAD:a.py", "HEAD^{tree}", "a\nb", "a b", "\udfff"):
        assert objects.commit(name) is None, name
    assert objects.time_of(head) == int(git(repo, "log", "-1", "--format=%ct"))
    assert objects.time_of(b"0" * 40) == 0
    assert list(objects.tree(objects.root_of(head))) == [b"a.py"]
    assert objects.root_of(b"0" * 40) == b""
    assert objects.tree(b"0" * 40) == {}
    assert isinstance(objects.file(b"0" * 40), Unread)
    objects.close()
    assert objects.commit("HEAD") == head
    objects.close()


def test_an_object_that_is_too_large_is_not_read(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, {"a.py": "x" * 2000, "b.py": "y\n"})
    objects = Objects(str(repo), max_bytes=1000)
    large = objects.file(git(repo, "rev-parse", "HEAD:a.py").encode())
    assert isinstance(large, Unread)
    assert large.status == "too-large"
    assert isinstance(objects.file(git(repo, "rev-parse", "HEAD:b.py").encode()), FileText)
    objects.close()


def test_what_was_used_last_is_kept() -> None:
    kept: Kept[str, int] = Kept(10)
    for number, name in enumerate("abc"):
        kept.put(name, number, 4)
        kept.get("a")
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (0, None, 2)
    kept.put("large", 9, 100)
    assert kept.get("large") == 9
    assert kept.get("a") is None


def wrapped(folder: Path, script: str) -> str:
    real = next(entry for entry in os.environ["PATH"].split(os.pathsep) if (Path(entry) / "git").exists())
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\nREAL="{real}/git"\n{script}\n')
    (folder / "git").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_conversation_that_hangs_is_ended(tmp_path, monkeypatch, ends):
    repo = new(tmp_path / "r")
    commit(repo, {"a.py": "1\n"})
    monkeypatch.setenv("PATH", wrapped(tmp_path / "bin", "exec sleep 60"))
    monkeypatch.setattr(git_module, "_WATCH_SECONDS", 0.05)
    found = Conversation(str(repo), "cat-file", "--batch-check", seconds=0.1)
    with ends():
        assert found.ask(b"HEAD") is None
    found.close()


def test_a_git_that_dies_is_started_again_but_not_for_ever(tmp_path, monkeypatch):
    repo = new(tmp_path / "r")
    commit(repo, {"a.py": "1\n"})
    script = f'echo x >> "{tmp_path}/started"; [ $(wc -l < "{tmp_path}/started") = 2 ] && exec "$REAL" "$@"; exit 1'
    monkeypatch.setenv("PATH", wrapped(tmp_path / "bin", script))
    found = Conversation(str(repo), "cat-file", "--batch-check")
    assert found.ask(b"HEAD") is None
    answer = found.ask(b"HEAD")
    assert answer is not None
    assert answer[0].split()[1] == b"commit"
    found.answered()
    found.close()
    monkeypatch.setattr(found, "_lives", 5)
    for _ in range(30):
        assert found.ask(b"HEAD") is None
    assert len((tmp_path / "started").read_text().split()) == 7


def test_a_partial_clone_has_what_it_has(tmp_path):
    """Git dies over each object that it may not fetch; those that are here are found all the same."""
    repo = new(tmp_path / "r")
    for number in range(20):
        commit(repo, {"a.py": f"{number}\n"})
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repo}", "part")
    objects = Objects(str(tmp_path / "part"))
    found = [
        objects.file(objects.tree(objects.root_of(each.encode()))[b"a.py"].id)
        for each in git(repo, "rev-list", "--reverse", "HEAD").split()
    ]
    assert [isinstance(each, FileText) for each in found] == [False] * 19 + [True]
    git(tmp_path / "part", "cat-file", "-p", "HEAD~1:a.py")  # fetches it
    objects.look_again()
    blob = git(tmp_path / "part", "rev-parse", "HEAD~1:a.py").encode()
    assert isinstance(objects.file(blob), FileText)
    objects.close()


def test_no_git_and_no_folder(tmp_path, monkeypatch):
    found = Conversation(str(tmp_path / "none"), "cat-file", "--batch-check")
    assert found.ask(b"HEAD") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    found = Conversation(str(tmp_path), "cat-file", "--batch-check")
    assert found.ask(b"HEAD") is None


def test_a_line_break_is_no_question(tmp_path):
    repo = new(tmp_path / "r")
    commit(repo, {"a.py": "1\n"})
    found = Conversation(str(repo), "cat-file", "--batch-check")
    assert found.ask(b"HEAD\nHEAD") is None
    assert found.ask(b"HEAD") is not None
    found.answered()
    found.close()


# An older version


def goes_on(now: str, before: str, number: int = -1) -> bool:
    sought = sought_in(Document.parse(now, "a.md"), lambda _: True)[number]
    assert sought is not None
    return carried(sought, Version(now), Version(before)) is not None


SENTENCE = "The pool gives up after three tries and says so in its log (`src/pool.py:10-12`)."


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (SENTENCE, f"# Title\n\n{SENTENCE}\n\nMore.\n"),
        (SENTENCE, f"- {SENTENCE}"),
        (SENTENCE, SENTENCE.replace(" and ", "\nand ")),
        (f"> {SENTENCE}", f"> {SENTENCE}".replace(" and ", "\n> and ")),
        (SENTENCE, SENTENCE.replace("three tries", "four tries, or five")),
        (f"{SENTENCE} Sockets stay open.", f"{SENTENCE} Nothing else happens in it at all, by the way."),
        ("| a | `x.py:1` | first |", "| a | `x.py:1` | first of all |"),
        ("See `x.py:1`.", "See: `x.py:1`!"),
    ],
)
def test_a_citation_goes_on(now, before):
    assert goes_on(now, before)


@pytest.mark.parametrize(
    ("now", "before"),
    [
        (SENTENCE, ""),
        (SENTENCE, SENTENCE.replace("10-12", "10-120")),
        (SENTENCE, SENTENCE.replace("10-12", "10")),
        (SENTENCE, SENTENCE.replace("src/pool", "lib/src/pool")),
        (SENTENCE.replace("10-12", "10"), SENTENCE),
        (SENTENCE, "Sockets are closed at midnight by another thread, see `src/pool.py:10-12`."),
        ("| a | `x.py:1` | first |", "| other | `x.py:1` | by no means |"),
        ("In `a.py:1`, and at `:20` it ends.", "In `b.py:1`, and at `:20` it ends."),
        ("In `lib/a.py:1`, and at `:20` it ends.", "In `src/a.py:1`, and at `:20` it ends."),
    ],
)
def test_a_citation_does_not_go_on(now, before):
    assert not goes_on(now, before)


def test_the_best_of_several_places_is_the_one():
    before = f"Sockets are closed at midnight, see `src/pool.py:10-12`.\n\n{SENTENCE.replace('three', 'four')}\n"
    sought = sought_in(Document.parse(SENTENCE, "a.md"), lambda _: True)[0]
    assert sought is not None
    found = carried(sought, Version(SENTENCE), Version(before))
    assert found is not None
    assert found.lines == (SENTENCE.replace("three", "four"),)


def test_versions_are_compared_in_linear_time(ends):
    text = "".join(
        f"- The part {number} does its work, `src/part{number}.py:{number + 1}`.\n" for number in range(4000)
    )
    long = "x " * 200_000 + "`a.py:1` " + "y:1 " * 100_000
    before = Version(text.replace("its work", "some work"))
    with ends():
        now = Version(text)
        for sought in sought_in(Document.parse(text, "a.md"), lambda _: True):
            assert sought is not None
            assert carried(sought, now, before) is not None
        assert goes_on(long, long.replace("`a.py:1` ", "`a.py:1`\n"), 0)
