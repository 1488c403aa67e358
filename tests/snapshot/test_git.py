"""Git asked about real repositories: what it knows, what it refuses, and that nothing of theirs is run."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cite_lsp.snapshot import git as module
from cite_lsp.snapshot.git import NoRepository, Repository
from cite_lsp.snapshot.listing import Listing
from cite_lsp.snapshot.listing_rows import listing_rows

HOOKS = "post-index-change pre-commit post-checkout reference-transaction pre-auto-gc fsmonitor-watchman".split()


pytestmark = pytest.mark.usefixtures("person")


def git(folder: Path, *arguments: str, fed: bytes | None = None) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, input=fed, capture_output=True, check=True)
    return os.fsdecode(done.stdout).strip()


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def commit(folder: Path) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    return git(folder, "rev-parse", "HEAD")


def new(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    if files:
        write(folder, **files)
        commit(folder)
    return folder


def opened(folder: Path) -> Repository:
    found = Repository.of(str(folder))
    assert isinstance(found, Repository), found
    return found


def listed(folder: Path) -> Listing:
    found = opened(folder).listing(str(folder))
    assert isinstance(found, Listing), found
    return found


SIGNATURE = "-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
LONG = "".join(f"line {number}\n" for number in range(50))


# What git knows


def test_the_work_tree_of_a_folder_inside_it(tmp_path):
    repo = new(tmp_path / "r", **{"src/deep/a.py": "1"})
    (tmp_path / "link").symlink_to(repo)
    for folder in (repo, repo / "src/deep", tmp_path / "link/src"):
        assert opened(folder).top == str(repo.resolve())
    assert opened(tmp_path / "link/src").tracked(str(tmp_path / "link/src")) == ["deep/a.py"]


def test_listing_knows_tracked_untracked_ignored_and_deleted(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": "1", "src/b c.py": "1", "src/gone.py": "1", ".gitignore": "*.log\n/out/\n"})
    write(repo, **{"new.py": "1", "x.log": "1", "out/y.py": "1", "src/[w]*?.py": "1", ":(top)odd": "1"})
    (repo / "src/gone.py").unlink()
    git(repo, "update-index", "--add", "--cacheinfo", f"120000,{git(repo, 'hash-object', '-w', 'a.py')},link")
    (repo / "link").symlink_to("a.py")
    found = listed(repo)
    assert set(found.tracked) == {"a.py", "src/b c.py", ".gitignore", "link"}
    assert set(found.untracked) == {"new.py", "src/[w]*?.py", ":(top)odd"}
    assert found.links == {"link"}
    assert opened(repo).listed(str(repo / "src")) == ["[w]*?.py", "b c.py"]


def test_names_are_bytes(tmp_path):
    repo = new(tmp_path / "r", **{'ö\n\t"x".py': "1"})
    with open(os.fsencode(repo) + b"/\xff.py", "wb"):  # noqa: PTH123
        pass
    assert set(listed(repo).tracked) == {'ö\n\t"x".py'}
    assert set(listed(repo).untracked) == {os.fsdecode(b"\xff.py")}
    commit(repo)
    assert os.fsdecode(b"\xff.py") in (opened(repo).names_in_history() or ())


def test_a_work_tree_whose_name_ends_in_a_line_break(tmp_path):
    repo = new(tmp_path / "odd\n", **{"a.py": "1"})
    assert opened(repo).top == str(repo.resolve())
    assert opened(repo).tracked(str(repo)) == ["a.py"]


def test_files_left_out_by_a_sparse_checkout_are_not_listed(tmp_path):
    repo = new(tmp_path / "r", **{"in/a.py": "1", "out/b.py": "1"})
    git(repo, "sparse-checkout", "set", "in")
    assert set(listed(repo).tracked) == {"in/a.py"}


def test_a_long_listing_is_read_as_a_short_one(tmp_path):
    """What is read in pieces holds every kind of row, wherever a piece ends; read again it is the same objects."""
    repo = new(tmp_path / "r", **{"a.py": "1"})
    blob = git(repo, "hash-object", "-w", "a.py")
    commit_name = git(repo, "rev-parse", "HEAD")
    kinds = ("100644", "100755", "120000", "160000")
    wanted = {kind: [f"d{number % 7}/{'x' * (number % 90)}ö{number}" for number in range(1500)] for kind in kinds}
    rows = [
        f"{kind} {commit_name if kind == '160000' else blob} 0\t{kind}/{path}"
        for kind, paths in wanted.items()
        for path in paths
    ]
    subprocess.run(["git", "update-index", "--index-info"], cwd=repo, input="\n".join(rows).encode(), check=True)
    command = ["git", "ls-files", "-t", "-s", "-z", "--cached"]
    out = subprocess.run(command, cwd=repo, capture_output=True, check=True).stdout
    assert len(out) > 5 * 65_536
    found = listing_rows(out, str(repo))
    assert found.gitlinks == {f"160000/{path}" for path in wanted["160000"]}
    assert found.links == {f"120000/{path}" for path in wanted["120000"]}
    files = [f"{kind}/{path}" for kind in kinds[:3] for path in wanted[kind]]
    assert sorted(found.tracked) == sorted([*files, "a.py"])
    again = listing_rows(bytes(bytearray(out)), str(repo))
    assert again.tracked == found.tracked
    assert all(one is other for one, other in zip(again.tracked, found.tracked, strict=True))
    assert listing_rows(b"", str(repo)).tracked == []


def test_links_that_a_sparse_checkout_leaves_out_are_none(tmp_path):
    repo = new(tmp_path / "r", **{"in/a.py": "1", "out/b.py": "1"})
    (repo / "out/link").symlink_to("b.py")
    commit(repo)
    git(repo, "sparse-checkout", "set", "in")
    for _ in range(2):
        assert set(listed(repo).tracked) == {"in/a.py"}
        assert listed(repo).links == frozenset()
    (repo / "out").mkdir(exist_ok=True)
    (repo / "out/link").symlink_to("b.py")
    assert set(listed(repo).tracked) == {"in/a.py", "out/link"}
    assert listed(repo).links == {"out/link"}


def test_unmerged_files_are_listed_once(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": "1\n"})
    git(repo, "checkout", "-q", "-b", "other")
    write(repo, **{"a.py": "2\n"})
    commit(repo)
    git(repo, "checkout", "-q", "main")
    write(repo, **{"a.py": "3\n"})
    commit(repo)
    with pytest.raises(subprocess.CalledProcessError):
        git(repo, "merge", "other")
    assert opened(repo).tracked(str(repo)) == ["a.py"]


def test_submodules_are_listed_as_their_own_repositories_say(tmp_path):
    inner = new(tmp_path / "inner", **{"lib/x.c": "1", ".gitignore": "*.o\n"})
    repo = new(tmp_path / "r", **{"a.py": "1"})
    git(repo, "submodule", "add", "-q", str(inner), "vendor/inner")
    git(repo, "submodule", "add", "-q", str(inner), "absent")
    commit(repo)
    git(repo, "submodule", "deinit", "-q", "absent")
    write(repo / "vendor/inner", **{"lib/x.o": "1", "new.c": "1"})
    found = listed(repo)
    assert found.gitlinks == ("absent", "vendor/inner")
    assert set(found.tracked) == {"a.py", ".gitmodules", "vendor/inner/lib/x.c", "vendor/inner/.gitignore"}
    assert set(found.untracked) == {"vendor/inner/new.c"}
    asked = ["vendor/inner/lib/x.o", "vendor/inner/lib/x.c", "absent/x.o", "a.py"]
    assert opened(repo).ignored(asked) == {"vendor/inner/lib/x.o"}


def test_a_repository_inside_another_gives_untracked_files(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    new(repo / "clone", **{"b.py": "1"})
    assert set(listed(repo).tracked) == {"a.py"}
    assert set(listed(repo).untracked) == {"clone/b.py"}


def test_ignored_is_what_a_clone_lacks(tmp_path):
    repo = new(tmp_path / "r", **{".gitignore": "*.log\n/build/\n!keep.log\n", "a.py": "1"})
    write(repo, **{"x.log": "1", "keep.log": "1", "build/y.py": "1", "forced.log": "1", "sub/.gitignore": "z.py\n"})
    write(repo, **{"sub/z.py": "1", ":!odd.log": "1", "[a].log": "1"})
    git(repo, "add", "-f", "forced.log")
    (repo / "way").symlink_to("build")
    (repo / "loop").symlink_to("loop")
    (tmp_path / "elsewhere").mkdir()
    (repo / "out").symlink_to(tmp_path / "elsewhere")
    yes = {"x.log", "build/y.py", "sub/z.py", ":!odd.log", "[a].log", "not-there.log", "way/y.py"}
    no = {"keep.log", "forced.log", "a.py", "../x.log", "out/x.log", "loop/x.py", "", "/", "a\0.log", "\ud800.log"}
    assert opened(repo).ignored(sorted(yes | no)) == yes


def test_one_path_git_will_not_look_at_does_not_spoil_the_others(tmp_path):
    inner = new(tmp_path / "inner", **{"x.c": "1"})
    repo = new(tmp_path / "r", **{".gitignore": "*.log\n"})
    git(repo, "submodule", "add", "-q", str(inner), "sub")
    commit(repo)
    shutil.rmtree(repo / "sub")
    assert opened(repo).ignored(["sub/x.log", "y.log", "z.py"]) == {"y.log"}


def test_an_ignored_folder_is_known_as_one(tmp_path):
    repo = new(tmp_path / "r", **{".gitignore": "/out/\n/mixed/\n", "a.py": "1"})
    write(repo, **{"out/x.py": "1", "mixed/y.py": "1", "mixed/z.py": "1", "src/w.py": "1"})
    git(repo, "add", "-f", "mixed/y.py")
    found = opened(repo)
    assert found.ignores_folder(str(repo / "out"))
    assert not found.ignores_folder(str(repo / "mixed"))
    assert not found.ignores_folder(str(repo / "src"))
    assert not found.ignores_folder(str(repo))


# History


def test_names_in_history_hold_every_name_that_ever_was(tmp_path):
    repo = new(tmp_path / "r", **{"src/first.py": LONG})
    git(repo, "mv", "src/first.py", "second.py")
    commit(repo)
    git(repo, "rm", "-q", "second.py")
    write(repo, **{"third.py": "3"})
    commit(repo)
    git(repo, "checkout", "-q", "-b", "side", "HEAD~1")
    write(repo, **{"on-a-branch.py": "1"})
    commit(repo)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-commit", "side")
    write(repo, **{"by-the-merge.py": "1"})
    commit(repo)
    write(repo, **{"not-committed.py": "1", "HEAD": "a file with this name is no ambiguity"})
    assert opened(repo).names_in_history() == {
        "first.py", "second.py", "third.py", "on-a-branch.py", "by-the-merge.py",
    }  # fmt: skip


def test_before_the_first_commit_there_are_no_names(tmp_path):
    repo = opened(new(tmp_path / "r"))
    assert repo.names_in_history() == frozenset()
    assert repo.renamed_to("a.py") is None


def test_a_history_that_takes_too_long_is_unknown(tmp_path, monkeypatch):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    slow = 'case "$*" in *diff-tree*) exec sleep 60;; esac'
    monkeypatch.setenv("PATH", wrapped_git(tmp_path / "bin", slow))
    monkeypatch.setattr(module, "_HISTORY_SECONDS", 0.3)
    assert opened(repo).names_in_history() is None


def test_renames_are_followed(tmp_path):
    repo = new(tmp_path / "r", **{"old/a.py": LONG, "old/b.py": LONG + "b", "gone.py": "x", "once.py": LONG + "once"})
    git(repo, "mv", "old", "new")
    write(repo, **{"new/a.py": LONG + "and a little more\n"})
    commit(repo)
    git(repo, "mv", "new/a.py", "newest ö.py")
    git(repo, "mv", "once.py", "moved.py")
    commit(repo)
    git(repo, "rm", "-q", "gone.py")
    commit(repo)
    found = opened(repo)
    assert found.renamed_to("old/a.py") == "newest ö.py"
    assert found.renamed_to("new/a.py") == "newest ö.py"
    assert found.renamed_to("old/b.py") == "new/b.py"
    assert found.renamed_to("once.py") == "moved.py"
    assert found.renamed_to("gone.py") is None
    assert found.renamed_to("never.py") is None
    assert found.renamed_to("\ud800") is None


def test_renames_in_a_circle_end(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": LONG})
    for old, new_name in [("a.py", "b.py"), ("b.py", "a.py"), ("a.py", "b.py"), ("b.py", "a.py")]:
        git(repo, "mv", old, new_name)
        commit(repo)
    git(repo, "rm", "-q", "a.py")
    commit(repo)
    assert opened(repo).renamed_to("b.py") is None


def test_a_rename_on_a_merged_branch_is_found(tmp_path):
    repo = new(tmp_path / "r", **{"base.py": "1"})
    git(repo, "checkout", "-q", "-b", "feature")
    write(repo, **{"f.py": "1"})
    commit(repo)
    git(repo, "checkout", "-q", "main")
    write(repo, **{"a.py": LONG})
    commit(repo)
    git(repo, "mv", "a.py", "z.py")
    commit(repo)
    git(repo, "checkout", "-q", "feature")
    git(repo, "merge", "-q", "--no-edit", "main")  # neither side of this merge differs from it in a.py
    assert opened(repo).renamed_to("a.py") == "z.py"


def test_a_shallow_clone_knows_what_it_has(tmp_path):
    origin = new(tmp_path / "origin", **{"a.py": LONG, "x.py": "1"})
    git(origin, "mv", "a.py", "b.py")
    commit(origin)
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", "clone")
    found = opened(tmp_path / "clone")
    assert found.is_shallow
    assert not opened(origin).is_shallow
    assert found.names_in_history() == {"b.py", "x.py"}
    assert found.renamed_to("a.py") is None


def test_a_partial_clone_fetches_nothing_and_finds_exact_renames(tmp_path):
    origin = new(tmp_path / "origin", **{"exact.py": LONG, "near.py": LONG + "near"})
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(origin, "mv", "exact.py", "exact2.py")
    git(origin, "mv", "near.py", "near2.py")
    write(origin, **{"near2.py": LONG + "nearly"})
    commit(origin)
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{origin}", "clone")
    found = opened(tmp_path / "clone")
    assert found.names_in_history() == {"exact.py", "exact2.py", "near.py", "near2.py"}
    assert found.renamed_to("exact.py") == "exact2.py"
    assert found.renamed_to("near.py") is None


# What git refuses


def test_a_folder_in_no_repository(tmp_path):
    found = Repository.of(str(tmp_path))
    assert isinstance(found, NoRepository)
    assert found.kind == "no-repository"
    new(tmp_path / "r")
    inside = Repository.of(str(tmp_path / "r/.git"))
    assert isinstance(inside, NoRepository)
    assert inside.kind == "no-repository"


def test_a_folder_that_is_not_there(tmp_path):
    for folder in (f"{tmp_path}/no", __file__, f"{tmp_path}/\0", "\ud800"):
        found = Repository.of(folder)
        assert isinstance(found, NoRepository)
        assert found.kind == "failed"


def test_no_git(tmp_path, monkeypatch):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    before = opened(repo)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = Repository.of(str(repo))
    assert isinstance(found, NoRepository)
    assert found.kind == "no-git"
    assert "PATH" in found.reason
    assert before.tracked(str(repo)) is None
    assert before.ignored(["a.py"]) == set()
    assert before.names_in_history() in (None, frozenset())


def test_a_git_in_the_repository_is_not_the_git_that_is_run(tmp_path, monkeypatch):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    marker = tmp_path / "ran"
    (repo / "git").write_text(f"#!/bin/sh\ntouch {marker}\n")
    (repo / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert opened(repo).tracked(str(repo)) == ["a.py"]
    assert not marker.exists()


def wrapped_git(folder: Path, *lines: str) -> str:
    """A folder for PATH, with a git that does something before it is the real one."""
    real = shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text("\n".join(["#!/bin/sh", *lines, f'exec "{real}" "$@"', ""]))
    (folder / "git").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def test_a_repository_of_another_user_is_refused_with_what_to_do(tmp_path, monkeypatch):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    # Git's own switch for its tests of this refusal: changing the owner would take a privileged user.
    monkeypatch.setenv("PATH", wrapped_git(tmp_path / "bin", "export GIT_TEST_ASSUME_DIFFERENT_OWNER=1"))
    found = Repository.of(str(repo))
    assert isinstance(found, NoRepository)
    assert found.kind == "refused"
    assert f"git config --global --add safe.directory '{repo.resolve()}'" in found.reason


def test_a_git_that_hangs_is_left(tmp_path, monkeypatch):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    monkeypatch.setenv("PATH", wrapped_git(tmp_path / "bin", "exec sleep 60"))
    monkeypatch.setattr(module.ask, "__kwdefaults__", {"fed": None, "seconds": 0.2})
    found = Repository.of(str(repo))
    assert isinstance(found, NoRepository)
    assert found.kind == "overrun"


def test_a_listing_that_hangs_is_left_and_ended(tmp_path, monkeypatch):
    repo, pids = new(tmp_path / "r", **{"a.py": "1"}), tmp_path / "pids"
    found = opened(repo)
    hangs = f"case \"$*\" in *--others*|*--deleted*) echo $$ >> '{pids}'; exec sleep 60;; esac"
    monkeypatch.setenv("PATH", wrapped_git(tmp_path / "bin", hangs))
    monkeypatch.setattr(module._Run.__init__, "__kwdefaults__", {"seconds": 1.0})
    listing = found.listing(str(repo))
    assert isinstance(listing, NoRepository)
    assert listing.kind == "overrun"
    ended = [int(pid) for pid in pids.read_text().split()]
    assert len(ended) == 2
    for pid in ended:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize("lacks", ["the system", "the C library", "nothing"])
def test_files_are_listed_where_there_are_no_files_in_memory(tmp_path, monkeypatch, lacks):
    """What Python is made for an old C library has no such function at all. Each run says more than a pipe holds."""
    long = "x" * 200
    names = [f"{long}/{number:03}{long}.py" for number in range(400)]
    repo = new(tmp_path / "r", **dict.fromkeys([f"here/{name}" for name in names], "1"))
    shutil.move(repo / "here", repo / "there")

    def refused(*_: object) -> int:
        raise OSError("no such call")

    if lacks == "the C library":
        monkeypatch.delattr(os, "memfd_create", raising=False)
    elif lacks == "the system":
        monkeypatch.setattr(os, "memfd_create", refused, raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    found = listed(repo)
    assert found.tracked == ()
    assert list(found.untracked) == [f"there/{name}" for name in names]


def test_a_file_that_leaves_or_enters_the_index_while_it_is_listed_is_listed(tmp_path, monkeypatch):
    """One run reads the index before, the other behind: in neither's answer is the file."""
    for change, name in (("add", "fresh.py"), ("rm --cached", "a.py")):
        repo = new(tmp_path / name / "r", **{"a.py": "1", "b.py": "1"})
        write(repo, **{"fresh.py": "1"})
        real, once = shutil.which("git"), tmp_path / name / "once"
        first, then = ("--cached", "--others") if change == "add" else ("--others", "--cached")
        wait = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do"
        lines = [
            f"if [ ! -e '{once}.changed' ]; then case \"$*\" in",
            f"*{first}*) '{real}' \"$@\"; touch '{once}'; exit;;",
            f"*{then}*) {wait} [ -e '{once}' ] && break; sleep 0.1; done",
            f"touch '{once}.changed'; '{real}' {change} {name} > '{once}.said';;",
            "esac; fi",
        ]
        found = opened(repo)
        with monkeypatch.context() as patched:
            patched.setenv("PATH", wrapped_git(tmp_path / name / "bin", *lines))
            listing = found.listing(str(repo))
        assert (tmp_path / name / "once.said").exists()
        assert isinstance(listing, Listing)
        assert sorted(listing.tracked + listing.untracked) == ["a.py", "b.py", "fresh.py"]
        assert (name in listing.tracked) == (change == "add")


