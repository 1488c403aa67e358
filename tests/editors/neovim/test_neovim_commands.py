"""What a person does in Neovim: hover, definition, code actions, :CiteLsp, help, health."""

import json
import os
import re
import time
from pathlib import Path

CAPABILITIES = Path(__file__).parents[2] / "server" / "capabilities" / "neovim.json"
# Set to write the file anew. Read here, since a test clears its environment.
CAPTURE = bool(os.environ.get("CITE_LSP_CAPTURE"))


def test_hover_shows_the_cited_lines_with_their_numbers(neovim, workspace):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    neovim.lua("look.at('limits.py:7')")
    neovim.keys("K")
    shown = neovim.wait("look.float() ~= '' and look.float()")
    code = (workspace / "src/limits.py").read_text().split("\n")
    for number in (7, 8, 9):
        cited = code[number - 1].strip()
        assert re.search(rf"(?m)^.*\b{number}\b.*{re.escape(cited)}", shown), shown
    assert "src/limits.py" in shown


def test_definition_goes_to_the_cited_line(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    neovim.lua("look.at('limits.py:7')")
    neovim.keys("<C-]>")
    neovim.wait("vim.api.nvim_buf_get_name(0):find('src/limits.py$')")
    assert neovim.request("nvim_win_get_cursor", 0)[0] == 7


def test_repair_asks_and_then_mends(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    neovim.lua("look.at(':3`')")
    neovim.keys("cf`:9`<Esc>")
    neovim.lua("look.at('limits.py:9')")
    neovim.keys(":CiteLsp repair<CR>")
    neovim.wait("vim.fn.mode() == 'c'")
    neovim.keys("1<CR>")
    neovim.wait("vim.fn.getline(3):find('limits.py:3`', 1, true)")
    neovim.lua("look.at('Retrying')")
    neovim.keys(":CiteLsp repair<CR>")
    neovim.wait("vim.fn.execute('messages'):find('no citation at this place')")


def test_a_code_action_changes_the_buffer(neovim):
    neovim.open("docs/design.md")
    neovim.lua("look.at('7-9')")
    neovim.keys("cW7-40`).<Esc>")
    neovim.wait("look.has('end-out-of-range', 4)")
    neovim.lua("look.at('7-40')")
    neovim.lua("vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })")
    neovim.wait("not look.has('end-out-of-range')")
    assert neovim.line(4).endswith("(`src/limits.py:7-9`).")


def test_fix_mends_what_has_one_answer(neovim):
    neovim.open("docs/design.md")
    neovim.lua("look.at('7-9')")
    neovim.keys("cW7-40`).<Esc>")
    neovim.wait("look.has('end-out-of-range', 4)")
    neovim.command("CiteLsp fix")
    neovim.wait("vim.list_contains(look.said, 'cite-lsp: 1 mended')")
    assert neovim.line(4).endswith("(`src/limits.py:7-9`).")
    neovim.wait("#look.findings() == 1")
    neovim.command("CiteLsp fix")
    neovim.wait("look.said[#look.said]:find('nothing has one answer')")


def test_judge_says_how_many_are_supported_and_how_many_not_judged(neovim):
    neovim.lua("vim.lsp.config('cite_lsp', { settings = { ['cite-lsp'] = { judge = { run = 'manual' } } } })")
    neovim.open("docs/design.md")
    neovim.wait("require('cite_lsp').status():find('3 undecided')")
    neovim.command("CiteLsp judge")
    neovim.wait("vim.list_contains(look.said, 'cite-lsp: 1 supported, 1 undecided')")
    neovim.wait("require('cite_lsp').status():find('2 undecided')")


def test_workspace_judges_closed_documents_and_clear_forgets(neovim):
    neovim.open("docs/design.md")
    neovim.command("CiteLsp workspace")
    said = neovim.wait("(look.said[#look.said] or ''):find('documents judged') and look.said[#look.said]")
    assert "supported" in said
    neovim.command("CiteLsp clear")
    neovim.wait("look.said[#look.said]:find('0 answers forgotten')")  # the embedded judge's are not kept


def test_status_counts_what_is_not_judged(neovim):
    neovim.open("docs/design.md")
    neovim.wait("vim.b.cite_lsp_status and vim.b.cite_lsp_status.anchors == 3")
    said = neovim.wait("require('cite_lsp').status():find('3 citations, 1 finding') and require('cite_lsp').status()")
    assert said.startswith("cite-lsp: ")
    assert neovim.lua("return vim.g.cite_lsp_status.judge") == "embedded/2"
    neovim.command("CiteLsp status")
    assert f"workspace: {neovim.lua('return vim.fn.getcwd()')}" in neovim.lua("return look.said[#look.said]")
    neovim.command("enew")
    assert neovim.lua("return require('cite_lsp').status()") == ""


def test_copy_gives_the_citation_of_a_line_and_of_a_selection(neovim):
    neovim.lua(
        "vim.g.clipboard = { name = 'test', copy = { ['+'] = function(lines) _G.copied = lines end,"
        " ['*'] = function() end }, paste = { ['+'] = function() return _G.copied end,"
        " ['*'] = function() return {} end } }"
    )
    neovim.lua("vim.fn.chdir('docs')")
    neovim.lua("vim.keymap.set('x', 'Q', function() require('cite_lsp').copy() end)")
    neovim.command("edit ../src/limits.py")
    assert neovim.lua("return vim.fn.exists(':CiteLsp')") == 0, "code alone starts no server"
    neovim.keys("7GVjjQ")
    neovim.wait("vim.fn.getreg('\"') == 'src/limits.py:7-9'")
    neovim.open("design.md")
    neovim.keys("3G:CiteLsp copy<CR>")
    neovim.wait("vim.fn.getreg('\"') == 'docs/design.md:3'")
    neovim.keys("Vj:CiteLsp copy<CR>")
    neovim.wait("vim.fn.getreg('\"') == 'docs/design.md:3-4'")
    neovim.wait("_G.copied and _G.copied[1] == 'docs/design.md:3-4'")
    neovim.command("edit ../src/limits.py")
    neovim.keys("2G:.,+1CiteLsp copy<CR>")
    neovim.wait("vim.fn.getreg('\"') == 'src/limits.py:2-3'")


def test_the_command_completes_and_says_what_it_does_not_know(neovim):
    neovim.open("docs/design.md")
    names = neovim.lua("return vim.fn.getcompletion('CiteLsp ', 'cmdline')")
    assert names == ["clear", "copy", "fix", "judge", "log", "policies", "repair", "restart", "status", "workspace"]
    assert neovim.lua("return vim.fn.getcompletion('CiteLsp re', 'cmdline')") == ["repair", "restart"]
    neovim.lua("pcall(vim.cmd, 'CiteLsp nonsense')")
    assert 'no command "nonsense"' in neovim.lua("return look.said[#look.said]")


def test_restart_brings_a_new_server_and_the_findings_back(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    (before,) = neovim.servers()
    old = neovim.lua("return require('cite_lsp').client().id")
    neovim.command("CiteLsp restart")
    neovim.wait("require('cite_lsp').client() and require('cite_lsp').client().id ~= ...", old)
    neovim.wait("look.has('line-out-of-range')")
    (after,) = neovim.servers()
    assert after != before
    assert not neovim.is_server(before)
    neovim.wait("require('cite_lsp').status():find('3 citations')")


def test_restart_takes_a_new_configuration_and_log_opens_the_file_it_names(neovim, tmp_path):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    old = neovim.lua("return require('cite_lsp').client().id")
    log = tmp_path / "serve.log"
    neovim.lua("vim.lsp.config('cite_lsp', { cmd = { 'cite-lsp', 'serve', '--log-file', ... } })", str(log))
    neovim.command("CiteLsp restart")
    neovim.wait("require('cite_lsp').client() and require('cite_lsp').client().id ~= ...", old)
    neovim.wait("require('cite_lsp').status():find('3 citations')")
    assert log.exists()
    neovim.command("CiteLsp log")
    assert neovim.lua("return vim.api.nvim_buf_get_name(0)") == str(log)


def test_the_server_ends_with_a_neovim_that_was_killed(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    (server,) = neovim.servers()
    neovim.kill()
    while neovim.is_server(server):
        time.sleep(0.05)


def test_the_help_page(neovim, tmp_path):
    neovim.command(f"helptags {tmp_path / 'plugin' / 'doc'}")
    neovim.open("docs/design.md")
    names = neovim.wait("require('cite_lsp').client().initialized and vim.fn.getcompletion('CiteLsp ', 'cmdline')")
    neovim.command("help cite_lsp")
    assert neovim.lua("return vim.fn.expand('%:t')") == "cite_lsp.txt"
    text = neovim.request("nvim_buf_get_lines", 0, 0, -1, True)
    assert "judge" in names
    for name in names:
        assert any(f"*:CiteLsp-{name}*" in line for line in text), name
    assert [line for line in text if neovim.lua("return vim.fn.strdisplaywidth(...)", line) > 79] == []
    tags = {line.split("\t")[0] for line in (tmp_path / "plugin" / "doc" / "tags").read_text().splitlines()}
    referred = {name for line in text for name in re.findall(r"\|([^|\s]*(?:cite_lsp|CiteLsp)[^|\s]*)\|", line)}
    assert referred <= tags


HEALTH = "vim.bo.filetype == 'checkhealth' and table.concat(vim.fn.getline(1, '$'), '\\n')"


def test_checkhealth(neovim, workspace):
    neovim.open("docs/design.md")
    neovim.wait("require('cite_lsp').status():find('3 citations')")
    neovim.command("checkhealth cite_lsp")
    text = neovim.wait(HEALTH)
    assert "ERROR" not in text
    assert "WARNING" not in text
    assert "3 citations" in text
    assert f"the folder {workspace}" in text
    assert "the embedded judge: no text leaves this process" in text
    assert re.search("program: cite-lsp [0-9.]+, Python 3", text)
    assert "git: git version" in text


def test_checkhealth_says_which_setting_is_wrong_and_that_there_is_a_key_but_not_which(start, workspace, monkeypatch):
    monkeypatch.setenv("CITE_LSP_JUDGE_NAME", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-to-be-seen-0123456789")
    (workspace / "cite-lsp.toml").write_text(
        '[rules]\nblank-lin = "off"\n\n[judge]\nrun = "manual"\n', encoding="utf-8"
    )
    neovim = start()
    neovim.open("docs/design.md")
    neovim.wait("vim.b.cite_lsp_status ~= nil")
    neovim.command("checkhealth cite_lsp")
    text = neovim.wait(HEALTH)
    assert re.search(r"ERROR settings: .*cite-lsp\.toml:2:[0-9]+: .*blank-lin", text)
    assert re.search(r"there is a key for it: .*OPENAI_API_KEY", text)
    assert "it was not asked" in text
    assert re.search(r'judge\.run = "manual" \(.*cite-lsp\.toml', text)
    assert "never-to-be-seen" not in text


def test_the_captured_capabilities_are_those_of_this_neovim(neovim):
    captured = json.loads(CAPABILITIES.read_text(encoding="utf-8"))
    neovim.lua(
        "vim.lsp.config('cite_lsp', { before_init = function(params)"
        " _G.offered = vim.json.encode({ client = params.clientInfo, capabilities = params.capabilities }) end })"
    )
    neovim.open("docs/design.md")
    offered = json.loads(neovim.wait("_G.offered"))
    if CAPTURE:  # how the file was made
        in_order = {name: json.loads(json.dumps(offered[name], sort_keys=True)) for name in ("client", "capabilities")}
        CAPABILITIES.write_text(json.dumps(in_order, indent=2) + "\n", encoding="utf-8")
    elif offered["client"]["version"] == captured["client"]["version"]:
        assert offered == captured
    assert "utf-8" in offered["capabilities"]["general"]["positionEncodings"]
