"""Request repair with a model, over real HTTP: the edit and its new verdict are shown, and nothing applied unasked."""

import asyncio
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scripted import Request, ScriptedServer, Step, asked, by_request, error_for, hang, reply_for, until
from tests.server.at_rest import codes, shown_at_rest
from tests.server.harness import CAPABILITIES, Session, range_of
from tests.server.judged import MODEL, answer_to
from tests.server.living import apply_edits

CODE = '"""Retries."""\n\nMAX_ATTEMPTS = 5\nBACKOFF = 0.5\n\n\ndef delay(attempt):\n    return BACKOFF * 2**attempt\n'
CLAIM = "`MAX_ATTEMPTS` is 7 (`src/retry.py:3`).\n"
RIGHT = CLAIM.replace("7", "5").strip()
ASK = "window/showMessageRequest"
APPLY = "workspace/applyEdit"
POPUP = "window/showMessage"

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    for name, text in {"src/retry.py": CODE, "docs/a.md": CLAIM}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def said(**more: Any) -> str:
    """What a model that repairs says."""
    return json.dumps({"reason": "line 3 says 5", "kind": "none", "first": 0, "last": 0, "sentence": "", **more})


def is_repair(request: Request) -> bool:
    return "<citation_" in asked("openai", request).user


def both(repair: Step) -> Step:
    """A server that judges truly and repairs as it is told."""
    return by_request(lambda each: repair if is_repair(each) else reply_for("openai", answer_to(each)))


def repairs_in(server: ScriptedServer) -> list[Request]:
    return [request for request in server.requests if is_repair(request)]


Setter = Callable[..., ScriptedServer]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setter]:
    """Begins a server with a step, and is a user who repairs with it (`who`: "REPAIR", or "JUDGE" for both)."""
    with ScriptedServer(hang()) as server:

        def begin(step: Step, who: str = "REPAIR", **more: str) -> ScriptedServer:
            server.script(both(step))
            rows = {"NAME": "openai", "MODEL": MODEL, "BASE_URL": server.base("openai"), **more}
            for name, value in rows.items():
                monkeypatch.setenv(f"CITE_LSP_{who}_{name}", value)
            monkeypatch.setenv("CITE_LSP_CACHE_PATH", str(tmp_path / "cache"))
            return server

        yield begin


class Editor:
    """The client's side: it chooses what it is told to, applies edits to its text, and remembers what it was asked."""

    def __init__(self, uri: str, text: str, choice: str | Callable[["Editor"], str | None] | None) -> None:
        self.uri, self.text = uri, text
        self.choice = choice
        self.asked: list[Any] = []
        self.edits: list[Any] = []
        self.session: Session

    def choose(self, params: Any) -> Any:
        self.asked.append(params)
        choice = self.choice(self) if callable(self.choice) else self.choice
        return None if choice is None else {"title": choice}

    def apply(self, params: Any) -> Any:
        self.edits.append(params)
        (change,) = params["edit"]["documentChanges"]
        assert change["textDocument"] == {"uri": self.uri, "version": self.session.versions[self.uri]}
        self.text = apply_edits(self.text, change["edits"], "utf-16")
        self.session.change_all(self.uri, self.text)
        return {"applied": True}


async def repaired(
    folder: Path,
    text: str = CLAIM,
    choice: str | Callable[[Editor], str | None] | None = "Apply",
    *,
    during: Callable[[Session, Editor], Any] | None = None,
    **more: Any,
) -> tuple[Editor, dict[str, Any], list[str]]:
    """Request the repair of the first citation; what the editor saw, the answer, and what was said."""
    uri = (folder / "docs/a.md").as_uri()
    editor = Editor(uri, text, choice)
    answers = {APPLY: editor.apply, ASK: editor.choose}
    async with Session(folders=[folder], answers=answers, **more) as session:
        editor.session = session
        session.open(uri, text)
        await shown_at_rest(session)
        column = text.split("\n", 1)[0].index("src/")
        argument = {"uri": uri, "range": range_of((0, column), (0, column))}
        command = {"command": "cite-lsp.server.requestRepair", "arguments": [argument]}
        number = session.start("workspace/executeCommand", command)
        if during is not None:
            await during(session, editor)
        outcome = await session.answer(number)
        await shown_at_rest(session)
        popups = [params["message"] for params in session.discard(POPUP)]
    return editor, outcome.get("result", outcome), popups