def test_an_index_that_is_written_all_the_time_is_not_waited_for(tmp_path, monkeypatch):
    repo, log = new(tmp_path / "r", **{"a.py": "1"}), tmp_path / "log"
    found = opened(repo)
    monkeypatch.setenv("PATH", wrapped_git(tmp_path / "bin", f"echo x >> '{log}'; cp .git/index o; mv o .git/index"))
    listing = found.listing(str(repo))
    assert isinstance(listing, (Listing, NoRepository))
    assert log.read_text().count("x") <= 9


def test_the_index_of_a_work_tree_is_its_own(tmp_path):
    repo = new(tmp_path / "r", **{"src/a.py": "1"})
    git(repo, "worktree", "add", "-q", str(tmp_path / "other"))
    other = tmp_path / "other/src"
    (tmp_path / "link").symlink_to(other)
    assert Path(opened(repo / "src").index_file).samefile(repo / ".git/index")
    for folder in (other, tmp_path / "link"):
        found = opened(folder)
        assert found.top == str(other.parent.resolve())
        (written,) = (repo / ".git/worktrees").glob("*/index")
        assert Path(found.index_file).samefile(written)


def test_folders_are_listed_by_many_threads():
    """Only the rows of the last folders are kept, whoever listed them."""
    out = b"H 100644 " + b"0" * 40 + b" 0\ta.py\0"

    def list_many(thread: int) -> bool:
        return all(listing_rows(out, f"/{thread}/{n % 40}").tracked == ["a.py"] for n in range(3000))

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(32) as pool:
            assert all(pool.map(list_many, range(32)))
    finally:
        sys.setswitchinterval(before)


