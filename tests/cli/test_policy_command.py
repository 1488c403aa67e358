"""`cite-lsp policy run`: what is asked and of whom, what is printed, what it costs, and how it ends."""

import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from cite_lsp.cli.policy_output_schema import policy_output_schema
from cite_lsp.config import user_file_path
from tests.clients.systemone_server import (
    SystemOne,
    hang,
    malformed,
    missing,
    not_json,
    overloaded,
    rate_limited,
    redirect,
    reset,
    rule,
    serving,
    too_large,
)

TROUBLE = """\
name = "trouble"
applies_to = ["logs/*.log"]
passages = "lines"
retries = 0

[[concern]]
name = "failure"
category = "incident"
message = "somebody has to look at this ({urgency})"

[concern.detect]
question = "Does {passage} report a failure?"
yes = "Something failed."
no = "All is well."

[[score]]
name = "urgency"
question = "How urgent is it?"
levels = ["not at all", "soon", "now"]
"""
LOG = "10:00 INFO begun\n10:01 ERROR disk full\n10:02 INFO ended\n10:03 ERROR disk still full\n"
FILES = {"cite-lsp.toml": "", "policies/trouble.toml": TROUBLE, "logs/a.log": LOG}
KEY = "token: ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RULES = [rule(0.9, text="ERROR"), rule(0.5, text="WARN"), rule(1.4, kind="score")]


@pytest.fixture(scope="module")
def running() -> Iterator[SystemOne]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running) -> SystemOne:
    running.script(rules=RULES, default=0.1, faults=[], delay=0.0, key=None, usage=True)
    running.forget()
    return running


def to(server: SystemOne, *more: str) -> list[str]:
    return ["policy", "run", "--judge", "decision", "--base-url", server.url, *more]


SHAPE = jsonschema.Draft202012Validator(policy_output_schema())


def report(ran) -> dict:
    """The JSON of a run; every one in these tests has the shape that `cite-lsp schema policy-output` prints."""
    data = json.loads(ran.raw)
    if "estimate" not in data:
        SHAPE.validate(data)
    return data


def documents(ran) -> list[dict]:
    return [each for policy in report(ran)["policies"] for each in policy["documents"]]


def sent(server: SystemOne) -> str:
    return json.dumps([each["body"] for each in server.requests()])


def without_figures(text: str) -> str:
    return re.sub(r"in [0-9.]+ s", "in 0.0 s", re.sub(r"[\d,]+ tokens in", "0 tokens in", text))


# What is printed

TOLD = """\
logs/a.log
  2:1     warning somebody has to look at this (soon)  policy:trouble/failure
     2 │ 10:01 ERROR disk full
     4 │ 10:03 ERROR disk still full
         verdict: holds
         urgency: soon (1.4 on a scale from 0 to 2, confidence 0.90)

1 document, 1 policy, 4 passages, 4 checked, 0 not checked
verdicts: 1 holds
judge: systemone jev-1.13.0 at URL; 1 request to screen (1 estimated), 1 to judge, 0 tokens in, 7 out, \
answered by systemone-by-rules
2 warnings in 0.0 s
"""


def test_what_was_found_and_what_it_took(process, workspace, server):
    ran = process(workspace(FILES), *to(server))
    assert ran.code == 0
    assert without_figures(ran.out).replace(server.url, "URL") == TOLD
    assert re.fullmatch(
        r"cite-lsp: asking about 4 passages of 1 document: 1 request, and at most 1 more about what is found; "
        r"about [\d,]+ tokens in\n",
        ran.err,
    )
    quiet = process(workspace(FILES), *to(server, "--quiet"))
    assert quiet.err == ""
    assert quiet.out == TOLD[: TOLD.index("1 document")]


def test_what_a_person_should_look_at_is_a_hint(process, workspace, server):
    folder = workspace({**FILES, "logs/a.log": LOG + "10:04 WARN disk nearly full\n"})
    ran = process(folder, *to(server))
    assert "     5 │ 10:04 WARN disk nearly full  (review)\n" in ran.out
    assert "2 warnings, 1 hint in" in ran.out
    loud = process(folder, *to(server, "--level", "warning"))
    assert "nearly full" not in loud.out
    assert "1 passage not shown; --level hint shows all" in loud.out
    server.script(rules=[rule(0.5, text="WARN")])
    alone = process(folder, *to(server, "--no-cache"))
    assert "  5:1     hint    a person should look: somebody has to look at this" in alone.out
    assert "verdict: review\n" in alone.out