# --- the proposal and its verdict


async def test_a_proposal_is_shown_with_its_verdict_and_applied_when_chosen(folder: Path, model: Setter) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    editor, outcome, popups = await repaired(folder)
    (question,) = editor.asked
    assert question["message"] == (
        f"docs/a.md: “{CLAIM.strip()}” would become “{RIGHT}” "
        "This is supported: line 3 says MAX_ATTEMPTS = 5. The model says: line 3 says 5."
    )
    assert [each["title"] for each in question["actions"]] == ["Apply", "Discard"]
    assert editor.text == f"{RIGHT}\n"
    assert outcome == {"applied": True, "written": RIGHT, "reason": ""}
    assert popups == []
    (request,) = server.requests
    assert "L3| MAX_ATTEMPTS = 5" in asked("openai", request).user


async def test_a_proposal_that_is_discarded_changes_nothing(folder: Path, model: Setter) -> None:
    model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    for choice in ("Discard", None):
        editor, outcome, _ = await repaired(folder, choice=choice)
        assert len(editor.asked) == 1
        assert editor.edits == []
        assert outcome == {"applied": False, "written": None, "reason": "nothing was chosen"}


async def test_other_lines_are_offered_as_the_citation_would_read(folder: Path, model: Setter) -> None:
    text = "`MAX_ATTEMPTS` is 5, see `src/retry.py:8`.\n"
    model(reply_for("openai", said(kind="lines", first=3, last=3)))
    editor, _, _ = await repaired(folder, text)
    assert editor.asked[0]["message"].startswith(
        "docs/a.md: src/retry.py:8 would become src/retry.py:3. This is supported: line 3 says"
    )
    assert editor.text == text.replace(":8", ":3")


async def test_a_proposal_that_is_still_unsupported_is_said_so_and_not_applied_by_itself(
    folder: Path, model: Setter
) -> None:
    model(
        reply_for("openai", said(kind="sentence", sentence=RIGHT.replace("5", "9"), reason="[x](command:y) supported"))
    )
    editor, outcome, popups = await repaired(folder, choice=None)
    (question,) = editor.asked
    assert "Still unsupported: the claim says" in question["message"]
    assert "This is supported" not in question["message"]
    assert "](" not in question["message"], "no client makes a link of it"
    assert editor.edits == []
    assert outcome["applied"] is False
    assert popups == []
    editor, _, _ = await repaired(folder, choice="Apply")
    assert editor.text == f"{RIGHT.replace('5', '9')}\n", "a person may choose it all the same"


async def test_what_the_embedded_judge_cannot_tell_is_not_called_supported(folder: Path, model: Setter) -> None:
    vague = "The retries are handled with care and grace (`src/retry.py:3`)."
    model(reply_for("openai", said(kind="sentence", sentence=vague)))
    editor, _, _ = await repaired(folder, choice=None)
    assert "Not checked" in editor.asked[0]["message"]
    assert "supported" not in editor.asked[0]["message"].replace("unsupported", "")


async def test_the_judges_model_repairs_too_and_judges_what_it_repaired(folder: Path, model: Setter) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)), "JUDGE")
    uri = (folder / "docs/a.md").as_uri()

    async def save(session: Session, _: Editor) -> None:
        session.save(uri)

    editor, _, _ = await repaired(folder, during=save)
    assert "This is supported: the lines say “MAX_ATTEMPTS = 5”" in editor.asked[0]["message"]
    assert editor.text == f"{RIGHT}\n"
    assert len(repairs_in(server)) == 1
    assert len(server.requests) > 1, "it was judged by the same server"


async def test_a_model_stands_beside_what_is_known_without_one(folder: Path, model: Setter) -> None:
    text = "The delay is 5 and more and it doubles, see `src/retry.py:7-99`.\n"
    proposal = "The delay doubles each time, see `src/retry.py:7-99`."
    model(reply_for("openai", said(kind="sentence", sentence=proposal)))
    editor, _, _ = await repaired(folder, text, None)
    (question,) = editor.asked
    titles = [each["title"] for each in question["actions"]]
    assert titles[-1] == "Discard"
    assert len(titles) == 3
    assert any(title.startswith("Rewrite the sentence (") for title in titles)
    assert f"A proposal of {MODEL}: " in question["message"]
    assert proposal in question["message"]


