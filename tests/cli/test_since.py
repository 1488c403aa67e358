"""`check --since REV`: what a change touches, in a real repository."""

import json
import subprocess
from pathlib import Path

import pytest

from cite_lsp.cli.since import unmoved

CODE = "".join(f"line {number}\n" for number in range(1, 41))


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture
def folder(workspace) -> Path:
    """A repository of one commit: two files of code, and documents that cite them near the top and the end."""
    made = workspace(
        {
            "src/a.py": CODE,
            "src/b.py": CODE,
            "top.md": "`src/a.py:2`\n",
            "end.md": "`src/a.py:30-31`\n",
            "other.md": "`src/b.py:30`\n",
            "none.md": "Nothing.\n",
        }
    )
    git(made, "init", "-q", "-b", "main")
    git(made, "add", ".")
    git(made, "commit", "-q", "-m", "one")
    return made


def looked_at(cli, folder: Path, *more: str) -> list[str]:
    """The documents that a check looks at."""
    ran = cli(folder, "check", "--format", "json", "--since", "HEAD", *more)
    assert ran.code in (0, 1), ran.err
    return [document["path"] for document in json.loads(ran.raw)["documents"]]


def edit(folder: Path, path: str, *lines: str, at: int, instead_of: int = 0) -> None:
    """Put lines before line `at`, 1-based, in place of some."""
    text = (folder / path).read_text().splitlines(keepends=True)
    text[at - 1 : at - 1 + instead_of] = [f"{line}\n" for line in lines]
    (folder / path).write_text("".join(text))


def test_nothing_changed_is_nothing_to_look_at(cli, folder):
    ran = cli(folder, "check", "--since", "HEAD")
    assert ran.code == 0
    assert "nothing that changed since HEAD touches a document or a citation" in ran.out


def test_documents_that_changed_are_looked_at_however(cli, folder):
    (folder / "top.md").write_text("`src/a.py:3`\n")
    git(folder, "add", "top.md")  # staged
    (folder / "other.md").write_text("`src/b.py:31`\n")  # in the working tree
    (folder / "new.md").write_text("`src/b.py:32`\n")  # untracked
    assert looked_at(cli, folder) == ["new.md", "other.md", "top.md"]
    git(folder, "commit", "-q", "-m", "two")
    assert looked_at(cli, folder) == ["new.md", "other.md"]
    ran = cli(folder, "check", "--format", "json", "--since", "HEAD~1")
    assert [document["path"] for document in json.loads(ran.raw)["documents"]] == ["new.md", "other.md", "top.md"]


def test_lines_that_moved_take_what_cites_them_along(cli, folder):
    edit(folder, "src/a.py", "more", at=10)
    assert looked_at(cli, folder) == ["end.md"]


def test_lines_that_were_edited_where_they_are(cli, folder):
    edit(folder, "src/a.py", "LINE 2", at=2, instead_of=1)
    assert looked_at(cli, folder) == ["top.md"]
    edit(folder, "src/a.py", at=40, instead_of=1)
    assert looked_at(cli, folder) == ["top.md"]


def test_what_is_put_in_and_taken_out_again_moves_only_what_is_between(cli, folder):
    edit(folder, "src/a.py", "more", at=10)
    edit(folder, "src/a.py", at=21, instead_of=1)
    assert looked_at(cli, folder) == []


def test_a_file_that_is_gone_and_one_that_came(cli, folder):
    (folder / "src/b.py").unlink()
    assert looked_at(cli, folder) == ["other.md"]
    git(folder, "checkout", "-q", "src/b.py")
    (folder / "by_name.md").write_text("`a.py:2`\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "two")
    (folder / "lib").mkdir()
    (folder / "lib/a.py").write_text(CODE)
    assert looked_at(cli, folder) == ["by_name.md"]  # ambiguous now; whole paths mean what they meant


def test_line_ends_that_git_wrote_are_no_change(cli, folder):
    (folder / "top.md").write_bytes(b"`src/a.py:2`\r\n")
    (folder / "src/a.py").write_bytes(CODE.replace("\n", "\r\n").encode())
    assert looked_at(cli, folder) == []


def test_only_what_was_named_is_looked_at(cli, folder):
    edit(folder, "src/a.py", "more", at=1)
    assert looked_at(cli, folder) == ["end.md", "top.md"]
    assert looked_at(cli, folder, "top.md") == ["top.md"]


def test_a_root_below_the_repositorys_top(cli, folder):
    (folder / "part/src").mkdir(parents=True)
    (folder / "part/cite-lsp.toml").write_text("")
    (folder / "part/src/c.py").write_text(CODE)
    (folder / "part/c.md").write_text("`src/c.py:30`\n")
    (folder / "part/d.md").write_text("`src/c.py:3`\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "two")
    edit(folder, "part/src/c.py", "more", at=10)
    assert looked_at(cli, folder / "part") == ["c.md"]


@pytest.mark.parametrize("revision", ["no-such", "--help", "", "HEAD~9", "HEAD:top.md"])
def test_a_revision_that_is_not_there_is_said(cli, folder, revision):
    ran = cli(folder, "check", f"--since={revision}")
    assert ran.code == 2
    assert f"--since {revision}: the repository has no such commit" in ran.err


def test_without_a_repository_there_is_nothing_to_compare_with(cli, workspace):
    ran = cli(workspace({"cite-lsp.toml": "", "a.md": "x\n"}, "bare"), "check", "--since", "HEAD")
    assert ran.code == 2
    assert "is in no git work tree" in ran.err


def test_children_look_at_the_same(cli, folder):
    edit(folder, "src/a.py", "more", at=1)
    assert looked_at(cli, folder, "--jobs", "2") == ["end.md", "top.md"]


@pytest.mark.parametrize(
    ("before", "now", "kept"),
    [
        ("abc", "abc", ((1, 3),)),
        ("abc", "aXc", ((1, 1), (3, 3))),
        ("abc", "Xabc", ()),
        ("abc", "abcX", ((1, 3),)),
        ("abcdef", "aXbdef", ((1, 1), (4, 6))),
        ("abc", "", ()),
        ("", "abc", ()),
    ],
)
def test_lines_that_stand_where_they_stood(before, now, kept):
    assert unmoved(tuple(before), tuple(now)) == kept


def test_long_files_without_a_common_line_cost_no_alignment():
    assert unmoved([f"a{number}" for number in range(50_000)], [f"b{number}" for number in range(50_000)]) == ()
