"""The product in a real VS Code: code-server in Chromium, the packaged extension, the installed server."""

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import pytest

from cite_lsp.config import load_settings
from tests.clients.scripted import Request, ScriptedServer, Step, asked, by_request, reply, reply_for
from tests.editors import hedged_claims
from tests.server.judged import answer_to, answering, choose

HERE = Path(__file__).resolve().parent
EXTENSION = HERE.parents[1] / "editors" / "vscode"
MANIFEST = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"vscode_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


settings_script = _module(EXTENSION / "scripts" / "settings.py")
installation = _module(HERE / "vscode" / "install.py")


PICTURES = os.environ.get("CITE_LSP_ARTEFACTS")
LACK = installation.absent()
PARTS = {**installation.parts(), "browser": installation.browser() or ""}
SERVER = str(Path(sys.executable).with_name("cite-lsp"))
EDITOR_SETTINGS = {
    "chat.disableAIFeatures": True,
    "editor.acceptSuggestionOnEnter": "off",
    "editor.autoClosingBrackets": "never",
    "editor.fontSize": 15,
    "editor.hover.delay": 100,
    "editor.minimap.enabled": False,
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.suggestOnTriggerCharacters": False,
    "editor.wordWrap": "on",
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "git.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.colorTheme": "Default Light Modern",
    "workbench.reduceMotion": "on",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
}
CODE = '''"""Retries of one request."""

MAX_ATTEMPTS = 3
BASE_DELAY = 0.25


def delay(attempt: int) -> float:
    """How long to wait before an attempt, in seconds."""
    return BASE_DELAY * 2**attempt


def may_retry(attempt: int) -> bool:
    return attempt < MAX_ATTEMPTS
'''
TEXT = """# Limits

The wait doubles with each attempt (`src/retry.py:7-9`).

The default of `MAX_ATTEMPTS` is five (`src/retry.py:3`).

"""
MORE = "# Retrying\n\nA second attempt waits twice as long (`src/retry.py:7-9`).\n"


GRENZEN = """# Grenzen

Größe 🧩, Übung: `src/retri.py:7` fehlt noch.

Wie groß 🧩 es ist, steht dort (`src/größe.py:2`).
"""
GROESSE = '"""Größen."""\nGRÖSSE = "🧩 groß"\n'


@dataclass(frozen=True, slots=True)
class Editor:
    """A running code-server: where its page is, where its workspace lies, and the settings of its machine."""

    url: str
    workspace: Path
    settings: Path


@pytest.fixture
def parts() -> Mapping[str, str]:
    if LACK is not None:
        pytest.skip(f"not run: {LACK}")
    return PARTS


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    folder = Path(PICTURES) / "vscode" if PICTURES else tmp_path / "pictures"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def workspace(tmp_path: Path, person: Path) -> Path:
    root = tmp_path / "throttle"
    for name, text in {"src/retry.py": CODE, "docs/limits.md": TEXT}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Limits"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


@pytest.fixture
def start(tmp_path: Path, parts: Mapping[str, str], workspace: Path, person: Path) -> Iterator[Callable[..., Editor]]:
    """Starts code-server with the extension, with settings and flags, and a PATH without cite-lsp."""
    with ExitStack() as running:
        yield lambda settings, *flags: running.enter_context(_code_server(tmp_path, parts, workspace, settings, flags))