def test_a_broken_repository_is_said_to_be(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    (repo / ".git/index").write_bytes(b"no index")
    found = opened(repo).listing(str(repo))
    assert isinstance(found, NoRepository)
    assert found.kind == "failed"
    assert "index" in found.reason
    (repo / ".git/config").write_text("[core\n")
    again = Repository.of(str(repo))
    assert isinstance(again, NoRepository)
    assert "config" in again.reason


def test_a_work_tree_that_is_set_elsewhere_is_not_believed(tmp_path):
    repo = new(tmp_path / "r", **{"a.py": "1"})
    (tmp_path / "elsewhere").mkdir()
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert isinstance(Repository.of(str(repo)), NoRepository)


def test_inside_a_hook_the_right_repository_is_seen(tmp_path):
    new(tmp_path / "other", **{"theirs.py": "1"})
    repo = new(tmp_path / "r", **{"a.py": "1"})
    report = tmp_path / "report"
    program = (
        "from cite_lsp.snapshot.git import Repository; import os;"
        f"print(sorted(n for n in os.environ if n.startswith('GIT_INDEX')), Repository.of({str(tmp_path / 'other')!r})"
        f".tracked({str(tmp_path / 'other')!r}), Repository.of('.').tracked('.'), file=open({str(report)!r}, 'w'))"
    )
    (repo / ".git/hooks/pre-commit").write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}"\n')
    (repo / ".git/hooks/pre-commit").chmod(0o755)
    write(repo, **{"b.py": "1"})
    commit(repo)
    assert report.read_text() == "['GIT_INDEX_FILE'] ['theirs.py'] ['a.py', 'b.py']\n"


