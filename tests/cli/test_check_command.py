"""`cite-lsp check`: what is looked at, what is printed, and how it ends."""

import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from cite_lsp import __version__
from cite_lsp.document.pattern import compile_pattern
from cite_lsp.findings import reading as reading_module

TEN = "".join(f"line {number}\n" for number in range(1, 11))
GOOD = {"src/a.py": TEN, "docs/good.md": "See `src/a.py:3`.\n", "cite-lsp.toml": ""}
BAD = {
    **GOOD,
    "docs/bad.md": "See `src/a.py:30` and\n`src/blank.py:2` and `far/x.c:1`.\n",
    "src/blank.py": "a\n\nb\n",
}
WARNS = {**GOOD, "docs/warns.md": "See `src/blank.py:2`.\n", "src/blank.py": "a\n\nb\n"}


def summary(ran) -> list[str]:
    """The last two lines, without the time."""
    return re.sub(r" in [0-9.]+ s", "", ran.out).splitlines()[-2:]


def report(ran) -> dict:
    return json.loads(ran.raw)


def paths(ran) -> list[str]:
    return [document["path"] for document in report(ran)["documents"]]


# How it ends


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        (GOOD, [], 0),
        (BAD, [], 1),
        (WARNS, [], 0),
        (WARNS, ["--fail-level", "warning"], 1),
        (WARNS, ["--fail-level", "error"], 0),
        (BAD, ["--fail-level", "hint"], 1),
        (BAD, ["--level", "error"], 1),
        (BAD, ["--quiet"], 1),
        (BAD, ["docs/good.md"], 0),
        (GOOD, ["docs/none.md"], 2),
        (GOOD, ["--fail-level", "loud"], 2),
        (GOOD, ["--unheard-of"], 2),
        ({**GOOD, "docs/nul.md": "a\0b"}, [], 3),
        ({**BAD, "docs/nul.md": "a\0b"}, [], 1),
        ({**GOOD, "cite-lsp.toml": "colour = 1\n"}, [], 2),
    ],
)
def test_the_exit_status(cli, workspace, files, arguments, code):
    for output in ("text", "json"):
        ran = cli(workspace(files), "check", "--format", output, *arguments)
        assert ran.code == code, ran


def test_as_a_process(process, workspace):
    folder = workspace(BAD)
    assert process(folder, "check", "docs/good.md").code == 0
    ran = process(folder, "check")
    assert (ran.code, ran.err) == (1, "")
    assert "`src/a.py` has 10 lines; line 30 does not exist" in ran.out
    assert process(folder, "check", "nowhere").code == 2
    assert process(folder, "--version").out == f"cite-lsp {__version__}\n"


# Text


def test_text_by_document_with_line_caret_and_summary(cli, workspace):
    files = {**BAD, "docs/bad.md": "See `src/a.py:30-31` and\n`src/blank.py:2` `src/a.py:9-11` `net/x.c:1`.\n"}
    ran = cli(workspace(files), "check")
    assert re.sub(r" in [0-9.]+ s", " in 0 s", ran.out) == (
        "docs/bad.md\n"
        "  1:6     error   `src/a.py` has 10 lines; lines 30-31 do not exist  line-out-of-range\n"
        "     1 │ See `src/a.py:30-31` and\n"
        "       │      ^^^^^^^^^^^^^^\n"
        "  2:2     warning line 2 of `src/blank.py` is blank; the nearest text is on line 1 and line 3  blank-line\n"
        "     2 │ `src/blank.py:2` `src/a.py:9-11` `net/x.c:1`.\n"
        "       │  ^^^^^^^^^^^^^^\n"
        "  2:19    warning `src/a.py` has 10 lines; lines 9-11 go past its end  end-out-of-range\n"
        "     2 │ `src/blank.py:2` `src/a.py:9-11` `net/x.c:1`.\n"
        "       │                   ^^^^^^^^^^^^^\n"
        "         fix: End at line 10\n"
        "\n"
        "2 documents, 5 citations recognised, 3 resolved, 5 not judged\n"
        "1 error, 2 warnings, 1 information (not shown) in 0 s; 1 with one answer; --level information shows all\n"
    )
    assert ran.err == ""


