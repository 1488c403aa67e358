"""The window itself, in a terminal: what a person sees, kept as text."""

import os
from pathlib import Path

# The folder that keeps the pictures. Read here, since a test clears its environment.
ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")


def test_what_the_person_sees(start, tmp_path):
    artefacts = Path(ARTEFACTS or tmp_path)
    artefacts.mkdir(parents=True, exist_ok=True)
    neovim = start(size=(136, 20))
    neovim.lua("vim.o.number = true; vim.o.ruler = false; vim.o.laststatus = 2; vim.o.winborder = 'rounded'")
    neovim.lua("""vim.o.statusline = "%f %m%=%{v:lua.require'cite_lsp'.status()} " """)
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.lua("look.at('three')")
    neovim.keys("cwfive<Esc>:silent write<CR>")
    neovim.wait("look.has('unsupported', 3)")
    neovim.wait("table.concat(look.screen(), '\\n'):find('2 findings')")
    findings = neovim.lua("return look.screen()")
    (artefacts / "neovim-findings.txt").write_text("\n".join(findings) + "\n", encoding="utf-8")
    neovim.lua("look.at('limits.py:3')")
    neovim.keys("K")
    neovim.wait("table.concat(look.screen(), '\\n'):find('MAX_ATTEMPTS')")
    hover = neovim.lua("return look.screen()")
    (artefacts / "neovim-hover.txt").write_text("\n".join(hover) + "\n", encoding="utf-8")
    marked = [row for row in findings if "■" in row]
    assert len(marked) == 2
    assert any("src/limits.py:90" in row for row in marked)
    assert any("citations" in row for row in findings)
    assert any("│" in row and "MAX_ATTEMPTS = 3" in row for row in hover)
