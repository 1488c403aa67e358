"""Marks beside citations in Neovim, off until a setting wants them; citations as symbols; a finding that may stand."""

import os
from pathlib import Path

ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
"""The folder that keeps the pictures. Read here, since a test clears its environment."""
WANTED = """
vim.lsp.config('cite_lsp', { settings = { ['cite-lsp'] = { server = { code_lens = true, inlay_hints = true } } } })
"""
LENSES = "vim.deep_equal(look.lenses(), ...)"
HINTS = "vim.deep_equal(look.hints(), ...)"
ROWS = "vim.tbl_map(function(row) return { vim.fn.bufname(row.bufnr), row.lnum } end, vim.fn.getqflist())"


def test_lenses_count_citations_and_hints_show_verdicts_where_a_setting_wants_them(start, tmp_path):
    neovim = start(size=(136, 24))
    neovim.lua(WANTED)
    neovim.lua("vim.o.number = true; vim.o.ruler = false; vim.o.hidden = true; vim.lsp.inlay_hint.enable(true)")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.wait(LENSES, [[1, "3 citations, 1 broken"]])
    assert neovim.lua(f"return {HINTS}", []), "what was not judged has no mark"
    neovim.lua("look.at('three')")
    neovim.keys("cwfive<Esc>:silent write<CR>")
    neovim.wait("look.has('unsupported', 3)")
    neovim.wait(HINTS, [[3, "✗ unsupported"], [4, "– not checked"]])
    neovim.wait(LENSES, [[1, "3 citations, 1 broken, 1 unsupported, 1 not checked"]])
    neovim.wait("table.concat(look.screen(), '\\n'):find('✗ unsupported', 1, true)")
    folder = Path(ARTEFACTS or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "neovim-marks.txt").write_text("\n".join(neovim.lua("return look.screen()")) + "\n", encoding="utf-8")

    neovim.command("edit src/limits.py")
    neovim.wait("require('cite_lsp').client() ~= nil")
    neovim.wait(LENSES, [[3, "cited by 1"], [7, "cited by 1"]])
    neovim.lua("look.at('def delay')")
    neovim.lua("vim.lsp.codelens.run()")
    neovim.wait("vim.bo.buftype == 'quickfix'")
    assert neovim.lua(f"return {ROWS}") == [["docs/design.md", 4]]


def test_marks_are_off_until_a_setting_wants_them(neovim):
    neovim.lua("vim.lsp.inlay_hint.enable(true)")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.command("silent write")
    neovim.wait("(vim.b.cite_lsp_status or {}).judged == 1")
    neovim.wait(LENSES, [])
    assert neovim.lua(f"return {HINTS}", [])


def test_workspace_symbols_are_the_citations_of_a_file(neovim, workspace):
    text = "# Waiting\n\nA second attempt waits longer (`src/limits.py:9`).\n"
    (workspace / "docs" / "waiting.md").write_text(text, encoding="utf-8")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.lua("vim.lsp.buf.workspace_symbol('lim')")
    neovim.wait("#vim.fn.getqflist() == 4")
    assert sorted(neovim.lua(f"return {ROWS}")) == [
        ["docs/design.md", 3],
        ["docs/design.md", 4],
        ["docs/design.md", 5],
        ["docs/waiting.md", 3],
    ]


def test_still_right_takes_a_finding_away_until_the_cited_text_changes(neovim, workspace):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.lua("look.at('three')")
    neovim.keys("cwfive<Esc>:silent write<CR>")
    neovim.wait("look.has('unsupported', 3)")
    neovim.lua("look.at('limits.py:3')")
    neovim.lua(
        "vim.lsp.buf.code_action({ apply = true,"
        " filter = function(action) return action.title:find('^Still right') end })"
    )
    neovim.wait("not look.has('unsupported')")
    assert neovim.line(3) == "At most five attempts are made (`src/limits.py:3`)."
    code = workspace / "src/limits.py"
    code.write_text(code.read_text().replace("MAX_ATTEMPTS = 3", "MAX_ATTEMPTS = 4"), encoding="utf-8")
    neovim.command("silent write")
    neovim.wait("look.has('unsupported', 3)")
