"""Code files in Neovim: they join the server of their documents, and tell which documents cite a line."""

import subprocess

import pytest

JOINED = "#vim.lsp.get_clients({ name = 'cite_lsp', bufnr = vim.fn.bufnr(...) }) > 0"
ROWS = "vim.tbl_map(function(row) return { vim.fn.bufname(row.bufnr), row.lnum, row.text } end, vim.fn.getqflist())"


@pytest.fixture
def more(workspace):
    """A second document, which is never opened."""
    text = "# Waiting\n\nA second attempt waits longer (`src/limits.py:9`).\n"
    (workspace / "docs" / "waiting.md").write_text(text, encoding="utf-8")
    return workspace


def test_code_joins_once_a_document_is_open(neovim, workspace, tmp_path):
    elsewhere = tmp_path / "other.py"
    elsewhere.write_text("pass\n", encoding="utf-8")
    (workspace / "src" / "late.py").write_text("pass\n", encoding="utf-8")
    neovim.lua("vim.o.hidden = true")
    neovim.command("edit src/limits.py")
    assert neovim.servers() == []
    assert neovim.lua("return #vim.lsp.get_clients()") == 0

    neovim.open("docs/design.md")
    neovim.wait(JOINED, "src/limits.py")
    neovim.command("edit src/late.py")
    neovim.wait(JOINED, "src/late.py")
    neovim.command(f"edit {elsewhere}")
    neovim.command("enew")
    neovim.command("help lsp")
    assert not neovim.lua(f"return {JOINED}", str(elsewhere))
    assert not neovim.lua(f"return {JOINED}", "%")
    assert len(neovim.servers()) == 1

    neovim.command("buffer docs/design.md")
    before = neovim.lua("return require('cite_lsp').client().id")
    neovim.command("CiteLsp restart")
    neovim.wait("require('cite_lsp').client() and require('cite_lsp').client().id ~= ...", before)
    neovim.wait(JOINED, "src/limits.py")
    neovim.wait(JOINED, "src/late.py")


def test_references_of_a_line_of_code_are_the_documents_that_cite_it(neovim, more):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    neovim.command("edit src/limits.py")
    neovim.wait(JOINED, "src/limits.py")
    neovim.keys("9Ggrr")
    neovim.wait("vim.bo.buftype == 'quickfix' and #vim.fn.getqflist() == 2")
    rows = neovim.lua(f"return {ROWS}")
    assert [row[:2] for row in rows] == [["docs/design.md", 4], ["docs/waiting.md", 3]]
    assert "waits longer" in rows[1][2]
    neovim.command("cclose")
    neovim.keys("4Ggrr")
    neovim.wait("vim.fn.execute('messages'):find('[Nn]o references found')")


def test_a_document_of_a_repository_inside_has_its_own_server_only(neovim, workspace):
    inside = workspace / "vendor" / "part"
    (inside / "docs").mkdir(parents=True)
    (inside / "docs" / "notes.md").write_text("See `docs/none.py:1`.\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=inside, check=True)
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range')")
    neovim.open("vendor/part/docs/notes.md")
    neovim.wait("look.has('missing')")
    clients = neovim.lua("return vim.tbl_map(function(c) return c.root_dir end, vim.lsp.get_clients({ bufnr = 0 }))")
    assert clients == [str(inside)]
