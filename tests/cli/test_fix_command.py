"""`cite-lsp fix`: what has one answer is written, and nothing else is touched."""

import codecs
import json
import os
import re
import resource
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.cli.asking import before_and_after
from cite_lsp.cli.choosing import Taken, answer
from cite_lsp.cli.patch import Replaced, unified_diff
from cite_lsp.cli.revision import Revision, moved_offset
from cite_lsp.findings.finding import Edit, Finding, Fix, Severity
from cite_lsp.findings.writing import CHANGED, replace_file

TEN = "".join(f"line {number}\n" for number in range(1, 11))
SETTINGS = "[drift]\nenabled = false\n"
CODE = {"src/a.py": TEN, "src/Net.py": TEN, "src/blank.py": "a\n\nb\n", "cite-lsp.toml": SETTINGS}
FAULTS = {
    **CODE,
    "docs/clamp.md": "One `src/a.py:9-12` two\nand `src/a.py:9-3`.\n",
    "docs/case.md": "See `src/net.py:3` and [`net`](../src/net.py#L4).\n",
    "docs/link.md": "See [src/a.py:3](../src/a.py#L5) here.\n",
    "docs/format.md": "See \u200bsrc/a.py:3 here.\n",
    "docs/ignore.md": "Text.\n<!-- cite-lsp: ignore missing because -->\nSee `src/a.py:3`.\n",
    "docs/clean.md": "See `src/a.py:3`.\n",
    "docs/none.md": "See `src/blank.py:2` and `src/a.py:44`.\n",
}
FIXED = {
    "docs/clamp.md": "One `src/a.py:9-10` two\nand `src/a.py:3-9`.\n",
    "docs/case.md": "See `src/Net.py:3` and [`net`](../src/Net.py#L4).\n",
    "docs/link.md": "See [src/a.py:3](../src/a.py#L3) here.\n",
    "docs/format.md": "See src/a.py:3 here.\n",
    "docs/ignore.md": "Text.\nSee `src/a.py:3`.\n",
}


def git(folder: Path, *arguments: str, **options: object) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True, **options)
    return done.stdout.decode()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }


# What is written


def test_every_layer_is_fixed_and_a_second_run_finds_nothing(cli, workspace):
    folder = workspace(FAULTS)
    ran = cli(folder, "fix")
    assert ran.code == 0, ran
    for path, text in FIXED.items():
        assert (folder / path).read_text() == text
    assert ran.out.splitlines()[-1] == "fixed 7 findings in 5 documents"
    after = contents(folder)
    again = cli(folder, "fix")
    assert (again.code, again.out, again.err) == (0, "nothing to fix\n", "")
    assert contents(folder) == after
    report = json.loads(cli(folder, "check", "--format", "json").raw)
    assert not [
        fix for document in report["documents"] for finding in document["findings"] for fix in finding["fixes"]
        if fix["preferred"]
    ]  # fmt: skip


def test_what_is_said(cli, workspace):
    files = {**CODE, "docs/a.md": "`src/a.py:9-12`\n", "docs/b.md": "`src/a.py:9-12`, `src/net.py:3`\n"}
    folder = workspace(files)
    ran = cli(folder, "fix")
    assert ran.out == (
        "docs/a.md\n"
        "  1:2     end-out-of-range  End at line 10\n"
        "docs/b.md\n"
        "  1:2     end-out-of-range  End at line 10\n"
        "  1:19    case-differs  Spell it src/Net.py\n"
        "fixed 3 citations in 2 documents\n"
    )
    assert cli(workspace(files), "fix", "--quiet").out == ""
    assert cli(workspace(files), "fix", "--level", "error").out == "fixed 3 citations in 2 documents\n"