def test_the_level_of_what_is_shown(cli, workspace):
    folder = workspace({**BAD, "docs/bad.md": "`src/a.py:30` `src/blank.py:2` `net/x.c:1`.\n"})
    shown = {
        level: re.findall(r"^  [0-9]+:[0-9]+ +(\w+)", cli(folder, "check", "--level", level).out, re.MULTILINE)
        for level in ("error", "warning", "information", "hint")
    }
    assert shown["error"] == ["error"]
    assert shown["warning"] == ["error", "warning"]
    assert shown["information"] == shown["hint"] == ["error", "warning", "information"]


def test_a_text_file_that_is_no_text_is_passed_over_unless_it_is_named(cli, workspace):
    folder = workspace({**GOOD, "corpus/null.txt": "a\0b"})
    scanned = cli(folder, "check")
    assert "corpus/null.txt holds NUL bytes, so it is not text; it was not checked" in scanned.out
    assert scanned.code == 0
    assert cli(folder, "check", "corpus/null.txt").code == 3


def test_a_clean_run_and_a_quiet_one(cli, workspace):
    folder = workspace(GOOD)
    assert summary(cli(folder, "check")) == [
        "1 document, 1 citation recognised, 1 resolved, 1 not judged",
        "no findings",
    ]
    assert cli(folder, "check", "--quiet").out == ""
    quiet = cli(workspace(BAD), "check", "-q").out
    assert "line 30 does not exist" in quiet
    assert "not judged" not in quiet


def test_coverage_counts_what_is_not_attached_and_what_is_foreign(cli, workspace):
    text = "The guard is on line 92. [x](https://h.example/o/r/blob/main/a.py#L3), `src/a.py:3`\n"
    ran = cli(workspace({**GOOD, "docs/good.md": text}), "check")
    assert summary(ran)[0] == (
        "1 document, 2 citations recognised, 1 resolved, 2 not judged, 1 of other repositories, "
        "1 line word not attached to a path"
    )


def test_a_folder_without_documents_says_what_was_looked_for(cli, workspace):
    ran = cli(workspace({"src/a.py": TEN}), "check")
    assert ran.code == 0
    assert "note: no document was found: files.include takes in **/*.{md," in ran.out


def test_more_than_five_hundred_findings_are_cut_off_in_text_and_not_in_json(cli, workspace):
    folder = workspace({**GOOD, "docs/bad.md": "\n\n".join("`src/a.py:30`" for _ in range(1502)) + "\n"})
    ran = cli(folder, "check")
    assert ran.out.count("does not exist") == 500
    assert "\n  and 1,002 more in this document\n" in ran.out
    assert "1,502 errors" in ran.out
    document = report(cli(folder, "check", "docs/bad.md", "--format", "json"))["documents"][0]
    assert len(document["findings"]) == 1502


@pytest.mark.parametrize(
    "line",
    [
        "日本語の説明では `src/a.py:30` にあります。",
        "🚀🚀 see `src/a.py:30`",
        "cafe\u0301 `src/a.py:30`",
        "\ttab\t`src/a.py:30`",
        "a\x0cb\x01c\u202e `src/a.py:30`",
        "日本語" * 40 + " `src/a.py:30` " + "日本語" * 40,
        "word " * 400 + "`src/a.py:30` " + "word " * 400,
        "x `src/a.py:" + ",".join(str(number) for number in range(30, 90)) + "` y",
    ],
)
def test_carets_stand_below_the_citation_and_lines_fit(cli, workspace, line):
    text = f"- {line}\n" if line.startswith("\t") else f"{line}\n"
    ran = cli(workspace({**GOOD, "docs/good.md": text}), "check")
    source, carets = (each.split("│ ", 1)[1] for each in ran.out.splitlines() if "│" in each)
    start = cell_len(carets) - len(carets.lstrip())
    before = ""
    while cell_len(before) < start:
        before = source[: len(before) + 1]
    assert source[len(before) :].startswith("src/a.py:30"), (source, carets)
    assert cell_len(source) <= 74
    assert cell_len(carets) <= 74
    assert carets.lstrip().strip("^") == ""