# What git must not run


def plant(repo: Path, marker: Path) -> None:
    """A configuration that names a program wherever git takes one."""
    evil = repo.parent / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\nexit 1\n')
    evil.chmod(0o755)
    hooks = repo / "hooks"
    hooks.mkdir()
    for hook in HOOKS:
        (hooks / hook).symlink_to(evil)
        shutil.copy(evil, repo / ".git/hooks" / hook)
    for name in (
        "core.fsmonitor", "core.pager", "core.askPass", "core.sshCommand", "core.editor", "core.gitProxy",
        "core.alternateRefsCommand", "filter.x.clean", "filter.x.smudge", "filter.x.process", "gpg.program",
        "gpg.ssh.program", "diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver", "pager.ls-files",
        "pager.rev-list", "pager.diff-tree", "uploadpack.packObjectsHook", "remote.origin.uploadpack",
        "remote.origin.receivepack", "credential.helper", "alias.ls-files", "interactive.diffFilter",
    ):  # fmt: skip
        git(repo, "config", name, f"!{evil}" if name.startswith("alias") else str(evil))
    for name, value in [
        ("core.hooksPath", str(hooks)), ("log.showSignature", "true"), ("core.untrackedCache", "true"),
        ("filter.x.required", "true"), ("remote.origin.url", f"file://{repo.parent}"), ("submodule.recurse", "true"),
        ("remote.origin.promisor", "true"), ("extensions.partialClone", "origin"), ("protocol.file.allow", "always"),
        ("protocol.ext.allow", "always"), ("core.repositoryFormatVersion", "1"), ("diff.renames", "copies"),
    ]:  # fmt: skip
        git(repo, "config", name, value)