async def test_lines_past_the_end_are_repaired(folder: Path, model: Setter) -> None:
    text = "`MAX_ATTEMPTS` is 5 (`src/retry.py:300`).\n"
    model(reply_for("openai", said(kind="lines", first=3, last=3)))
    editor, _, _ = await repaired(folder, text)
    assert "This is supported" in editor.asked[0]["message"]
    assert editor.text == text.replace(":300", ":3")


async def test_what_is_supported_is_not_sent_anywhere(folder: Path, model: Setter) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    editor, outcome, popups = await repaired(folder, f"{RIGHT}\n")
    assert editor.asked == []
    assert server.requests == []
    assert "supported as it stands" in outcome["reason"]
    assert len(popups) == 1


@pytest.mark.parametrize(
    "proposal",
    [
        said(kind="lines", first=1, last=900),
        said(kind="sentence", sentence="`MAX_ATTEMPTS` is 5."),
        said(kind="sentence", sentence=f"<b>{RIGHT}</b>"),
        said(kind="none", reason="no line says it"),
        "nonsense",
    ],
)
async def test_a_proposal_that_cannot_be_carried_out_is_not_offered(folder: Path, model: Setter, proposal: str) -> None:
    model(reply_for("openai", proposal))
    editor, outcome, popups = await repaired(folder)
    assert editor.asked == editor.edits == []
    assert len(popups) == 1
    assert "proposed nothing that can be written" in popups[0]
    assert outcome["applied"] is False


# --- who may be asked


async def test_without_a_model_nothing_is_asked_anywhere(folder: Path) -> None:
    editor, outcome, popups = await repaired(folder)
    assert editor.asked == []
    assert outcome["reason"] in popups[0]


@pytest.mark.parametrize("how", ["client", "settings"])
async def test_in_a_workspace_that_is_not_trusted_no_model_is_asked(
    folder: Path, model: Setter, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    options = {"trusted": False} if how == "client" else None
    if how == "settings":
        monkeypatch.setenv("CITE_LSP_SERVER_TRUSTED", "false")
    editor, _, popups = await repaired(folder, options=options)
    assert server.requests == []
    assert editor.asked == []
    assert any("not trusted" in text for text in popups)


@pytest.mark.parametrize("glob", ["src/**", "docs/a.md", "**"])
async def test_what_is_excluded_is_not_sent(folder: Path, model: Setter, glob: str) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    editor, _, popups = await repaired(folder, settings={"judge": {"exclude": [glob]}})
    assert server.requests == []
    assert editor.asked == []
    assert any("judge.exclude" in text for text in popups)


async def test_a_project_cannot_name_the_model(folder: Path, tmp_path: Path) -> None:
    with ScriptedServer(reply_for("openai", said())) as server:
        (folder / "cite-lsp.toml").write_text(f'[repair]\nname = "openai"\nbase_url = "{server.base("openai")}"\n')
        await repaired(folder, settings={"repair": {"name": "openai", "base_url": server.base("openai")}})
        assert server.requests == []


# --- what goes wrong


async def test_a_model_that_fails_is_one_message(folder: Path, model: Setter) -> None:
    server = model(error_for("openai", 401, "no"))
    editor, outcome, popups = await repaired(folder)
    assert editor.asked == []
    (told,) = popups
    assert server.base("openai") in told
    assert "401" in told
    assert outcome == {"applied": False, "written": None, "reason": told.removeprefix("cite-lsp: ")}


async def test_a_model_that_fails_leaves_what_is_known_without_it(folder: Path, model: Setter) -> None:
    model(error_for("openai", 401, "no"))
    text = "The delay is 5 and more and it doubles, see `src/retry.py:7-99`.\n"
    editor, _, popups = await repaired(folder, text)
    assert len(popups) == 1
    assert "src/retry.py:7-99 would become src/retry.py:7-8" in editor.asked[0]["message"]
    assert editor.text == text.replace("7-99", "7-8")


async def test_a_limit_of_the_day_is_kept(folder: Path, model: Setter) -> None:
    server = model(reply_for("openai", said(kind="sentence", sentence=RIGHT)), LIMITS_MAX_ROWS_PER_DAY="1")
    await repaired(folder)
    editor, _, popups = await repaired(folder)
    assert len(server.requests) == 1
    assert editor.asked == []
    assert len(popups) == 1
    assert "max_rows_per_day" in popups[0]


async def test_a_document_that_changed_while_the_model_was_asked_is_left_alone(folder: Path, model: Setter) -> None:
    go = threading.Event()
    server = model(until(go, reply_for("openai", said(kind="sentence", sentence=RIGHT))))

    async def typing(session: Session, editor: Editor) -> None:
        assert await asyncio.to_thread(server.wait_for, lambda each: len(each.requests) == 1)
        session.change(editor.uri, (0, 0), (0, 0), "New. ")
        await session.settled()
        go.set()

    editor, outcome, popups = await repaired(folder, during=typing)
    assert editor.asked == editor.edits == []
    assert outcome["applied"] is False
    assert popups == ["cite-lsp: the document changed meanwhile, so nothing was applied; request the repair again"]


async def test_a_document_that_changed_while_a_person_chose_is_left_alone(folder: Path, model: Setter) -> None:
    model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))

    def choose(editor: Editor) -> str:
        editor.session.change(editor.uri, (0, 0), (0, 0), "New. ")
        return "Apply"

    editor, outcome, popups = await repaired(folder, choice=choose)
    assert editor.edits == []
    assert outcome["applied"] is False
    assert popups == ["cite-lsp: the document changed meanwhile, so nothing was applied; request the repair again"]


