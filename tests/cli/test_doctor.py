"""`cite-lsp doctor`: what is found and what is wrong, no secret in it, and nobody asked unasked."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cite_lsp.config import user_file_path

SOURCE = "import os\nx = 3\n"
KEY = "sk-secret-0123456789abcdefghij"


@pytest.fixture
def folder(workspace) -> Path:
    return workspace({"docs/a.md": "See `src/a.py:1`.\n", "src/a.py": SOURCE})


@pytest.fixture
def server():
    """A chat server that counts who asks, and refuses."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.headers.get("Authorization", ""))
            self.send_response(401)
            self.end_headers()

        def do_GET(self):
            asked.append("GET")
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    here = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=here.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{here.server_port}/v1", asked
    here.shutdown()
    here.server_close()


def told(ran) -> list[dict[str, str]]:
    return json.loads(ran.raw)["checks"]


def of(ran, name: str) -> list[tuple[str, str]]:
    return [(each["state"], each["message"]) for each in told(ran) if each["name"] == name]


def test_all_is_well(cli, folder):
    ran = cli(folder, "doctor")
    assert (ran.code, ran.err) == (0, "")
    for part in ("program ", "git ", "1 document below ", "code is parsed", "the embedded judge", "nothing is wrong"):
        assert part in ran.out
    data = json.loads(cli(folder, "doctor", "--format", "json").raw)
    assert data["healthy"] is True
    assert {each["name"] for each in data["checks"]} >= {
        "program",
        "git",
        "settings",
        "documents",
        "parser",
        "judge",
        "cache",
    }


def test_each_setting_is_told_with_where_it_was_set(cli, workspace, monkeypatch):
    folder = workspace({"cite-lsp.toml": "[rules]\nmoved = 'error'\n[files]\nmax_bytes = 5000\n", "a.md": "# A\n"})
    own = Path(user_file_path())
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("[cache]\nmax_rows = 7\n")
    monkeypatch.setenv("CITE_LSP_JUDGE_LIMITS_TIMEOUT", "9")
    rows = {
        each["name"]: (each["value"], each["source"])
        for each in json.loads(cli(folder, "doctor", "--format", "json").raw)["settings"]
    }
    project = str(folder / "cite-lsp.toml")
    assert rows["rules.moved"] == ('"error"', project)
    assert rows["files.max_bytes"] == ("5000", project)
    assert rows["cache.max_rows"] == ("7", str(own))
    assert rows["judge.limits.timeout"][1] == "environment CITE_LSP_JUDGE_LIMITS_TIMEOUT"
    text = cli(folder, "doctor").out
    assert f'rules.moved = "error"  ({project})' in text


def test_a_wrong_setting_is_wrong_and_named(cli, workspace):
    folder = workspace({"cite-lsp.toml": "[rules]\nmooved = 'off'\n", "a.md": "# A\n"})
    ran = cli(folder, "doctor")
    assert ran.code == 1
    assert f"{folder}/cite-lsp.toml:2:1: rules.mooved: " in ran.out
    assert "1 thing is wrong" in ran.out


def test_nobody_is_asked_unasked_and_no_key_is_shown(cli, folder, server, monkeypatch):
    url, asked = server
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "openai")
    monkeypatch.setenv("CITE_LSP_JUDGE_BASE_URL", url.replace("http://", "http://me:hush@") + "?token=hush")
    monkeypatch.setenv("CITE_LSP_JUDGE_API_KEY_ENV", "MY_KEY")
    monkeypatch.setenv("MY_KEY", KEY)
    ran = cli(folder, "doctor", "--format", "json")
    text = cli(folder, "doctor")
    assert (asked, ran.code) == ([], 0)
    states = of(ran, "judge")
    assert ("good", f"openai at {url}, on this machine") in states
    assert ("good", "there is a key for it: the environment variable MY_KEY") in states
    assert ("note", "it was not asked") in states
    answered = cli(folder, "doctor", "--ask", "--format", "json")
    assert answered.code == 1
    assert asked
    assert any(state == "wrong" for state, _ in of(answered, "judge"))
    for each in (ran, text, answered):
        assert KEY not in each.out + each.err
        assert "hush" not in each.out + each.err


