"""`cite-lsp policy check`, `list`, `test` and `calibrate`, and the schema of policy files."""

import json
import random
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator

import jsonschema
import pytest

from cite_lsp.policy.file_schema import file_schema
from tests.clients.systemone_server import SystemOne, hang, missing, rule, serving

TROUBLE = """\
name = "trouble"
summary = "what somebody has to look at"
applies_to = ["logs/*.log"]
passages = "lines"

[[concern]]
name = "failure"

[concern.detect]
question = "Does {passage} report a failure?"
yes = "Something failed."
no = "All is well."

[[test]]
name = "one failure"
passages = ["all is well", "ERROR disk full"]
found = { failure = ["disk full"] }

[[test]]
name = "none"
text = "begun\\nended\\n"
"""
FILES = {"cite-lsp.toml": "", "policies/trouble.toml": TROUBLE, "logs/a.log": "fine\nERROR disk full\nWARN\n"}
RULES = [rule(0.9, text="ERROR"), rule(0.62, text="WARN")]
JUDGE = ["--judge", "decision", "--base-url"]


@pytest.fixture(scope="module")
def running() -> Iterator[SystemOne]:
    with serving() as server:
        yield server


@pytest.fixture
def server(running) -> SystemOne:
    running.script(rules=RULES, default=0.1, faults=[], delay=0.0, key=None)
    running.forget()
    return running


# policy check

TWELVE = """\
name = "not a name"
applies_to = ["logs/[a.log"]
passages = "words"
windw = 10
threshold = 2

[[concern]]
name = "a"
detect = { question = "Is {pasage} so?", yes = "It is.", no = "It is not." }
severity = "loud"
message = "{nothing} was found"

[[concern]]
name = "a"
detect = { question = "Is {passage} so?", yes = "It is." }

[[filter]]
question = "Is {passage} English?"
yes = "It is."
no = "It is not."

[[factor]]
name = "idle"
question = "Is {passage} so?"
yes = "It is."
no = "It is not."

[[score]]
name = "how"
question = "How bad is it?"
levels = ["bad"]

[[test]]
name = "t"
passages = ["x"]
found = { b = ["x"] }
"""


