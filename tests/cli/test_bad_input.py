"""Bad input, end to end: one clear message or silence, never a traceback, never a hang, linear time."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

TEN = "".join(f"line {number}\n" for number in range(1, 11))
BASE = {"src/a.py": TEN, "cite-lsp.toml": ""}


def document(ran, path: str) -> dict:
    return next(each for each in json.loads(ran.raw)["documents"] if each["path"] == path)


def statuses(ran, path: str = "docs/d.md") -> list[str]:
    return [anchor["resolution"]["status"] for anchor in document(ran, path)["anchors"]]


def lines(ran, path: str = "docs/d.md") -> list[int]:
    return [anchor["range"]["start"]["line"] for anchor in document(ran, path)["anchors"]]


def timed(run, *arguments, **options):
    started = time.perf_counter()
    ran = run(*arguments, **options)
    return ran, time.perf_counter() - started


# Encodings and line ends, of documents


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"caf\xe9 \xff\xfe `src/a.py:3`\n\xc3\x28 `src/a.py:4`\n", [0, 1]),
        (b"one\rtwo `src/a.py:3`\rthree `src/a.py:4`", [1, 2]),
        (b"one\r\ntwo `src/a.py:3`\r\n\r\nthree `src/a.py:4`\r\n", [1, 3]),
        (b"\xef\xbb\xbf# T `src/a.py:3`\n", [0]),
        (b"\xef\xbb\xbf---\ntitle: `src/a.py:9`\n---\n`src/a.py:3`\n", [3]),
        (b"a\x0cb\x0bc `src/a.py:3`\n`src/a.py:4`\n", [0, 1]),
        ("a\u2028b\u2029c\x85 `src/a.py:3`\n`src/a.py:4`\n".encode(), [0, 1]),
        ("x `src/a.py:3`\n".encode("utf-16"), [0]),
        ("x `src/a.py:3`\n".encode("utf-32"), [0]),
        (b"", []),
        (b"\n" * 9 + b"`src/a.py:3`", [9]),
    ],
)
def test_documents_of_any_encoding_and_line_end(cli, workspace, data, where):
    folder = workspace({**BASE, "docs/d.md": data})
    ran = cli(folder, "check", "--format", "json")
    assert ran.code == 0
    assert lines(ran) == where
    assert set(statuses(ran)) <= {"found"}
    assert cli(folder, "check").code == 0


def test_a_document_with_nul_bytes_is_said_to_be_no_text(cli, workspace):
    ran = cli(workspace({**BASE, "docs/d.md": b"`src/a.py:3`\0\n"}), "check")
    assert ran.code == 3
    assert "docs/d.md holds NUL bytes, so it is not text; it was not checked\n" in ran.out
    assert "no findings" in ran.out


# … and of cited files


@pytest.mark.parametrize(
    ("data", "status", "count"),
    [
        (b"caf\xe9\n\xff\xfe\xfd\n", "found", 2),
        (b"one\rtwo\rthree", "found", 3),
        (b"one\r\ntwo\r\n", "found", 2),
        (b"\xef\xbb\xbfone\ntwo\n", "found", 2),
        (b"a\x0cb\x0bc\ntwo\n", "found", 2),
        ("a\u2028b\u2029c\x85\ntwo\n".encode(), "found", 2),
        ("one\ntwo\n".encode("utf-16"), "found", 2),
        (b"a\0b\ntwo\n", "not-text", None),
        (b"x" * 10_000_001, "too-large", None),
        (b"x" * 5_000_000 + b"\n" + b"y" * 4_999_999, "found", 2),
        (b"", "line-out-of-range", 0),
        (b"\n\n", "blank-line", 2),
        (b"only one", "line-out-of-range", 1),
    ],
    ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else None,
)
def test_cited_files_of_any_encoding_and_line_end(cli, workspace, data, status, count):
    folder = workspace({**BASE, "src/t.py": data, "docs/d.md": "`src/t.py:2`\n"})
    ran = cli(folder, "check", "--format", "json", "--excerpts")
    (anchor,) = document(ran, "docs/d.md")["anchors"]
    assert (anchor["resolution"]["status"], anchor["resolution"]["line_count"]) == (status, count)
    assert len(ran.raw) < 200_000, "an excerpt is bounded"
    assert cli(folder, "check", "--level", "hint").code in (0, 1)
    assert cli(folder, "explain", "docs/d.md:1").code == 0


# Size


def test_a_line_of_ten_megabytes(process, workspace):
    word = b"lorem ipsum `src/a.py:300` dolor sit amet, "
    data = word + b"x y z, " * 1_428_000 + word
    folder = workspace({**BASE, "docs/d.md": data})
    ran = process(folder, "check", "--format", "json")
    assert statuses(ran) == ["line-out-of-range"] * 2
    ran = process(folder, "check")
    assert max(map(len, ran.out.splitlines())) < 200


def test_a_hundred_megabytes_are_not_read(process, workspace):
    folder = workspace({**BASE, "docs/d.md": "`src/huge.py:3`\n"})
    for name in ("docs/huge.md", "src/huge.py"):
        with (folder / name).open("wb") as file:
            file.truncate(100_000_000)
    ran = process(folder, "check", "--level", "information")
    assert ran.code == 3
    assert (
        "`src/huge.py` has 100,000,000 bytes or more, over the limit of 10,000,000; the cited lines were not looked at"
        in ran.out
    )
    assert "docs/huge.md has 100,000,000 bytes or more, over the limit of 20,000,000; it was not checked" in ran.out


def test_standard_input_over_the_limit(process, workspace):
    ran = process(workspace(BASE), "check", "-", "--stdin-path", "docs/d.md", stdin=b"x " * 10_500_000)
    assert ran.code == 3
    assert "docs/d.md has 21,000,000 bytes or more, over the limit of 20,000,000; it was not checked" in ran.out


def test_a_document_of_a_hundred_thousand_lines(process, workspace):
    text = "".join(f"Line {number} is here.\n" if number % 50 else "\n`src/a.py:30`\n" for number in range(100_000))
    folder = workspace({**BASE, "docs/d.md": text})
    ran = process(folder, "check", "--format", "json")
    assert len(document(ran, "docs/d.md")["findings"]) == 2000


@pytest.mark.parametrize(
    ("make", "found"),
    [
        pytest.param(lambda size: " " * size + "`src/a.py:30`", False, id="spaces"),
        pytest.param(lambda size: "x" + " " * size + "`src/a.py:30`", True, id="spaces inside"),
        pytest.param(lambda size: "a-a-a" * (size // 5) + " `src/a.py:30`", True, id="dashes"),
        pytest.param(lambda size: "x" * size + " `src/a.py:30`", True, id="no break"),
        pytest.param(lambda size: "a/" * (size // 2) + " `src/a.py:30`", True, id="a path without end"),
        pytest.param(lambda size: "1" * size + " `src/a.py:30`", True, id="digits"),
        pytest.param(lambda size: "`src/a.py:" + "1" * size + "` `src/a.py:30`", True, id="digits as a line number"),
        pytest.param(lambda size: "`src/a.py:1-" + "9" * size + "` `src/a.py:30`", True, id="digits as a range"),
        pytest.param(lambda size: ":1" * (size // 2) + " `src/a.py:30`", True, id="colons"),
        pytest.param(lambda size: "[" * size + " `src/a.py:30`", True, id="brackets"),
        pytest.param(lambda size: "[a](" * (size // 4) + "\n\n`src/a.py:30`", True, id="links"),
        pytest.param(lambda size: "` `` " * (size // 5) + "\n\n`src/a.py:30`", True, id="ticks"),
        pytest.param(lambda size: "<!-- cite-lsp: ignore " * (size // 22) + "\n\n`src/a.py:30`", False, id="comments"),
        pytest.param(
            lambda size: "`src/a.py:3` and the loop, " * (size // 100) + "`src/a.py:30`",
            True,
            id="one sentence of citations",
        ),
        pytest.param(lambda size: "`src/a.py:" + "1," * (size // 20) + "30`", True, id="a list of lines"),
    ],
)
def test_long_runs_take_linear_time(cli, workspace, make, found):
    def seconds(size: int) -> float:
        folder = workspace({**BASE, "docs/d.md": make(size) + "\n"})
        ran, spent = timed(cli, folder, "check", "--format", "json")
        assert ("line-out-of-range" in statuses(ran)) is found
        assert cli(folder, "check").code in (0, 1)
        return spent

    seconds(1000)
    small, large = seconds(50_000), seconds(400_000)
    assert large < 20 * max(small, 0.05), (small, large)


def test_the_longest_of_each(process, workspace):
    runs = {
        "spaces": " " * 150_000,
        "dashes": "a-a-a" * 12_000,
        "line": "word " * 200_000,
        "digits": "7" * 400_000,
        "number": "`src/a.py:" + "7" * 400_000 + "`",
        "hash": "[x](src/a.py#L" + "7" * 400_000 + ")",
        "words": "src/a.py lines " + "7" * 400_000,
    }
    folder = workspace({**BASE, **{f"docs/{name}.md": text + "\n" for name, text in runs.items()}})
    ran = process(folder, "check")
    assert ran.code == 1
    assert "has a line number of more than nine digits" in ran.out
    assert max(map(len, ran.out.splitlines())) < 300


# What is no ordinary file


def test_links_that_loop(process, workspace):
    folder = workspace({**BASE, "docs/d.md": "`src/loop.py:3` and `docs/again/again/again/../d.md:1`\n"})
    (folder / "src/loop.py").symlink_to("loop2.py")
    (folder / "src/loop2.py").symlink_to("loop.py")
    (folder / "docs/again").symlink_to(".")
    (folder / "docs/up").symlink_to("..")
    (folder / "docs/loop.md").symlink_to("loop.md")
    (folder / "docs/dangling.md").symlink_to("nowhere.md")
    ran = process(folder, "check", "--level", "information")
    assert ran.code == 0
    assert "`src/loop.py` is a symbolic link that leads to itself; the cited lines were not looked at" in ran.out
    assert "1 document, 2 citations recognised, 1 resolved" in ran.out
    for name, reason in (("loop", "is a symbolic link that leads to itself"), ("dangling", "does not exist")):
        ran = process(folder, "check", f"docs/{name}.md")
        assert ran.code == 3
        assert f"docs/{name}.md {reason}; it was not checked" in ran.out


def test_pipes_and_devices_as_documents_and_as_targets(process, workspace, tmp_path):
    text = "`src/pipe.py:1` `src/zero.py:1` `src/null.py:1` `src/folder.py:1`\n"
    folder = workspace({**BASE, "docs/d.md": text})
    os.mkfifo(folder / "src/pipe.py")
    os.mkfifo(folder / "docs/pipe.md")
    (folder / "src/folder.py").mkdir()
    (folder / "src/zero.py").symlink_to("/dev/zero")
    (folder / "src/null.py").symlink_to("/dev/null")
    (folder / "docs/zero.md").symlink_to("/dev/zero")
    ran = process(folder, "check", "--level", "information")
    assert ran.code == 0
    assert "1 document, 4 citations" in ran.out, "none of them is a document"
    assert "`src/pipe.py` is a named pipe, not a file" in ran.out
    assert "`src/zero.py` leads out of the workspace, so it is not read" in ran.out
    assert "`src/null.py` leads out of the workspace, so it is not read" in ran.out
    assert "`src/folder.py` is a folder, not a file" in ran.out
    for path, reason in (
        ("docs/pipe.md", "is a named pipe, not a file"),
        ("docs/zero.md", "lies outside the workspace folders"),
    ):
        ran = process(folder, "check", path)
        assert ran.code == 3
        assert f"{path} {reason}; it was not checked" in ran.out
    ran = process(folder, "check", "/dev/zero")
    assert ran.code in (2, 3)


AS_NOBODY = """
import os, sys
import cite_lsp.cli.app, cite_lsp.cli.citation, cite_lsp.cli.output_schema, cite_lsp.findings.catalogue
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
cite_lsp.cli.app.main()
"""


@pytest.mark.parametrize("path", ["shut", "half", "shut/d.md", "shut/d.md:1"])
def test_a_path_that_may_not_be_looked_at(path):
    folder = Path(tempfile.mkdtemp(prefix="cite-lsp-closed-"))
    try:
        for name in ("shut", "half"):
            (folder / name).mkdir()
            (folder / name / "d.md").write_text("x\n")
        for each in (folder, *folder.rglob("*")):
            if os.getuid() == 0:
                os.chown(each, 65534, 65534)
        (folder / "shut").chmod(0)
        (folder / "half").chmod(0o111)
        command = "explain" if path.endswith(":1") else "check"
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, command, path], cwd=folder, capture_output=True, text=True, check=False
        )
    finally:
        for name in ("shut", "half"):
            (folder / name).chmod(0o755)
        shutil.rmtree(folder)
    shown = path.removesuffix(":1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"cite-lsp: {shown} cannot be read: there is no permission to\n"


def test_a_working_folder_that_is_gone(tmp_path):
    script = "import os, sys; os.mkdir('x'); os.chdir('x'); os.rmdir('../x'); import cite_lsp.cli.app as a; a.main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "check"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "cite-lsp: the working folder is not there any more; change to one that is\n"


@pytest.mark.parametrize("git", [False, True])
def test_what_may_not_be_read(git):
    folder = Path(tempfile.mkdtemp(prefix="cite-lsp-closed-"))
    try:
        for name in ("src/a.py", "src/closed.py", "shut/in.py", "docs/closed.md", "shut/d.md", "half/in.py"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(TEN)
        (folder / "docs/d.md").write_text("`src/a.py:3` `src/closed.py:3` `shut/in.py:3` `half/in.py:3`\n")
        if git:
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        if os.getuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, 65534, 65534)
        for name, mode in (("src/closed.py", 0), ("docs/closed.md", 0), ("shut", 0), ("half", 0o111)):
            (folder / name).chmod(mode)
        done = subprocess.run(
            [sys.executable, "-c", AS_NOBODY, "check", "--level", "information"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    finally:
        for path in (folder, folder / "shut", folder / "half"):
            path.chmod(0o755)
        shutil.rmtree(folder)
    assert "Traceback" not in done.stderr
    assert done.returncode == 3, done
    assert "docs/closed.md cannot be read: there is no permission to; it was not checked" in done.stdout
    for path in ("src/closed.py", "shut/in.py"):
        assert f"`{path}` cannot be read: there is no permission to; the cited lines were not looked at" in done.stdout
    assert "note: no permission to read shut" in done.stdout
    assert "note: no permission to read half" in done.stdout
    assert "does not exist" not in done.stdout


@pytest.mark.parametrize("git", [False, True])
def test_names_with_line_breaks_and_bytes_that_are_no_text(process, workspace, git):
    folder = workspace({**BASE, "docs/d.md": "`src/a.py:3`\n", "docs/line\nbreak.md": "`src/a.py:30`\n"})
    for name in (b"docs/caf\xe9.md", b"src/caf\xe9.py", b"docs/\x1b[31mred.md"):
        (folder / os.fsdecode(name)).write_bytes(b"`src/a.py:30`\n")
    if git:
        subprocess.run("git init -q && git add -A && git commit -qm x", shell=True, cwd=folder, check=True)
    ran = process(folder, "check")
    assert ran.code == 0
    assert "1 document, 1 citation " in ran.out
    assert "note: 4 file names that cannot be cited left out (not UTF-8, or with a line break" in ran.out
    for name, shown in ((b"docs/line\nbreak.md", "docs/line\\x0abreak.md"), (b"docs/caf\xe9.md", "docs/caf\ufffd.md")):
        ran = process(folder, "check", name)
        assert ran.code == 1
        assert ran.out.splitlines()[0] == shown
        assert json.loads(process(folder, "check", "--format", "json", name).raw)["documents"]
    ran = process(folder, "check", b"docs/\x1b[31mred.md")
    assert "\x1b" not in ran.out
    ran = process(folder, "check", b"docs/no\x1b[31m\xe9such.md")
    assert ran.code == 2
    assert "\x1b" not in ran.err


# Roots that are too wide


def test_a_whole_file_system_is_refused(process, workspace):
    ran = process(Path("/"), "check")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "cite-lsp: / is a whole file system, not a project; name the project's folder\n"
    folder = workspace({"docs/d.md": "x\n"})
    assert process(folder, "check", "/").code == 2
    assert process(Path("/"), "check", str(folder / "docs")).code == 0, "a folder was named"


def test_the_home_directory_is_refused_unless_it_is_a_project(process, workspace, tmp_path):
    home = tmp_path / "home"
    for folder, arguments in ((home, ()), (home, (".",)), (home, ("../home",))):
        ran = process(folder, "check", *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == (
            f"cite-lsp: {home} is the home directory, not a project; name the project's folder, "
            "or put a cite-lsp.toml into it if it is one\n"
        )
    notes = workspace({"a.md": "x\n"}, "home/notes")
    assert process(home, "check", "notes").code == 0
    assert process(home, "check", str(notes / "a.md")).code == 0
    (home / "cite-lsp.toml").write_text("")
    assert process(home, "check").code == 0


# Git that is not there, and repositories that are not to be trusted


def test_without_git(process, workspace, monkeypatch, tmp_path):
    text = "`src/a.py:3` `build/o.py:1`\n"
    folder = workspace({**BASE, "docs/d.md": text, ".gitignore": "build/\n", "build/o.py": "x"})
    monkeypatch.setenv("PATH", str(tmp_path / "home"))
    ran = process(folder, "check")
    assert ran.code == 0
    assert "note" not in ran.out
    assert "1 information (not shown)" in ran.out
    (folder / ".git").mkdir()
    ran = process(folder, "check")
    assert "note: git is not installed, or not in PATH; ignore rules are read without it" in ran.out
    monkeypatch.delenv("PATH")
    assert process(folder, "check").code == 0


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


PROGRAMS = (
    "core.fsmonitor core.pager core.sshCommand core.editor core.askPass filter.x.clean filter.x.smudge "
    "filter.x.process gpg.program gpg.ssh.program diff.external diff.x.textconv diff.x.command merge.x.driver "
    "pager.ls-files uploadpack.packObjectsHook credential.helper"
).split()
HOOKS = "post-index-change pre-commit post-checkout reference-transaction fsmonitor-watchman".split()


@pytest.fixture
def hostile(workspace, tmp_path):
    """A repository whose configuration names a program wherever git takes one; each run of it leaves a mark."""
    folder = workspace(
        {
            **BASE,
            "src/old.py": "".join(f"value_{number} = {number}\n" for number in range(1, 51)),
            "docs/d.md": "`src/a.py:3` `src/old.py:3` `src/never.py:1` `was.py:1`\n",
            ".gitattributes": "* filter=x diff=x merge=x\n",
        }
    )
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    git(folder, "mv", "src/old.py", "src/new.py")
    git(folder, "commit", "-qm", "y")
    (folder / "src/a.py").write_text(TEN + "edited\n")
    mark = tmp_path / "mark"
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $@" >> {mark}\nexit 1\n')
    evil.chmod(0o755)
    for name in PROGRAMS:
        git(folder, "config", name, str(evil))
    for name, value in (("core.hooksPath", str(folder / "hooks")), ("log.showSignature", "true")):
        git(folder, "config", name, value)
    (folder / "hooks").mkdir()
    for hook in HOOKS:
        shutil.copy(evil, folder / "hooks" / hook)
        shutil.copy(evil, folder / ".git/hooks" / hook)
    mark.unlink(missing_ok=True)
    return folder, mark


def test_nothing_that_a_repository_names_is_run(process, hostile):
    folder, mark = hostile
    ran = process(folder, "check")
    assert ran.code == 1
    assert "the cited text moved to line 3 of `src/new.py`" in ran.out, "its history was asked"
    process(folder, "explain", "docs/d.md:1")
    process(folder, "check", "-", "--stdin-path", "docs/d.md", stdin=b"`src/old.py:1`\n")
    assert not mark.exists(), mark.read_text()


def test_what_was_planted_would_run(hostile):
    """The test above would show nothing otherwise."""
    folder, mark = hostile
    subprocess.run(["git", "status"], cwd=folder, capture_output=True, check=False)
    assert mark.exists()
