"""Policy files in Neovim: their faults, what may follow, what is asked; other TOML files are none of ours."""

import os
import shutil
from pathlib import Path

import pytest

POLICIES = Path(__file__).parents[1] / "policies"
ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
"""The folder that keeps the pictures. Read here, since a test clears its environment."""
FAULTS = {
    1: '"log triage"',
    2: '"sentence"',
    3: "treshold",
    7: '"Does it say something?"',
    12: '"income"',
    13: "{person}",
    19: '"loud"',
    20: "noo",
    24: '"incomes"',
    25: '{ name = "enough", question = "Is {earner} enough?", yes = "It is." }',
    30: '["low"]',
    35: "riddles",
}
"""The text that each of the twelve faults stands under, by line."""


@pytest.fixture
def policies(workspace):
    folder = workspace / "policies"
    folder.mkdir()
    shutil.copyfile(POLICIES / "twelve-faults.toml", folder / "log-triage.toml")
    return folder


def test_twelve_faults_of_a_policy_file_are_shown_at_their_places(start, policies, tmp_path):
    artefacts = Path(ARTEFACTS or tmp_path)
    artefacts.mkdir(parents=True, exist_ok=True)
    neovim = start(size=(136, 44))
    neovim.lua("vim.o.number = true; vim.o.ruler = false; vim.o.laststatus = 2; vim.o.winborder = 'rounded'")
    neovim.open("policies/log-triage.toml")
    neovim.wait("#look.findings() == 12")
    found = neovim.findings()
    assert {each["line"]: each["text"] for each in found} == FAULTS
    assert {(each["code"], each["source"]) for each in found} == {("policy-file", "cite-lsp")}
    neovim.wait("select(2, table.concat(look.screen(), '\\n'):gsub('■', '')) >= 12")
    screen = neovim.lua("return look.screen()")
    (artefacts / "neovim-policy-faults.txt").write_text("\n".join(screen) + "\n", encoding="utf-8")
    assert sum("■" in row for row in screen) == 12
    assert any("did you mean 'threshold'?" in row for row in screen)

    neovim.lua("look.at('riddle\"')")
    neovim.keys("K")
    neovim.wait("look.float():find('first round')")
    hover = neovim.lua("return look.screen()")
    (artefacts / "neovim-policy-hover.txt").write_text("\n".join(hover) + "\n", encoding="utf-8")
    assert "ein Rätsel 🧩" in neovim.lua("return look.float()")


def test_faults_follow_typing_and_what_may_follow_is_offered(neovim, policies):
    neovim.open("policies/log-triage.toml")
    neovim.wait("#look.findings() == 12")
    neovim.keys('2GA<BS>s"<Esc>')
    neovim.wait("#look.findings() == 11")
    for line, typed, wanted in (
        (2, "passages = ", "log-lines"),
        (20, 'detect = { question = "Ist {', "{passage}"),
        (24, 'role = [{ name = "earner", factor = "', "income"),
        (30, "lev", "levels"),
    ):
        neovim.lua("vim.fn.setline(...)", line, typed)
        neovim.keys(f"{line}GA<C-x><C-o>")
        words = "vim.tbl_map(function(item) return item.abbr end, vim.fn.complete_info({ 'items' }).items)"
        neovim.wait(f"vim.list_contains({words}, ...)", wanted)
        neovim.keys("<C-e><Esc>")
        neovim.command("silent undo")


def test_other_toml_files_start_no_server_and_join_as_code_does(neovim, workspace, policies):
    (workspace / "pyproject.toml").write_text('[project]\nname = "w"\n', encoding="utf-8")
    (workspace / "cite-lsp.toml").write_text('[[policy]]\nname = "x"\npassages = "page"\n', encoding="utf-8")
    neovim.lua("vim.o.hidden = true")
    neovim.command("edit pyproject.toml")
    neovim.wait("vim.bo.filetype == 'toml'")
    neovim.lua("vim.wait(300, function() return #vim.lsp.get_clients() > 0 end)")
    assert neovim.servers() == []

    neovim.open("cite-lsp.toml")
    neovim.wait("look.has('policy-file', 3)")
    assert len(neovim.servers()) == 1
    neovim.command("buffer pyproject.toml")
    neovim.wait("require('cite_lsp').client() ~= nil")
    assert neovim.findings() == []

    omnifunc = "return vim.bo[vim.fn.bufnr('src/limits.py')].omnifunc"
    neovim.command("edit src/limits.py")
    neovim.wait("require('cite_lsp').client() ~= nil")
    assert "lsp" not in neovim.lua(omnifunc), "code keeps its own completion"
