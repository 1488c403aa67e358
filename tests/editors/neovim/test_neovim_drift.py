"""Drift in Neovim: a cited file is typed in and not saved, the document's finding comes, its fix takes it away."""

import os
from pathlib import Path

ARTEFACTS = os.environ.get("CITE_LSP_ARTEFACTS")
PREFERRED = "vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })"


def test_text_that_moved_in_an_unsaved_file_is_told_and_mended(start, workspace, tmp_path):
    artefacts = Path(ARTEFACTS or tmp_path)
    artefacts.mkdir(parents=True, exist_ok=True)

    def picture(name: str) -> list[str]:
        screen = list(neovim.lua("return look.screen()"))
        (artefacts / f"neovim-drift-{name}.txt").write_text("\n".join(screen) + "\n", encoding="utf-8")
        return screen

    neovim = start(size=(136, 30))
    neovim.lua("vim.o.number = true; vim.o.ruler = false; vim.o.winborder = 'rounded'; vim.o.hidden = true")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    assert not neovim.lua("return look.has('moved')")

    neovim.command("split src/limits.py")
    neovim.keys("7GO# one<CR># two<CR># three<Esc>")
    neovim.wait("vim.bo.modified and vim.fn.line('$') == 12")
    neovim.command("wincmd j")
    neovim.wait("look.has('moved', 4)")
    assert "def delay" not in "\n".join((workspace / "src/limits.py").read_text().splitlines()[7:])
    (finding,) = [each for each in neovim.findings() if each["code"] == "moved"]
    assert finding["text"] == "src/limits.py:7-9"
    assert "lines 10-12" in finding["message"]
    assert any("■" in row and "moved to lines 10-12" in row for row in picture("told"))

    neovim.lua("look.at('limits.py:7')")
    neovim.keys("K")
    neovim.wait("look.float():find('Moved to lines 10%-12')")
    picture("hover")
    neovim.keys("<Esc>j")
    neovim.wait("look.float() == ''")

    neovim.lua("look.at('limits.py:7')")
    neovim.lua(PREFERRED)
    neovim.wait("not look.has('moved')")
    assert neovim.line(4).endswith("(`src/limits.py:10-12`).")
    picture("mended")

    neovim.command("silent undo")
    neovim.wait("look.has('moved', 4)")
    neovim.command("wincmd k")
    neovim.command("silent undo")
    neovim.command("wincmd j")
    neovim.wait("not look.has('moved')")
    assert neovim.line(4).endswith("(`src/limits.py:7-9`).")
