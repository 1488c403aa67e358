"""What citations showed when they were written: real histories, asked through git."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from cite_lsp.document.document import Document
from cite_lsp.snapshot.baseline import Baseline, Written
from cite_lsp.snapshot.baseline_data import packed, unpacked
from cite_lsp.snapshot.baselines import Asked, Baselines
from cite_lsp.snapshot.git import NoRepository
from cite_lsp.snapshot.paths import list_paths

pytestmark = pytest.mark.usefixtures("person")

DAY = 24 * 3600
CODE = [f"line {number}" for number in range(1, 41)]
DOC = "# Retries\n\nThe pool gives up after three tries (`src/pool.py:10-12`).\n"


@dataclass
class Repo:
    """A repository in which every commit is a day later than the one before."""

    root: Path
    time: int = 1_700_000_000

    def git(self, *arguments: str, code: int = 0) -> str:
        date = f"@{self.time} +0000"
        env = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        done = subprocess.run(["git", *arguments], cwd=self.root, env=env, capture_output=True, check=False)
        assert done.returncode == code, done.stderr.decode()
        return os.fsdecode(done.stdout).strip()

    def write(self, path: str, text: str | list[str]) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else "".join(f"{line}\n" for line in text), newline="")

    def commit(self, days: float = 1, **files: str | list[str] | None) -> str:
        """Write files, remove those that are None, and commit all."""
        for path, text in files.items():
            if text is None:
                (self.root / path).unlink()
            else:
                self.write(path, text)
        self.time += int(days * DAY)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def move(self, old: str, new: str) -> None:
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        self.git("mv", old, new)

    def ask(
        self, path: str = "docs/a.md", as_of: str = "", root: Path | None = None, **options: object
    ) -> list[Written]:
        root = root or self.root
        text = (root / path).read_bytes().decode()
        document = Document.parse(text, path, list_paths(str(root)).known())
        found = Baselines.of(str(root), **options)  # type: ignore[arg-type]
        assert isinstance(found, Baselines), found
        try:
            (written,) = found.written([Asked(document, as_of)])
        finally:
            found.close()
        assert [len(one.baselines) for one in written] == [len(anchor.spans) for anchor in document.anchors]
        assert unpacked(packed(written), str(root)) == written
        return list(written)

    def only(self, *asked: str, **options: object) -> Baseline:
        (written,) = self.ask(*asked, **options)  # type: ignore[arg-type]
        (baseline,) = written.baselines
        return baseline


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    root = tmp_path / "r"
    root.mkdir()
    made = Repo(root)
    made.git("init", "-q")
    return made


def begun(repo: Repo) -> str:
    """The document and the code that it cites, in one commit."""
    return repo.commit(**{"docs/a.md": DOC, "src/pool.py": CODE})


def shows(baseline: Baseline, commit: str, path: str = "src/pool.py", now: str | None = None) -> bool:
    """Whether it is the text of lines 10 to 12 as they were at first."""
    assert baseline.state == "text", baseline
    assert (baseline.path, baseline.now) == (path, path if now is None else now)
    assert (baseline.first, baseline.last) == (10, 12)
    assert baseline.lines == tuple(CODE[9:12])
    assert baseline.before == tuple(CODE[1:9])
    assert baseline.after == tuple(CODE[12:20])
    return baseline.commit == commit


# The document and the code in one commit; then what happens to the code


def test_document_and_code_in_one_commit(repo):
    first = begun(repo)
    found = repo.only()
    assert shows(found, first)
    assert found.time == repo.time
    assert found.twins == ()


@pytest.mark.parametrize(
    "changed",
    [
        ["new", *CODE],
        CODE[3:],
        [*CODE[:9], *CODE[12:], *CODE[9:12]],
        [*CODE[:9], *CODE[9:12], *CODE[9:12], *CODE[12:]],
        [*CODE[:10], "other", *CODE[11:]],
        [f"    {line}" for line in CODE],
        ["nothing"],
    ],
    ids=["insert", "delete", "move", "duplicate", "edit", "indent", "gone"],
)
def test_what_happens_to_the_code_leaves_the_baseline(repo, changed):
    first = begun(repo)
    repo.commit(**{"src/pool.py": changed})
    assert shows(repo.only(), first)


def test_changes_that_are_not_committed_leave_the_baseline(repo):
    first = begun(repo)
    repo.write("src/pool.py", ["new", *CODE])
    repo.write("docs/a.md", "# Retries\n\nAnother one.\n\n" + DOC[11:])
    assert shows(repo.only(), first)


def test_code_that_came_back(repo):
    first = begun(repo)
    second = repo.commit(**{"src/pool.py": CODE[5:]})
    repo.git("revert", "-n", second)
    repo.commit()
    assert shows(repo.only(), first)


def test_copies_in_the_file_as_it_was(repo):
    block = CODE[9:12]
    first = repo.commit(**{"docs/a.md": DOC, "src/pool.py": [*CODE, *block, "end", f"{block[0]}  ", *block[1:]]})
    found = repo.only()
    assert shows(found, first)
    assert found.twins == (
        (tuple(CODE[-8:]), ("end", f"{block[0]}  ", *block[1:])),
        ((*CODE[36:], *block, "end"), ()),
    )


# Where the file is now


def test_a_file_renamed_once_and_twice(repo):
    first = begun(repo)
    repo.move("src/pool.py", "src/retry.py")
    repo.commit()
    assert shows(repo.only(), first, now="src/retry.py")
    repo.move("src/retry.py", "lib/again.py")
    repo.commit()
    assert shows(repo.only(), first, now="lib/again.py")


def test_a_file_that_was_deleted_and_one_that_came_back(repo):
    first = begun(repo)
    repo.commit(**{"src/pool.py": None})
    assert shows(repo.only(), first, now="")
    repo.commit(**{"src/pool.py": CODE})
    assert shows(repo.only(), first, now="src/pool.py")


def test_another_file_under_the_old_name(repo):
    first = begun(repo)
    repo.move("src/pool.py", "src/retry.py")
    repo.commit()
    repo.commit(**{"src/pool.py": ["something else"]})
    assert shows(repo.only(), first, now="src/retry.py")


def test_a_folder_that_was_moved_with_the_document(repo):
    first = begun(repo)
    repo.move("src", "old")
    repo.move("docs", "pages")
    repo.commit()
    assert shows(repo.only("pages/a.md"), first, now="old/pool.py")


# What happens to the document


def test_a_reflow_does_not_hide_the_first_text(repo):
    first = repo.commit(**{
        "docs/a.md": "The pool gives up after three tries and says so in its log (`src/pool.py:10-12`) at once.\n",
        "src/pool.py": CODE,
    })  # fmt: skip
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.commit(**{
        "docs/a.md": "The pool gives up after\nthree tries and says so in\nits log (`src/pool.py:10-12`)\nat once.\n"
    })  # fmt: skip
    assert shows(repo.only(), first)


def test_a_citation_with_words_that_is_broken_over_lines(repo):
    first = repo.commit(
        **{"docs/a.md": "It gives up, see lines 10-12 of `src/pool.py`, after a while.\n", "src/pool.py": CODE}
    )
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.commit(**{"docs/a.md": "It gives up, see lines\n10-12 of `src/pool.py`,\nafter a while.\n"})
    assert shows(repo.only(), first)


def test_a_reworded_sentence_is_the_same_citation(repo):
    first = begun(repo)
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.commit(**{"docs/a.md": DOC.replace("gives up after three tries", "gives up after only three failed tries")})
    assert shows(repo.only(), first)


def test_another_sentence_that_cites_the_same_lines_is_not(repo):
    begun(repo)
    second = repo.commit(**{
        "docs/a.md": "# Retries\n\nSockets are closed by the reaper thread at midnight, see `src/pool.py:10-12`.\n",
        "src/pool.py": ["new", *CODE],
    })  # fmt: skip
    found = repo.only()
    assert (found.commit, found.lines) == (second, tuple(CODE[8:11]))


def test_a_citation_that_was_put_right_by_hand(repo):
    begun(repo)
    second = repo.commit(**{"src/pool.py": ["new", *CODE]})
    third = repo.commit(**{"docs/a.md": DOC.replace("10-12", "11-13")})
    found = repo.only()
    assert second != found.commit == third
    assert (found.first, found.last, found.lines) == (11, 13, tuple(CODE[9:12]))


def test_a_longer_number_is_not_the_citation(repo):
    repo.commit(**{"docs/a.md": DOC.replace("10-12", "10-120"), "src/pool.py": CODE})
    second = repo.commit(**{"docs/a.md": DOC})
    assert shows(repo.only(), second)


def test_a_run_that_was_broken_begins_anew(repo):
    begun(repo)
    repo.commit(**{"docs/a.md": "# Retries\n"})
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    third = repo.commit(**{"docs/a.md": DOC})
    found = repo.only()
    assert (found.commit, found.lines) == (third, tuple(CODE[8:11]))


def test_a_document_that_was_renamed_and_changed(repo):
    filler = "".join(f"Paragraph {number} tells of something.\n\n" for number in range(30))
    first = repo.commit(**{"docs/a.md": filler + DOC, "src/pool.py": CODE})
    repo.move("docs/a.md", "docs/deep/b.md")
    repo.write("docs/deep/b.md", filler + "More.\n\n" + DOC)
    repo.commit()
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    assert shows(repo.only("docs/deep/b.md"), first)


def test_a_path_beside_the_document_as_it_was(repo):
    first = repo.commit(**{"docs/a.md": DOC.replace("src/", ""), "docs/pool.py": CODE})
    repo.move("docs/a.md", "other.md")
    repo.commit()
    assert shows(repo.only("other.md"), first, path="docs/pool.py")


def test_each_citation_of_a_document_has_its_own_commit(repo):
    first = begun(repo)
    second = repo.commit(**{"docs/a.md": DOC + "\nThe last line is `src/pool.py:40`.\n", "src/pool.py": ["new", *CODE]})
    one, other = (written.baselines[0] for written in repo.ask())
    assert shows(one, first)
    assert (other.commit, other.lines, other.after) == (second, ("line 39",), ("line 40",))


def test_line_ends_and_marks_do_not_hide_the_first_text(repo):
    first = begun(repo)
    repo.commit(**{"docs/a.md": DOC.replace("\n", "\r\n")})
    repo.commit(**{"docs/a.md": "\ufeff" + DOC.replace("\n", "\r\n")})
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    assert shows(repo.only(), first)


def test_a_continuation_goes_with_its_path(repo):
    text = "The pool is in `src/{}.py:1`, and gives up at\n`:10-12` for good.\n"
    repo.commit(**{"docs/a.md": text.format("other"), "src/pool.py": CODE, "src/other.py": CODE[::-1]})
    second = repo.commit(**{"docs/a.md": text.format("pool")})
    found = repo.ask()
    assert [one.baselines[0].path for one in found] == ["src/pool.py", "src/pool.py"]
    assert shows(found[1].baselines[0], second)


def test_a_list_has_a_baseline_for_each_span(repo):
    first = repo.commit(**{"docs/a.md": "See `src/pool.py:1,10-12,50`.\n", "src/pool.py": CODE})
    (written,) = repo.ask()
    one, two, three = written.baselines
    assert (one.state, one.first, one.last, one.lines) == ("text", 1, 1, ("line 1",))
    assert shows(two, first)
    assert (three.state, three.commit) == ("born-wrong", first)
    assert "40 lines" in three.reason


# Merges


def branched(repo: Repo) -> str:
    first = begun(repo)
    repo.git("checkout", "-q", "-b", "side")
    return first


def test_a_merge_in_which_one_side_changed_the_document(repo):
    first = branched(repo)
    side = repo.commit(**{"docs/a.md": DOC + "\nThe end is `src/pool.py:40`.\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.time += DAY
    repo.git("merge", "-q", "--no-ff", "-m", "m", "side")
    one, other = (written.baselines[0] for written in repo.ask())
    assert shows(one, first)
    assert (other.commit, other.lines) == (side, ("line 40",))


def test_a_merge_in_which_both_sides_changed_the_document(repo):
    first = branched(repo)
    side = repo.commit(**{"docs/a.md": DOC + "\nThe end is `src/pool.py:40`.\n"})
    repo.git("checkout", "-q", "main")
    main = repo.commit(**{"docs/a.md": "The start is `src/pool.py:1`.\n\n" + DOC})
    repo.time += DAY
    repo.git("merge", "-q", "-m", "m", "side")
    found = [written.baselines[0] for written in repo.ask()]
    assert [each.commit for each in found] == [main, first, side]


def test_a_citation_written_in_the_merge_itself(repo):
    branched(repo)
    repo.commit(**{"docs/a.md": DOC + "\nOne.\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(**{"docs/a.md": DOC + "\nTwo.\n"})
    repo.git("merge", "-q", "side", code=1)
    repo.write("docs/a.md", DOC + "\nBoth, see `src/pool.py:40`.\n")
    merge = repo.commit()
    assert repo.git("rev-list", "--parents", "-1", "HEAD").count(" ") == 2
    assert repo.ask()[1].baselines[0].commit == merge


def test_a_merge_whose_document_is_that_of_the_other_side(repo):
    branched(repo)
    side = repo.commit(**{"docs/a.md": "The end, at last, is `src/pool.py:40`.\n"})
    repo.git("checkout", "-q", "main")
    repo.commit(**{"docs/a.md": "Nothing.\n"})
    repo.git("merge", "-q", "-X", "theirs", "-m", "m", "side")
    repo.git("checkout", "-q", "side", "--", "docs/a.md")
    repo.git("commit", "-q", "--amend", "-m", "m")
    assert repo.only().commit == side


def test_a_squashed_branch(repo):
    branched(repo)
    repo.commit(**{"docs/a.md": DOC + "\nThe end is `src/pool.py:40`.\n"})
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--squash", "side")
    squash = repo.commit()
    found = repo.ask()[1].baselines[0]
    assert (found.commit, found.lines) == (squash, ("line 39",))


# What is not known


def test_a_document_and_a_citation_that_are_not_committed(repo):
    begun(repo)
    repo.write("docs/a.md", DOC + "\nThe end is `src/pool.py:40`.\n")
    repo.write("docs/new.md", DOC)
    assert repo.ask()[1].baselines[0] == Baseline(
        "unknown", first=40, last=40, reason="has not begun: it is not committed yet"
    )
    found = repo.only("docs/new.md")
    assert (found.state, found.commit) == ("unknown", "")
    assert "not committed" in found.reason


def test_a_repository_without_commits(repo):
    repo.write("docs/a.md", DOC)
    repo.write("src/pool.py", CODE)
    assert repo.only() == Baseline("unknown", first=10, last=12, reason="has no commit yet")


def test_a_shallow_clone_ends_at_its_cut(repo, tmp_path):
    begun(repo)
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    last = repo.commit(**{"docs/a.md": DOC + "\nThe end is `src/pool.py:41`.\n"})
    clone = Repo(tmp_path / "clone")
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.root}", str(clone.root))
    one, other = (written.baselines[0] for written in clone.ask())
    assert (one.state, one.commit) == ("unknown", "")
    assert "fetch-depth: 0" in one.reason
    assert (other.commit, other.lines) == (last, ("line 40",))
    clone.git("fetch", "-q", "--unshallow")
    assert clone.ask()[0].baselines[0].state == "text"


def test_a_path_that_was_not_there_and_came_too_late(repo):
    first = repo.commit(**{"docs/a.md": DOC})
    repo.commit(days=30, **{"src/pool.py": CODE})
    found = repo.only()
    assert (found.state, found.commit) == ("born-wrong", first)
    assert "src/pool.py was not found when it was written" in found.reason


def test_code_that_came_a_little_after_its_document(repo):
    repo.commit(**{"docs/a.md": DOC})
    second = repo.commit(**{"src/pool.py": CODE})
    assert shows(repo.only(), second)


def test_lines_that_came_a_little_after_their_document(repo):
    repo.commit(**{"docs/a.md": DOC, "src/pool.py": CODE[:5]})
    repo.commit(**{"src/pool.py": CODE[:6]})
    third = repo.commit(**{"src/pool.py": CODE})
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    assert shows(repo.only(), third)


def test_lines_past_the_end(repo):
    first = repo.commit(**{"docs/a.md": DOC, "src/pool.py": CODE[:5]})
    repo.commit(days=30, **{"src/pool.py": CODE})
    found = repo.only()
    assert (found.state, found.commit, found.path, found.now) == ("born-wrong", first, "src/pool.py", "src/pool.py")
    assert "which had 5 lines when it was written" in found.reason


@pytest.mark.parametrize("text", ["It is in `src/pool.py:1` and `:60` there.\n", "It is at `src/pool.py:~60`.\n"])
def test_what_does_not_claim_to_be_exact_is_not_wrong(repo, text):
    repo.commit(**{"docs/a.md": text, "src/pool.py": CODE})
    assert repo.ask()[-1].baselines[0].state == "unknown"


def test_a_path_of_no_commit_is_not_in_git(repo):
    repo.commit(**{"docs/a.md": DOC.replace("src/pool.py", "build/made.py"), ".gitignore": "build/\n"})
    repo.write("build/made.py", CODE)
    found = repo.only()
    assert found.state == "unknown"
    assert found.reason.startswith("is not in git")


def test_a_path_that_was_renamed_before_is_judged_alike_however_much_history_is_read(repo, monkeypatch):
    for part in (1, 512):
        monkeypatch.setattr("cite_lsp.snapshot.history._FIRST_PART", part)
        monkeypatch.setattr("cite_lsp.snapshot.history._MOST_IN_PART", part)
        if part == 1:
            repo.commit(**{"src/pool.py": CODE})
            repo.move("src/pool.py", "src/tank.py")
            repo.commit()
            repo.commit(**{"docs/a.md": DOC})
        found = repo.only()
        assert (found.state, found.path) == ("unknown", "")
        assert found.reason.startswith("is not in git")


def test_a_path_that_was_ambiguous(repo):
    repo.commit(**{"docs/a.md": DOC.replace("src/", ""), "one/pool.py": CODE, "two/pool.py": CODE[::-1]})
    repo.commit(**{"two/pool.py": None})
    found = repo.only()
    assert found.state == "unknown"
    assert "ambiguous" in found.reason


def test_a_basename_that_is_ambiguous_now_was_not(repo):
    first = repo.commit(**{"docs/a.md": DOC.replace("src/", ""), "one/pool.py": CODE})
    repo.commit(**{"two/pool.py": CODE[::-1]})
    assert shows(repo.only(), first, path="one/pool.py")


def test_the_longer_path_that_the_document_names(repo):
    text = DOC.replace("src/", "") + "\nAll of it is in `one/pool.py`.\n"
    first = repo.commit(**{"docs/a.md": text, "one/pool.py": CODE, "two/pool.py": CODE[::-1]})
    assert shows(repo.only(), first, path="one/pool.py")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"a\0b\n" * 20, "NUL"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n", "Git LFS pointer"),
        (b"x\n" * 5_100_000, "over the limit"),
    ],
    ids=["nul", "lfs", "large"],
)
def test_what_is_no_text_is_not_known(repo, content, reason):
    repo.write("docs/a.md", DOC)
    repo.write("src/pool.py", "")
    (repo.root / "src/pool.py").write_bytes(content)
    repo.commit()
    repo.commit(**{"src/pool.py": CODE})
    found = repo.only()
    assert (found.state, found.path) == ("unknown", "src/pool.py")
    assert reason in found.reason


def test_symbolic_links_inside_the_repository_are_followed(repo):
    repo.write("src/real.py", CODE)
    repo.write("docs/a.md", DOC + "\nAnd `lib/real.py:1`, and `out.py:1`.\n")
    (repo.root / "src/pool.py").symlink_to("real.py")
    (repo.root / "lib").symlink_to("src")
    (repo.root / "out.py").symlink_to("/etc/hostname")
    (repo.root / "AGENTS.md").symlink_to("docs/a.md")
    first = repo.commit()
    one, two, three = (written.baselines[0] for written in repo.ask())
    assert shows(one, first)
    assert (two.state, two.path, two.now, two.lines) == ("text", "lib/real.py", "lib/real.py", ("line 1",))
    assert (three.state, three.reason.partition(":")[0]) == ("unknown", "cannot show it")
    assert repo.ask("AGENTS.md")[0].baselines[0] == one


def test_malformed_and_foreign_citations(repo):
    repo.commit(**{
        "docs/a.md": "See `src/pool.py:12-10`, `other/pool.py:1` and https://github.com/a/b/blob/main/src/pool.py#L1.\n",
        "src/pool.py": CODE,
        "other/pool.py": CODE,
    })  # fmt: skip
    found = [written.baselines[0] for written in repo.ask(foreign=("other",))]
    assert [each.state for each in found] == ["unknown"] * 3
    assert [each.reason for each in found][1:] == ["is that of another repository"] * 2


# Where repositories lie


def test_a_root_below_the_top(repo):
    repo.commit(**{"part/docs/a.md": DOC, "part/src/pool.py": CODE, "src/pool.py": CODE[::-1]})
    first = repo.git("rev-parse", "HEAD")
    repo.move("part/src/pool.py", "part/src/retry.py")
    repo.commit()
    assert shows(repo.only(root=repo.root / "part"), first, now="src/retry.py")
    repo.move("part/src/retry.py", "retry.py")
    repo.commit()
    assert shows(repo.only(root=repo.root / "part"), first, now="")


def test_a_work_tree_elsewhere(repo, tmp_path):
    first = begun(repo)
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "other")
    tree = Repo(tmp_path / "tree", repo.time)
    second = tree.commit(**{"docs/a.md": DOC + "\nThe end is `src/pool.py:40`.\n"})
    one, other = (written.baselines[0] for written in tree.ask())
    assert shows(one, first)
    assert other.commit == second
    assert len(repo.ask()) == 1


def test_submodules(repo, tmp_path):
    inner = Repo(tmp_path / "inner")
    inner.root.mkdir()
    inner.git("init", "-q")
    inner.commit(**{"src/pool.py": CODE, "docs/a.md": DOC})
    repo.git("submodule", "add", "-q", str(inner.root), "vendor/inner")
    first = repo.commit(**{"docs/a.md": DOC.replace("src/", "vendor/inner/src/")})
    assert shows(repo.only(), first, path="vendor/inner/src/pool.py")
    inside = Repo(repo.root / "vendor/inner", repo.time)
    assert inside.only().lines == tuple(CODE[9:12])
    repo.git("submodule", "deinit", "-q", "-f", "vendor/inner")
    found = repo.only()
    assert found.state == "unknown"
    assert "submodule" in found.reason


def test_paths_that_are_not_utf8(repo):
    name = os.fsdecode(b"\xff.md")
    odd = os.fsdecode(b"\xfe.py")
    first = repo.commit(**{f"docs/{name}": DOC, f"src/{odd}": CODE, "src/pool.py": CODE})
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    root = repo.root
    document = Document.parse((root / "docs" / name).read_text(), f"docs/{name}")
    found = Baselines.of(str(root))
    assert isinstance(found, Baselines)
    ((written,),) = found.written([Asked(document)])
    found.close()
    assert shows(written.baselines[0], first)


def test_no_repository(tmp_path):
    found = Baselines.of(str(tmp_path))
    assert isinstance(found, NoRepository)
    assert found.kind == "no-repository"


# As of a commit


def test_a_record_is_read_as_of_the_commit_that_wrote_it(repo):
    text = DOC + "\nAlso `src/pool.py:99`, `src/none.py:1` and `src/pool.py:20`.\n"
    first = repo.commit(**{"docs/a.md": text, "src/pool.py": [*CODE[:19], "", *CODE[20:]]})
    repo.commit(days=30, **{"src/pool.py": ["new"], "src/none.py": CODE})
    found = [written.resolution for written in repo.ask(as_of="written")]
    assert [each and each.status for each in found] == ["found", "line-out-of-range", "missing", "blank-line"]
    one, past, missing, blank = found
    assert one is not None
    assert (one.as_of, one.as_of_time, one.root, one.path, one.line_count) == (
        first, repo.time - 30 * DAY, str(repo.root), "src/pool.py", 40,
    )  # fmt: skip
    assert one.blob == repo.git("rev-parse", f"{first}:src/pool.py")
    assert (past and past.line_count, blank and blank.near) == (40, (19, 21))
    assert missing is not None
    assert (missing.as_of, missing.blob) == (first, "")


def test_a_record_that_is_not_committed_is_read_as_it_is(repo):
    begun(repo)
    repo.write("docs/new.md", DOC)
    assert repo.ask("docs/new.md", "written")[0].resolution is None


def test_a_record_as_of_a_commit_that_is_named(repo):
    first = begun(repo)
    repo.git("tag", "v1")
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.commit(**{"docs/a.md": DOC + "\nThe start is `src/pool.py:1`.\n"})
    one, other = repo.ask(as_of="v1")
    assert shows(one.baselines[0], first)
    assert (other.baselines[0].commit, other.baselines[0].lines) == (first, ("line 1",))
    assert other.resolution is not None
    assert (other.resolution.status, other.resolution.as_of) == ("found", first)


@pytest.mark.parametrize("name", ["v2", "--all", "a b", "0000000000000000000000000000000000000000", "\udcff", "é"])
def test_a_name_that_is_no_commit(repo, name):
    begun(repo)
    (written,) = repo.ask(as_of=name)
    assert written.resolution is None
    assert written.baselines[0].state == "unknown"
    assert "no commit" in written.baselines[0].reason


def test_permalinks_are_read_as_of_their_commit(repo):
    first = begun(repo)
    repo.git("remote", "add", "origin", "https://github.com/acme/pool.git")
    link = f"https://github.com/acme/pool/blob/{first}/src/pool.py#L10-L12"
    repo.commit(**{"docs/a.md": f"See {link}.\n\nAnd {link.replace(first, '0' * 39 + '1')}.\n", "src/pool.py": ["new"]})
    repo.move("src/pool.py", "src/retry.py")
    repo.commit()
    one, other = repo.ask()
    assert shows(one.baselines[0], first, now="src/retry.py")
    assert one.resolution is not None
    assert (one.resolution.status, one.resolution.as_of, one.resolution.via) == ("found", first, "permalink")
    assert other.resolution is None
    assert other.baselines[0].state == "unknown"


def test_a_text_of_an_object(repo):
    first = begun(repo)
    found = Baselines.of(str(repo.root))
    assert isinstance(found, Baselines)
    text = found.file(repo.git("rev-parse", f"{first}:src/pool.py"))
    assert text is not None
    assert list(text.lines) == CODE
    for name in ("", "0" * 40, first, "--batch", "x\ny", "é"):
        assert found.file(name) is None
    found.close()


# When a text went


def departed(repo: Repo, *, anywhere: bool) -> str | None:
    found = Baselines.of(str(repo.root))
    assert isinstance(found, Baselines)
    answer = found.departed(repo.only(), anywhere=anywhere)
    found.close()
    return None if answer is None else answer[0]


def test_the_commit_that_moved_a_text_and_the_one_that_removed_it(repo):
    begun(repo)
    assert departed(repo, anywhere=False) is None
    repo.commit(**{"src/pool.py": [*CODE, "more"]})
    assert departed(repo, anywhere=False) is None
    moved = repo.commit(**{"src/pool.py": ["new", *CODE]})
    repo.commit(**{"src/pool.py": ["new", "newer", *CODE]})
    assert departed(repo, anywhere=False) == moved
    assert departed(repo, anywhere=True) is None
    repo.move("src/pool.py", "src/retry.py")
    repo.commit()
    assert departed(repo, anywhere=False) == moved
    gone = repo.commit(**{"src/retry.py": CODE[12:]})
    repo.commit(**{"src/retry.py": CODE[13:]})
    assert departed(repo, anywhere=True) == gone
    repo.commit(**{"src/retry.py": None})
    assert departed(repo, anywhere=True) == gone


def test_a_file_that_was_deleted_took_its_text_along(repo):
    begun(repo)
    repo.commit(**{"docs/b.md": "x"})
    gone = repo.commit(**{"src/pool.py": None})
    assert departed(repo, anywhere=True) == gone
    assert departed(repo, anywhere=False) == gone


# What a repository names is not run

EVIL = (
    "core.fsmonitor", "core.sshCommand", "core.pager", "core.alternateRefsCommand", "core.gitProxy",
    "diff.x.textconv", "diff.x.command", "diff.external", "filter.x.clean", "filter.x.smudge", "filter.x.process",
    "remote.origin.uploadpack", "uploadpack.packObjectsHook",
)  # fmt: skip


def test_nothing_that_a_repository_names_is_run(repo, tmp_path):
    begun(repo)
    repo.commit(**{"src/pool.py": ["new", *CODE]})
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-$$\ncat\n")
    evil.chmod(0o755)
    for key in EVIL:
        repo.git("config", key, str(evil))
    repo.git("config", "remote.origin.url", f"file://{tmp_path}/none")
    repo.git("config", "remote.origin.promisor", "true")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "core.hooksPath", str(tmp_path))
    (repo.root / ".gitattributes").write_text("* diff=x filter=x\n")
    blob = repo.git("rev-parse", "HEAD~1:src/pool.py")
    found = Baselines.of(str(repo.root))
    assert isinstance(found, Baselines)
    document = Document.parse(DOC, "docs/a.md")
    ((written,),) = found.written([Asked(document)])
    assert written.baselines[0].state == "text"
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    found.close()
    found = Baselines.of(str(repo.root))
    assert isinstance(found, Baselines)
    ((written,),) = found.written([Asked(document)])
    assert written.baselines[0].state == "unknown"
    assert "not in this clone" in written.baselines[0].reason
    assert found.departed(written.baselines[0], anywhere=True) is None
    found.close()
    assert not list(tmp_path.glob("ran-*"))


def test_a_repository_that_vanishes_while_it_is_asked(repo):
    begun(repo)
    found = Baselines.of(str(repo.root))
    assert isinstance(found, Baselines)
    document = Document.parse(DOC, "docs/a.md")
    assert found.written([Asked(document)])[0][0].baselines[0].state == "text"
    shutil.rmtree(repo.root)
    assert not found.is_there()
    assert found.written([Asked(document)])[0][0].baselines[0].state == "unknown"
    found.close()