@contextmanager
def _code_server(
    tmp_path: Path, parts: Mapping[str, str], workspace: Path, settings: Mapping[str, object], flags: Sequence[str]
) -> Iterator[Editor]:
    data, extensions, config = tmp_path / "data", tmp_path / "extensions", tmp_path / "code-server.yaml"
    for folder in ("User", "Machine"):
        (data / folder).mkdir(parents=True)
        (data / folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    config.write_text("", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VSCODE_")}
    folders = os.environ["PATH"].split(os.pathsep)
    environment["PATH"] = os.pathsep.join(folder for folder in folders if not (Path(folder) / "cite-lsp").exists())
    program = [parts["node"], parts["editor"], "--config", str(config)]
    program += ["--user-data-dir", str(data), "--extensions-dir", str(extensions)]
    subprocess.run([*program, "--install-extension", parts["vsix"]], env=environment, check=True, capture_output=True)
    program += [*"--auth none --bind-addr 127.0.0.1:0 --disable-telemetry --disable-update-check".split(), *flags]
    log = tmp_path / "code-server.log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            [*program, str(workspace)], env=environment, stdout=output, stderr=output, start_new_session=True
        )
        try:
            yield Editor(_address(running, log), workspace, data / "Machine" / "settings.json")
        finally:
            os.killpg(running.pid, signal.SIGTERM)
            running.wait(20)


def _address(running: subprocess.Popen[bytes], log: Path) -> str:
    while running.poll() is None:
        found = re.search(r"HTTP server listening on (http://[0-9.:]+/)", log.read_text(encoding="utf-8"))
        if found is not None:
            return found[1]
        with suppress(subprocess.TimeoutExpired):
            running.wait(0.05)
    raise AssertionError(f"code-server ended: {log.read_text(encoding='utf-8')}")


def _drive(script: str, parts: Mapping[str, str], editor: Editor, pictures: Path, **more: object) -> dict[str, Any]:
    """What each step of a script saw."""
    setup = editor.settings.with_name("setup.json")
    told = {**asdict(editor), "pictures": pictures, **more}
    told |= {name: parts[name] for name in ("playwright", "browser")}
    setup.write_text(json.dumps(told, default=str), encoding="utf-8")
    command = [parts["node"], str(HERE / "vscode" / script), str(setup)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{done.stderr}\nseen: {done.stdout}\npictures: {pictures}"
    print(done.stderr)
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_a_session_of_writing(parts: Mapping[str, str], start: Callable[..., Editor], pictures: Path) -> None:
    editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
    seen = _drive("drive.mjs", parts, editor, pictures, server=SERVER, crasher=shutil.which("false"))

    assert seen["typing"] == {"onDisk": False, "dirty": 1}, "the dead citation was marked before it was saved"
    assert any("`src/retri.py` does not exist" in row for row in seen["problems"])
    assert "return BASE_DELAY * 2**attempt" in seen["hover"].replace("\u00a0", " ")
    assert any("src/retry.py" in title for title in seen["fixed"]["titles"])
    assert any("a power of two (`src/retry.py:7`)" in line for line in seen["fixed"]["lines"])
    assert "power of two (`src/retry.py:7`)" in seen["verdict"]["saved"]
    assert all(part in seen["verdict"]["told"] for part in ("unsupported", "five", "MAX_ATTEMPTS = 3"))
    assert any("[Ln 5, " in row and "unsupported" in row for row in seen["verdict-problems"])
    assert re.fullmatch(r"cite-lsp: 3 citations, [1-9] findings?", seen["status"].strip())
    assert seen["copied"] == "src/retry.py:7-9"
    assert seen["pasted"].endswith("See src/retry.py:7-9")
    assert {"Judge document", "Copy citation", "Restart server", "Show output"} <= {*_labels(seen["judged"]["entries"])}
    assert re.search(r"cite-lsp: 4 citations, .*1 unsupported", seen["judged"]["told"])
    assert "cite-lsp: 1 citation fixed" in seen["fixed-all"]["told"]
    assert any("(`src/retry.py:7-9`)" in line for line in seen["fixed-all"]["lines"][9:])
    assert "cite-lsp.server.path: there is no program at /nowhere/cite-lsp" in seen["wrong-path"]
    (crashed,) = (text for text in seen["crashes"] if "crashed" in text)
    assert {"Show output", "Restart"} <= set(crashed.splitlines())
    assert re.fullmatch(r"cite-lsp: 6 citations, [0-9] findings?", seen["restarted"].strip())


def test_nothing_of_a_workspace_runs_until_it_is_trusted(
    parts: Mapping[str, str],
    start: Callable[..., Editor],
    workspace: Path,
    pictures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mark = tmp_path / "ran"
    program = workspace / ".venv" / "bin" / "cite-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\n: > "{mark}"\nexec "{SERVER}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    (workspace / ".gitignore").write_text(".venv/\n", encoding="utf-8")

    with ScriptedServer(answering()) as model:
        choose(monkeypatch, model, tmp_path / "cache")
        seen = _drive("trust.mjs", parts, start(EDITOR_SETTINGS), pictures, mark=mark, server=SERVER)
        requests = len(model.requests)

    assert seen["untrusted"]["ran"] is False
    (message,) = seen["untrusted"]["messages"]
    assert {"Install", "Open settings", "Don't ask again"} <= set(message.splitlines())
    offered = ["Install server", "Open settings", "Restart server", "Tell what is found (doctor)", "Show output"]
    assert _labels(seen["untrusted"]["entries"]) == offered, "and nothing that needs a server"
    limited = seen["limited"]
    assert limited["ran"] is False, "the user's own program runs, and not that of the workspace"
    assert "Set API key…" not in _labels(limited["entries"])
    assert "this workspace is not trusted, so the judge openai is not asked and nothing is sent" in limited["refused"]
    assert "Restricted mode: no judge elsewhere is asked" in limited["status"]
    assert requests == 0
    assert seen["trusted"]["ran"] is True


def test_a_judge_elsewhere_gets_the_key_that_the_editor_keeps(
    parts: Mapping[str, str],
    start: Callable[..., Editor],
    workspace: Path,
    pictures: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (workspace / "docs" / "retrying.md").write_text(MORE, encoding="utf-8")
    key = f"sk-{uuid.uuid4().hex}"

    def wants(request: Request) -> Step:
        given = request.headers.get("authorization", "")
        return reply_for("openai", answer_to(request)) if given == f"Bearer {key}" else reply(401, {"error": "no key"})

    with ScriptedServer(by_request(wants)) as model:
        host = urlsplit(model.base("openai")).netloc
        choose(monkeypatch, model, tmp_path / "cache")
        editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
        seen = _drive("judging.mjs", parts, editor, pictures, host=model.base("openai"), key=key)
        given = [request.headers.get("authorization", "") for request in model.requests]

    assert seen["walkthrough"] == [step["title"] for step in MANIFEST["contributes"]["walkthroughs"][0]["steps"]]
    without = seen["without-key"]
    entries = without["entries"][0]
    assert entries.startswith("Judge document\nJudge openai gpt-test: 0 decided, 2 undecided"), "the judge's state"
    assert "Set API key…" in _labels(without["entries"])
    assert any("asks for a key (401)" in message for message in without["messages"])
    assert "2 undecided, 0 queued" in without["status"]
    assert seen["key-kept"]["hidden"] == "password"
    assert "is kept; the server was started again" in seen["key-kept"]["message"]
    assert "cite-lsp: 2 documents, 3 citations, 3 unsupported" in seen["workspace-judged"]["message"]
    assert "2 decided, 0 undecided" in seen["workspace-judged"]["status"]
    assert "tokens sent" in seen["workspace-judged"]["status"]
    assert "cite-lsp: 3 answers forgotten" in seen["cache-cleared"]
    said = [line.replace("\u00a0", " ") for line in seen["doctor"]]
    assert any(line.endswith(f"keys that this editor keeps: for {host}") for line in said), said
    assert "2 citations, 2 unsupported" in seen["key-still-there"], (
        "asked again, with the key, after the page was reloaded"
    )
    assert "asks for a key (401)" in seen["key-taken-away"]
    assert (given[0], given[-1], set(given[1:-1])) == ("", "", {f"Bearer {key}"})
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "setup.json"]
    assert not [path for path in files if key.encode() in path.read_bytes()], "no setting and no log has the key"


def test_text_that_moves_in_an_unsaved_file_is_told_mended_and_accepted(
    parts: Mapping[str, str], start: Callable[..., Editor], workspace: Path, pictures: Path
) -> None:
    (workspace / "docs" / "retrying.md").write_text(MORE, encoding="utf-8")
    editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
    seen = _drive("drift.mjs", parts, editor, pictures)

    references = " ".join(seen["references"])
    assert "limits.md" in references
    assert "retrying.md" in references
    assert seen["drift-typed"]["saved"] == CODE, "the code was not saved"
    assert "# three" in seen["drift-typed"]["lines"]
    assert any("the cited text moved to lines 10-12" in row for row in seen["drift-told"])
    assert "Moved to lines 10-12" in seen["drift-hover"].replace("\u00a0", " ")
    assert any("Cite src/retry.py:10-12" in title for title in seen["drift-mended"]["titles"])
    assert any("(`src/retry.py:10-12`)" in line for line in seen["drift-mended"]["lines"])
    assert any("the cited text moved to line 4" in row for row in seen["drift-again"])
    assert any("the cited text moved to lines 11-13" in row for row in seen["drift-again"]), "seen here, not in git"
    assert seen["drift-accepted"]["titles"][:2] == ["Quick Fix", "Cite src/retry.py:4"], "what is preferred comes first"
    assert any("(`src/retry.py:3`)" in line for line in seen["drift-accepted"]["lines"])
    (entry,) = seen["drift-accepted"]["accepted"]["accepted"]
    assert (entry["code"], entry["document"]) == ("moved", "docs/limits.md")
    assert any("(`src/retry.py:11-13`)" in line for line in seen["drift-mended-again"])


def test_documents_lead_to_code_and_code_to_documents(
    parts: Mapping[str, str], start: Callable[..., Editor], workspace: Path, pictures: Path
) -> None:
    for name, text in {"docs/grenzen.md": GRENZEN, "src/größe.py": GROESSE}.items():
        (workspace / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=workspace, check=True)
    editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
    seen = _drive("looking.mjs", parts, editor, pictures, renamed="versuche.py", deleted=GROESSE)

    (told,) = (row for row in _plain(seen["umlauts"]["rows"]) if "retri" in row)
    assert told.endswith("[Ln 3, Col 19]"), "columns count as VS Code counts them"
    assert "Größe 🧩, Übung: `src/retry.py:7` fehlt noch." in seen["umlauts"]["lines"]
    assert seen["definition"]["tab"].replace("\n", "") == "größe.py"
    assert seen["definition"]["position"] == "Ln 2, Col 1"
    assert any("the cited text moved to lines 9-11" in row for row in seen["changed-outside"])
    assert (seen["link"]["tab"].replace("\n", ""), seen["link"]["position"]) == ("retry.py", "Ln 7, Col 1")
    assert seen["cited-by"]["before"] == 0, "it is off until somebody wants it"
    assert seen["cited-by"]["titles"] == ["cited by 1", "cited by 2"]
    assert "is five (`src/retry.py:3`)." in seen["cited-by"]["rows"]
    assert seen["headings"]["titles"] == ["2 citations"]
    assert any("src/retry.py:7-9" in row for row in seen["headings"]["rows"])

    completed = seen["completed"]
    assert (completed["inProse"], completed["behind"]) == (0, 0), "nothing pops up where no path is meant"
    assert [text.split("\n")[0] for text in completed["paths"]] == ["src/retry.py"]
    assert completed["names"][0].split() == ["delay", "7-9"]
    assert completed["lines"][-1] == "Attempts and/or waits are there (`src/retry.py:7-9`)."
    marked = seen["marked"]
    assert not any("✗" in line for line in marked["before"]), "marks, too, are off until somebody wants them"
    assert "The default of `MAX_ATTEMPTS` is five (`src/retry.py:3`✗ unsupported)." in marked["lines"]
    assert marked["heading"] == "3 citations, 1 unsupported"
    found = _plain(seen["symbols"]["found"])
    assert {"src/retry.py:3line 5 • docs/limits.md", "src/retry.py:7line 3 • docs/grenzen.md"} <= set(found)
    assert (seen["symbols"]["tab"].replace("\n", ""), seen["symbols"]["position"]) == ("limits.md", "Ln 5, Col 41")

    renamed = seen["renamed"]
    assert "'cite-lsp' wants to make refactoring changes" in renamed["told"]
    assert renamed["files"] == ["größe.py", "versuche.py"]
    assert "The wait doubles with each attempt (`src/versuche.py:7-9`)." in renamed["lines"]
    assert renamed["errors"] == 0
    assert seen["deleted"]["files"] == ["versuche.py"]
    document, warning = _plain(seen["deleted"]["rows"])
    assert document.startswith("grenzen.md")
    assert "`src/größe.py` does not exist" in warning
    assert warning.endswith("[Ln 5, Col 34]")
    assert seen["brought-back"]["open"] == 0, "the document was closed all the time"
    assert any("`src/nowhere.py` does not exist" in row and "[Ln 1, Col 11]" in row for row in _plain(seen["untitled"]))


def test_a_repair_is_shown_with_its_verdict_and_applied_only_when_it_is_chosen(
    parts: Mapping[str, str],
    start: Callable[..., Editor],
    person: Path,
    pictures: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = "The default of `MAX_ATTEMPTS` is four (`src/retry.py:3`)."
    right = "The default of `MAX_ATTEMPTS` is three (`src/retry.py:3`)."

    def proposal(sentence: str) -> Step:
        said = {"reason": "line 3 says it", "kind": "sentence", "first": 0, "last": 0, "sentence": sentence}
        return reply_for("openai", json.dumps(said))

    with ScriptedServer(proposal(wrong), proposal(right)) as model:
        for name, value in {"NAME": "openai", "MODEL": "gpt-test", "BASE_URL": model.base("openai")}.items():
            monkeypatch.setenv(f"CITE_LSP_REPAIR_{name}", value)
        editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
        seen = _drive("repair.mjs", parts, editor, pictures, right=right)
        assert len(model.requests) == 2
        assert "MAX_ATTEMPTS = 3" in asked("openai", model.requests[0]).user

    first = seen["repair-still-unsupported"]
    assert any("ask gpt-test" in title for title in first["titles"])
    assert "Still unsupported" in first["told"]
    assert wrong in first["told"].replace("\u00a0", " ")
    assert {"Apply", "Discard"} <= set(first["told"].splitlines())
    assert "`MAX_ATTEMPTS` is five" in first["saved"]
    assert any("is five (`src/retry.py:3`)" in line for line in first["lines"]), "nothing is applied by itself"
    second = seen["repair-supported"]
    assert "This is supported" in second["told"]
    assert right in second["told"].replace("\u00a0", " ")
    assert any("is five (`src/retry.py:3`)" in line for line in second["lines"]), "nor what is supported"
    assert right in seen["repair-applied"]["saved"]


FAULTS = {
    1: '"log triage" was given',
    2: "did you mean 'sentences'?",
    3: "did you mean 'threshold'?",
    7: "the filter 'claims' must use {passage} in its question",
    12: "the factor 'income' fills no role",
    13: "the factor 'income' may only use {passage}, got {person}",
    19: '"loud" was given',
    20: "did you mean 'no'?",
    24: "the role 'earner' names the factor 'incomes', which is not declared",
    25: 'a check needs "no"',
    30: "legal is a list of 2 to 10 items",
    35: "did you mean 'riddle'?",
}
"""What is told of the policy file with twelve faults, by line."""


def test_a_policy_file_with_twelve_faults_is_told_of_as_it_is_typed(
    parts: Mapping[str, str], start: Callable[..., Editor], workspace: Path, pictures: Path
) -> None:
    (workspace / "policies").mkdir()
    shutil.copyfile(HERE / "policies" / "twelve-faults.toml", workspace / "policies" / "log-triage.toml")
    (workspace / "Cargo.toml").write_text('passages = "page"\n', encoding="utf-8")
    editor = start({**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}, "--disable-workspace-trust")
    seen = _drive("policies.mjs", parts, editor, pictures)

    rows = [row.replace("\u00a0", " ") for row in seen["policy-faults"]["rows"]]
    told = [row for row in rows if "policy-file" in row]
    assert len(told) == len(FAULTS)
    for line, message in FAULTS.items():
        assert any(f"[Ln {line}, " in row and message in row for row in told), (line, told)
    assert any("[Ln 20, Col 93]" in row for row in told), "columns count as VS Code counts them"
    assert seen["policy-underlined"]["underlined"] >= len(FAULTS)
    assert "Ist `passages.<id>.text` ein Rätsel 🧩?" in seen["policy-hover"].replace("\u00a0", " ")
    typed = seen["policy-typed"]
    assert {"lines", "sentences", "log-lines"} <= {text.strip() for text in typed["words"]}
    assert any(text.startswith("category") for text in typed["keys"])
    assert {'passages = "log-lines"', 'category = "puzzles"'} <= {*typed["lines"]}
    assert seen["policy-mended"] == [], "nothing is wrong with the second line any more"
    assert seen["other-toml"]["underlined"] == 0
    assert "threshold" not in seen["other-toml"]["offered"]


ANSWERS = {
    3: "the claim says 500, line 9 says MAX_CALLERS = 1000",
    7: 'the claim says TypeError, line 31 says raise ValueError("a clock never goes back")',
    9: "the claim says 'less than the tokens', line 35 says count > self.tokens, and line 36 raises Exhausted",
}
"""What is told of the sample's answers, by line."""
HOVERS = [
    ("throttle/limits.py:9", "unsupported: the claim says 500, line 9 says MAX_CALLERS = 1000"),
    ("throttle/bucket.py:39-43", "supported: line 39 says"),
    ("throttle/limits.py:32-34", "unchecked: looked for"),
]


@pytest.fixture
def sample(tmp_path: Path, person: Path) -> Path:
    """The sample of the README in a repository of its own."""
    root = tmp_path / "throttle"
    shutil.copytree(HERE.parent / "samples" / "throttle", root)
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Sample"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    return root


def test_three_wrong_answers_of_the_sample_are_told_with_what_the_lines_say(
    parts: Mapping[str, str], tmp_path: Path, sample: Path, pictures: Path
) -> None:
    settings = {**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}
    with _code_server(tmp_path, parts, sample, settings, ["--disable-workspace-trust"]) as editor:
        seen = _drive("answers.mjs", parts, editor, pictures, hovers=HOVERS)

    assert seen["answers-opened"]["underlined"] == 0, "nothing is judged before it is saved"
    judged = seen["answers-judged"]
    assert judged["hints"] >= 1, "what is partial is told more quietly"
    rows = [row.replace("\u00a0", " ") for row in judged["rows"]]
    told = [row for row in rows if "unsupported" in row]
    assert len(told) == len(ANSWERS)
    for line, message in ANSWERS.items():
        wanted = f"the cited lines say otherwise: {message}"
        assert any(f"[Ln {line}, " in row and wanted in row for row in told), (line, told)
    lines = [row for row in rows if row.startswith(("line ", "limits.py", "clock.py", "bucket.py", "limits.toml"))]
    for text in ("line 9: MAX_CALLERS = 1000", "line 35: if count > self.tokens:", "line 12: capacity = 200"):
        assert any(text in row for row in lines), (text, rows)
    assert any("[Ln 13, " in row and "only a part of this stands there" in row for row in rows)
    for (_, wanted), text in zip(HOVERS, seen["answers-hovers"], strict=True):
        assert wanted in " ".join(text.split())
        assert "judge embedded/2" in text


def test_what_policies_find_is_told_on_save_and_stays_when_nobody_can_be_asked(
    parts: Mapping[str, str], tmp_path: Path, sample: Path, person: Path, pictures: Path
) -> None:
    settings = {**EDITOR_SETTINGS, "cite-lsp.server.path": SERVER}
    with (
        hedged_claims.asked(sample, person / ".config") as model,
        _code_server(tmp_path, parts, sample, settings, ["--disable-workspace-trust"]) as editor,
    ):
        setup = {"model": model.process.pid, "later": hedged_claims.LATER}
        seen = _drive("policy-findings.mjs", parts, editor, pictures, **setup)

    assert seen["policy-opened"]["underlined"] == 0, "nothing is asked before it is saved"
    first = _plain(seen["policy-found"]["rows"])
    for code, found in hedged_claims.FOUND.items():
        told = [row for row in first if code in row]
        assert len(told) == len(found)
        for line in found:
            assert any(f"[Ln {line}, " in row and hedged_claims.SAID[code] in row for row in told), (line, told)
        for text in found.values():
            beside = [row for row in first if row.startswith("overview.md [Ln") and text in row]
            assert len(beside) >= len(found) - 1, "each stands below the others as related information"
    assert seen["policy-found"]["hints"] == len(hedged_claims.REVIEW)
    assert not any("a person should look" in row for row in first), "VS Code lists no hints"
    assert hedged_claims.SAID[hedged_claims.HEDGE] in seen["policy-told"]["told"]
    assert f"a person should look: {hedged_claims.SAID[hedged_claims.UNMEASURED]}" in seen["policy-told"]["doubtful"]
    assert seen["policy-told"]["status"].endswith("10 of 10 passages checked by policies")
    assert "cite-lsp: hedged-claims: 10 passages, 5 findings, 1 to look at" in seen["policy-by-hand"]

    offered = [
        f"Ignore {hedged_claims.HEDGE} here",
        f"Switch {hedged_claims.HEDGE} off in this project (cite-lsp.toml)",
    ]
    ignored = seen["policy-ignored"]
    assert ignored["titles"] == ["Quick Fix", *offered], "and not: still right"
    comment = f"<!-- cite-lsp: ignore {hedged_claims.HEDGE} -->"
    assert f"- {hedged_claims.FOUND[hedged_claims.HEDGE][12]} {comment}" in ignored["lines"]

    left = [row for row in _plain(ignored["rows"]) if "policy:" in row]
    assert left == [row for row in first if "policy:" in row and "[Ln 12, " not in row]
    gone = seen["policy-gone"]
    assert [row for row in _plain(gone["rows"]) if "policy:" in row] == left, "what was found stays"
    assert "10 of 11 passages checked by policies, 1 not checked: no connection to the judge" in gone["status"]
    assert "no connection to the judge" in gone["told"]
    lacking = "hedged-claims: 1 of 11 passages not checked, 5 findings, 1 to look at (no connection to the judge"
    assert lacking in seen["policy-by-hand-gone"]
    assert any("Switch" in title for title in seen["policy-switched-off"]["titles"])
    assert hedged_claims.LATER in seen["policy-switched-off"]["saved"]


def _plain(rows: Sequence[str]) -> list[str]:
    return [" ".join(row.split()) for row in rows]


def _labels(entries: Sequence[str]) -> list[str]:
    """The labels of a menu's entries, without the headings that VS Code writes beside them."""
    return [entry.split("\n")[0] for entry in entries]


def test_the_contributed_settings_are_those_of_the_schema() -> None:
    text = (EXTENSION / "package.json").read_text(encoding="utf-8")
    assert settings_script.package(text) == text, "python editors/vscode/scripts/settings.py"


def _tree(rows: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in rows.items():
        *sections, key = name.split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[key] = value
    return tree


def test_every_contributed_default_is_a_legal_value_from_an_editor(tmp_path: Path) -> None:
    contributed = MANIFEST["contributes"]["configuration"]["properties"]
    rows = {
        name.removeprefix("cite-lsp."): schema["default"]
        for name, schema in contributed.items()
        if name not in settings_script.CLIENTS_OWN
    }
    loaded = load_settings(str(tmp_path), user_file=str(tmp_path / "none.toml"), environment={}, editor=_tree(rows))
    assert loaded.problems == ()
    assert {loaded.sources[name] for name in rows if rows[name] is not None and name != "rules"} == {"editor"}


def test_settings_left_alone_leave_the_project_file_in_force(tmp_path: Path) -> None:
    """The client sends nothing that nobody set; had it sent the defaults, this file would count for nothing."""
    (tmp_path / "cite-lsp.toml").write_text('[files]\nexclude = ["vendor/**"]\n', encoding="utf-8")
    none = str(tmp_path / "none.toml")
    loaded = load_settings(str(tmp_path), user_file=none, environment={}, editor={"judge": {"run": "manual"}})
    assert loaded.settings.files.exclude == ("vendor/**",)
    assert loaded.settings.judge.run == "manual"
    outranked = load_settings(str(tmp_path), user_file=none, environment={}, editor={"files": {"exclude": []}})
    assert outranked.settings.files.exclude == ()


def test_the_capabilities_are_of_the_client_and_of_no_machine() -> None:
    text = (HERE.parent / "server" / "capabilities" / "vscode.json").read_text(encoding="utf-8")
    capabilities = json.loads(text)
    assert capabilities["general"]["positionEncodings"] == ["utf-16"]
    assert capabilities["workspace"]["configuration"] is True
    assert "/" not in "".join(re.findall(r'"(/[^"]*)"', text)), "no path of a machine"


@pytest.mark.parametrize("script", ["check", "test"])
def test_the_extension_is_typed_and_its_parts_pass_their_tests(parts: Mapping[str, str], script: str) -> None:
    path = f"{Path(parts['node']).parent}{os.pathsep}{os.environ['PATH']}"
    command = [parts["npm"], "run", script]
    done = subprocess.run(
        command, cwd=parts["extension"], env={**os.environ, "PATH": path}, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_holds_what_the_extension_needs_and_no_more(parts: Mapping[str, str], tmp_path: Path) -> None:
    kept = installation.keep(tmp_path / "kept")
    assert kept.name == f"cite-lsp-{MANIFEST['version']}.vsix"
    shutil.unpack_archive(kept, tmp_path / "made", "zip")
    held = {path.name for path in (tmp_path / "made" / "extension").rglob("*") if path.is_file()}
    media = {path.name for path in (EXTENSION / "media").iterdir()}
    assert held == {"LICENSE.txt", "icon.png", "package.json", "readme.md", "extension.cjs", *media}


def test_each_step_of_the_walkthrough_names_commands_and_pictures_that_are_there() -> None:
    contributes = MANIFEST["contributes"]
    ours = {each["command"] for each in contributes["commands"]}
    (walkthrough,) = contributes["walkthroughs"]
    assert walkthrough["id"] == "start", "the command Get Started opens it by this name"
    media = [value for step in walkthrough["steps"] for key, value in step["media"].items() if key != "altText"]
    assert {f"media/{path.name}" for path in (EXTENSION / "media").iterdir()} == set(media)
    for step in walkthrough["steps"]:
        named = re.findall(r"\(command:([\w.-]+)\)", step["description"])
        named += [event.removeprefix("onCommand:") for event in step.get("completionEvents", [])]
        assert {name for name in named if name.startswith("cite-lsp.")} <= ours