def hostile(folder: Path, marker: Path) -> Path:
    repo = new(
        folder, **{"old.py": LONG, "a.py": "1\n", ".gitattributes": "* filter=x diff=x merge=x\n", "s/t.py": "1"}
    )
    git(repo, "mv", "old.py", "new.py")
    write(repo, **{"new.py": LONG + "more\n"})
    commit(repo)
    signed = git(repo, "cat-file", "commit", "HEAD").replace("\n\n", f"\ngpgsig {SIGNATURE}\n\n", 1) + "\n"
    git(repo, "reset", "-q", "--soft", git(repo, "hash-object", "-w", "-t", "commit", "--stdin", fed=signed.encode()))
    # Content that only a fetch could bring, from a "server" that is the planted program.
    lost = git(repo, "rev-parse", "HEAD:new.py")
    (repo / ".git/objects" / lost[:2] / lost[2:]).unlink()
    write(repo, **{"a.py": "edited\n", "untracked.py": "1"})
    plant(repo, marker)
    return repo


CALLS: list[Callable[[Repository, str], object]] = [
    lambda found, top: found.is_shallow,
    lambda found, top: found.tracked(top),
    lambda found, top: found.listed(top),
    lambda found, top: found.listed(top + "/s"),
    lambda found, top: found.ignores_folder(top + "/s"),
    lambda found, top: found.ignored(["a.py", "untracked.py", "s/t.py"]),
    lambda found, top: found.names_in_history(),
    lambda found, top: found.renamed_to("old.py"),
]