def test_all_that_is_wrong_is_shown_at_its_place(cli, workspace, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    folder = workspace({**FILES, "policies/trouble.toml": TWELVE})
    ran = cli(folder, "policy", "check")
    assert ran.code == 1
    assert ran.out.startswith("policies/trouble.toml\n  1:8     error   ")
    places = re.findall(
        r"^  (\d+):(\d+) +error   (.*)  policy-file\n +\1 │ (.*)\n +│ ( *)(\^+)$", ran.out, re.MULTILINE
    )
    assert len(places) >= 12, ran.out
    lines = TWELVE.splitlines()
    for line, column, _, source, blank, carets in places:
        assert source == lines[int(line) - 1]
        assert len(blank) == int(column) - 1
        assert len(carets) >= 1
    wrong = {lines[int(line) - 1] for line, *_ in places}
    assert {lines[at] for at in (0, 1, 2, 3, 4, 8, 9, 10)} <= wrong
    assert f"1 policy checked: {len(places)} faults in 1\n" in ran.out
    found = json.loads(cli(folder, "policy", "check", "--format", "json").raw)
    (policy,) = found["policies"]
    assert [
        (each["range"]["start"]["line"] + 1, each["range"]["start"]["character"] + 1) for each in policy["findings"]
    ] == [(int(line), int(column)) for line, column, *_ in places]
    assert found["summary"] == {"policies": 1, "refused": 1, "faults": len(places)}


def test_one_file_may_be_checked(cli, workspace, tmp_path):
    (tmp_path / "mine.toml").write_text("passages = 3\n")
    folder = workspace(FILES)
    assert cli(folder, "policy", "check").out == "1 policy checked, nothing is wrong\n"
    assert cli(folder, "policy", "check", "policies/trouble.toml", "--quiet").out == ""
    ran = cli(folder, "policy", "check", "../mine.toml")
    assert ran.code == 1
    assert ran.out.startswith("../mine.toml\n")
    ran = cli(folder, "policy", "check", "none.toml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("cite-lsp: the policy file none.toml ")
    broken = workspace({**FILES, "policies/b.toml": "name = \n"})
    ran = cli(broken, "policy", "check")
    assert "policies/b.toml\n  1:" in ran.out
    assert "2 policies checked: 1 fault in 1\n" in ran.out


def test_what_is_wrong_in_the_settings_stands_there(cli, workspace):
    table = '[[policy]]\nname = "own"\npassages = "words"\n[[policy.concern]]\nname = "x"\n'
    ran = cli(workspace({**FILES, "cite-lsp.toml": table}), "policy", "check")
    assert ran.code == 1
    assert "cite-lsp.toml\n  3:12    error   " in ran.out
    assert '     3 │ passages = "words"\n' in ran.out


def test_two_of_one_name(cli, workspace):
    ran = cli(workspace({**FILES, "policies/u.toml": TROUBLE}), "policy", "check")
    assert ran.code == 1
    assert "policies/u.toml\n  1:8     error   another policy has the name " in ran.out


def test_the_schema(cli, workspace):
    printed = json.loads(cli(workspace(FILES), "schema", "policy").raw)
    assert printed == file_schema()
    jsonschema.Draft202012Validator.check_schema(printed)


# policy list


def test_the_list(cli, workspace):
    folder = workspace({**FILES, "policies/b.toml": "passages = 3\n"})
    ran = cli(folder, "policy", "list")
    assert ran.code == 0
    assert (
        "trouble: what somebody has to look at\n"
        "  policies/trouble.toml; applies to logs/*.log, by lines\n"
        "  looks for failure (warning)\n"
        "  2 examples, no recorded answers; not calibrated\n"
    ) in ran.out
    assert re.search(r"^b\n  policies/b.toml: \d faults?; `cite-lsp policy check` shows them$", ran.out, re.MULTILINE)
    assert "shipped:log-triage: " in ran.out
    listed = json.loads(cli(folder, "policy", "list", "--format", "json").raw)["policies"]
    by_name = {each["name"]: each for each in listed}
    assert (by_name["trouble"]["used"], by_name["trouble"]["concerns"]) == (True, {"failure": "warning"})
    assert by_name["log-triage"]["used"] is False
    used = workspace({**FILES, "cite-lsp.toml": '[policies]\nfiles = ["shipped:log-triage"]\n'}, "v")
    assert cli(used, "policy", "list").out.startswith("shipped:log-triage: ")


# policy test


def test_examples_by_recorded_answers(process, workspace, server):
    folder = workspace(FILES)
    ran = process(folder, "policy", "test")
    assert ran.code == 3
    assert "  not checked one failure (line 14)\n" in ran.out
    assert "note: no answers are recorded; `cite-lsp policy test --record policies/trouble.toml` asks" in ran.out
    assert "2 examples of 1 policy: 2 not checked\n" in ran.out
    ran = process(folder, "policy", "test", "--record", *JUDGE, server.url)
    assert ran.code == 0
    assert (
        f"note: wrote 3 answers of systemone jev-1.13.0 at {server.url} to policies/trouble.answers.json\n" in ran.out
    )
    kept = json.loads((folder / "policies/trouble.answers.json").read_text())
    assert (kept["given_by"], len(kept["answers"])) == (f"systemone jev-1.13.0 at {server.url}", 3)
    server.forget()
    ran = process(folder, "policy", "test", "trouble")
    assert ran.code == 0
    assert server.counts()["requests"] == 0
    assert "2 examples of 1 policy: 2 passed\n" in ran.out
    assert re.search(r"^  failure +1 +0 +0 +0 +0 +3 +0 +1\.00 +1\.00$", ran.out, re.MULTILINE)
    (folder / "policies/trouble.toml").write_text(TROUBLE.replace("Something failed.", "Something went wrong."))
    ran = process(folder, "policy", "test")
    assert ran.code == 3
    assert "changed: `cite-lsp policy test --record policies/trouble.toml` asks anew\n" in ran.out


def test_an_example_that_comes_out_otherwise(process, workspace, server):
    folder = workspace({**FILES, "policies/trouble.toml": TROUBLE.replace("all is well", "WARN not yet")})
    ran = process(folder, "policy", "test", "--ask", *JUDGE, server.url)
    assert ran.code == 1
    assert (
        "  failed      one failure (line 14)\n"
        "              failure: P000 (WARN not yet) is not expected to hold, and it holds\n"
    ) in ran.out
    assert "2 examples of 1 policy: 1 passed, 1 failed\n" in ran.out
    data = json.loads(process(folder, "policy", "test", "--ask", "--format", "json", *JUDGE, server.url).raw)
    report = data["policies"][0]["report"]
    assert (report["passed"], report["failed"], report["unchecked"]) == (1, 1, 0)
    assert report["concerns"]["failure"]["not_expected"]["held"] == 1


def test_a_failed_request_is_no_answer_and_nothing_is_recorded(process, workspace, server):
    server.script(faults=[missing("P001", times=None)])
    folder = workspace(
        {**FILES, "policies/trouble.toml": TROUBLE.replace('passages = "lines"', 'passages = "lines"\nretries = 0')}
    )
    ran = process(folder, "policy", "test", "--record", *JUDGE, server.url)
    assert ran.code == 3
    assert "  not checked one failure (line 15)\n" in ran.out
    assert "note: nothing was recorded: 1 example got no answer\n" in ran.out
    assert not (folder / "policies/trouble.answers.json").exists()


def test_an_interrupt_leaves_examples_unchecked(workspace, server):
    server.script(faults=[hang(times=None, holds="disk full")])
    command = [sys.executable, "-m", "cite_lsp", "policy", "test", "--record", *JUDGE, server.url]
    folder = workspace(FILES)
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert server.wait_for(lambda counts: counts["running"] == 1)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"Traceback" not in err
    assert b"1 not checked\n" in out
    assert not (folder / "policies/trouble.answers.json").exists()


def test_limits_of_the_day_hold_for_examples(process, workspace, server, monkeypatch):
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_MAX_ROWS_PER_DAY", "1")
    ran = process(workspace(FILES), "policy", "test", "--ask", *JUDGE, server.url)
    assert ran.code == 3
    assert server.counts()["requests"] == 0
    assert "judge.limits.max_rows_per_day is 1" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nobody"], 2, "there is no policy 'nobody'; there are trouble, shipped:"),
        (["--ask"], 3, "not checked: policies are asked of the judges decision and openai, and judge.name is embedded"),
        (["--record", *JUDGE, "http://127.0.0.1:9", "shipped:log-triage"], 2, "comes with cite-lsp"),
    ],
)
def test_examples_that_cannot_be_tried(process, workspace, arguments, code, said):
    ran = process(workspace(FILES), "policy", "test", *arguments)
    if "shipped:log-triage" in arguments and "it has no examples" in ran.out:
        pytest.skip("not run: the policy has no examples yet")
    assert (ran.code, said in ran.err) == (code, True), ran