def test_a_document_without_faults_keeps_its_bytes_and_its_time(cli, workspace):
    folder = workspace(FAULTS)
    still = [folder / "docs/clean.md", folder / "docs/none.md"]
    before = [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in still]
    cli(folder, "fix")
    assert [(path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in still] == before


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"", "utf-8"),
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("final", [True, False])
def test_encoding_line_ends_and_mark_stay(cli, workspace, mark, encoding, end, final):
    text = f"# Ümläut ਊ 😀{end}{end}One `src/a.py:9-12` two{end}and `src/a.py:2`"
    text += end if final else ""
    folder = workspace({**CODE, "docs/a.md": mark + text.encode(encoding)})
    shown = cli(folder, "fix", "--dry-run")
    assert shown.code == 1
    assert cli(folder, "fix").code == 0
    fixed = mark + text.replace("9-12", "9-10").encode(encoding)
    assert (folder / "docs/a.md").read_bytes() == fixed
    other = workspace({"docs/a.md": mark + text.encode(encoding)}, "other")
    git(other, "apply", "-", input=shown.raw)
    assert (other / "docs/a.md").read_bytes() == fixed


def test_what_settings_and_comments_silence_is_not_fixed(cli, workspace):
    folder = workspace({
        **CODE,
        "docs/a.md": "`src/a.py:9-12` <!-- cite-lsp: ignore end-out-of-range as it was -->\n",
        "docs/b.md": "`src/net.py:3`\n",
        "cite-lsp.toml": f'{SETTINGS}[rules]\ncase-differs = "off"\n',
    })  # fmt: skip
    before = contents(folder)
    assert cli(folder, "fix").out == "nothing to fix\n"
    assert contents(folder) == before


def test_what_is_accepted_is_not_fixed(cli, workspace):
    folder = workspace({**CODE, "docs/a.md": "`src/a.py:9-12`\n", "docs/b.md": "`src/net.py:3`\n"})
    assert cli(folder, "accept", "docs/a.md").code == 0
    cli(folder, "fix")
    assert (folder / "docs/a.md").read_text() == "`src/a.py:9-12`\n"
    assert (folder / "docs/b.md").read_text() == "`src/Net.py:3`\n"


def test_only_what_is_named_is_fixed(cli, workspace):
    folder = workspace(FAULTS)
    assert cli(folder, "fix", "docs/clamp.md").code == 0
    changed = {path for path, data in contents(folder).items() if data != FAULTS[path].encode()}
    assert changed == {"docs/clamp.md"}


def test_a_line_that_is_taken_out_moves_what_cites_it_in_the_same_run(cli, workspace):
    """The documents are looked at as they will be: `docs/b.md` cites a line that is past the end afterwards."""
    files = {
        **CODE,
        "docs/a.md": "one\n<!-- cite-lsp: ignore missing because -->\nSee `src/a.py:3`.\n",
        "docs/b.md": "See `docs/a.md:2-3`.\n",
    }
    folder = workspace(files)
    assert cli(folder, "fix").code == 0
    assert (folder / "docs/a.md").read_text() == "one\nSee `src/a.py:3`.\n"
    assert (folder / "docs/b.md").read_text() == "See `docs/a.md:2`.\n" or (
        folder / "docs/b.md"
    ).read_text() == "See `docs/a.md:2-2`.\n"
    assert cli(folder, "fix").out == "nothing to fix\n"


def test_moved_text_is_followed_and_nothing_is_left(cli, workspace):
    body = [f"def name_{number}():\n    return {number * 7}\n\n" for number in range(12)]
    folder = workspace({
        "src/a.py": "".join(body),
        "docs/a.md": "`name_4` is at `src/a.py:13-14`.\n\nAnd `src/a.py:1` begins.\n",
        "docs/2024-01-02.md": "`name_4` is at `src/a.py:13-14`.\n",
    })  # fmt: skip
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "src/a.py").write_text("".join(["import os\nimport sys\n\n\n", *body]))
    ran = cli(folder, "fix")
    assert ran.code == 0, ran
    assert (folder / "docs/a.md").read_text() == "`name_4` is at `src/a.py:17-18`.\n\nAnd `src/a.py:5` begins.\n"
    assert (folder / "docs/2024-01-02.md").read_text() == "`name_4` is at `src/a.py:13-14`.\n"
    assert ran.out.endswith("fixed 2 citations in 1 document; 1 record not looked at (--records fixes it too)\n")
    assert cli(folder, "fix").code == 0
    assert cli(folder, "fix", "--records").code == 0
    assert (folder / "docs/2024-01-02.md").read_text() == "`name_4` is at `src/a.py:17-18`.\n"