def test_colour_on_a_terminal_only(workspace):
    folder = workspace(BAD)
    coloured, _ = on_terminal(folder, "check")
    assert re.search(r"\x1b\[1;31merror", coloured)
    for arguments, environment in ((["--no-color"], {}), ([], {"NO_COLOR": "1"})):
        plain, _ = on_terminal(folder, "check", *arguments, **environment)
        assert not re.search(r"\x1b\[[0-9;]*3[0-7]", plain)
        assert "does not exist" in plain


def test_a_forced_colour_draws_no_bar_into_a_log(process, workspace, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = process(workspace(many(60)), "check")
    assert "checking" not in ran.err + ran.out


# A terminal


def many(count: int) -> dict[str, str]:
    text = "See `src/a.py:3`.\n\n" * 40
    return {**GOOD, **{f"docs/d{number:03}.md": text for number in range(count)}, "docs/d030.md": "`src/a.py:30`\n"}


def on_terminal(folder: Path, *arguments: str, stdout: int | None = None, **environment: str) -> tuple[str, int]:
    """What a terminal shows of a run, and the exit status; `stdout` goes elsewhere when given."""
    parent, child = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "cite_lsp", *arguments],
        cwd=folder,
        stdin=child,
        stdout=child if stdout is None else stdout,
        stderr=child,
        env={**os.environ, "COLUMNS": "100", "LINES": "40", **environment},
    )
    os.close(child)
    seen = bytearray()
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if select.select([parent], [], [], 1)[0]:
                try:
                    read = os.read(parent, 65536)
                except OSError:
                    break
                if not read:
                    break
                seen += read
        code = running.wait(timeout=10)
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
        os.close(parent)
    return seen.decode("utf-8", "replace"), code


def test_a_bar_for_many_documents(workspace):
    shown, code = on_terminal(workspace(many(400)), "check")
    assert code == 1
    assert "checking" in shown
    assert re.search(r"401/401.*100%.*[0-9]/s.*0:00:00", shown), "how many, how fast, how long yet"
    left = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.rpartition("\x1b[2K")[2]).splitlines()
    assert left[0].startswith("401 documents, ")
    assert re.fullmatch(r"1 error in [0-9.]+ s", left[1])
    finding = re.sub(r"\x1b\[[0-9;?]*m", "", next(each for each in shown.split("\x1b[2K") if "docs/d030.md" in each))
    assert finding.splitlines()[:3] == [
        "docs/d030.md",
        "  1:2     error   `src/a.py` has 10 lines; line 30 does not exist  line-out-of-range",
        "     1 │ `src/a.py:30`",
    ], "the bar leaves nothing in the findings"


def test_no_bar_for_few_documents_nor_when_asked_for_quiet(workspace):
    assert "checking" not in on_terminal(workspace(BAD), "check")[0]
    assert "checking" not in on_terminal(workspace(many(60)), "check", "--quiet")[0]


def test_the_bar_goes_to_the_terminal_when_the_findings_go_to_a_file(workspace, tmp_path):
    folder = workspace(many(400))
    for output in ("text", "json"):
        with (tmp_path / "out").open("wb") as file:
            shown, _ = on_terminal(folder, "check", "--format", output, stdout=file.fileno())
        written = (tmp_path / "out").read_text()
        assert "checking" in shown
        assert "does not exist" not in shown
        assert "line 30 does not exist" in written
        assert "\x1b" not in written


