"""What policies find in Neovim: on `:w` and by `:CiteLsp policies`, its actions, and once nobody can be asked."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors import hedged_claims
from tests.editors.hedged_claims import FOUND, HEDGE, LATER, REVIEW, SAID, UNMEASURED

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "throttle"
ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
"""The folder that keeps the pictures. Read here, since a test clears its environment."""
WHOLE = "hedged-claims: 10 passages, 5 findings, 1 to look at"
LACKING = "hedged-claims: 1 of 11 passages not checked, 5 findings, 1 to look at (no connection to the judge"
LAST = "vim.startswith(look.said[#look.said] or '', ...)"
STATUS = "return require('cite_lsp.status').long(require('cite_lsp').client())"
"""What `:CiteLsp status` says, by line."""
SEVERITIES = """
return vim.tbl_map(function(item) return { item.lnum + 1, item.code, item.severity } end, vim.diagnostic.get(0))
"""


@pytest.fixture
def workspace(person: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "w"
    shutil.copytree(SAMPLE, folder)
    for arguments in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "Sample"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


@pytest.fixture
def model(workspace, tmp_path):
    with hedged_claims.asked(workspace, tmp_path / "xdg" / "config") as server:
        yield server


@pytest.fixture
def kept(tmp_path):
    folder = Path(ARTEFACTS or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)

    def keep(neovim, name: str) -> list[str]:
        screen = neovim.lua("return look.screen()")
        (folder / f"neovim-{name}.txt").write_text("\n".join(screen) + "\n", encoding="utf-8")
        return screen

    return keep


def test_what_policies_find_on_write_stays_when_nobody_can_be_asked(start, model, kept):
    neovim = start(size=(150, 36))
    neovim.lua("vim.o.cmdheight = 3")  # what is said fits, so that nobody is asked to press a key
    neovim.open("handbook/overview.md")
    neovim.wait("vim.b.cite_lsp_status ~= nil")
    assert neovim.findings() == []
    neovim.command("write")
    neovim.wait("#look.findings() == 6")
    found = neovim.findings()
    for code, passages in FOUND.items():
        sure = {each["line"]: each["text"] for each in found if each["code"] == code and each["message"] == SAID[code]}
        assert sure == passages
    (doubtful,) = [each for each in found if each["line"] in REVIEW]
    assert (doubtful["text"], doubtful["code"]) == (REVIEW[11], UNMEASURED)
    assert doubtful["message"] == f"a person should look: {SAID[UNMEASURED]}"
    severities = {(line, code): severity for line, code, severity in neovim.lua(SEVERITIES)}
    assert severities == {
        **{(line, code): 3 for code, passages in FOUND.items() for line in passages},
        (11, UNMEASURED): 4,
    }
    related = "vim.diagnostic.get(0, { lnum = 6 })[1].user_data.lsp.relatedInformation"
    beside = neovim.lua(f"return vim.tbl_map(function(each) return each.message end, {related})")
    assert beside == [FOUND[HEDGE][5], FOUND[HEDGE][12]]
    assert any(SAID[HEDGE][:30] in row for row in kept(neovim, "policy-findings"))
    neovim.wait("vim.b.cite_lsp_status.policies ~= nil and vim.b.cite_lsp_status.queued == 0")
    assert neovim.lua(STATUS)[-1] == "10 of 10 passages checked by policies"

    model.stop()
    neovim.keys(f"Go<CR>{LATER}<Esc>:w<CR>")
    neovim.wait("vim.b.cite_lsp_status.policies.unchecked == 1")
    neovim.wait("type(vim.b.cite_lsp_status.lastError) == 'string'")
    assert neovim.findings() == found, "nobody says that it is not so any more"
    told = "10 of 11 passages checked by policies, 1 not checked: no connection to the judge"
    assert any(line.startswith(told) for line in neovim.lua(STATUS))
    neovim.command("CiteLsp policies")
    neovim.wait(LAST, f"cite-lsp: {LACKING}")
    kept(neovim, "policy-not-checked")


def test_by_hand_a_line_says_what_it_came_to(neovim, model, tmp_path):
    settings = tmp_path / "xdg" / "config" / "cite-lsp" / "cite-lsp.toml"
    settings.write_text(settings.read_text().replace('run = "save"', 'run = "manual"'))
    neovim.open("handbook/overview.md")
    neovim.wait("vim.b.cite_lsp_status ~= nil")
    neovim.command("CiteLsp policies")
    neovim.wait(LAST, f"cite-lsp: {WHOLE}")
    neovim.wait("#look.findings() == 6")
    neovim.open("throttle/limits.py")
    neovim.command("CiteLsp policies")
    neovim.wait(LAST, "cite-lsp: no policy is about this file (policies.files)")


def test_a_finding_is_ignored_or_switched_off_by_its_actions(neovim, model, workspace):
    neovim.open("handbook/overview.md")
    neovim.wait("vim.b.cite_lsp_status ~= nil")
    neovim.command("write")
    neovim.wait("#look.findings() == 6")
    asked = model.counts()["requests"]
    act = "vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.title == %r end })"
    neovim.lua("look.at('Buckets are')")
    neovim.lua(act % f"Ignore {HEDGE} here")
    neovim.wait("vim.fn.getline(7):find('cite-lsp: ignore', 1, true)")
    assert neovim.line(7) == f"- {FOUND[HEDGE][7]} <!-- cite-lsp: ignore {HEDGE} -->"
    neovim.wait("look.has('ignore-without-reason', 7) and not look.has(..., 7)", HEDGE)
    neovim.command("write")
    neovim.wait("not vim.bo.modified")
    neovim.lua("look.at('Memory use')")
    neovim.lua(act % f"Switch {UNMEASURED} off in this project (cite-lsp.toml)")
    neovim.wait("vim.iter(vim.api.nvim_list_bufs()):any(function(each) return vim.bo[each].modified end)")
    neovim.command("wall")
    neovim.wait("not look.has(...)", UNMEASURED)
    assert f'[rules]\n"{UNMEASURED}" = "off"\n' in (workspace / "cite-lsp.toml").read_text()
    assert model.counts()["requests"] == asked, "a comment beside a passage has nothing asked again"