def test_recorded_answers_that_are_none(process, workspace):
    ran = process(workspace({**FILES, "policies/trouble.answers.json": "{}"}), "policy", "test")
    assert ran.code == 2
    assert ran.err.startswith("cite-lsp: policies/trouble.answers.json cannot be used: ")
    assert "  not checked policies/trouble.answers.json cannot be used: " in ran.out


def test_recorded_answers_that_are_none_leave_other_policies_alone(process, workspace, server):
    other = TROUBLE.replace('name = "trouble"', 'name = "zebra"')
    folder = workspace({**FILES, "policies/zebra.toml": other})
    assert process(folder, "policy", "test", "--record", *JUDGE, server.url).code == 0
    (folder / "policies/trouble.answers.json").write_text("[")
    ran = process(folder, "policy", "test", "--format", "json")
    assert ran.code == 2
    first, second = json.loads(ran.raw)["policies"]
    assert "cannot be used: it is no JSON" in first["note"]
    assert (first["report"], second["report"]["passed"]) == (None, 2)


def test_half_a_character_in_recorded_answers_is_shown_as_far_as_it_goes(process, workspace):
    text = '{"schema": 1, "given_by": "\\ud800", "recorded_at": "2026-11-30", "answers": {}}'
    ran = process(workspace({**FILES, "policies/trouble.answers.json": text}), "policy", "test", "--format", "json")
    assert ran.code == 3
    assert json.loads(ran.raw)["policies"][0]["answers_of"] == "\ufffd"


