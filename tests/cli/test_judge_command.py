"""`cite-lsp judge`: what is judged and by whom, what is printed, what it costs, and how it ends."""

import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt

from cite_lsp.cli.judge_schema import judge_schema
from cite_lsp.cli.output_schema import output_schema
from cite_lsp.config import user_file_path
from cite_lsp.document.document import Document
from cite_lsp.findings.accepted import Accepted, entry_of
from cite_lsp.snapshot.snapshot import Snapshot
from tests.clients.scripted import Request, ScriptedServer, Step, asked, by_request, error_for, hang, reply_for
from tests.judges.put_rows import Answer, PutRow, agree, answer_rows, put_rows, said

RETRY = "MAX_ATTEMPTS = 3\nBACKOFF_SECONDS = 0.5\n\n\ndef fetch(url, *, timeout=30):\n    return url\n"
WRONG = "MAX_ATTEMPTS is five (`src/retry.py:1`).\n"
RIGHT = "`MAX_ATTEMPTS` is 3 (`src/retry.py:1`).\n"
HALF = "The timeout is 30 seconds; `MAX_ATTEMPTS` is 7 (`src/retry.py:1-6`).\n"
DUNNO = "Fetching is thread-safe (`src/retry.py:5-6`).\n"
FILES = {"src/retry.py": RETRY, "cite-lsp.toml": "", "docs/a.md": f"# Retries\n\n{WRONG}\n{RIGHT}\n{HALF}\n{DUNNO}"}


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch):
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "TYPESAFE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def report(ran) -> dict:
    return json.loads(ran.raw)


def labels(ran) -> dict[str, list[str]]:
    """By document, the labels of its citations in order; "" where there is no verdict."""
    return {
        document["path"]: [(anchor["verdict"] or {"label": ""})["label"] for anchor in document["anchors"]]
        for document in report(ran)["documents"]
    }


# The embedded judge


def test_a_check_with_verdicts(process, workspace):
    folder = workspace(FILES)
    ran = process(folder, "judge")
    assert (ran.code, ran.err) == (0, "")
    assert re.sub(r" in [0-9.]+ s", "", ran.out) == TOLD


TOLD = """\
docs/a.md
  3:24    warning the cited lines say otherwise: the claim says five, line 1 says MAX_ATTEMPTS = 3  unsupported
     3 │ MAX_ATTEMPTS is five (`src/retry.py:1`).
       │                        ^^^^^^^^^^^^^^
         src/retry.py:1 │ MAX_ATTEMPTS = 3
  7:50    information only a part of this stands there: line 5 says timeout=30; \
but the claim says 7, line 1 says MAX_ATTEMPTS = 3  partial
     7 │ The timeout is 30 seconds; `MAX_ATTEMPTS` is 7 (`src/retry.py:1-6`).
       │                                                  ^^^^^^^^^^^^^^^^
         src/retry.py:1 │ MAX_ATTEMPTS = 3
         src/retry.py:5 │ def fetch(url, *, timeout=30):

1 document, 4 citations recognised, 4 resolved, 3 judged, 1 not judged
verdicts: 1 supported, 1 partial, 1 unsupported
not judged: 1 undecided by the judge
documents by outcome: 1 findings
judge: embedded/2
1 warning, 1 information
"""


def test_the_findings_of_a_check_are_all_there(cli, workspace):
    folder = workspace({**FILES, "docs/b.md": "`src/retry.py:99` `src/none.py:1` `src/retry.py:3`\n"})
    checked, judged = (report(cli(folder, name, "--format", "json")) for name in ("check", "judge"))
    of_check = [each for document in judged["documents"] for each in document["findings"] if each["code"] not in CODES]
    assert of_check == [each for document in checked["documents"] for each in document["findings"]]
    assert len(of_check) == 3


CODES = {"unsupported", "partial", "review"}