def test_records_are_left_alone_unless_they_are_wanted(cli, workspace):
    files = {**CODE, "docs/adr/one.md": "`src/a.py:9-12`\n"}
    folder = workspace(files)
    ran = cli(folder, "fix")
    assert (ran.code, ran.out) == (0, "nothing to fix; 1 record not looked at (--records fixes it too)\n")
    assert contents(folder)["docs/adr/one.md"] == b"`src/a.py:9-12`\n"
    assert cli(folder, "fix", "--records").out.splitlines()[-1] == "fixed 1 citation in 1 document"
    assert contents(folder)["docs/adr/one.md"] == b"`src/a.py:9-10`\n"


# The diff


def test_the_diff_is_what_fix_does(cli, workspace):
    folder = workspace(FAULTS)
    before = contents(folder)
    ran = cli(folder, "fix", "--dry-run")
    assert ran.code == 1
    assert ran.err == "would fix 7 findings in 5 documents\n"
    assert contents(folder) == before
    other = workspace(FAULTS, "other")
    git(other, "apply", "-", input=ran.raw)
    cli(folder, "fix")
    assert contents(other) == contents(folder)
    assert cli(folder, "fix", "--dry-run").code == 0
    assert cli(folder, "fix", "--dry-run").raw == b""


def test_the_diff_to_the_letter(cli, workspace):
    text = "".join(f"line {number}\n" for number in range(1, 9)) + "See `src/a.py:9-12`."
    ran = cli(workspace({**CODE, "docs/a.md": text}), "fix", "--dry-run", "-q")
    assert ran.out == (
        "diff --git a/docs/a.md b/docs/a.md\n--- a/docs/a.md\n+++ b/docs/a.md\n"
        "@@ -6,4 +6,4 @@\n line 6\n line 7\n line 8\n"
        "-See `src/a.py:9-12`.\n\\ No newline at end of file\n"
        "+See `src/a.py:9-10`.\n\\ No newline at end of file\n"
    )
    assert ran.err == ""


@pytest.mark.parametrize("name", ["with space.md", 'quo"te.md', "ümläut.md", "back\\slash.md", "-dash.md"])
def test_the_diff_of_names(cli, workspace, name):
    folder = workspace({**CODE, f"docs/{name}": "`src/a.py:9-12`\n"})
    ran = cli(folder, "fix", "--dry-run")
    git(folder, "apply", "-", input=ran.raw)
    assert (folder / "docs" / name).read_bytes() == b"`src/a.py:9-10`\n"


LINES = st.lists(st.sampled_from(["a", "b", "", "c\r", "é", "x y"]), max_size=30)


@st.composite
def revised(draw) -> tuple[str, list[Edit]]:
    text = "\n".join(draw(LINES)) + draw(st.sampled_from(["", "\n"]))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [Edit(low, high, draw(st.sampled_from(["", "z", "q\n", "\n\nr"]))) for low, high in spans]
    apart = [edit for edit, after in pairwise([*edits, Edit(len(text) + 1, 0, "")]) if edit.end < after.start]
    return text, apart


