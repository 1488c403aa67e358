"""`--format github`, `gitlab`, `markdown`, and `--report`: what CI shows of a run; nothing in it is a command."""

import json
import os
import re
import subprocess

import pytest
from rich.console import Console

from cite_lsp.cli.formats.as_github import GithubWriter, escaped, escaped_property
from cite_lsp.cli.run import Request, prepare
from cite_lsp.cli.summary import Summary
from cite_lsp.findings.finding import Severity

SOURCE = "import os\nx = 3\n\ny = 4\n"


def commands(out: str) -> list[tuple[str, dict[str, str], str]]:
    """Take workflow commands apart as the runner does."""
    found = []
    for line in out.split("\n"):
        if not line.startswith("::"):
            continue
        head, _, data = line[2:].partition("::")
        name, _, properties = head.partition(" ")
        pairs = (pair.split("=", 1) for pair in properties.split(",") if pair)
        found.append((name, {key: _plain(value) for key, value in pairs}, _plain(data)))
    return found


def _plain(text: str) -> str:
    for mark, code in ((":", "%3A"), (",", "%2C"), ("\n", "%0A"), ("\r", "%0D"), ("%", "%25")):
        text = text.replace(code, mark)
    return text


def test_findings_are_annotations_of_their_lines(cli, workspace):
    folder = workspace({"docs/a.md": "# T\n\nSee `src/a.py:9` and `src/a.py:3`.\n", "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "github")
    assert ran.code == 1
    (error, place, message), (warning, _, _) = commands(ran.out)
    assert (error, warning) == ("error", "warning")
    assert place == {
        "title": "cite-lsp line-out-of-range", "file": "docs/a.md", "line": "3", "endLine": "3", "col": "6",
        "endColumn": "16",
    }  # fmt: skip
    assert message.startswith("docs/a.md:3:6: `src/a.py` has 4 lines")
    assert "1 document, 2 citations recognised" in ran.out
    assert "1 error, 1 warning in " in ran.out


@pytest.mark.parametrize("text", ["a%0Ab", "50 %, a:b,c", "a\nb\r\n::error::c", "::set-output name=x::y", "ä𝒳\udc80"])
def test_what_is_escaped_comes_back_as_it_was(text):
    shown = text.replace("\udc80", "\ufffd")
    assert "\n" not in escaped(text)
    assert not {"\n", "\r", ":", ","} & set(escaped_property(text))
    assert _plain(escaped(text)) == _plain(escaped_property(text)) == shown


def test_names_of_files_make_no_commands(cli, workspace):
    name = "docs/a,line=7:b%0A::add-mask::x.md"
    folder = workspace({name: "See `src/a.py:9`.\n", "docs/\n::error::b.md": b"\0", "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "github", "docs", "docs/\n::error::b.md")
    told = commands(ran.out)
    assert [each[0] for each in told] == ["error", "error"]
    assert {each[1]["file"] for each in told} == {name, "docs/\n::error::b.md"}
    assert not any(line.startswith("::") for line in ran.err.split("\n"))


def test_ten_of_a_kind_are_annotated_and_the_rest_is_listed_and_counted(cli, workspace):
    errors = "".join(f"See `src/a.py:{number + 9}`.\n\n" for number in range(13))
    folder = workspace({"docs/a.md": errors + "See `src/a.py:3`.\n", "src/a.py": SOURCE})
    out = cli(folder, "check", "--format", "github").out
    kinds = [each[0] for each in commands(out)]
    assert (kinds.count("error"), kinds.count("warning")) == (10, 1)
    group = out.split("::group::3 more findings\n")[1].split("::endgroup::")[0]
    assert [line.split(":")[1].strip() for line in group.splitlines()] == ["docs/a.md"] * 3
    assert "3 more errors in the log of this step only" in out
    quiet = cli(folder, "check", "--format", "github", "--quiet").out
    assert "recognised" not in quiet
    assert quiet.count("\n::error ") + quiet.startswith("::error ") == 10


def test_an_unread_document_is_no_silence(cli, workspace):
    folder = workspace({"docs/a.md": b"See `src/a.py:1`.\0\n"})
    ran = cli(folder, "check", "--format", "github")
    ((kind, place, message),) = commands(ran.out)
    assert (ran.code, kind, place["file"]) == (3, "error", "docs/a.md")
    assert message.endswith("; it was not checked")
    assert "1 document, 1 not read, " in ran.out
    (issue,) = json.loads(cli(folder, "check", "--format", "gitlab").raw)
    assert (issue["check_name"], issue["severity"]) == ("not-read", "major")


def test_gitlab_takes_the_report(cli, workspace):
    twice = "See `src/a.py:9`.\n\nSee `src/a.py:9`.\n\nSee `src/a.py:3`.\n"
    folder = workspace({"docs/a.md": twice, "docs/b.md": twice, "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "gitlab")
    issues = json.loads(ran.raw)
    assert ran.code == 1
    assert [each["severity"] for each in issues] == ["critical", "critical", "major"] * 2
    assert issues[0]["location"] == {"path": "docs/a.md", "lines": {"begin": 1, "end": 1}}
    assert set(issues[0]) == {"description", "check_name", "fingerprint", "severity", "location"}
    before = [each["fingerprint"] for each in issues]
    assert len(set(before)) == 6
    (folder / "docs/a.md").write_text("# New\n\n" + twice)
    assert [each["fingerprint"] for each in json.loads(cli(folder, "check", "--format", "gitlab").raw)] == before


def test_gitlab_gets_an_empty_list_where_nothing_is_found(cli, workspace):
    folder = workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "gitlab")
    assert (ran.code, json.loads(ran.raw)) == (0, [])


def test_each_refused_setting_has_a_fingerprint_of_its_own(cli, workspace):
    wrong = "[rules]\nmooved = 'off'\n"
    folder = workspace({f"{name}/{file}": text for name in "ab" for file, text in
                        (("cite-lsp.toml", wrong), ("c.md", "# C\n"))} | {"cite-lsp.toml": ""})  # fmt: skip
    issues = json.loads(cli(folder, "check", "--format", "gitlab").raw)
    assert [each["location"]["path"] for each in issues] == ["a/cite-lsp.toml", "b/cite-lsp.toml"]
    assert len({each["fingerprint"] for each in issues}) == 2


@pytest.mark.parametrize(
    ("document", "statuses"),
    [("See `src/a.py:9`.\n", (1, 1)), ("See `src/a.py:3`.\n", (0, 1)), ("See `src/a.py:1`.\n", (0, 0)), ("\0", (3, 3))],
)
def test_all_formats_end_with_the_same_status(cli, workspace, document, statuses):
    folder = workspace({"docs/a.md": document, "src/a.py": SOURCE})
    for output in ("text", "json", "sarif", "github", "gitlab", "markdown"):
        ran = [cli(folder, "check", "--format", output, "--fail-level", level) for level in ("error", "warning")]
        assert tuple(each.code for each in ran) == statuses, output


def test_what_is_told_besides_makes_no_command(workspace):
    run = prepare(Request((str(workspace({"docs/a.md": "# A\n"})),)))
    run.notes = ("##[set-output name=a]b and\n::error::c",)
    written: list[bytes] = []
    writer = GithubWriter(written.append, run, Console(), Severity.WARNING)
    writer.end(Summary(), 0.1)
    out = b"".join(written).decode()
    assert "note: ## [set-output name=a]b" in out
    assert not re.search(r"##\[|^::", out, re.MULTILINE)


@pytest.mark.parametrize("output", ["github", "gitlab"])
def test_a_refused_setting_stands_in_its_file(cli, workspace, output):
    folder = workspace({"site/cite-lsp.toml": "[rules]\nmooved = 'off'\n", "site/docs/a.md": "# A\n"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    ran = cli(folder / "site", "check", "--format", output)
    assert ran.code == 2
    assert "site/cite-lsp.toml" in ran.out


def test_the_second_run_tells_the_same_in_every_format(cli, workspace):
    folder = workspace({"docs/a.md": "See `src/a.py:9`.\n", "docs/b.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE})
    for output in ("sarif", "gitlab", "github", "sarif"):
        first = cli(folder, "check", "--format", output, "--no-cache")
        kept = [cli(folder, "check", "--format", output, "--jobs", jobs) for jobs in ("2", "1")]
        assert {each.code for each in (first, *kept)} == {1}
        assert len({each.raw.partition(b" in 0")[0] for each in (first, *kept)}) == 1, output


def test_the_report_of_a_check_is_short_and_its_texts_are_texts(cli, workspace):
    folder = workspace({
        "docs/a.md": "See `src/a.py:9`, and ![x](http://127.0.0.1/x.png) `gone<b>.py:1`.\n",
        "docs/b.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE,
    })  # fmt: skip
    ran = cli(folder, "check", "--format", "markdown")
    assert ran.code == 1
    assert ran.out.startswith("# Citation check\n\n**2 documents, ")
    assert "| `docs/a.md` | " in ran.out
    assert "docs/b.md" not in ran.out
    assert "1 document with nothing to list left out." in ran.out
    assert "no judge was asked" in ran.out
    assert "![x](http" not in ran.out


def test_a_report_is_written_beside_any_format(cli, workspace, tmp_path):
    folder = workspace({"docs/a.md": "See `src/a.py:9`.\n", "src/a.py": SOURCE})
    file = tmp_path / "report.md"
    for command in ("check", "judge"):
        alone = cli(folder, command, "--format", "gitlab")
        ran = cli(folder, command, "--format", "gitlab", "--report", str(file))
        assert (ran.code, ran.raw) == (alone.code, alone.raw)
        report = file.read_text(encoding="utf-8")
        assert report.startswith("# Citation check" if command == "check" else "# Citation audit")
        assert "`src/a.py:9`" in report
    again = cli(folder, "check", "--report", str(file))  # told from what is kept
    assert "docs/a.md" in again.out
    assert file.read_text(encoding="utf-8").startswith("# Citation check")
    ran = cli(folder, "check", "--report", str(tmp_path / "no" / "report.md"))
    assert ran.code == 2
    assert f"{tmp_path / 'no'} is no folder" in ran.err
    assert cli(folder, "check", "--report", str(tmp_path)).code == 2


def test_the_report_of_an_earlier_run_is_no_document(cli, workspace):
    folder = workspace({"docs/a.md": "See `src/a.py:9`.\n", "src/a.py": SOURCE})
    for command in ("check", "judge", "check"):
        ran = cli(folder, command, "--format", "gitlab", "--report", "report.md")
        assert [each["location"]["path"] for each in json.loads(ran.raw)] == ["docs/a.md"]
    ran = cli(folder, "check", "--format", "gitlab", "--report", "report.md", "report.md")  # it is named
    assert "report.md" in ran.out


def test_a_report_that_cannot_be_written_is_said_before_anything_is_asked(cli, workspace, tmp_path):
    folder = workspace({"docs/a.md": "See `src/a.py:9`.\n", "src/a.py": SOURCE})
    for command in ("check", "judge"):
        ran = cli(folder, command, "--report", "a" * 5_000)
        assert (ran.code, ran.out, "cannot be written" in ran.err) == (2, "", True)
    locked = tmp_path / "locked"
    locked.mkdir(0o500)
    if not os.access(locked, os.W_OK):  # a superuser may
        ran = cli(folder, "judge", "--report", str(locked / "report.md"))
        assert (ran.code, ran.out, "there is no permission to" in ran.err) == (2, "", True)
    for more in (("--estimate",), ("--on-found", "repair")):
        ran = cli(folder, "judge", "--report", "report.md", *more)
        assert (ran.code, "--report" in ran.err) == (2, True)


def test_a_judge_annotates_what_it_says_whatever_its_severity(cli, workspace):
    source = "def limit():\n    retries = 3\n    return retries\n"
    folder = workspace({"docs/a.md": "The number of `retries` is 5 (`src/a.py:2`).\n", "src/a.py": source})
    ran = cli(folder, "judge", "--format", "github")
    assert "cite-lsp unsupported" in [each[1]["title"] for each in commands(ran.out)]
    assert "verdicts: 1 unsupported" in ran.out


def test_an_estimate_has_no_such_format(cli, workspace):
    folder = workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE})
    ran = cli(folder, "judge", "--estimate", "--format", "sarif")
    assert ran.code == 2
    assert "leave --format sarif out" in ran.err


def test_processes_judge_the_same(cli, workspace):
    documents = {
        f"docs/{n}.md": f"The number of `retries` is {n} (`src/a.py:2`).\n\nSee `src/a.py:3`.\n" for n in range(5)
    }
    folder = workspace({**documents, "src/a.py": "def limit():\n    retries = 3\n    return retries\n"})
    one, two = (cli(folder, "judge", "--format", "gitlab", "--jobs", jobs) for jobs in ("1", "2"))
    assert (one.code, one.err) == (two.code, two.err) == (0, "")
    assert one.raw == two.raw
    assert len(json.loads(one.raw)) >= 4


def test_a_root_and_settings_count_for_named_documents(cli, workspace):
    folder = workspace({
        "cite-lsp.toml": "[files]\nexclude = ['old/**']\n", "site/cite-lsp.toml": "",
        "site/a.md": "See `../src/a.py:9`.\n",
        "old/b.md": "See `src/a.py:9`.\n", "c.md": "See `src/a.py:9`.\n", "src/a.py": SOURCE,
    })  # fmt: skip
    named = ("site/a.md", "old/b.md", "c.md")
    ran = cli(folder, "check", *named)
    assert ran.code == 2
    assert "the root of the first path" in ran.err
    assert "old/b.md" in cli(folder, "check", "--root", ".", *named).out
    ran = cli(folder, "check", "--root", ".", "--force-exclude", *named)
    assert (ran.code, "old/b.md" in ran.out, "site/a.md" in ran.out, "c.md" in ran.out) == (1, False, True, True)
    assert cli(folder, "check", "--root", ".", "--force-exclude", "--quiet", "old/b.md").code == 0
    ran = cli(folder, "check", "--root", "c.md")
    assert (ran.code, "--root c.md is no folder" in ran.err) == (2, True)