def test_the_json_is_that_of_the_schema_and_that_of_a_check_is_what_it_was(cli, workspace):
    folder = workspace({**FILES, "docs/none.md": "nothing\n", "docs/bad.md": "`src/retry.py:99` `net/x.c:3`\n"})
    schema = jsonschema.Draft202012Validator(output_schema())
    for arguments in (["--excerpts"], ["--scope", "sample"], []):
        ran = report(cli(folder, "judge", "--format", "json", *arguments))
        schema.validate(ran)
    by_path = {document["path"]: document for document in ran["documents"]}
    assert {path: document["outcome"] for path, document in by_path.items()} == {
        "docs/a.md": "findings",
        "docs/bad.md": "findings",
        "docs/none.md": "vacuous",
    }
    wrong = by_path["docs/a.md"]["anchors"][0]["verdict"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", wrong.pop("judged_at"))
    assert wrong == {
        "label": "unsupported",
        "kind": "contradicted",
        "basis": "the claim says five, line 1 says MAX_ATTEMPTS = 3",
        "reason": "The cited lines say otherwise: the claim says five, line 1 says MAX_ATTEMPTS = 3.",
        "confidence": None,
        "evidence": [{"line": 1, "text": "MAX_ATTEMPTS = 3"}],
        "judge": "embedded/2",
        "cached": False,
    }
    assert [anchor["verdict"]["kind"] for anchor in by_path["docs/bad.md"]["anchors"]] == ["unresolved", None]
    audit = by_path["docs/a.md"]["audit"]
    assert (audit["sampled"], audit["supported"], audit["unsupported"], audit["unchecked"]) == (4, 1, 1, 1)
    assert ran["summary"]["verdicts"] == {
        "supported": 1,
        "partial": 1,
        "unsupported": 2,
        "review": 0,
        "unchecked": 2,
    }
    assert ran["summary"]["judging"]["judged"] == 3
    checked = report(cli(folder, "check", "--format", "json"))
    schema.validate(checked)
    assert "judging" not in checked["summary"]
    assert {document["audit"] for document in checked["documents"]} == {None}
    assert {anchor["verdict"] for document in checked["documents"] for anchor in document["anchors"]} == {None}


def test_a_sample_judges_fewer(cli, workspace):
    text = "# T\n\n## S\n\n" + "\n".join(f"`MAX_ATTEMPTS` is {number} (`src/retry.py:1`).\n" for number in range(9))
    folder = workspace({**FILES, "docs/a.md": text})
    ran = cli(folder, "judge", "--scope", "sample", "--format", "json")
    assert [bool(each) for each in labels(ran)["docs/a.md"]].count(True) == 2
    assert "7 not in the sample" in cli(folder, "judge", "--scope", "sample").out


# How it ends


def accepted_file(folder: Path, code: str) -> str:
    """The file that accepts a finding of the first citation of `docs/a.md`."""
    snapshot = Snapshot.open(str(folder))
    document = Document.parse((folder / "docs/a.md").read_text(), "docs/a.md")
    anchor = document.anchors[0]
    entry = entry_of(code, "docs/a.md", anchor, snapshot.resolve(anchor, document), snapshot)
    return Accepted().with_added([entry]).text()


@pytest.mark.parametrize(
    ("text", "settings", "arguments", "code"),
    [
        (WRONG, "", [], 0),
        (WRONG, "", ["--on-found", "report"], 0),
        (WRONG, "", ["--on-found", "fail"], 1),
        (WRONG, '[audit]\non_found = "fail"\n', [], 1),
        (WRONG, '[audit]\non_found = "fail"\n', ["--on-found", "report"], 0),
        (WRONG, '[rules]\nunsupported = "hint"\n', ["--on-found", "fail"], 1),
        (WRONG, '[rules]\nunsupported = "off"\n', ["--on-found", "fail"], 0),
        (RIGHT, "", ["--on-found", "fail"], 0),
        (HALF, "", ["--on-found", "fail"], 0),
        (HALF, "[audit]\nfail_on_partial = true\n", ["--on-found", "fail"], 1),
        (HALF, "", ["--on-found", "fail", "--fail-level", "information"], 1),
        (DUNNO, "", ["--on-found", "fail"], 0),
        ("`src/retry.py:99`\n", "", ["--on-found", "fail"], 1),
        ("`src/retry.py:99`\n", "", [], 0),
        (f"<!-- cite-lsp: ignore unsupported for a reason -->\n{WRONG}", "", ["--on-found", "fail"], 0),
        (WRONG, "colour = 1\n", [], 2),
        (WRONG, "", ["--judge", "nobody"], 2),
        (WRONG, "", ["--judge", "command"], 2),
        (WRONG, "", ["--judge", "decision"], 3),
        (WRONG, "", ["--base-url", "nowhere"], 2),
        (WRONG, "", ["--on-found", "repair"], 2),
        (WRONG, "", ["--on-found", "repair", "--format", "json"], 2),
        ("a\0b", "", ["docs/a.md"], 3),
    ],
)
def test_the_exit_status(cli, workspace, text, settings, arguments, code):
    ran = cli(workspace({**FILES, "docs/a.md": text, "cite-lsp.toml": settings}), "judge", *arguments)
    assert ran.code == code, ran


@pytest.mark.parametrize(
    ("root", "nested", "arguments", "code"),
    [
        ("report", "report", [], 0),
        ("report", "fail", [], 1),
        ("report", "fail", ["--on-found", "report"], 0),
        ("fail", "report", [], 1),
        ("report", "report", ["--on-found", "fail"], 1),
    ],
)
def test_a_folder_may_ask_to_fail(cli, workspace, root, nested, arguments, code):
    files = {
        "cite-lsp.toml": f'[audit]\non_found = "{root}"\n',
        "docs/strict/cite-lsp.toml": f'[audit]\non_found = "{nested}"\n',
    }
    judged = workspace({**FILES, **files, "docs/a.md": RIGHT, "docs/strict/a.md": WRONG.replace("src", "/src")})
    ran = cli(judged, "judge", *arguments)
    assert ran.code == code, ran
    assert ("1 citation fails this run" in ran.out) is bool(code)
    checked = workspace({**FILES, **files, "docs/a.md": RIGHT, "docs/strict/a.md": "`/src/retry.py:99`\n"})
    assert cli(checked, "judge", *arguments).code == code
    outside = workspace({**FILES, **files, "docs/a.md": WRONG, "docs/strict/a.md": "none\n"})
    assert cli(outside, "judge", *arguments).code == (code if "fail" in (root, *arguments) else 0)


def test_excerpts_are_those_that_were_judged(cli, workspace):
    window = '[audit]\nscope = "sample"\nresolver = 1\nwindow = 0\n'
    folder = workspace(
        {**FILES, "docs/b/cite-lsp.toml": window, "docs/b/b.md": "The delay is set (`src/retry.py:5`).\n"}
    )
    ran = report(cli(folder, "judge", "--format", "json", "--excerpts"))
    (anchor,) = next(each for each in ran["documents"] if each["path"] == "docs/b/b.md")["anchors"]
    assert [(each["start_line"], each["end_line"], each["unit"]) for each in anchor["excerpts"]] == [(5, 5, "window")]


def test_what_is_accepted_fails_nothing_until_the_lines_change(cli, workspace):
    folder = workspace({**FILES, "docs/a.md": WRONG})
    (folder / "cite-lsp.accepted.json").write_text(accepted_file(folder, "unsupported"))
    ran = cli(folder, "judge", "--on-found", "fail", "--format", "json")
    assert ran.code == 0
    assert [document["outcome"] for document in report(ran)["documents"]] == ["accepted"]
    (folder / "src/retry.py").write_text(RETRY.replace("MAX_ATTEMPTS = 3", "MAX_ATTEMPTS = 4"))
    ran = cli(folder, "judge", "--on-found", "fail")
    assert ran.code == 1
    assert "\n1 citation fails this run (audit.on_found)\n" in ran.out


def test_comments_and_rules_hold_for_verdicts(cli, workspace):
    ignored = f"<!-- cite-lsp: ignore unsupported for a reason -->\n{WRONG}\n{DUNNO}"
    folder = workspace({**FILES, "docs/a.md": ignored, "docs/b.md": WRONG})
    ran = report(cli(folder, "judge", "--format", "json"))
    assert [[each["code"] for each in document["findings"]] for document in ran["documents"]] == [[], ["unsupported"]]
    assert ran["documents"][0]["outcome"] == "partial", "the ignored verdict does not count, the unchecked one does"
    (folder / "cite-lsp.toml").write_text('[rules]\nunsupported = "error"\n')
    assert "1:24    error   the cited lines say otherwise" in cli(folder, "judge", "docs/b.md").out


def test_the_level_is_for_verdicts_too_where_it_is_given(cli, workspace):
    folder = workspace(FILES)
    assert "  partial\n" in cli(folder, "judge").out
    quiet = cli(folder, "judge", "--level", "warning").out
    assert "  partial\n" not in quiet
    assert "1 information (not shown)" in quiet
    only = cli(folder, "judge", "--quiet")
    assert "verdicts:" not in only.out
    assert "  unsupported\n" in only.out


def test_judging_may_be_switched_off(cli, workspace):
    folder = workspace({**FILES, "cite-lsp.toml": '[judge]\nrun = "off"\n'})
    ran = cli(folder, "judge", "--format", "json")
    assert labels(ran) == {"docs/a.md": [""] * 4}
    assert report(ran)["documents"][0]["outcome"] == "not-judged"
    assert 'cite-lsp: 1 document not judged: judge.run is "off" there' in ran.err


def test_standard_input_and_one_path(cli, workspace):
    folder = workspace({**FILES, "docs/b.md": RIGHT})
    ran = cli(folder, "judge", "-", "--stdin-path", "docs/b.md", "--format", "json", stdin=WRONG.encode())
    assert labels(ran) == {"docs/b.md": ["unsupported"]}
    assert labels(cli(folder, "judge", "docs/b.md", "--format", "json")) == {"docs/b.md": ["supported"]}


def test_only_what_changed_since_a_commit(cli, workspace):
    folder = workspace({**FILES, "docs/b.md": RIGHT})
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    (folder / "docs/b.md").write_text(WRONG)
    assert labels(cli(folder, "judge", "--since", "HEAD", "--format", "json")) == {"docs/b.md": ["unsupported"]}


# A judge over HTTP


def answering(answer: Callable[[PutRow], Answer] = agree, first: Callable[[Request], None] | None = None) -> Step:
    """The step that answers each request by its rows."""

    def choose(request: Request) -> Step:
        if first is not None:
            first(request)
        return reply_for("openai", answer_rows(asked("openai", request).user, answer), (100, 20))

    return by_request(choose)


def claims(server: ScriptedServer) -> list[str]:
    """The claims that were asked."""
    rows = [row for request in server.requests for row in put_rows(asked("openai", request).user)]
    return [row.claim for row in rows if not row.canary]


def to(server: ScriptedServer, *more: str) -> list[str]:
    return ["judge", "--judge", "openai", "--model", "m", "--base-url", server.base("openai"), *more]


SEVERAL = {**FILES, **{f"docs/{name}.md": f"# {name}\n\nThing {name} is so (`src/retry.py:1`).\n" for name in "abcdef"}}


def test_what_was_answered_is_not_asked_again(process, workspace):
    folder = workspace(SEVERAL)
    with ScriptedServer(answering()) as server:
        ran = process(folder, *to(server))
        assert (ran.code, ran.err) == (0, "")
        assert "6 judged, 0 not judged\nverdicts: 6 supported\n" in ran.out
        assert re.search(r"judge: openai m at \S+ prompt=\d; 6 requests, 600 tokens in, 120 out\n", ran.out)
        assert sorted(claims(server)) == [f"Thing {name} is so." for name in "abcdef"]
        server.requests.clear()
        ran = process(folder, *to(server, "--format", "json"))
        assert server.requests == []
        assert {anchor["verdict"]["cached"] for each in report(ran)["documents"] for anchor in each["anchors"]} == {
            True
        }
        assert (report(ran)["summary"]["judging"]["cached"], report(ran)["summary"]["judging"]["requests"]) == (6, 0)
        (folder / "docs/c.md").write_text("# c\n\nThing c is other (`src/retry.py:1`).\n")
        assert "5 known from before" in process(folder, *to(server)).out
        assert claims(server) == ["Thing c is other."]
        process(folder, *to(server, "--no-cache", "docs/a.md"))
        assert claims(server) == ["Thing c is other.", "Thing a is so."]


def test_an_interrupt_keeps_what_was_heard_and_tells_of_it(workspace, monkeypatch):
    folder = workspace({name: text for name, text in SEVERAL.items() if name[:-3] not in ("docs/e", "docs/f")})
    answered: list[str] = []

    def choose(request: Request) -> Step:
        if len(answered) == 2:
            return hang()
        answered.extend(row.claim for row in put_rows(asked("openai", request).user) if not row.canary)
        return reply_for("openai", answer_rows(asked("openai", request).user, agree), (100, 20))

    with ScriptedServer(by_request(choose)) as server:
        command = [sys.executable, "-m", "cite_lsp", *to(server, "--format", "json")]
        monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_CONCURRENCY", "1")
        running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert server.wait_for(lambda seen: len(seen.requests) == 3, 30), "one at a time: the third is not answered"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)
        assert running.returncode == 130, err
        assert b"Traceback" not in err
        assert b"interrupted: 2 documents are left" in err
        done = json.loads(out)
        assert [f"Thing {document['path'][5]} is so." for document in done["documents"]] == sorted(answered)
        assert done["summary"]["judging"]["interrupted"] is True
        jsonschema.validate(done, output_schema())
        server.requests.clear()
        server.script(answering())
        again = subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=60)
        assert sorted(claims(server) + answered) == [f"Thing {name} is so." for name in "abcd"], (
            "none is paid for twice"
        )
        assert json.loads(again.stdout)["summary"]["verdicts"]["supported"] == 4