def test_nothing_that_a_repository_names_is_run(tmp_path, monkeypatch):
    marker = tmp_path / "ran"
    repo = hostile(tmp_path / "r", marker)
    monkeypatch.setenv("GIT_PAGER", str(tmp_path / "evil"))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(tmp_path / "evil"))
    found = opened(repo)
    answers = [call(found, str(repo)) for call in CALLS]
    assert answers[1] is not None
    assert "untracked.py" in answers[2]  # type: ignore[operator]
    assert {"old.py", "new.py"} <= answers[6]  # type: ignore[operator]
    assert not marker.exists(), marker.read_text()


@pytest.mark.parametrize(
    "ordinary",
    [["status"], ["add", "a.py"], ["log", "-1"], ["diff-tree", "-r", "-M", "HEAD~1", "HEAD"], ["diff", "HEAD"]],
)
def test_what_was_planted_is_run_by_ordinary_commands(tmp_path, ordinary):
    """The test above would show nothing if it were not."""
    marker = tmp_path / "ran"
    repo = hostile(tmp_path / "r", marker)
    subprocess.run(["git", *ordinary], cwd=repo, capture_output=True, check=False)
    assert marker.exists()


def test_the_index_and_the_objects_are_left_as_they_were(tmp_path):
    repo = hostile(tmp_path / "r", tmp_path / "ran")
    os.utime(repo / "a.py", (1, 1))
    files = {path: path.stat().st_mtime_ns for path in (repo / ".git").rglob("*")}
    found = opened(repo)
    for call in CALLS:
        call(found, str(repo))
    assert {path: path.stat().st_mtime_ns for path in (repo / ".git").rglob("*")} == files