def test_the_json_says_the_same(process, workspace, server):
    text = f"é𝒳 ok\n\n{LOG}{KEY}\n"
    ran = process(workspace({**FILES, "logs/a.log": text}), *to(server, "--format", "json"))
    (policy,) = report(ran)["policies"]
    (document,) = policy["documents"]
    assert (policy["name"], policy["path"], document["path"]) == ("trouble", "policies/trouble.toml", "logs/a.log")
    assert document["passages"] == 6
    lines = text.split("\n")
    for place in document["report"]["ranges"].values():
        line = place["start"]["line"]
        assert place["end"] == {"line": line, "character": len(lines[line].encode("utf-16-le")) // 2}
        assert place["start"] == {"line": line, "character": 0}
    (finding,) = document["report"]["findings"]
    evidence = [each["passage"] for each in finding["evidence"]]
    assert [each["text"] for each in evidence] == [lines[3], lines[5]]
    assert [document["report"]["ranges"][each["id"]]["start"]["line"] for each in evidence] == [3, 5]
    assert document["report"]["screen"]["L4"] == {"failure": 0.9}
    told = document["findings"]
    assert [(each["code"], each["severity"], each["range"]["start"]["line"]) for each in told] == [
        ("policy:trouble/failure", "warning", 3),
        ("policy:trouble/failure", "warning", 5),
    ]
    assert [each["range"]["start"]["line"] for each in told[0]["related"]] == [5]
    (left,) = document["not_checked"]
    assert (left["passages"], left["lines"], left["wished"]) == (["L7"], [7], True)
    summary = report(ran)["summary"]
    assert (summary["passages"], summary["checked"], summary["not_checked"]) == (6, 5, 1)
    assert summary["requests"] == {"estimated": 1, "screen": 1, "judge": 1, "saved": 0}
    assert summary["models"] == ["systemone-by-rules"]


CLAIMS = """\
passages = "sentences"
[[concern]]
name = "claim"
severity = "information"
detect = { question = "Is {passage} a claim?", yes = "It claims.", no = "It does not." }
"""


def test_findings_stand_by_document_in_text_and_by_policy_in_json(process, workspace, server):
    files = {**FILES, "policies/claims.toml": CLAIMS, "policies/all.toml": CLAIMS.replace("claim", "thing")}
    folder = workspace({**files, "docs/a.md": "# T\n\nAn ERROR is here.\n", "docs/b.md": "An ERROR is there.\n"})
    ran = process(folder, *to(server))
    heads = [line for line in ran.out.splitlines() if line.startswith(("docs", "logs", "  1:1", "  2:1", "  3:1"))]
    codes = [line.split()[-1] for line in heads]
    assert codes == [
        "docs/a.md", "policy:all/thing", "policy:claims/claim",
        "docs/b.md", "policy:all/thing", "policy:claims/claim",
        "logs/a.log", "policy:trouble/failure",
    ]  # fmt: skip
    ran = process(folder, *to(server, "--format", "json"))
    assert [
        (each["name"], [document["path"] for document in each["documents"]]) for each in report(ran)["policies"]
    ] == [
        ("all", ["docs/a.md", "docs/b.md"]),
        ("claims", ["docs/a.md", "docs/b.md"]),
        ("trouble", ["logs/a.log"]),
    ]


def test_a_finding_of_many_passages_is_shown_in_part(process, workspace, server):
    text = "".join(f"ERROR {number}\n" for number in range(30))
    ran = process(workspace({**FILES, "logs/a.log": text}), *to(server))
    assert "    20 │ ERROR 19\n         and 10 more passages\n" in ran.out
    assert "ERROR 20" not in ran.out


BUILT = """\
passages = "lines"
applies_to = ["logs/*.log"]
[[concern]]
name = "cause"
role = [{ name = "effect", factor = "fails" }, { name = "why", factor = "causes", distinct = true }]
check = [{ name = "fits", question = "Does {why} bring about {effect}?", yes = "It does.", no = "It does not." }]
[[factor]]
name = "fails"
question = "Does {passage} fail?"
yes = "It does."
no = "It does not."
[[factor]]
name = "causes"
question = "Is {passage} a cause?"
yes = "It is."
no = "It is not."
"""


def test_roles_and_checks_are_shown(process, workspace, server):
    folder = workspace({**FILES, "policies/trouble.toml": BUILT})
    server.script(
        rules=[
            rule(0.9, text="still full", key="fails"),
            rule(0.8, text="disk full", key="causes"),
            rule(0.7, key="^fits$"),
        ]
    )
    ran = process(folder, *to(server))
    assert "         roles: effect line 4, why line 2\n         checks: fits 0.70\n" in ran.out


# How it ends


def settings(text: str) -> dict[str, str]:
    return {**FILES, "cite-lsp.toml": text}


@pytest.mark.parametrize(
    ("files", "arguments", "code"),
    [
        (FILES, [], 0),
        (FILES, ["--fail-level", "warning"], 1),
        ({**FILES, "policies/trouble.toml": TROUBLE.replace("message", 'severity = "error"\nmessage')}, [], 1),
        ({**FILES, "logs/a.log": "fine\n"}, ["--fail-level", "hint"], 0),
        ({**FILES, "logs/a.log": "WARN\n"}, ["--fail-level", "warning"], 0),
        ({**FILES, "logs/a.log": "WARN\n"}, ["--fail-level", "hint"], 1),
        (settings('[rules]\n"policy:trouble/failure" = "error"\n'), [], 1),
        (settings('[rules]\n"policy:trouble/failure" = "off"\n'), ["--fail-level", "hint"], 0),
        (settings('[judge]\nexclude = ["logs/*"]\n'), ["--fail-level", "hint"], 0),
        (settings('[judge]\nrun = "off"\n'), ["--fail-level", "hint"], 0),
        (settings("colour = 1\n"), [], 2),
        (FILES, ["nowhere"], 2),
        (FILES, ["--policy", "nobody"], 2),
        (FILES, ["--policy", "policies/none.toml"], 2),
        (FILES, ["--policy", "shipped:none"], 2),
        (FILES, ["--window", "0"], 2),
        (FILES, ["--base-url", "nowhere"], 2),
        (FILES, ["--input", "none.txt"], 2),
        (settings('[judge]\nexclude = ["logs/*"]\n'), ["--input", "logs/a.log"], 2),
        ({**FILES, "policies/trouble.toml": TROUBLE.replace("yes =", "yess =")}, [], 2),
        (FILES, ["--judge", "embedded"], 3),
        (FILES, ["--judge", "ollama"], 3),
        ({**FILES, "logs/a.log": b"\0\1"}, ["logs/a.log"], 3),
        ({**FILES, "policies/trouble.toml": 'input = "given"\n' + TROUBLE}, [], 3),
    ],
)
def test_the_exit_status(process, workspace, server, files, arguments, code):
    ran = process(workspace(files), *to(server, *arguments))
    assert ran.code == code, ran
    if code == 2:
        assert server.counts()["requests"] == 0
        assert ran.err
    if code == 3:
        assert "not checked:" in ran.out


@pytest.mark.parametrize("estimate", [[], ["--estimate"]])
@pytest.mark.parametrize(
    ("files", "settings_wrong", "faults", "note"),
    [
        (settings("colour = 1\n"), 1, [], "nothing is asked until the settings are mended"),
        (settings("colour = \n"), 1, [], "nothing is asked until the settings are mended"),
        (
            {**FILES, "policies/trouble.toml": TROUBLE.replace("yes =", "yess =")},
            0,
            [("trouble", "policies/trouble.toml", 1)],
            "nothing is asked until the policies are mended",
        ),
        (
            {**FILES, "policies/x.toml": TROUBLE},
            0,
            [("trouble", "policies/x.toml", 1)],
            "nothing is asked until the policies are mended",
        ),
    ],
)
def test_json_is_written_where_settings_or_policies_are_wrong(
    process, workspace, server, files, settings_wrong, faults, note, estimate
):
    ran = process(workspace(files), *to(server, "--format", "json", *estimate))
    assert ran.code == 2
    data = report(ran)
    assert len(data["settings"]) == settings_wrong
    assert [(each["name"], each["path"], len(each["findings"])) for each in data["refused"]] == faults
    assert data["notes"][-1] == note
    assert note in ran.err
    assert (data["estimate"] is None) if estimate else (data["policies"] == [])
    assert server.counts()["requests"] == 0


def test_documents_that_are_no_text_are_told_of(process, workspace, server):
    files = {**FILES, "policies/claims.toml": CLAIMS, "docs/a.md": b"\0", "logs/b.log": b"\0", "logs/c.log": b"\0"}
    folder = workspace(files)
    ran = process(folder, *to(server))
    assert ran.code == 3
    assert "  the document holds NUL bytes, so it is not text\n    docs/a.md, claims: the whole document\n" in ran.out
    assert "note: left out, as NUL bytes are no text (UTF-16 is not read): logs/b.log and 1 more\n" in ran.out
    assert re.search(r"^2 warnings in [0-9.]+ s; 1 document not checked$", ran.out, re.MULTILINE)
    assert report(process(folder, *to(server, "--format", "json")))["summary"]["unread"] == 1
    assert process(folder, *to(server, "--estimate")).code == 3


def test_two_policies_of_one_name_are_two(process, workspace, server):
    folder = workspace({**FILES, "more/trouble.toml": TROUBLE})
    both = ["--policy", "more/trouble.toml", "--policy", "policies/trouble.toml"]
    ran = process(folder, *to(server, *both, "--format", "json"))
    assert [each["path"] for each in report(ran)["policies"]] == ["more/trouble.toml", "policies/trouble.toml"]
    assert report(ran)["summary"]["policies"] == 2


@pytest.mark.parametrize("bands", ["{", '{"schema": 1}'])
def test_bands_that_do_not_count_are_told_of_in_json_too(process, workspace, server, bands):
    ran = process(workspace({**FILES, "policies/trouble.bands.json": bands}), *to(server, "--format", "json"))
    (policy,) = report(ran)["policies"]
    (stale,) = policy["stale"]
    assert stale.startswith("policies/trouble.bands.json counts for nothing: ")
    assert report(ran)["notes"] == [stale]
    assert f"cite-lsp: {stale}\n" in ran.err


def test_a_finding_comes_before_a_failure(process, workspace, server):
    folder = workspace({**FILES, "logs/b.log": "10:00 INFO in the second\n"})
    server.script(faults=[overloaded(holds="in the second", times=None)])
    environment = {**os.environ, "CITE_LSP_JUDGE_LIMITS_TIMEOUT": "5"}
    assert process(folder, *to(server, "--fail-level", "warning"), env=environment, seconds=90).code == 1
    assert process(folder, *to(server), env=environment, seconds=90).code == 3


def test_other_judges_are_not_asked_and_that_is_said(process, workspace, server):
    ran = process(workspace(FILES), "policy", "run")
    assert ran.code == 3
    assert ran.out.startswith(
        "not checked:\n"
        "  policies are asked of the judges decision and openai, and judge.name is embedded: name one of them in your "
        "own settings\n"
        "    logs/a.log, trouble: 4 passages (lines 1-4)\n\n"
        "1 document, 1 policy, 4 passages, 0 checked, 4 not checked\n"
        "no findings in "
    )
    assert "; 4 passages not checked\n" in ran.out
    ran = process(workspace(FILES), "policy", "run", "--format", "json")
    assert ran.err == (
        "cite-lsp: 4 passages of 1 document not checked by trouble: policies are asked of the judges decision and "
        "openai, and judge.name is embedded: name one of them in your own settings\n"
    )
    ran = process(workspace(FILES), "policy", "run", "--estimate")
    assert ran.code == 3
    assert "not checked, 1 document: policies are asked of the judges decision and openai" in ran.out


def test_without_a_policy_and_without_a_document_that_is_said(process, workspace, server):
    ran = process(workspace({"cite-lsp.toml": "", "a.md": "x\n"}), *to(server))
    assert ran.code == 0
    assert "note: there is no policy: policies.files takes in policies/*.toml, and the settings hold none;" in ran.out
    ran = process(workspace({**FILES, "docs/a.md": "x\n"}, "v"), *to(server, "docs"))
    assert (
        "note: no document was found that a policy applies to (trouble); what git ignores is asked about only where it "
        "is named, with --ignored\n"
    ) in ran.out
    assert server.counts()["requests"] == 0


# What goes wrong with requests

EIGHT = "".join(f"10:0{number} INFO number {number}\n" for number in range(8))
FAULTS = [
    (overloaded(times=None, holds="number 3"), "529", None),
    (reset(times=None, holds="number 3"), "", None),
    (rate_limited(0, times=None, holds="number 3"), "", None),
    (not_json(times=None, holds="number 3"), "", None),
    (missing("L4", times=None), "", None),
    (malformed("L4", times=None), "", None),
    (redirect("http://127.0.0.1:9/", times=None, holds="number 3"), "not followed", None),
    (too_large(times=None, holds="number 3"), "", ["L4"]),
]


@pytest.mark.parametrize(
    ("fault", "word", "lost"), FAULTS, ids=[str(fault["kind"]) + word for fault, word, _ in FAULTS]
)
def test_what_failed_is_not_checked_and_never_no(process, workspace, server, fault, word, lost):
    server.script(faults=[fault])
    folder = workspace({**FILES, "logs/a.log": EIGHT})
    ran = process(folder, *to(server, "--window", "2", "--format", "json"), seconds=90)
    assert ran.code == 3
    (document,) = documents(ran)
    lost = lost or ["L3", "L4"]
    (left,) = document["not_checked"]
    assert left["passages"] == lost
    assert sorted(document["report"]["screen"]) == sorted({f"L{number}" for number in range(1, 9)} - set(lost))
    assert word in left["why"]
    assert report(ran)["summary"]["not_checked"] == len(lost)
    assert f"{len(lost)} passage" in ran.err


def test_a_second_round_that_failed_is_said(process, workspace, server):
    server.script(faults=[missing("confirm", times=None)])
    ran = process(workspace(FILES), *to(server))
    assert ran.code == 3
    assert "    logs/a.log, trouble: what was found of failure in 2 passages (lines 2, 4)\n" in ran.out
    assert "4 passages, 2 checked, 2 not checked\n" in ran.out
    assert re.search(r"^no findings in [0-9.]+ s; 2 passages not checked$", ran.out, re.MULTILINE)


def test_nobody_is_asked_for_ever_who_refuses(process, workspace, server):
    server.script(key="right")
    text = "".join(f"10:00 INFO {number}\n" for number in range(400))
    folder = workspace({**FILES, **{f"logs/{name}.log": name + text for name in "abcdefghijkl"}})
    ran = process(folder, *to(server, "--window", "4"))
    assert ran.code == 3
    assert server.counts()["requests"] <= 40, "of 1200"
    assert "    and 7 more (2,800 passages)\n" in ran.out
    assert "12 documents, 1 policy, 4,800 passages, 0 checked, 4,800 not checked\n" in ran.out


def test_a_server_that_is_not_there(process, workspace):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        command = ["policy", "run", "--judge", "decision", "--base-url", address]
        ran = process(workspace(FILES), *command, seconds=90)
    assert ran.code == 3
    assert "logs/a.log, trouble: 4 passages (lines 1-4)" in ran.out


def test_the_deadline(process, workspace, server):
    server.script(faults=[hang(holds="number 5", times=None)])
    folder = workspace({**FILES, "logs/a.log": EIGHT})
    ran = process(folder, *to(server, "--window", "2", "--deadline", "2", "--concurrency", "4"))
    assert ran.code == 3
    assert "  the run came to its deadline of " in ran.out
    assert "    logs/a.log, trouble: 2 passages (lines 5-6)\n" in ran.out
    assert "8 passages, 6 checked, 2 not checked\n" in ran.out


# What it costs


@pytest.mark.parametrize(("passages", "window", "requests"), [(1, 40, 1), (40, 40, 1), (41, 40, 2), (100, 7, 15)])
def test_the_estimate_is_what_is_asked(process, workspace, server, passages, window, requests):
    text = "".join(f"INFO {number}\n" for number in range(passages))
    folder = workspace({**FILES, "logs/a.log": text})
    ran = process(folder, *to(server, "--window", str(window), "--estimate", "--format", "json"))
    assert ran.code == 0
    needed = report(ran)["estimate"]
    assert server.counts()["requests"] == 0
    assert (needed["screen_requests"], needed["asked"], needed["judge_requests"]) == (requests, passages, 1)
    ran = process(folder, *to(server, "--window", str(window), "--format", "json"))
    assert server.counts()["requests"] == requests
    assert report(ran)["summary"]["requests"] == {"estimated": requests, "screen": requests, "judge": 0, "saved": 0}
    about = needed["tokens_in"] / report(ran)["summary"]["tokens_in"]
    assert 0.5 < about < 2, "the server counts four characters as a token"


def test_an_estimate_in_words(process, workspace, server):
    folder = workspace({**FILES, "logs/a.log": f"{LOG}{KEY}\n"})
    environment = {**os.environ, "CITE_LSP_JUDGE_EST_COST": "0.25"}
    ran = process(folder, *to(server, "--estimate", "--window", "2"), env=environment)
    assert re.fullmatch(
        rf"judge: systemone jev-1.13.0 at {server.url}\n"
        r"1 document, 1 policy, 5 passages\n"
        r"to be asked: 4 passages \(1 stay on this machine\)\n"
        r"2 requests, about [\d,]+ tokens in; at most 1 more about what is found; what is asked again comes on top\n"
        r"cost: 0.5\n"
        r"nothing was sent\n",
        ran.out,
    )
    assert server.counts()["requests"] == 0


def test_what_was_answered_is_not_asked_again(process, workspace, server):
    text = "".join(f"INFO {number}\n" for number in range(12)) + "ERROR disk\n"
    folder = workspace({**FILES, "logs/a.log": text})
    first = process(folder, *to(server, "--window", "4", "--format", "json"))
    assert server.counts()["requests"] == 5
    server.forget()
    again = process(folder, *to(server, "--window", "4", "--format", "json"))
    assert server.counts()["requests"] == 0
    assert "asking about" not in again.err
    for name in ("findings", "not_checked", "passages"):
        assert documents(again)[0][name] == documents(first)[0][name]
    assert report(again)["summary"]["requests"]["saved"] == 5
    (folder / "logs/a.log").write_text("a new line\n" + text)
    ran = process(folder, *to(server, "--window", "4", "--format", "json"))
    assert server.counts()["requests"] == 1, "the windows that hold known lines only are known"
    assert report(ran)["summary"]["requests"]["estimated"] == 1
    server.forget()
    process(folder, *to(server, "--window", "4", "--no-cache"))
    assert server.counts()["requests"] == 5
    server.forget()
    process(folder, *to(server, "--window", "4", "--model", "another"))
    assert server.counts()["requests"] == 5, "what one model said is no answer of another"


def test_limits_of_the_day_hold_over_runs(process, workspace, server):
    text = "".join(f"INFO {number}\n" for number in range(40))
    folder = workspace({**FILES, "logs/a.log": text})
    environment = {**os.environ, "CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY": "25"}
    ran = process(folder, *to(server, "--window", "10", "--no-cache"), env=environment)
    assert ran.code == 3
    assert server.counts()["requests"] == 2
    assert "judge.limits.max_rows_per_day is 25" in ran.out
    assert "40 passages, 20 checked, 20 not checked\n" in ran.out
    assert "2 requests to screen (4 estimated)" in ran.out
    assert process(folder, *to(server, "--window", "10", "--no-cache"), env=environment).code == 3
    assert server.counts()["requests"] == 2


# What stays here


def test_lines_that_look_like_keys_are_not_sent(process, workspace, server):
    folder = workspace({**FILES, "logs/a.log": f"{LOG}{KEY}\n"})
    ran = process(folder, *to(server))
    assert ran.code == 0, "that is as it was wished"
    assert "ghp_" not in sent(server)
    assert "ghp_" not in ran.out + ran.err
    assert (
        "a line of this passage looks like a key, so it was not sent\n    logs/a.log, trouble: 1 passage (line 5)"
        in ran.out
    )


def test_excluded_documents_are_not_sent(process, workspace, server):
    files = settings('[judge]\nexclude = ["logs/b.log"]\n')
    folder = workspace({**files, "logs/b.log": "ERROR of the excluded\n"})
    ran = process(folder, *to(server))
    assert "of the excluded" not in sent(server)
    assert "this document is under judge.exclude, so its text was not sent to the judge\n    logs/b.log" in ran.out


def test_a_document_that_git_ignores_is_not_sent_though_it_is_named(process, workspace, server, person):
    folder = workspace({**FILES, ".gitignore": "private/\n", "private/p.log": "ERROR of the ignored\n"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    ran = process(folder, *to(server, "--policy", "trouble", "private/p.log", "logs/a.log"))
    assert "disk full" in sent(server)
    assert "of the ignored" not in sent(server)
    why = "this document is ignored by git, so its text was not sent to the judge; with --ignored it is"
    assert f"  {why}\n    private/p.log" in ran.out


@pytest.mark.parametrize(
    ("settings_text", "arguments", "sent_anyway"),
    [
        ("", ["private/p.log", "--ignored"], True),
        ("", ["private", "--ignored"], False),
        ("", ["--ignored"], False),
        ('[judge]\nexclude = ["private/*"]\n', ["private/p.log", "--ignored"], False),
        ('[judge]\nrun = "off"\n', ["private/p.log", "--ignored"], False),
    ],
)
def test_what_git_ignores_is_asked_about_where_it_is_named_and_that_is_wished(
    process, workspace, server, settings_text, arguments, sent_anyway
):
    policy = TROUBLE.replace("logs/*.log", "**/*.log")
    files = {"cite-lsp.toml": settings_text, "policies/trouble.toml": policy, ".gitignore": "private/\n"}
    folder = workspace({**files, "private/p.log": f"ERROR of the ignored\n{KEY}\n"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    needed = report(process(folder, *to(server, *arguments, "--estimate", "--format", "json")))["estimate"]
    ran = process(folder, *to(server, *arguments))
    assert ("of the ignored" in sent(server)) is sent_anyway
    assert "ghp_" not in sent(server)
    assert (needed["asked"], needed["screen_requests"]) == ((1, 1) if sent_anyway else (0, 0))
    assert ("ERROR of the ignored" in ran.out) is sent_anyway


def test_the_option_for_ignored_documents_says_that_they_are_sent(cli, workspace):
    said = " ".join(cli(workspace(FILES), "policy", "run", "--help").out.split())
    assert (
        "Ask also about named documents that git ignores, as logs often are: their text is sent to the judge." in said
    )


def test_a_key_is_not_sent_to_an_address_that_it_is_not_for(process, workspace, server, person, monkeypatch):
    folder = workspace(FILES)
    user = Path(user_file_path())
    assert person in user.parents, "this test writes into a home of its own"
    user.parent.mkdir(parents=True)
    monkeypatch.setenv("MY_KEY", "sk-mine-and-nobody-elses")
    monkeypatch.setenv("TYPESAFE_API_KEY", "sk-of-the-provider")
    with serving(*RULES, key="sk-mine-and-nobody-elses") as mine:
        user.write_text(f'[judge]\nname = "decision"\nbase_url = "{mine.url}"\napi_key_env = "MY_KEY"\n')
        assert process(folder, "policy", "run").code == 0
        ran = process(folder, "policy", "run", "--base-url", server.url)
    assert ran.code == 0, ran
    assert not any("authorization" in each["headers"] for each in server.requests())
    assert "judge.api_key_env of the settings is meant for another judge or address: not used" in ran.err
    assert "sk-" not in ran.err + ran.out


def test_a_project_cannot_choose_who_is_asked(process, workspace, server):
    with socket.socket() as bait:
        bait.bind(("127.0.0.1", 0))
        bait.listen()
        theirs = f"http://127.0.0.1:{bait.getsockname()[1]}"
        folder = workspace(settings(f'[judge]\nname = "decision"\nbase_url = "{theirs}"\n'))
        ran = process(folder, "policy", "run")
        assert not select.select([bait], [], [], 0)[0], "somebody asked for a connection"
    assert ran.code == 2
    assert ran.out.count("this is the user's own setting and is not read from here") == 2
    assert "judge.name is embedded" in ran.out


# Which documents


def test_a_policy_that_is_named_is_asked_of_what_is_named(process, workspace, server):
    folder = workspace({**FILES, "other/x.txt": "ERROR in x\n", "policies/claims.toml": CLAIMS})
    paths = {each["path"] for each in documents(process(folder, *to(server, "--format", "json")))}
    assert paths == {"logs/a.log", "other/x.txt"}
    ran = process(folder, *to(server, "--format", "json", "other/x.txt", "--policy", "trouble"))
    assert [(each["name"], len(each["documents"])) for each in report(ran)["policies"]] == [("trouble", 1)]
    ran = process(folder, *to(server, "--format", "json", "other/x.txt"))
    assert [each["name"] for each in report(ran)["policies"]] == ["claims"]
    ran = process(folder, *to(server, "--format", "json", "--policy", "policies/claims.toml", "--policy", "trouble"))
    assert [each["name"] for each in report(ran)["policies"]] == ["claims", "trouble"]


def test_a_policy_of_ours_and_one_from_elsewhere(process, workspace, server, tmp_path):
    (tmp_path / "mine.toml").write_text(CLAIMS)
    folder = workspace(FILES)
    command = to(server, "logs/a.log", "--format", "json", "--policy", "shipped:log-triage")
    ran = process(folder, *command, "--policy", "../mine.toml")
    assert [(each["name"], each["path"]) for each in report(ran)["policies"]] == [
        ("log-triage", "shipped:log-triage"),
        ("mine", "../mine.toml"),
    ]
    said = process(folder, *to(server, "--policy", "log-triage")).err
    assert said == (
        "cite-lsp: there is no policy 'log-triage' in the settings; the one of cite-lsp is shipped:log-triage\n"
    )
    assert "did you mean 'trouble'?" in process(folder, *to(server, "--policy", "truble")).err


def test_policies_of_the_settings_and_of_folders(process, workspace, server):
    table = CLAIMS.replace("[[concern]]", "[[policy.concern]]")
    files = settings(
        '[policies]\nfiles = ["policies/*.toml", "shipped:hedged-claims"]\n[[policy]]\nname = "own"\n' + table
    )
    files |= {"docs/a.md": "An ERROR is here.\n", "inner/cite-lsp.toml": "", "inner/a.md": "An ERROR.\n"}
    files |= {"inner/policies/inside.toml": CLAIMS}
    ran = process(workspace(files), *to(server, "--format", "json"))
    found = {each["name"]: [document["path"] for document in each["documents"]] for each in report(ran)["policies"]}
    assert found == {
        "hedged-claims": ["docs/a.md"],
        "trouble": ["logs/a.log"],
        "own": ["docs/a.md"],
        "inside": ["inner/a.md"],
    }


def test_comments_rules_and_overrides_hold(process, workspace, server):
    files = {"policies/claims.toml": CLAIMS, "docs/a.md": "An ERROR is here.\n"}
    comment = "<!-- cite-lsp: ignore policy:claims/claim it is meant so -->\n"
    files["docs/b.md"] = f"{comment}An ERROR is there.\n\nAn ERROR is left.\n"
    files["cite-lsp.toml"] = '[[overrides]]\nglobs = ["docs/a.md"]\nrules = { "policy:claims/claim" = "error" }\n'
    ran = process(workspace(files), *to(server, "--format", "json"))
    told = {
        each["path"]: [(one["severity"], one["range"]["start"]["line"]) for one in each["findings"]]
        for each in documents(ran)
    }
    assert told == {"docs/a.md": [("error", 0)], "docs/b.md": [("information", 3)]}
    assert ran.code == 1


def test_standard_input(process, workspace, server):
    folder = workspace(FILES)
    ran = process(folder, *to(server, "-", "--stdin-path", "logs/a.log"), stdin=b"fine\nERROR typed\n")
    assert "     2 │ ERROR typed\n" in ran.out
    assert process(folder, *to(server, "-", "--stdin-path", "logs/new.log"), stdin=b"ERROR typed\n").code == 0


BESIDE = CLAIMS.replace("passages", 'input = "given"\npassages')


def test_a_text_to_hold_passages_against(process, workspace, server):
    folder = workspace(
        {"cite-lsp.toml": "", "policies/p.toml": BESIDE, "a.md": "An ERROR is here.\n", "in.txt": "the source\n"}
    )
    ran = process(folder, *to(server, "a.md"))
    assert ran.code == 3
    assert "  this policy is asked beside an input, and none was given\n    a.md, p: 1 passage (line 1)\n" in ran.out
    ran = process(folder, *to(server, "a.md", "--input", "in.txt"))
    assert ran.code == 0
    assert '"input": "the source\\n"' in sent(server)


def test_passages_are_asked_beside_what_they_cite(process, workspace, server):
    text = "The limit is 3 (`src/a.py:2`). Nothing is cited here.\n\nAnd `src/none.py:1` is not there.\n"
    cited = CLAIMS.replace("passages", 'input = "cited"\npassages')
    files = {"cite-lsp.toml": "", "policies/p.toml": cited, "docs/a.md": text, "src/a.py": "x = 1\nLIMIT = 3\n"}
    ran = process(workspace(files), *to(server, "--format", "json"))
    assert ran.code == 0
    (request,) = server.requests()
    (passage,) = request["body"]["state"]["passages"].values()
    assert passage["text"] == "The limit is 3 (`src/a.py:2`)."
    assert "LIMIT = 3" in passage["input"]
    assert documents(ran)[0]["passages"] == 1


def test_who_asks_nobody_loads_no_client(workspace):
    folder = workspace(FILES)
    for command in (["run"], ["check"], ["list"]):
        arguments = [sys.executable, "-X", "importtime", "-m", "cite_lsp", "policy", *command]
        loaded = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False).stderr
        names = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
        assert "cite_lsp.policy.files" in names
        assert not {"httpx", "httpcore", "keyring"} & names


def test_a_chat_model_is_asked_as_well(process, workspace):
    """Whether it can be asked at all; what it says is tested where its client is."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        command = ["policy", "run", "--judge", "openai", "--model", "m", "--base-url", address]
        ran = process(workspace(FILES), *command, "--estimate")
        assert ran.code == 0
        assert f"at {address}" in ran.out


# A long run

LINES = 10_000


def a_log(lines: int) -> str:
    found = [f"2026-11-30T10:00:00Z INFO request {number} served" for number in range(lines)]
    found[13] = "2026-11-30T10:00:13Z ERROR disk full"
    found[-5] = "2026-11-30T10:00:55Z ERROR disk still full"
    return "\n".join(found) + "\n"


def measured(folder: Path, *arguments: str) -> tuple[bytes, int]:
    """What a run prints, and the most memory that its process held, in KiB."""
    command = [sys.executable, "-m", "cite_lsp", *arguments]
    with (folder / "out").open("wb") as out:
        running = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return (folder / "out").read_bytes(), used.ru_maxrss


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="not run: this system does not say how much memory a child held")
def test_a_long_log(workspace, server):
    folder = workspace({**FILES, "logs/a.log": a_log(LINES), "logs/b.log": a_log(LINES // 10)})
    server.script(delay=0.02)
    command = to(server, "--window", "40", "--concurrency", "8", "--no-cache")
    _, little = measured(folder, *command, "logs/b.log")
    server.forget()
    out, much = measured(folder, *command, "logs/a.log")
    counts = server.counts()
    screening = [each for each in server.requests() if any(":failure" in key for key in each["body"]["questions"])]
    assert len(screening) == 250
    assert (counts["requests"], counts["passages"]) == (251, LINES + 2)
    assert 1 < counts["most"] <= 8
    assert b"250 requests to screen (250 estimated), 1 to judge" in out
    assert b"10,000 passages, 10,000 checked, 0 not checked" in out
    assert b"    14 " in out
    assert b"  9996 " in out
    assert much < 1.5 * little, f"{much:,} KiB for {LINES:,} lines, {little:,} KiB for a tenth of them"


def test_an_interrupt_tells_what_is_known_and_leaves_the_rest_for_later(workspace, server):
    folder = workspace({**FILES, "logs/a.log": a_log(1000), "logs/b.log": a_log(1000).replace("served", "done")})
    server.script(faults=[hang(times=None, after=10)])
    command = [sys.executable, "-m", "cite_lsp", *to(server, "--concurrency", "2", "--format", "json")]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert server.wait_for(lambda counts: counts["running"] >= 2 and counts["requests"] >= 12)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130, err
    assert b"Traceback" not in err
    assert b"interrupted: what was answered is kept, and a second run asks for the rest" in err
    done = json.loads(out)
    summary = done["summary"]
    assert summary["interrupted"] is True
    assert 390 < summary["checked"] <= 400, "what was found is not looked at again"
    assert summary["checked"] + summary["not_checked"] == summary["passages"]
    for document in done["policies"][0]["documents"]:
        left = [name for each in document["not_checked"] if not each["concern"] for name in each["passages"]]
        if document["report"] is not None:
            assert len(left) + len(document["report"]["screen"]) == document["passages"]
    assert server.wait_for(lambda counts: counts["running"] == 0), "requests under way are cancelled"
    server.script(faults=[])
    server.forget()
    again = subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=60)
    assert json.loads(again.stdout)["summary"]["not_checked"] == 0
    assert json.loads(again.stdout)["summary"]["requests"]["screen"] == 40, "none is paid for twice"


@pytest.mark.skipif(sys.platform == "win32", reason="not run: Windows has no such signals")
@pytest.mark.parametrize("pause", [0.0, 0.03])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_press_that_arrives_twice_cuts_nothing_off(workspace, server, pause, unbuffered):
    folder = workspace({**FILES, "logs/a.log": a_log(1000)})
    server.script(faults=[hang(times=None, after=2)])
    command = [sys.executable, "-m", "cite_lsp", *to(server, "--format", "json", "--quiet")]
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    assert server.wait_for(lambda counts: counts["running"] >= 4)
    running.send_signal(signal.SIGINT)
    time.sleep(pause)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, b"Traceback" in err) == (130, False)
    SHAPE.validate(json.loads(out))
    assert json.loads(out)["summary"]["interrupted"] is True


def test_an_interrupt_while_a_run_is_planned_leaves_json_behind(cli, workspace, server, monkeypatch):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr("cite_lsp.cli.policy_estimating.announce", interrupted)
    monkeypatch.setattr("cite_lsp.cli.app._leave", sys.exit)
    try:
        ran = cli(workspace(FILES), *to(server, "--format", "json"))
    finally:
        signal.signal(signal.SIGINT, before)
    assert ran.code == 130
    assert server.counts()["requests"] == 0
    (document,) = documents(ran)
    assert document["not_checked"][0]["why"] == "the run was interrupted"
    assert report(ran)["summary"]["unread"] == 1


def test_the_bar_and_an_interrupt_on_a_terminal(workspace, server):
    import pty

    folder = workspace({**FILES, "logs/a.log": a_log(2000)})
    server.script(faults=[hang(times=None, after=12)])
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "LINES": "40"}
    command = [sys.executable, "-m", "cite_lsp", *to(server, "--concurrency", "4")]
    running = subprocess.Popen(command, cwd=folder, stdin=child, stdout=child, stderr=child, env=environment)
    os.close(child)
    seen, interrupted = bytearray(), False
    deadline = time.monotonic() + 60
    try:
        while time.monotonic() < deadline and select.select([parent], [], [], 30)[0]:
            try:
                read = os.read(parent, 65536)
            except OSError:
                break
            if not read:
                break
            seen += read
            if not interrupted and b" 480/2000" in seen:
                interrupted = True
                running.send_signal(signal.SIGINT)
        assert running.wait(timeout=10) == 130
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
        os.close(parent)
    shown = seen.decode("utf-8", "replace")
    assert re.search(r"asking.*480/2000.*24%.*[0-9]/s", shown), shown
    assert "2,000 passages, 479 checked, 1,521 not checked" in shown
    assert "  the run was interrupted\r\n" in shown