def test_documents_that_say_the_same_are_paid_for_once_and_so_estimated(process, workspace):
    folder = workspace({**FILES, **{f"docs/{name}.md": f"{RIGHT}\n{DUNNO}" for name in "abcdefgh"}})
    with ScriptedServer(answering()) as server:
        estimated = report(process(folder, *to(server, "--estimate", "--format", "json")))["estimate"]
        assert (estimated["citations"], estimated["rows"], estimated["known"]) == (16, 2, 14)
        ran = process(folder, *to(server, "--format", "json"))
        assert len(claims(server)) == 2
    assert set(labels(ran)) == {f"docs/{name}.md" for name in "abcdefgh"}
    assert {label for each in labels(ran).values() for label in each} == {"supported"}


def test_an_estimate_sends_nothing(process, workspace):
    folder = workspace(SEVERAL)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        options = ["judge", "--judge", "openai", "--model", "m", "--base-url", address, "--estimate"]
        environment = {**os.environ, "CITE_LSP_JUDGE_EST_COST": "0.25"}
        ran = process(folder, *options, env=environment)
        assert ran.code == 0, ran
        assert re.search(
            r"^to be asked: 6 rows\nabout 6 requests, [\d,]+ tokens in, [\d,]+ out; ", ran.out, re.MULTILINE
        )
        assert "cost: 1.5\nnothing was sent\n" in ran.out
        needed = report(process(folder, *options, "--format", "json"))["estimate"]
        assert (needed["rows"], needed["requests"], needed["cost"], needed["documents"]) == (6, 6, None, 6)
        assert not select.select([listener], [], [], 0)[0], "somebody asked for a connection"
    with ScriptedServer(answering()) as server:
        process(folder, *to(server, "docs/a.md", "docs/b.md"))
        ran = process(folder, *to(server, "--estimate"))
        assert "to be asked: 4 rows (2 known already)" in ran.out
        assert len(server.requests) == 2
    assert "to be asked: 6 rows\nnothing was sent\n" in process(folder, "judge", "--estimate").out


