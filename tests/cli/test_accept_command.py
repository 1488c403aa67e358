"""`cite-lsp accept`: today's findings are known, until what they cite changes."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from cite_lsp.cli.output_schema import output_schema

TEN = "".join(f"line {number}\n" for number in range(1, 11))
FILES = {
    "src/a.py": TEN,
    "src/blank.py": "a\n\nb\n",
    "docs/a.md": "See `src/blank.py:2` and `src/a.py:30`.\n\nAnd `src/none.py:3`.\n",
    "docs/b.md": "See `src/a.py:9-12` and `far/x.c:1`.\n",
    "docs/good.md": "See `src/a.py:3`.\n",
    "cite-lsp.toml": "",
}
NAME = "cite-lsp.accepted.json"


def entries(folder: Path, name: str = NAME) -> list[tuple[str, str, str]]:
    found = json.loads((folder / name).read_text())["accepted"]
    return [(each["document"], each["anchor"], each["code"]) for each in found]


def told(cli, folder: Path, *arguments: str) -> list[str]:
    report = json.loads(cli(folder, "check", "--format", "json", *arguments).raw)
    jsonschema.validate(report, output_schema())
    return [finding["code"] for document in report["documents"] for finding in document["findings"]]


ALL = [
    ("docs/a.md", "src/a.py:30", "line-out-of-range"),
    ("docs/a.md", "src/blank.py:2", "blank-line"),
    ("docs/a.md", "src/none.py:3", "missing"),
    ("docs/b.md", "far/x.c:1", "elsewhere"),
    ("docs/b.md", "src/a.py:9-12", "end-out-of-range"),
]


def test_what_is_accepted_is_not_told_again(cli, workspace):
    folder = workspace(FILES)
    assert len(told(cli, folder)) == 5
    ran = cli(folder, "accept")
    assert (ran.code, ran.out, ran.err) == (0, f"accepted 5 findings; 5 entries in {NAME}\n", "")
    assert entries(folder) == ALL
    assert told(cli, folder) == []
    checked = cli(folder, "check", "--fail-level", "hint", "--level", "hint")
    assert checked.code == 0
    assert ", 5 findings accepted" in checked.out
    assert "no findings" in checked.out
    report = json.loads(cli(folder, "check", "--format", "json").raw)
    assert report["summary"]["accepted"] == 5
    assert [document["outcome"] for document in report["documents"]] == ["accepted", "accepted", "clean"]
    before = (folder / NAME).stat().st_mtime_ns
    assert cli(folder, "accept").out == f"accepted 0 findings; 5 entries in {NAME}\n"
    assert (folder / NAME).stat().st_mtime_ns == before


def test_the_count_is_the_same_with_children(cli, workspace):
    folder = workspace(FILES)
    cli(folder, "accept")
    report = json.loads(cli(folder, "check", "--format", "json", "--jobs", "2").raw)
    assert report["summary"]["accepted"] == 5


def test_when_the_cited_text_changes_it_is_told_again_and_then_dropped(cli, workspace):
    folder = workspace(FILES)
    cli(folder, "accept")
    (folder / "src/a.py").write_text(TEN.replace("line 9", "line nine"))
    assert told(cli, folder) == ["end-out-of-range"]
    (folder / "src/none.py").write_text("a\nb\n\n")
    assert told(cli, folder) == ["blank-line", "end-out-of-range"]
    ran = cli(folder, "accept")
    assert ran.out == f"accepted 2 findings, dropped 2 entries that have lapsed; 5 entries in {NAME}\n"
    assert told(cli, folder) == []
    (folder / "docs/a.md").write_text("See `src/a.py:3`.\n")
    (folder / "docs/b.md").unlink()
    assert cli(folder, "accept", "docs/good.md").out == f"accepted 0 findings; 5 entries in {NAME}\n"
    assert (
        cli(folder, "accept").out == f"accepted 0 findings, dropped 5 entries that have lapsed; 0 entries in {NAME}\n"
    )


def test_the_citation_may_move_within_its_document(cli, workspace):
    folder = workspace(FILES)
    cli(folder, "accept")
    text = (folder / "docs/a.md").read_text()
    (folder / "docs/a.md").write_text(f"# New\n\nBefore.\n\n{text}\nAgain: `src/a.py:30`.\n")
    assert told(cli, folder) == []


def test_only_some(cli, workspace):
    folder = workspace(FILES)
    assert cli(folder, "accept", "--code", "missing", "--code", "blank-line").out.startswith("accepted 2 findings;")
    assert sorted(told(cli, folder)) == ["elsewhere", "end-out-of-range", "line-out-of-range"]
    assert cli(folder, "accept", "docs/b.md", "--level", "warning").out.startswith("accepted 1 finding;")
    assert sorted(told(cli, folder)) == ["elsewhere", "line-out-of-range"]
    wrong = cli(folder, "accept", "--code", "mising")
    assert (wrong.code, wrong.err) == (2, "cite-lsp: --code mising: there is no such code; did you mean missing?\n")


def test_what_is_about_no_citation_cannot_be_accepted(cli, workspace):
    folder = workspace({**FILES, "docs/a.md": "Text. <!-- cite-lsp: ignore missing why -->\n"})
    ran = cli(folder, "accept", "docs/a.md")
    assert ran.out.endswith("1 finding is about no citation: only a rule or a comment silences such\n")
    assert not (folder / NAME).exists()
    assert told(cli, folder, "docs/a.md") == ["unused-ignore"]


def test_each_settings_folder_has_its_own_file(cli, workspace):
    folder = workspace({
        **FILES,
        "sub/cite-lsp.toml": 'accepted = "known/a.json"\n',
        "sub/docs/c.md": "See `../../src/blank.py:2`.\n",
    })  # fmt: skip
    ran = cli(folder, "accept")
    assert ran.out == f"accepted 5 findings; 5 entries in {NAME}\naccepted 1 finding; 1 entry in sub/known/a.json\n"
    assert entries(folder) == ALL
    assert entries(folder, "sub/known/a.json") == [("docs/c.md", "../../src/blank.py:2", "blank-line")]
    assert told(cli, folder) == []
    assert "sub/known" not in cli(folder, "accept", "docs").out


def test_another_name(cli, workspace):
    folder = workspace({**FILES, "cite-lsp.toml": 'accepted = "meta/known.json"\n'})
    assert cli(folder, "accept").code == 0
    assert entries(folder, "meta/known.json") == ALL
    assert told(cli, folder) == []


def test_a_broken_file_is_one_message_and_stays(cli, workspace):
    folder = workspace({**FILES, NAME: '{"schema": 1, "accepted": [\n{"code": }]}'})
    before = (folder / NAME).read_bytes()
    message = f"{NAME}:2:10: error: this is not valid JSON: Expecting value; nothing is accepted until it is mended"
    checked = cli(folder, "check")
    assert checked.code == 2
    assert checked.out.count(message) == 1
    assert "line-out-of-range" in checked.out
    for command in ("accept", "fix"):
        ran = cli(folder, command)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.count(message) == 1
    assert (folder / NAME).read_bytes() == before
    assert (folder / "docs/b.md").read_text() == FILES["docs/b.md"]


def test_what_cannot_be_read_or_written(cli, workspace):
    folder = workspace({**FILES, "docs/nul.md": "a\0b"})
    ran = cli(folder, "accept")
    assert ran.code == 3
    assert ran.err == "docs/nul.md holds NUL bytes, so it is not text; its findings were not accepted\n"
    assert entries(folder) == ALL
    (folder / NAME).write_text("")
    (folder / NAME).chmod(0o444)
    read_only = cli(folder, "accept", "docs/a.md")
    assert read_only.code == 3
    assert read_only.err == f"{NAME}: this file is read-only, so it was not written\n"
    assert cli(folder, "accept", "-", "--quiet").code == 2


def test_a_document_that_could_not_be_read_keeps_its_entries(cli, workspace):
    folder = workspace(FILES)
    cli(folder, "accept")
    (folder / "docs/a.md").write_bytes(b"a\0b")
    assert cli(folder, "accept").code == 3
    assert entries(folder) == ALL


def test_two_processes_at_once(workspace):
    folder = workspace({
        **FILES,
        **{f"docs/{number}.md": f"See `src/a.py:{number + 20}`.\n" for number in range(40)},
    })  # fmt: skip
    command = [sys.executable, "-m", "cite_lsp", "accept"]
    halves = [[f"docs/{number}.md" for number in range(at, 40, 2)] for at in range(2)]
    running = [
        subprocess.Popen([*command, *half], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for half in halves
    ]
    for child in running:
        _, err = child.communicate(timeout=60)
        assert (child.returncode, err) == (0, b"")
    assert len(entries(folder)) == 40
    assert not list(folder.glob("*.lock"))
    assert not list(folder.glob(".cite-lsp-*"))


@pytest.mark.parametrize("code", ["moved", "gone"])
def test_drift_is_accepted_until_the_cited_text_changes(cli, workspace, code):
    body = [f"def name_{number}():\n    return {number * 7}\n\n" for number in range(12)]
    folder = workspace({"src/a.py": "".join(body), "docs/a.md": "`name_4` is at `src/a.py:13-14`.\n"})
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    after = ["import os\nimport sys\n\n\n", *body] if code == "moved" else [*body[:4], "x = 1\ny = 2\n", *body[5:]]
    (folder / "src/a.py").write_text("".join(after))
    assert told(cli, folder) == [code]
    assert cli(folder, "accept").out == f"accepted 1 finding; 1 entry in {NAME}\n"
    assert told(cli, folder) == []
    assert cli(folder, "fix").out == "nothing to fix\n"
    (folder / "src/a.py").write_text("".join(["import re\n", *after]))
    assert told(cli, folder) == [code]
