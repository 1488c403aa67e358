"""Request repair in Neovim with a model that does as it is told: the edit and its new verdict, and who decides."""

import json
import os
from pathlib import Path

import pytest

from tests.clients.scripted import ScriptedServer, asked, error_for, reply_for

ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
WRONG = "`MAX_ATTEMPTS` is 9 (`src/limits.py:3`)."
STILL = "`MAX_ATTEMPTS` is 8 (`src/limits.py:3`)."
RIGHT = "`MAX_ATTEMPTS` is 3 (`src/limits.py:3`)."


def proposal(sentence):
    said = {"reason": "line 3 says it", "kind": "sentence", "first": 0, "last": 0, "sentence": sentence}
    return reply_for("openai", json.dumps(said))


@pytest.fixture
def model(monkeypatch):
    with ScriptedServer(proposal(STILL)) as server:
        yield server


@pytest.fixture
def repairing(model, monkeypatch, person, start, workspace, tmp_path):
    """A Neovim of a user who repairs with the scripted model, at a claim that is not true."""
    rows = {"NAME": "openai", "MODEL": "gpt-test", "BASE_URL": model.base("openai")}
    for name, value in rows.items():
        monkeypatch.setenv(f"CITE_LSP_REPAIR_{name}", value)
    (workspace / "docs/design.md").write_text(f"# Retrying\n\n{WRONG}\n", encoding="utf-8")
    neovim = start(size=(136, 30))
    neovim.lua("vim.o.number = true; vim.o.ruler = false; vim.o.cmdheight = 4")
    neovim.open("docs/design.md")
    neovim.wait("require('cite_lsp').status():find('1 citation')")
    neovim.command("write")
    neovim.wait("look.has('unsupported', 3)")
    return neovim


def picture(neovim, tmp_path, name):
    folder = Path(ARTEFACTS or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(neovim.lua("return look.screen()"))
    (folder / f"neovim-repair-{name}.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return " ".join(" ".join(rows).split())


def request(neovim):
    neovim.lua("look.at('limits.py:3')")
    neovim.keys(":CiteLsp repair<CR>")
    neovim.wait("vim.fn.mode() == 'c'")
    neovim.wait("table.concat(look.screen(), ' '):find('Discard')")


def test_a_proposal_shows_its_verdict_and_is_applied_when_it_is_chosen(repairing, model, tmp_path):
    neovim = repairing
    request(neovim)
    shown = picture(neovim, tmp_path, "still-unsupported")
    assert "would become" in shown
    assert "MAX_ATTEMPTS` is 8" in shown
    assert "Still unsupported" in shown
    assert "This is supported" not in shown
    assert "gpt-test" not in neovim.line(3)
    assert "MAX_ATTEMPTS = 3" in asked("openai", model.requests[0]).user
    neovim.keys("2<CR>")
    neovim.wait("vim.fn.mode() == 'n'")
    assert neovim.line(3) == WRONG

    model.script(proposal(RIGHT))
    request(neovim)
    shown = picture(neovim, tmp_path, "supported")
    assert "This is supported" in shown
    assert neovim.line(3) == WRONG, "nothing is applied before it is chosen"
    neovim.keys("1<CR>")
    neovim.wait("vim.fn.getline(3) == ...", RIGHT)
    neovim.command("write")
    neovim.wait("not look.has('unsupported')")
    picture(neovim, tmp_path, "applied")


def test_the_code_action_asks_the_model(repairing, model):
    neovim = repairing
    model.script(proposal(RIGHT))
    neovim.lua("look.at('limits.py:3')")
    neovim.lua(
        "vim.lsp.buf.code_action({ apply = true, filter = function(action)"
        " return action.title:find('Request repair: ask gpt%-test') ~= nil end })"
    )
    neovim.wait("vim.fn.mode() == 'c'")
    neovim.keys("1<CR>")
    neovim.wait("vim.fn.getline(3) == ...", RIGHT)


def test_who_leaves_the_question_has_applied_nothing(repairing, model):
    neovim = repairing
    model.script(proposal(RIGHT))
    request(neovim)
    neovim.keys("<Esc>")
    neovim.wait("vim.fn.mode() == 'n'")
    assert neovim.line(3) == WRONG


def test_a_model_that_fails_is_told_once(repairing, model, tmp_path):
    neovim = repairing
    model.script(error_for("openai", 401, "no"))
    neovim.lua("look.at('limits.py:3')")
    neovim.keys(":CiteLsp repair<CR>")
    neovim.wait("vim.fn.execute('messages'):find('401')")
    picture(neovim, tmp_path, "failed")
    assert neovim.lua("return select(2, vim.fn.execute('messages'):gsub('401', ''))") == 1
    assert neovim.line(3) == WRONG