@pytest.mark.parametrize("on_found", ["report", "fail"])
def test_a_judge_that_refuses_is_said_once(process, workspace, on_found):
    folder = workspace(SEVERAL)
    with ScriptedServer(error_for("openai", 401, "no such key: sk-ABCDEF")) as server:
        ran = process(folder, *to(server, "--on-found", on_found, "--format", "json"))
    assert ran.code == 3
    (line,) = ran.err.splitlines()
    assert line.startswith("cite-lsp: 6 citations not judged: ")
    assert "401" in line
    assert labels(ran) == {f"docs/{name}.md": ["unchecked"] for name in "abcdef"}
    assert {document["outcome"] for document in report(ran)["documents"]} == {"not-judged"}
    (trouble,) = report(ran)["summary"]["judging"]["troubles"]
    assert (trouble["cause"], trouble["rows"]) == ("unauthorised", 6)
    jsonschema.validate(report(ran), output_schema())


@pytest.mark.parametrize(("step", "cause"), [(hang(), "timeout"), (error_for("openai", 401, "no"), "unauthorised")])
def test_a_judge_that_does_not_answer_is_not_waited_for_at_every_document(process, workspace, step, cause):
    texts = {f"docs/{number:02}.md": f"In {number} {RIGHT}" for number in range(30)}
    folder = workspace({**FILES, **texts})
    environment = {**os.environ, "CITE_LSP_JUDGE_LIMITS_TIMEOUT": "0.3"}
    with ScriptedServer(step) as server:
        ran = process(folder, *to(server, "--format", "json"), "docs", env=environment)
        assert len(server.requests) <= 16, "those of the documents that were begun with, by two means"
    assert ran.code == 3
    assert [each["cause"] for each in report(ran)["summary"]["judging"]["troubles"]] == [cause]
    assert sum(each["rows"] for each in report(ran)["summary"]["judging"]["troubles"]) >= 30


