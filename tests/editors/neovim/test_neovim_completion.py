"""Completion of citations in Neovim: their paths, then the lines and names of the cited file."""

WORDS = "vim.tbl_map(function(item) return item.abbr end, vim.fn.complete_info({ 'items' }).items)"
POPUP = "vim.fn.pumvisible() == 1"
READY = "look.has('line-out-of-range', 5) and (vim.b.cite_lsp_status or {}).indexing == false"


def test_paths_and_then_the_lines_of_the_cited_file(neovim, workspace):
    (workspace / "src" / "retry.py").write_text("pass\n", encoding="utf-8")
    neovim.open("docs/design.md")
    neovim.wait(READY)
    neovim.keys("GoSee `src/<C-x><C-o>")
    neovim.wait(
        f"{POPUP} and vim.list_contains({WORDS}, 'src/limits.py') and vim.list_contains({WORDS}, 'src/retry.py')"
    )
    neovim.keys("<C-e>lim<C-x><C-o>")
    neovim.wait("vim.fn.getline(6) == ...", "See `src/limits.py")
    neovim.keys(":del<C-x><C-o>")
    neovim.wait("vim.fn.getline(6) == ...", "See `src/limits.py:7-9")
    neovim.keys("`.<Esc>")
    neovim.wait("require('cite_lsp').status():find('4 citations')")
    assert len(neovim.findings()) == 1


def test_it_opens_by_itself_only_where_a_citation_is_begun(neovim, workspace):
    neovim.lua(
        "vim.api.nvim_create_autocmd('LspAttach', { callback = function(event)"
        " vim.lsp.completion.enable(true, event.data.client_id, event.buf, { autotrigger = true }) end })"
    )
    neovim.lua("vim.o.completeopt = 'menuone,noselect'")
    neovim.open("docs/design.md")
    neovim.wait(READY)
    neovim.keys("GoThis and/or that: yes (no) `src/")
    neovim.wait(f"{POPUP} and vim.list_contains({WORDS}, 'src/limits.py')")
    neovim.keys("<C-e><Esc>")
    neovim.lua(
        "_G.shown = 0; vim.api.nvim_create_autocmd('CompleteChanged', { callback = function() shown = shown + 1 end })"
    )
    neovim.keys("oThis and/or `x` that: #1 [a](https://example.org/a) end<Esc>")
    neovim.wait("vim.fn.getline('.'):find('end$') and vim.fn.mode() == 'n'")
    neovim.lua("vim.wait(500, function() return false end)")
    assert neovim.lua("return shown") == 0