def test_a_key_that_is_not_there_is_wrong(cli, folder, monkeypatch):
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "openai")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = cli(folder, "doctor", "--format", "json")
    assert ran.code == 1
    (wrong,) = [message for state, message in of(ran, "judge") if state == "wrong"]
    assert wrong.startswith("there is no key for https://api.openai.com")
    assert (
        "good",
        "openai at https://api.openai.com/v1, on another machine: claims and cited lines are sent there",
    ) in of(ran, "judge")


def test_a_judge_that_answers(cli, folder, tmp_path, monkeypatch):
    program = tmp_path / "judge"
    program.write_text(
        "#!/usr/bin/env python3\nimport json, sys\n"
        "for line in sys.stdin:\n"
        "    row = json.loads(line)\n"
        "    quote = row['excerpts'][0]['lines'][0][1]\n"
        "    print(json.dumps({'id': row['id'], 'label': 'supported', 'reason': 'so', 'quote': quote}))\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "command")
    monkeypatch.setenv("CITE_LSP_JUDGE_COMMAND", json.dumps([str(program), "--token=hush"]))
    ran = cli(folder, "doctor", "--ask", "--format", "json")
    assert ran.code == 0
    assert any(message.startswith("it answered about a made-up citation") for _, message in of(ran, "judge"))
    assert "hush" not in ran.out
    monkeypatch.setenv("CITE_LSP_JUDGE_COMMAND", json.dumps([str(tmp_path / "gone")]))
    ran = cli(folder, "doctor", "--format", "json")
    assert ran.code == 1
    assert ("wrong", f"{tmp_path / 'gone'}, the program of judge.command, is not found") in of(ran, "judge")
    for line in ('["judge --token=hush"]', "judge --token=hush"):  # a whole line in place of a list
        monkeypatch.setenv("CITE_LSP_JUDGE_COMMAND", line)
        ran = cli(folder, "doctor", "--format", "json")
        assert (ran.code, "hush" in ran.out + ran.err) == (1, False)


def test_without_git(cli, folder, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    ran = cli(folder, "doctor", "--format", "json")
    assert ran.code == 1
    ((state, message),) = of(ran, "git")
    assert (state, message.startswith("git is not installed")) == ("wrong", True)
    assert of(ran, "command")[0][0] == "note"


def test_a_cache_that_cannot_be_written(cli, folder, monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(blocked / "cache"))
    ran = cli(folder, "doctor", "--format", "json")
    assert ran.code == 1
    assert of(ran, "cache")[0][0] == "wrong"


def test_a_shared_cache_is_not_asked_unasked(cli, folder, monkeypatch):
    monkeypatch.setenv("CITE_LSP_CACHE_URL", "redis://me:hush@127.0.0.1:1/0")
    ran = cli(folder, "doctor", "--format", "json")
    assert "hush" not in ran.out
    states = of(ran, "shared cache")
    assert states
    if ran.code == 0:  # the extra is there
        assert ("note", "it was not asked") in states
        asked = cli(folder, "doctor", "--ask", "--format", "json")
        assert asked.code == 1
        assert "hush" not in asked.out


def test_policies_that_are_refused_and_a_path_that_is_not_there(cli, workspace):
    folder = workspace({"policies/bad.toml": "name = 3\n", "a.md": "# A\n"})
    ran = cli(folder, "doctor", "--format", "json")
    assert ran.code == 1
    assert of(ran, "policies") == [("wrong", "policies/bad.toml is refused")]
    ran = cli(folder, "doctor", "nowhere")
    assert (ran.code, ran.err) == (2, "cite-lsp: nowhere does not exist\n")