def test_no_findings_are_no_praise_where_nothing_was_judged(process, workspace):
    folder = workspace(SEVERAL)
    with ScriptedServer(error_for("openai", 401, "no")) as server:
        assert re.search(
            r"^no findings in [0-9.]+ s; 6 citations not judged$", process(folder, *to(server)).out, re.MULTILINE
        )
        server.script(answering())
        assert re.search(r"^no findings in [0-9.]+ s$", process(folder, *to(server)).out, re.MULTILINE)


def test_a_finding_comes_before_a_failure(process, workspace):
    folder = workspace({**SEVERAL, "docs/z.md": "`src/retry.py:99`\n"})
    with ScriptedServer(error_for("openai", 401, "no")) as server:
        assert process(folder, *to(server, "--on-found", "fail")).code == 1
        assert process(folder, *to(server)).code == 3


def test_limits_of_the_day_hold_over_runs(process, workspace):
    folder = workspace(SEVERAL)
    environment = {**os.environ, "CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY": "4"}
    with ScriptedServer(answering()) as server:
        ran = process(folder, *to(server), env=environment)
        assert ran.code == 3
        assert len(claims(server)) <= 4
        assert "judge.limits.max_rows_per_day is 4" in ran.err
        asked_before = len(server.requests)
        assert process(folder, *to(server), env=environment).code == 3
        assert len(server.requests) == asked_before


@pytest.mark.parametrize(
    ("environment", "cause"),
    [
        ({"MAX_ROWS_PER_DAY": "1"}, "declined"),
        ({"MAX_OUTPUT_TOKENS_PER_TURN": "100"}, "output-cap"),
    ],
)
def test_what_a_limit_holds_back_is_said_once(process, workspace, environment, cause):
    texts = {f"docs/{name}.md": f"In {name} {RIGHT}" * (number + 2) for number, name in enumerate("abc")}
    folder = workspace({**FILES, **texts})
    names = {f"CITE_LSP_JUDGE_LIMITS_{name}": value for name, value in environment.items()}
    with ScriptedServer(answering()) as server:
        command = to(server, "--format", "json", "--no-cache")
        ran = process(folder, *command, env={**os.environ, **names, "CITE_LSP_JUDGE_BATCH": "false"})
    assert ran.code == 3
    assert [line.split(" not judged")[0] for line in ran.err.splitlines()] == ["cite-lsp: 9 citations"]
    assert [(each["cause"], each["rows"]) for each in report(ran)["summary"]["judging"]["troubles"]] == [(cause, 9)]


def test_excluded_text_is_never_sent(process, workspace):
    files = {
        **SEVERAL,
        "cite-lsp.toml": '[judge]\nexclude = ["docs/a.md", "src/secret.py"]\n',
        "src/secret.py": "PASSPHRASE = 'xyzzy'\n",
        "docs/b.md": "Thing b is so (`src/secret.py:1`), and is so still (`src/retry.py:1`).\n",
    }
    folder = workspace(files)
    with ScriptedServer(answering()) as server:
        ran = process(folder, *to(server, "--format", "json"))
        sent = b"".join(request.raw for request in server.requests)
        assert process(folder, *to(server, "--estimate")).out.count("2 stay on this machine") == 1
    assert b"xyzzy" not in sent
    assert b"Thing a" not in sent
    assert labels(ran)["docs/a.md"] == ["unchecked"]
    assert labels(ran)["docs/b.md"] == ["unchecked", "supported"]
    assert "2 citations not judged: judge.exclude keeps their text on this machine" in ran.err
    assert ran.code == 0, "that is as it was wished"


def test_a_document_that_git_ignores_is_not_sent_though_it_is_named(process, workspace, person):
    folder = workspace({**SEVERAL, ".gitignore": "private/\n", "private/p.md": "Thing p is so (`src/retry.py:1`).\n"})
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    with ScriptedServer(answering()) as server:
        ran = process(folder, *to(server, "--format", "json"), "private/p.md", "docs/a.md")
        sent = b"".join(request.raw for request in server.requests)
    assert b"Thing a" in sent
    assert b"Thing p" not in sent
    assert labels(ran)["private/p.md"] == ["unchecked"]
    assert "ignored by git" in json.dumps(report(ran)["documents"])


def test_a_key_is_not_sent_to_an_address_that_it_is_not_for(process, workspace, person, monkeypatch):
    folder = workspace(SEVERAL)
    user = Path(user_file_path())
    assert person in user.parents, "this test writes into a home of its own"
    user.parent.mkdir(parents=True)
    monkeypatch.setenv("MY_KEY", "sk-mine-and-nobody-elses")
    with ScriptedServer(answering()) as mine, ScriptedServer(answering()) as other:
        user.write_text(
            f'[judge]\nname = "openai"\nmodel = "m"\nbase_url = "{mine.base("openai")}"\napi_key_env = "MY_KEY"\n'
            '[judge.headers]\n"X-Mine" = "yes"\n'
        )
        assert process(folder, "judge", "docs/a.md").code == 0
        assert mine.requests[0].headers["authorization"] == "Bearer sk-mine-and-nobody-elses"
        assert mine.requests[0].headers["x-mine"] == "yes"
        ran = process(folder, "judge", "docs/b.md", "--base-url", other.base("openai"))
        assert ran.code == 0, ran
        assert "authorization" not in other.requests[0].headers
        assert "x-mine" not in other.requests[0].headers
        assert "judge.api_key_env of the settings is meant for another judge or address: not used" in ran.err
        assert "sk-mine" not in ran.err + ran.out
        assert process(folder, "judge", "docs/c.md", "--judge", "embedded").code == 0
        assert (len(mine.requests), len(other.requests)) == (1, 1)