WRONG = [
    ({"cite-lsp.toml": "colour = 1\n"}, "there is no such setting"),
    ({"policies/trouble.toml": TROUBLE.replace("yes =", "yess =")}, "yess"),
    ({"policies/x.toml": TROUBLE}, "another policy has the name"),
]


@pytest.mark.parametrize("command", [["check"], ["list"], ["test"], ["calibrate", "trouble"]])
@pytest.mark.parametrize(("files", "word"), WRONG)
def test_json_is_written_where_settings_or_policies_are_wrong(process, workspace, command, files, word):
    ran = process(workspace({**FILES, **files}), "policy", *command, "--format", "json")
    data = json.loads(ran.raw)
    wrong = [*data["settings"], *data.get("refused", ()), *(data["policies"] if command == ["check"] else ())]
    if command == ["list"] and "cite-lsp.toml" not in files:
        assert [each["path"] for each in data["policies"] if each["refused"]] == [max(files)]
    else:
        assert any(word in each["message"] for one in wrong for each in one["findings"]), data
        assert ran.code == (1 if command == ["check"] and "cite-lsp.toml" not in files else 2)


@pytest.mark.parametrize("command", [["test", "--ask"], ["calibrate", "trouble", "--ask"]])
def test_json_is_written_where_nobody_can_be_asked(process, workspace, command):
    ran = process(workspace(FILES), "policy", *command, "--format", "json")
    assert ran.code == 3
    assert "policies are asked of the judges decision and openai" in str(json.loads(ran.raw))


def test_a_policy_without_examples(process, workspace):
    ran = process(workspace({**FILES, "policies/trouble.toml": TROUBLE[: TROUBLE.index("[[test]]")]}), "policy", "test")
    assert ran.code == 0
    assert "note: it has no examples ([[test]])\n" in ran.out
    assert "0 examples of 1 policy\n" in ran.out


# policy calibrate


def rows(count: int) -> str:
    """Rows of a question whose answers are too sure of themselves, in groups of their own."""
    drawn = random.Random(7)
    lines = []
    for _ in range(count):
        truth = drawn.random() < 0.5
        score = min(0.999, max(0.001, drawn.gauss(0.75 if truth else 0.3, 0.14)))
        lines.append(json.dumps({"question": "detect:failure", "score": round(score, 4), "answer": truth}))
    return "\n".join(lines) + "\n"