def test_a_reader_that_leaves_is_no_fault(workspace):
    folder = workspace({**GOOD, "docs/bad.md": "\n\n".join("long " * 60 + "`src/a.py:30`" for _ in range(5000)) + "\n"})
    for arguments in (["check", "--level", "hint"], ["check", "--format", "json"], ["schema", "output"]):
        running = subprocess.Popen(
            [sys.executable, "-m", "cite_lsp", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.read(10)
        running.stdout.close()
        assert running.stderr.read() == b""
        running.stderr.close()
        # The last one fits into the pipe's buffer and may be done before its reader has gone.
        assert running.wait(timeout=30) in ((3,) if arguments[0] == "check" else (0, 3))


def test_an_interrupt_ends_quietly(workspace):
    folder = workspace({**GOOD, **{f"docs/d{number}.md": "`src/a.py:30`\n\n" * 3000 for number in range(60)}})
    running = subprocess.Popen(
        [sys.executable, "-m", "cite_lsp", "check"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    running.stdout.read(10)  # it is at work
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert b"Traceback" not in err
    assert running.returncode == 130


# Which documents


def test_paths_choose_the_documents(cli, workspace):
    folder = workspace(
        {
            **GOOD,
            "docs/deep/x.md": "x\n",
            "docs/y.rst": "y\n",
            "notes.txt": "n\n",
            "src/b.py": "# `src/a.py:30`\n",
            ".gitignore": "scratch/\n",
            "scratch/s.md": "`src/a.py:30`\n",
        }
    )
    every = ["docs/deep/x.md", "docs/good.md", "docs/y.rst", "notes.txt"]
    for arguments, expected in (
        ([], every),
        (["."], every),
        (["docs"], every[:3]),
        (["docs/deep", "notes.txt"], ["docs/deep/x.md", "notes.txt"]),
        (["docs", "docs/good.md", "docs"], every[:3]),
        (["src/b.py"], ["src/b.py"]),
        (["scratch"], []),
        (["scratch/s.md"], ["scratch/s.md"]),
        ([str(folder / "docs" / "deep")], ["docs/deep/x.md"]),
    ):
        assert paths(cli(folder, "check", "--format", "json", *arguments)) == expected, arguments
    assert paths(cli(folder / "docs" / "deep", "check", "--format", "json")) == ["docs/deep/x.md"]
    assert paths(cli(folder / "docs", "check", "--format", "json", "../notes.txt")) == ["notes.txt"]


def test_a_path_outside_the_root_and_one_that_does_not_exist(cli, workspace, tmp_path):
    folder = workspace(GOOD)
    (tmp_path / "other.md").write_text("x")
    ran = cli(folder, "check", "docs", "../other.md")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"cite-lsp: ../other.md lies outside {folder}, the root of the first path; check it in a run of its own\n"
    )
    ran = cli(folder, "check", "docs/nope.md")
    assert (ran.code, ran.err) == (2, "cite-lsp: docs/nope.md does not exist\n")


def test_a_path_outside_the_working_folder_has_a_root_of_its_own(cli, workspace):
    folder = workspace(BAD)
    elsewhere = workspace({"x.md": "x\n"}, "elsewhere")
    ran = cli(elsewhere, "check", str(folder / "docs"))
    assert ran.code == 1
    assert "docs/bad.md\n" in ran.out


def test_standard_input(cli, workspace):
    folder = workspace(GOOD)
    ran = cli(folder, "check", "-", "--stdin-path", "docs/good.md", stdin=b"`../src/a.py:30` \xff `src/a.py:1`\n")
    assert ran.code == 1
    assert "docs/good.md\n  1:2     error   `src/a.py` has 10 lines; line 30 does not exist" in ran.out
    new = cli(folder, "check", "-", "docs/good.md", "--stdin-path", "docs/new.md", stdin=b"`./good.md:1`")
    assert summary(new)[0] == "2 documents, 2 citations recognised, 2 resolved, 2 not judged"
    ran = cli(folder, "check", "-")
    assert (ran.code, ran.err) == (
        2,
        "cite-lsp: standard input has no place in the workspace; say which with --stdin-path docs/a.md\n",
    )


def test_other_documents_are_resolved_against_standard_input(cli, workspace):
    folder = workspace({**GOOD, "docs/cites.md": "`docs/good.md:3`\n"})
    assert cli(folder, "check", "docs/cites.md").code == 1
    ran = cli(folder, "check", "docs/cites.md", "-", "--stdin-path", "docs/good.md", stdin=b"1\n2\n3\n")
    assert ran.code == 0, ran


# Settings


def test_a_nested_settings_file_holds_below_its_folder(cli, workspace):
    text = "`src/a.py:30`\n"
    folder = workspace(
        {
            **GOOD,
            "docs/a.md": text,
            "pkg/cite-lsp.toml": '[rules]\nline-out-of-range = "warning"\n[[overrides]]\nglobs = ["old/**"]\n'
            'rules = { line-out-of-range = "off" }\n',
            "pkg/a.md": text,
            "pkg/old/a.md": text,
            "pkg/deep/pyproject.toml": '[tool.cite-lsp.files]\nexclude = ["skip.md"]\n',
            "pkg/deep/a.md": text,
            "pkg/deep/skip.md": text,
            "pkg/plain/pyproject.toml": "[project]\nname = 'x'\n",
            "pkg/plain/a.md": text,
        }
    )
    found = {
        document["path"]: [finding["severity"] for finding in document["findings"]]
        for document in report(cli(folder, "check", "--format", "json"))["documents"]
    }
    assert found == {
        "docs/a.md": ["error"],
        "docs/good.md": [],
        "pkg/a.md": ["warning"],
        "pkg/old/a.md": [],
        "pkg/deep/a.md": ["error"],
        "pkg/plain/a.md": ["warning"],
    }


def test_a_wrong_settings_file_names_the_place_and_the_run_goes_on(cli, workspace):
    toml = '[files]\nexclud = ["x"]\n\n[rules]\nblank-line = "loud"\nmissng = "off"\n'
    folder = workspace({**BAD, "cite-lsp.toml": toml})
    ran = cli(folder, "check")
    assert ran.code == 2
    for place in ("2:1", "5:1", "6:1"):
        assert f"\ncite-lsp.toml:{place}: error: " in "\n" + ran.out
    assert "did you mean" in ran.out
    assert "line 30 does not exist" in ran.out
    assert "4 errors" in ran.out
    document = report(cli(folder, "check", "--format", "json"))["documents"][0]
    assert document["path"] == "cite-lsp.toml"
    assert [finding["range"]["start"]["line"] for finding in document["findings"]] == [1, 4, 5]
    assert {finding["code"] for finding in document["findings"]} == {"setting"}


def test_a_nested_settings_file_that_is_wrong_is_told_too(cli, workspace):
    folder = workspace({**GOOD, "pkg/cite-lsp.toml": "rules = [\n"})
    ran = cli(folder, "check")
    assert ran.code == 2
    assert ran.out.startswith("pkg/cite-lsp.toml:")
    assert "not valid TOML" in ran.out


def test_settings_change_what_is_recognised(cli, workspace):
    toml = '[anchors]\nin_fences = true\nextensions = ["zz"]\nforeign = ["linux/"]\n[files]\nmax_bytes = 20\n'
    text = "```\n`src/a.py:30`\n```\n`x.zz:1` `linux/a.c:1`\n"
    folder = workspace({**GOOD, "cite-lsp.toml": toml, "docs/good.md": text})
    document = report(cli(folder, "check", "--format", "json"))["documents"][0]
    assert [anchor["resolution"]["status"] for anchor in document["anchors"]] == ["too-large", "elsewhere", "foreign"]


def test_a_pattern_replaces_the_grammar(cli, workspace):
    toml = "[anchors]\npattern = '(?<=\\{)[^}:]+:[0-9]+(?=\\})'\n"
    folder = workspace({**GOOD, "cite-lsp.toml": toml, "docs/good.md": "{src/a.py:30} and `src/a.py:31`\n"})
    document = report(cli(folder, "check", "--format", "json"))["documents"][0]
    assert [(anchor["form"], anchor["spans"]) for anchor in document["anchors"]] == [("pattern", [[30, 30]])]
    assert [finding["code"] for finding in document["findings"]] == ["line-out-of-range"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", ""], "a path is empty"),
        (["check", "-", "--stdin-path", ""], "say which with --stdin-path"),
        (["check", "-", "--stdin-path", "docs"], "docs is a folder"),
        (["check", "docs", "--stdin-path", "docs/a.md"], "- is not among the paths"),
        (["check", "docs/good.md:1"], "`cite-lsp explain docs/good.md:1` shows the citations of a line"),
    ],
)
def test_what_would_check_nothing_is_refused(cli, workspace, arguments, message):
    ran = cli(workspace(GOOD), *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_link_to_a_folder_is_the_folder(cli, workspace):
    folder = workspace({**BAD})
    (folder / "manual").symlink_to("docs")
    assert cli(folder, "check", "manual").out.startswith("docs/bad.md\n")


def test_a_link_to_a_document_beside_it_is_not_a_second_document(cli, workspace):
    folder = workspace({**BAD, "docs/keep.md": ""})
    (folder / "docs/AGENTS.md").symlink_to("bad.md")
    (folder / "other").mkdir()
    (folder / "other/bad.md").symlink_to("../docs/bad.md")
    told = [line for line in cli(folder, "check").out.splitlines() if line.endswith(".md")]
    assert told == ["docs/bad.md", "other/bad.md"]
    assert cli(folder, "check", "docs/AGENTS.md").out.startswith("docs/AGENTS.md\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", ["check", "check -q", "check --format json", "check docs -", "explain missing"])
def test_closed_streams_do_not_change_the_exit_status(workspace, closed, command):
    folder = workspace(GOOD)
    place = " --stdin-path docs/new.md" if command.endswith("-") else ""
    line = f"{shlex.quote(sys.executable)} -m cite_lsp {command}{place} {closed}"
    ran = subprocess.run(line, shell=True, cwd=folder, input=b"", capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not run: there is no /dev/full here")
@pytest.mark.parametrize("command", ["check", "check --format json", "explain missing", "schema output"])
def test_a_full_disk_is_said(workspace, command):
    folder = workspace({**BAD})
    line = f"{shlex.quote(sys.executable)} -m cite_lsp {command} > /dev/full"
    ran = subprocess.run(line, shell=True, cwd=folder, capture_output=True, check=False)
    assert ran.returncode == 3
    assert ran.stderr.startswith(b"cite-lsp: the output cannot be written: ")


@pytest.mark.parametrize("name", ["a" * 300 + ".md", "/".join(["deep"] * 1500) + ".md"])
def test_a_place_for_standard_input_that_cannot_be(cli, workspace, name):
    ran = cli(workspace(GOOD), "check", "-", "--stdin-path", name, stdin=b"`src/a.py:1`\n")
    assert ran.code in (0, 1, 2)


def test_an_expression_is_compiled_once_in_a_run(cli, workspace, monkeypatch):
    compiled = []
    monkeypatch.setattr(
        reading_module, "compile_pattern", lambda source: compiled.append(source) or compile_pattern(source)
    )
    reading_module._pattern.cache_clear()
    documents = {f"docs/d{number}.md": "`src/a.py:3`\n" for number in range(5)}
    folder = workspace({**GOOD, **documents, "cite-lsp.toml": "[anchors]\npattern = '[a-z/]+\\.py:\\d+'\n"})
    assert cli(folder, "check", "--jobs", "1").code == 0
    assert len(compiled) == 1


def test_a_path_that_is_a_link_to_what_cannot_be_named(cli, workspace, tmp_path):
    folder = workspace(GOOD)
    link = tmp_path / "elsewhere.md"
    link.symlink_to("b" * 300)
    ran = cli(folder, "check", str(link))
    assert ran.code == 3
    assert "elsewhere.md" in ran.out