def test_a_folder_may_keep_to_the_embedded_judge(process, workspace, person):
    files = {**SEVERAL, "inner/cite-lsp.toml": '[judge]\nname = "embedded"\n', "inner/src/retry.py": RETRY}
    folder = workspace({**files, "inner/a.md": WRONG})
    user = Path(user_file_path())
    assert person in user.parents, "this test writes into a home of its own"
    user.parent.mkdir(parents=True)
    with ScriptedServer(answering()) as server:
        user.write_text(f'[judge]\nname = "openai"\nmodel = "m"\nbase_url = "{server.base("openai")}"\n')
        ran = process(folder, "judge", "--format", "json")
        assert labels(ran)["inner/a.md"] == ["unsupported"]
        assert sorted(claims(server)) == [f"Thing {name} is so." for name in "abcdef"]
        assert [each.split()[0] for each in report(ran)["summary"]["judging"]["judges"]] == ["embedded/2", "openai"]


@pytest.mark.parametrize("command", ["check", "judge"])
def test_without_a_judge_over_http_its_client_is_not_loaded(workspace, command):
    folder = workspace(FILES)
    arguments = [sys.executable, "-X", "importtime", "-m", "cite_lsp", command, "--no-cache"]
    loaded = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=True).stderr
    names = {line.rpartition("|")[2].strip() for line in loaded.splitlines()}
    assert "cite_lsp.cli.app" in names
    assert not {"httpx", "httpcore", "keyring", "cite_lsp.judges.model"} & names
    assert command == "judge" or not {"asyncio", "cite_lsp.cli.judging"} & names


@pytest.mark.parametrize("mine", ["embedded", "openai"])
@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_a_project_cannot_choose_who_is_asked(process, workspace, mine, output):
    """It is told so, and work goes on with the user's judge."""
    environment = {**os.environ, "PRIVATE_KEY": "sk-private-of-the-user"}
    with ScriptedServer(answering()) as server, socket.socket() as bait:
        bait.bind(("127.0.0.1", 0))
        bait.listen()
        theirs = f"http://127.0.0.1:{bait.getsockname()[1]}/v1"
        settings = f'[judge]\nname = "openai"\nbase_url = "{theirs}"\napi_key_env = "PRIVATE_KEY"\n'
        folder = workspace({**FILES, "cite-lsp.toml": settings})
        if mine == "openai":
            own = Path(user_file_path())
            own.parent.mkdir(parents=True)
            own.write_text(f'[judge]\nname = "openai"\nmodel = "m"\nbase_url = "{server.base("openai")}"\n')
        ran = process(folder, "judge", "--format", output, env=environment)
        assert not select.select([bait], [], [], 0)[0], "somebody asked for a connection"
        assert ran.code == 2
        assert ran.out.count("this is the user's own setting and is not read from here") == 3
        assert len(claims(server)) >= (4 if mine == "openai" else 0)
        assert not any("authorization" in request.headers for request in server.requests)
        if output == "json":
            (judge,) = report(ran)["summary"]["judging"]["judges"]
            assert judge.startswith(mine)
            assert labels(ran)["docs/a.md"][1] == "supported"
        else:
            assert "judge.base_url" in ran.out.replace("\\", "")


def test_nothing_is_judged_under_settings_that_are_wrong(process, workspace):
    with ScriptedServer(answering()) as server:
        ran = process(workspace({**SEVERAL, "cite-lsp.toml": "[audit]\nscope = 3\n"}), *to(server))
        assert ran.code == 2
        assert server.requests == []
        assert "nothing is judged until the settings are mended" in ran.out


def test_explain_shows_a_kept_verdict_and_asks_nobody(process, workspace, monkeypatch):
    folder = workspace(SEVERAL)
    with ScriptedServer(answering()) as server:
        assert process(folder, *to(server, "docs/a.md")).code == 0
        server.requests.clear()
        for name, value in (("NAME", "openai"), ("MODEL", "m"), ("BASE_URL", server.base("openai"))):
            monkeypatch.setenv(f"CITE_LSP_JUDGE_{name}", value)
        kept = process(folder, "explain", "docs/a.md:3").out
        assert re.search(
            r"verdict  supported: .*\n.*why  Because\.\n.*rests on  line 1\n.*judge  openai m at .*, 2", kept
        )
        assert "verdict  not judged yet by openai m at " in process(folder, "explain", "docs/b.md:3").out
        assert server.requests == []


# A judge that is a program

PROGRAM = """\
import json, sys
with open({seen!r}, "a") as seen:
    for line in sys.stdin:
        seen.write(line)
        row = json.loads(line)
        answer = {{"id": row["id"], "label": "supported", "reason": "so", "quote": row["excerpts"][0]["lines"][0][1]}}
        print(json.dumps(answer), flush=True)
"""