def test_a_calibration(process, workspace, server):
    folder = workspace({**FILES, "rows.jsonl": rows(400)})
    assert process(folder, "policy", "test", "--record", *JUDGE, server.url).code == 0
    server.forget()
    ran = process(folder, "policy", "calibrate", "trouble", "--examples", "rows.jsonl", "--diagram", "out.svg")
    assert ran.code == 0, ran
    assert server.counts()["requests"] == 0
    assert re.search(
        r"^trouble: 2 examples, 405 rows; answers of systemone .* recorded on \d{4}-\d\d-\d\d$", ran.out, re.MULTILINE
    )
    said = re.search(
        r"^detect:failure\n"
        r"  404 rows of 402 examples, (\d+) of them yes\n"
        r"  up to (0\.\d+) is no, from (0\.\d+) on is yes, in between a person should look\n"
        r"  held out: (\S+) % decided, (\S+) % of those wrongly \(aim: 10 % at most\)\n"
        r"  .*Clopper.*\n"
        r"  Brier score (0\.\d{4}) before, (0\.\d{4}) after; "
        r"expected calibration error (0\.\d{4}) before, (0\.\d{4}) after$",
        ran.out,
        re.MULTILINE,
    )
    assert said is not None, ran.out
    low, high, coverage, wrong, *_, before, after = (float(each) for each in said.groups()[1:])
    assert low < high
    assert coverage > 70
    assert wrong <= 10
    assert after < before
    picture = ET.fromstring((folder / "out.svg").read_text())  # noqa: S314 - ours
    assert picture.tag.endswith("svg")
    assert not (folder / "policies/trouble.bands.json").exists(), "only --write writes"
    assert "wrote the diagram to out.svg\n" in ran.out
    assert "no bands were written; --write keeps 1 band beside the policy\n" in ran.out
    strict = process(folder, "policy", "calibrate", "trouble", "--examples", "rows.jsonl", "--error-rate", "0.005")
    assert "no band, so the policy's own counts: " in strict.out


def test_bands_count_until_wording_or_model_change(process, workspace, server):
    folder = workspace({**FILES, "rows.jsonl": rows(400)})
    policy = "policies/trouble.toml"
    assert process(folder, "policy", "test", "--record", *JUDGE, server.url).code == 0
    command = ["policy", "run", *JUDGE, server.url]
    assert "     3 │ WARN\n" in process(folder, *command).out, "0.62 holds by the policy's own band"
    ran = process(folder, "policy", "calibrate", policy, "--examples", "rows.jsonl", "--write")
    assert "wrote 2 questions to policies/trouble.bands.json\n" in ran.out
    kept = json.loads((folder / "policies/trouble.bands.json").read_text())
    assert kept["model"] == f"systemone jev-1.13.0 at {server.url}"
    assert kept["questions"]["detect:failure"]["high"] > 0.62 or kept["questions"]["detect:failure"]["low"] < 0.62
    ran = process(folder, *command)
    assert "cite-lsp: " not in ran.err.replace("cite-lsp: asking", "")
    whom = f"systemone jev-1.13.0 at {server.url}"
    assert f"; calibrated for the answers of {whom}: 1 band\n" in process(folder, "policy", "list").out
    ran = process(folder, "policy", "test", "--ask", "--format", "json", *JUDGE, server.url, "--model", "another")
    assert "holds bands for the answers of systemone jev-1.13.0" in json.loads(ran.raw)["policies"][0]["stale"][0]
    assert "holds bands for the answers of systemone jev-1.13.0" in ran.err
    other = process(folder, *command, "--model", "another")
    assert "holds bands for the answers of systemone jev-1.13.0" in other.err
    text = (folder / policy).read_text()
    (folder / policy).write_text(text.replace("Something failed.", "Something went wrong."))
    assert "the wording of detect:failure has changed since " in process(folder, *command).err
    changed = "the wording of detect:failure has changed since "
    assert changed in process(folder, "policy", "list").out
    listed = json.loads(process(folder, "policy", "list", "--format", "json").raw)["policies"][0]
    assert (listed["calibrated"], changed in listed["stale"][0]) == (False, True)
    (folder / "policies/trouble.bands.json").write_text("{")
    assert "policies/trouble.bands.json counts for nothing: " in process(folder, *command).err


def test_a_calibration_as_json(process, workspace, server):
    folder = workspace({**FILES, "rows.jsonl": rows(400)})
    command = ["policy", "calibrate", "trouble", "--ask", *JUDGE, server.url]
    ran = process(folder, *command, "--examples", "rows.jsonl", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.raw)["calibration"]["error_rate"] == 0.1
    found = json.loads(ran.raw)["calibration"]["questions"]["detect:failure"]
    assert found["coverage"] > 0.7
    assert len(found["brier"]) == len(found["ece"]) == 2
    assert server.counts()["requests"] == 3