def edited(text: str, edits: list[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@settings(max_examples=40)
@given(revised())
def test_a_diff_applied_gives_the_new_text(tmp_path_factory, case):
    text, edits = case
    folder = tmp_path_factory.mktemp("apply")
    old, new = text.encode(), edited(text, edits).encode()
    changes = [Replaced(len(text[: e.start].encode()), len(text[: e.end].encode()), e.text.encode()) for e in edits]
    diff = unified_diff("f.md", old, changes)
    (folder / "f.md").write_bytes(old)
    if diff:
        git(folder, "apply", "--unidiff-zero", "--whitespace=nowarn", "-", input=diff)
    assert (folder / "f.md").read_bytes() == new


@given(revised(), st.data())
def test_revisions_add_up(case, data):
    original, edits = case
    revision, text = Revision(original), original
    for _ in range(3):
        revision.apply(edits)
        text = edited(text, edits)
        assert revision.text == text
        assert edited(original, revision.changes()) == text
        at = data.draw(st.integers(0, len(text)))
        edits = [Edit(at, min(len(text), at + 2), "new")]


def test_an_offset_moves_with_what_is_before_it():
    edits = [Edit(1, 3, "x"), Edit(5, 5, "yy"), Edit(9, 12, "")]
    assert [moved_offset(at, edits) for at in (0, 3, 5, 8, 12)] == [0, 2, 6, 9, 10]


# One by one


def test_asking(cli, workspace):
    files = {**CODE, "docs/a.md": "`src/a.py:9-12`\n`src/a.py:8-12`\n`src/a.py:7-12`\n"}
    asked = "docs/a.md:1:2  `src/a.py` has 10 lines; lines 9-12 go past its end  end-out-of-range\n"
    ran = cli(workspace(files), "fix", "--interactive", stdin=b"y\nn\nwhat\nq\n")
    assert ran.out.startswith(f"{asked}  - `src/a.py:9-12`\n  + `src/a.py:9-10`\nEnd at line 10 [y, n, a, q, ?] ")
    assert "y: this one" in ran.out
    assert ran.code == 1
    assert ran.out.endswith("fixed 1 citation in 1 document; 2 fixes left\n")
    for answers, lines, code in (
        (b"a\n", (10, 10, 10), 0),
        (b"n\na\n", (12, 10, 10), 1),
        (b"q\n", (12, 12, 12), 1),
        (b"", (12, 12, 12), 1),
        (b"y\n", (10, 12, 12), 1),
        (b"n\nn\ny", (12, 12, 10), 1),
    ):
        folder = workspace(files)
        assert cli(folder, "fix", "-i", stdin=answers).code == code
        assert re.findall("-([0-9]+)`", (folder / "docs/a.md").read_text()) == [str(line) for line in lines]


def test_what_is_shown_of_a_long_line():
    text = "a" * 200 + "OLD" + "b" * 200 + "\nnext\n"
    before, after = before_and_after(text, [Edit(200, 203, "NEWER")])
    assert before == "…" + "a" * 60 + "OLD" + "b" * 60 + "…"
    assert after == "…" + "a" * 60 + "NEWER" + "b" * 60 + "…"


@pytest.mark.parametrize("arguments", [["-i", "--dry-run"], ["-i", "-", "--stdin-path", "docs/a.md"], ["-", "docs"]])
def test_what_does_not_go_together(cli, workspace, arguments):
    ran = cli(workspace(FAULTS), "fix", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("cite-lsp: ")


# Which fixes


def test_of_fixes_that_overlap_the_first_wins_and_equal_edits_are_one():
    taken = Taken()
    first, same = Fix("1", (Edit(3, 5, "x"),)), Fix("2", (Edit(3, 5, "x"), Edit(9, 9, "y")))
    taken.take(first)
    assert taken.has_room(same)
    taken.take(same)
    for start, end, text, room in [(4, 6, "", False), (3, 5, "z", False), (9, 9, "w", False), (5, 9, "", True)]:
        assert taken.has_room(Fix("3", (Edit(start, end, text),))) is room
    assert taken.has_room(Fix("4", (Edit(0, 3, "x"), Edit(10, 11, "y"))))


def test_aligned_lines_only_when_they_are_asked_for():
    fix = Fix("Cite lines 4-6", (Edit(0, 1, "4"),))
    edited_text = Finding("edited", Severity.INFORMATION, "m", 0, 1, 0, (fix,))
    assert answer(edited_text, unsafe=False) is None
    assert answer(edited_text, unsafe=True) is fix
    several = Finding("edited", Severity.INFORMATION, "m", 0, 1, 0, (fix, fix))
    ambiguous = Finding("ambiguous", Severity.WARNING, "m", 0, 1, 0, (fix,))
    assert answer(several, unsafe=True) is None
    assert answer(ambiguous, unsafe=True) is None


# What cannot be written


def test_a_document_that_fits_no_encoding_is_said_and_left(cli, workspace):
    folder = workspace({**FAULTS, "docs/latin.md": b"caf\xe9 `src/a.py:9-12`\n", "docs/latin2.md": b"caf\xe9\n"})
    ran = cli(folder, "fix")
    assert ran.code == 3
    assert ran.err == "docs/latin.md holds bytes that fit no encoding, so it is not rewritten\n"
    assert (folder / "docs/latin.md").read_bytes() == b"caf\xe9 `src/a.py:9-12`\n"
    assert (folder / "docs/clamp.md").read_text() == FIXED["docs/clamp.md"]


def test_a_read_only_document_is_said_and_the_others_go_on(cli, workspace):
    folder = workspace(FAULTS)
    (folder / "docs/clamp.md").chmod(0o444)
    ran = cli(folder, "fix")
    assert ran.code == 3
    assert ran.err == "docs/clamp.md is read-only, so it was not written\n"
    assert ran.out.splitlines()[-1] == "fixed 5 findings in 4 documents"
    assert (folder / "docs/clamp.md").read_text() == FAULTS["docs/clamp.md"]
    assert (folder / "docs/link.md").read_text() == FIXED["docs/link.md"]


def test_the_mode_stays_and_nothing_is_left_lying_about(cli, workspace):
    folder = workspace(FAULTS)
    (folder / "docs/clamp.md").chmod(0o640)
    names = set(contents(folder))
    cli(folder, "fix")
    assert (folder / "docs/clamp.md").stat().st_mode & 0o777 == 0o640
    assert set(contents(folder)) == names


def test_no_space(process, workspace):
    """A limit on the size of files stands for a full disk."""
    long = "word " * 4_000
    folder = workspace({**CODE, "docs/a.md": "`src/a.py:9-12`\n", "docs/b.md": f"{long}\n\n`src/a.py:9-12`\n"})
    before = contents(folder)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    ran = process(folder, "fix", preexec_fn=limit)
    assert ran.code == 3
    assert ran.err == "docs/b.md cannot be written: File too large\n"
    after = contents(folder)
    assert after["docs/b.md"] == before["docs/b.md"]
    assert after["docs/a.md"] == b"`src/a.py:9-10`\n"
    assert after.keys() == before.keys()


def test_a_link_stays_and_the_file_it_leads_to_is_written(cli, workspace):
    folder = workspace({**CODE, "docs/real.md": "`src/a.py:9-12`\n"})
    (folder / "notes").mkdir()
    (folder / "notes/link.md").symlink_to("../docs/real.md")
    shown = cli(folder, "fix", "--dry-run", "notes/link.md")
    assert b"+++ b/docs/real.md\n" in shown.raw
    ran = cli(folder, "fix")
    assert ran.out.splitlines()[-1] == "fixed 1 citation in 1 document"
    assert (folder / "notes/link.md").is_symlink()
    assert (folder / "docs/real.md").read_text() == "`src/a.py:9-10`\n"


def test_a_link_that_leads_out_is_not_followed(cli, workspace, tmp_path):
    folder = workspace(CODE)
    (folder / "docs").mkdir()
    (tmp_path / "out.md").write_text("`src/a.py:9-12`\n")
    (folder / "docs/link.md").symlink_to(tmp_path / "out.md")
    assert cli(folder, "fix", "docs/link.md").code == 3
    assert (tmp_path / "out.md").read_text() == "`src/a.py:9-12`\n"


def test_a_root_that_is_a_link(cli, workspace, tmp_path):
    folder = workspace(FAULTS)
    (tmp_path / "link").symlink_to(folder)
    assert cli(tmp_path, "fix", "link").code == 0
    assert (folder / "docs/clamp.md").read_text() == FIXED["docs/clamp.md"]


def test_wrong_settings_stop_it(cli, workspace):
    folder = workspace({**FAULTS, "cite-lsp.toml": "colour = 1\n"})
    before = contents(folder)
    ran = cli(folder, "fix")
    assert ran.code == 2
    assert "there is no such setting" in ran.err
    assert contents(folder) == before


# Files


def test_a_file_that_changed_is_not_replaced(tmp_path):
    from hashlib import sha256

    path = tmp_path / "f.md"
    path.write_bytes(b"theirs")
    assert replace_file(str(path), b"ours", sha256(b"before").hexdigest(), str(tmp_path)) == CHANGED
    assert replace_file(str(path), b"ours", "", str(tmp_path)) == CHANGED
    assert path.read_bytes() == b"theirs"
    assert replace_file(str(path), b"ours", sha256(b"theirs").hexdigest(), str(tmp_path)) == ""
    assert path.read_bytes() == b"ours"
    assert replace_file(str(tmp_path / "new"), b"new", "", str(tmp_path)) == ""
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o666 & ~mask
    assert replace_file(str(tmp_path.parent / "out"), b"new", "", str(tmp_path)).startswith("lies outside")
    assert [each.name for each in sorted(tmp_path.iterdir())] == ["f.md", "home", "new"]


def test_a_document_that_is_written_while_it_is_asked_about_is_left(workspace, monkeypatch):
    """A person who saves the file while the questions stand loses nothing."""
    folder = workspace({**CODE, "docs/a.md": "`src/a.py:9-12`\n"})
    child = subprocess.Popen(
        [sys.executable, "-m", "cite_lsp", "fix", "-i"],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout.readline().startswith(b"docs/a.md")
    (folder / "docs/a.md").write_text("`src/a.py:9-12` and more\n")
    _, err = child.communicate(b"y\n", timeout=60)
    assert child.returncode == 3
    assert err == b"docs/a.md has changed on disk in the meantime\n"
    assert (folder / "docs/a.md").read_text() == "`src/a.py:9-12` and more\n"


# Standard input


def test_standard_input(cli, workspace):
    folder = workspace({**FAULTS, "docs/clamp.md": "on disk\n"})
    ran = cli(folder, "fix", "-", "--stdin-path", "docs/clamp.md", stdin=FAULTS["docs/clamp.md"].encode())
    assert (ran.code, ran.out) == (0, FIXED["docs/clamp.md"])
    assert ran.err == "fixed 2 citations in 1 document\n"
    assert (folder / "docs/clamp.md").read_text() == "on disk\n"
    twice = cli(folder, "fix", "-", "--stdin-path", "docs/clamp.md", stdin=ran.raw)
    assert (twice.code, twice.raw, twice.err) == (0, ran.raw, "nothing to fix\n")
    new = cli(folder, "fix", "-q", "-", "--stdin-path", "docs/new.md", stdin=b"\xef\xbb\xbf`src/a.py:9-12`\r\n")
    assert (new.code, new.raw, new.err) == (0, b"\xef\xbb\xbf`src/a.py:9-10`\r\n", "")
    diff = cli(folder, "fix", "--dry-run", "-", "--stdin-path", "docs/new.md", stdin=b"`src/a.py:9-12`\n")
    assert diff.code == 1
    assert diff.out.startswith("diff --git a/docs/new.md b/docs/new.md\n")


@pytest.mark.parametrize("data", [b"caf\xe9 `src/a.py:9-12`\n", b"\0 `src/a.py:9-12`"])
def test_standard_input_that_is_no_text_is_passed_on(cli, workspace, data):
    ran = cli(workspace(CODE), "fix", "-", "--stdin-path", "docs/a.md", stdin=data)
    assert (ran.code, ran.raw) == (3, data)
    assert "it is passed on as it is" in ran.err


def test_no_time_is_lost_on_many_faults(cli, workspace, ends):
    text = "".join(f"{number} `src/a.py:9-{12 + number % 5}` `src/net.py:3`.\n\n" for number in range(3_000))
    folder = workspace({**CODE, "docs/a.md": text})
    with ends():
        ran = cli(folder, "fix", "-q")
    assert ran.code == 0
    assert (folder / "docs/a.md").read_text().count("9-10") == 3_000