def test_a_program_reads_and_writes_what_its_schema_says(process, workspace, tmp_path):
    folder = workspace(SEVERAL)
    seen = tmp_path / "seen.jsonl"
    program = tmp_path / "judge.py"
    program.write_text(PROGRAM.format(seen=str(seen)))
    environment = {**os.environ, "CITE_LSP_JUDGE_COMMAND": json.dumps([sys.executable, str(program)])}
    ran = process(folder, "judge", "--judge", "command", "--format", "json", env=environment)
    assert ran.code == 0, ran
    assert {label for each in labels(ran).values() for label in each} == {"supported"}
    printed = json.loads(process(folder, "schema", "judge").raw)
    jsonschema.Draft202012Validator.check_schema(printed)
    assert printed == judge_schema()
    row = jsonschema.Draft202012Validator({**printed, "anyOf": [{"$ref": "#/$defs/JudgeRow"}]})
    answer = jsonschema.Draft202012Validator({**printed, "anyOf": [{"$ref": "#/$defs/JudgeAnswer"}]})
    lines = seen.read_text().splitlines()
    assert len(lines) == 6
    for line in lines:
        row.validate(json.loads(line))
    answer.validate({"id": 0, "label": "supported", "reason": "so", "quote": "x"})
    assert not answer.is_valid({"id": 0, "label": "perhaps", "reason": "so"})


# Repair


def repairing(proposal: dict[str, object], answer: Callable[[PutRow], Answer]) -> Step:
    """Judges and repairs."""

    def choose(request: Request) -> Step:
        question = asked("openai", request)
        if question.schema is not None and "kind" in question.schema["properties"]:
            return reply_for("openai", json.dumps(proposal), (10, 5))
        return reply_for("openai", answer_rows(question.user, answer), (100, 20))

    return by_request(choose)


def other_lines(first: int) -> dict[str, object]:
    return {"reason": f"Line {first} says it.", "kind": "lines", "first": first, "last": first, "sentence": ""}


def by_number(row: PutRow) -> Answer:
    """Supported where the first line holds the last word of the claim."""
    word = row.claim.rstrip(".").split()[-1]
    if word in row.lines[0]:
        return said("supported", row.lines[0])
    return said("unsupported_contradicted", row.lines[0], reason="The lines say otherwise.")


TWO_VALUES = {
    "src/v.py": "FIRST = 1\n\nSECOND = 2\n\nTHIRD = 3\n",
    "cite-lsp.toml": "",
    "docs/a.md": "The value is 2 (`src/v.py:1`).\n\nThe value is 1 (`src/v.py:1`).\n",
    "docs/b.md": "The value is 9 (`src/v.py:1`).\n",
}


def test_a_repair_is_a_diff_and_is_written_where_that_is_wished(process, workspace):
    folder = workspace(TWO_VALUES)
    with ScriptedServer(repairing(other_lines(3), by_number)) as server:
        ran = process(folder, *to(server, "--on-found", "repair"))
        assert ran.code == 1
        assert (folder / "docs/a.md").read_text() == TWO_VALUES["docs/a.md"], "a diff writes nothing"
        assert "would repair 1 citation in 1 document; 1 unsupported left" in ran.err
        assert re.search(r"docs/b\.md\n  1:18    left .*\n +proposed The value is 9 \(`src/v\.py:3`\)\.\n", ran.err)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        subprocess.run(["git", "apply", "--check"], cwd=folder, check=True, input=ran.raw)
        ran = process(folder, *to(server, "--on-found", "repair", "--write"))
        assert ran.code == 1, "that of b.md is left"
        assert "repaired 1 citation in 1 document; 1 unsupported left" in ran.out
        assert (folder / "docs/a.md").read_text() == TWO_VALUES["docs/a.md"].replace("v.py:1", "v.py:3", 1)
        assert (folder / "docs/b.md").read_text() == TWO_VALUES["docs/b.md"], (
            "what would not be supported is not written"
        )
        ran = process(folder, *to(server, "--on-found", "repair", "--write", "docs/a.md"))
        assert ran.code == 0
        assert ran.out.startswith("nothing to repair\n")


def test_a_repair_that_another_citation_pays_for_is_not_written(process, workspace):
    text = "The value of it is 1 (`src/v.py:1`); the value of that is 9 (`src/v.py:3`).\n"
    folder = workspace({**TWO_VALUES, "docs/a.md": text, "docs/b.md": "x\n"})
    new = "The value of it is 8 (`src/v.py:1`); the value of that is 2 (`src/v.py:3`)."
    proposal = {"reason": "So it is.", "kind": "sentence", "first": 0, "last": 0, "sentence": new}
    with ScriptedServer(repairing(proposal, by_number)) as server:
        ran = process(folder, *to(server, "--on-found", "repair", "--write"))
        assert ran.code == 1
        assert (folder / "docs/a.md").read_text() == text
        assert "judged   supported, but `src/v.py:1` would be unsupported: " in ran.out
        assert "repaired nothing; 1 unsupported left" in ran.out
        again = process(folder, *to(server, "--on-found", "repair", "--write", "--no-cache"))
        assert again.code == 1
        claims_asked = [row.claim for each in server.requests for row in put_rows(asked("openai", each).user)]
        assert claims_asked.count("The value of it is 1") == 2, "in each run once"