async def test_a_cited_file_that_changed_while_a_person_chose_is_noticed(folder: Path, model: Setter) -> None:
    model(reply_for("openai", said(kind="sentence", sentence=RIGHT)))
    code = (folder / "src/retry.py").as_uri()

    def choose(editor: Editor) -> str:
        editor.session.open(code, CODE.replace("= 5", "= 6"), language="python")
        return "Apply"

    editor, outcome, popups = await repaired(folder, choice=choose)
    assert editor.edits == []
    assert outcome["applied"] is False
    assert popups == ["cite-lsp: the cited file changed meanwhile, so nothing was applied; request the repair again"]


async def test_a_person_sees_that_a_model_is_asked_and_may_end_it(folder: Path, model: Setter) -> None:
    server = model(hang())

    async def stop(session: Session, _: Editor) -> None:
        token = (await session.asked("window/workDoneProgress/create"))["token"]
        begun = await session.notification("$/progress")
        assert begun["token"] == token
        assert begun["value"]["title"] == f"Asking {MODEL} for a repair"
        assert begun["value"]["cancellable"] is True
        session.notify("window/workDoneProgress/cancel", {"token": token})

    editor, outcome, popups = await repaired(folder, during=stop)
    assert outcome == {"applied": False, "written": None, "reason": "it was stopped"}
    assert popups == []
    assert editor.asked == []
    assert await asyncio.to_thread(server.wait_for, lambda each: each.gone == 1)


async def test_cancelling_the_command_ends_the_request(folder: Path, model: Setter) -> None:
    server = model(hang())

    async def cancel(session: Session, editor: Editor) -> None:
        assert await asyncio.to_thread(server.wait_for, lambda each: len(each.requests) == 1)
        session.cancel(session._number)
        assert await asyncio.to_thread(server.wait_for, lambda each: each.gone == 1)

    _, outcome, popups = await repaired(folder, during=cancel)
    assert outcome["error"]["code"] == -32800
    assert popups == []


# --- the code action


@pytest.mark.parametrize("tagged", [True, False])
async def test_the_action_names_the_model(folder: Path, model: Setter, tagged: bool) -> None:
    model(reply_for("openai", said()))
    uri = (folder / "docs/a.md").as_uri()
    action = {**CAPABILITIES["textDocument"]["codeAction"], **({"tagSupport": {"valueSet": [1]}} if tagged else {})}
    capabilities = {**CAPABILITIES, "textDocument": {**CAPABILITIES["textDocument"], "codeAction": action}}
    async with Session(folders=[folder], capabilities=capabilities) as session:
        session.open(uri, CLAIM)
        session.save(uri)
        now = (await shown_at_rest(session))[uri]
        assert codes(now) == ["unsupported"]
        params = {"textDocument": {"uri": uri}, "range": now[0]["range"], "context": {"diagnostics": now}}
        found = await session.request("textDocument/codeAction", params)
        (repair,) = [each for each in found if "requestRepair" in str(each.get("command"))]
    assert repair["title"] == f"Request repair: ask {MODEL} for other lines or other words"
    assert repair.get("tags") == ([1] if tagged else None)
    assert repair["diagnostics"] == now