def test_a_calibration_that_cannot_be_made(process, workspace, server):
    folder = workspace({**FILES, "bad.jsonl": '{"question": "detect:x", "score": 2, "answer": 1}\nno\n'})
    ran = process(folder, "policy", "calibrate", "trouble")
    assert ran.code == 3
    assert "2 examples count for nothing: no answers are recorded; `cite-lsp policy test --record" in ran.err
    assert "no question has a labelled row\n" in ran.out
    ran = process(folder, "policy", "calibrate", "trouble", "--examples", "bad.jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert "bad.jsonl:1: the policy has no question " in ran.err
    assert "\ncite-lsp: bad.jsonl:2: this line is no JSON: " in ran.err
    assert ran.err.endswith("\ncite-lsp: nothing is calibrated until bad.jsonl is mended: 4 faults\n")
    ran = process(folder, "policy", "calibrate", "trouble", "--examples", "none.jsonl")
    assert ran.err.startswith("cite-lsp: --examples none.jsonl ")
    ran = process(folder, "policy", "calibrate", "trouble", "--ask")
    assert ran.code == 3
    assert "not calibrated: policies are asked of the judges decision and openai" in ran.err
    assert process(folder, "policy", "calibrate").code == 2
    few = process(folder, "policy", "calibrate", "trouble", "--ask", *JUDGE, server.url)
    assert few.code == 3
    assert "no band, so the policy's own counts: " in few.out


def test_rows_alone_are_of_the_judge_that_is_named_and_of_nobody_else(process, workspace, server):
    folder = workspace({**FILES, "rows.jsonl": rows(400)})
    command = ["policy", "calibrate", "trouble", "--examples", "rows.jsonl"]
    ran = process(folder, *command, "--write")
    assert (ran.code, "whose answers the scores of --examples are is not known" in ran.err) == (2, True)
    assert not (folder / "policies/trouble.bands.json").exists()
    assert "answers of" not in process(folder, *command).out
    ran = process(folder, *command, "--write", *JUDGE, server.url)
    assert json.loads((folder / "policies/trouble.bands.json").read_text())["model"].startswith("systemone jev-1.13.0")
    assert server.counts()["requests"] == 0


def test_bands_of_a_part_of_the_examples_are_not_written(workspace, server):
    server.script(faults=[hang(times=None, holds="disk full")])
    folder = workspace({**FILES, "rows.jsonl": rows(400), "policies/trouble.bands.json": "{}"})
    command = ["policy", "calibrate", "trouble", "--ask", "--write", "--examples", "rows.jsonl", *JUDGE, server.url]
    running = subprocess.Popen(
        [sys.executable, "-m", "cite_lsp", *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert server.wait_for(lambda counts: counts["running"] == 1)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)
    assert running.returncode == 130
    assert b"interrupted: no bands are written of a part of the examples" in err
    assert (folder / "policies/trouble.bands.json").read_text() == "{}"


def test_the_help_says_how_many_examples_an_error_rate_takes(cli, workspace):
    said = " ".join(cli(workspace(FILES), "policy", "calibrate", "--help").out.split())
    assert "without an error 28 of each at 0.1, 57 at 0.05." in said


@pytest.mark.skipif(sys.platform == "win32", reason="not run: Windows lets the owner write")
def test_bands_that_cannot_be_written(process, workspace, server):
    folder = workspace({**FILES, "rows.jsonl": rows(400), "policies/trouble.bands.json/x": ""})
    ran = process(
        folder, "policy", "calibrate", "trouble", "--ask", *JUDGE, server.url, "--examples", "rows.jsonl", "--write"
    )
    assert ran.code == 3
    assert ran.err.startswith("cite-lsp: policies/trouble.bands.json ")