def test_what_the_team_lets_stand_and_records_are_not_repaired(process, workspace):
    files = {**TWO_VALUES, "docs/b.md": f"<!-- cite-lsp: ignore unsupported so it is -->\n{TWO_VALUES['docs/b.md']}"}
    files |= {"docs/adr/0001.md": TWO_VALUES["docs/b.md"], "docs/a.md": "x\n"}
    folder = workspace(files)
    with ScriptedServer(repairing(other_lines(3), by_number)) as server:
        ran = process(folder, *to(server, "--on-found", "repair"))
        assert (ran.code, ran.out) == (0, "")
        assert "1 not asked about" in ran.err
        assert "1 record left as written" in ran.err
        assert not [each for each in server.requests if b"citation_repair" in each.raw]


def test_without_a_model_nothing_is_asked(process, workspace):
    ran = process(workspace(FILES), "judge", "--on-found", "repair")
    assert (ran.code, ran.out) == (2, "")
    assert "repair.name" in ran.err


# The report for people

HOSTILE_DOCUMENT = (
    "# T\n\nThing <script>alert(1)</script> ![x](http://e.example/p.png) [y](http://e.example) | `` ` `` *z* "
    "http://e.example www.e.example me@e.example @admin #12 is so (`src/h.md:1-3`).\n"
)
HOSTILE_LINES = "```\n</pre><script>alert(2)</script>\n`````` [a](http://e.example)\n"
HOSTILE_REASON = (
    "No.\n\n# Heading\n\n<img src=x onerror=alert(3)> ![p](http://e.example/q) [l](javascript:alert(4)) `code\n\n"
    "| a | b |\n|---|---|\n- item\n1. item\nhttp://e.example @admin\n===\n```\nfence"
)


def tokens(markdown: str) -> list:
    """All tokens, those within lines too, with what editors' previews take for links."""
    found = []
    for token in MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(markdown):
        found += [token, *(token.children or [])]
    return found


def test_the_report_says_what_was_found_and_how_it_was_made(cli, workspace):
    ran = cli(workspace({**FILES, "docs/b.md": RIGHT}), "judge", "--format", "markdown")
    assert ran.code == 0
    said_first = "2 documents, 5 citations, 4 judged, 1 not checked: 2 supported, 1 partial, 1 unsupported."
    assert ran.out.startswith(f"# Citation audit\n\n**{said_first}**\n")
    row = r"^\| `docs/a\.md` \| 4 \| 1 \| 1 \| 1 \| 0 \| 1 \| findings \| `[0-9a-f]{12}` \|$"
    assert re.search(row, ran.out, re.MULTILINE)
    assert re.search(r"^\| `docs/b\.md` \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| clean \|", ran.out, re.MULTILINE)
    assert "### 3:24 unsupported\n\n> Retries: MAX_ATTEMPTS is five.\n\nCites `src/retry.py:1`\n" in ran.out
    assert "```python\n>1  MAX_ATTEMPTS = 3\n 2  BACKOFF_SECONDS = 0.5\n```" in ran.out
    assert "- judge: `embedded/2`, 2 documents\n" in ran.out
    assert "- scope: all (every citation), 2 documents\n" in ran.out


def test_the_report_holds_no_markup_of_others(process, workspace):
    files = {**FILES, "docs/a.md": HOSTILE_DOCUMENT, "src/h.md": HOSTILE_LINES, "docs/<b>|`x`.md": HOSTILE_DOCUMENT}

    def answer(row: PutRow) -> Answer:
        return said("unsupported_contradicted", row.lines[1], reason=HOSTILE_REASON)

    with ScriptedServer(answering(answer)) as server:
        ran = process(workspace(files), *to(server, "--format", "markdown"))
    assert ran.code == 0, ran
    found = tokens(ran.out)
    kinds = {token.type for token in found}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "hr"}, ran.out
    assert [token.tag for token in found if token.type == "heading_open"].count("h1") == 1
    headings = [token.content for token in found if token.type == "inline" and token.content.startswith("Heading")]
    assert headings == []
    fences = [token.content for token in found if token.type == "fence"]
    assert len(fences) == 2
    for fence in fences:
        assert [line[4:] for line in fence.splitlines()] == HOSTILE_LINES.splitlines()
    assert kinds >= {"table_open", "blockquote_open"}
    rows = [token for token in found if token.type == "tr_open"]
    assert len(rows) == 3, "the bar in a file's name makes no cell"
    assert "\n\n1 document that cites nothing left out.\n\n" in ran.out
    assert "@admin" not in re.sub(r"`[^`]*`|```.*?```", "", ran.out, flags=re.DOTALL)


# The bar


def on_terminal(folder: Path, *arguments: str) -> tuple[str, int]:
    """What a terminal shows of a run, and the exit status."""
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "100", "LINES": "40"}
    command = [sys.executable, "-m", "cite_lsp", *arguments]
    running = subprocess.Popen(command, cwd=folder, stdin=child, stdout=child, stderr=child, env=environment)
    os.close(child)
    seen = bytearray()
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
        code = running.wait(timeout=10)
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
        os.close(parent)
    return seen.decode("utf-8", "replace"), code


def test_a_bar_counts_rows(workspace):
    text = "\n".join(f"The backoff is {number} seconds (`src/retry.py:2`).\n" for number in range(40))
    folder = workspace({**FILES, "docs/a.md": f"{text}\n`src/retry.py:3`\n"})
    shown, code = on_terminal(folder, "judge")
    assert code == 0
    assert re.search(r"judging.*40/40.*100%.*[0-9]/s.*0:00:00", shown), shown
    assert "judging" not in on_terminal(folder, "judge", "--quiet")[0]
