"""Findings in Neovim: on open, while typing, on writing, and what makes them come and go."""


def test_findings_show_as_soon_as_a_document_is_open(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    (finding,) = neovim.findings()
    assert finding["source"] == "cite-lsp"
    assert finding["text"] == "src/limits.py:90"
    assert "src/limits.py" in finding["message"]
    assert "9" in finding["message"]


def test_findings_follow_typing_without_saving(neovim, workspace):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.keys("GoSee `src/nowhere.py:4`.")
    neovim.wait("look.has('missing', 6)")
    assert neovim.request("nvim_get_mode")["mode"] == "i"
    for _ in "nowhere.py:4`.":
        neovim.keys("<BS>")
    neovim.keys("limits.py:4`.")
    neovim.wait("not look.has('missing')")
    neovim.keys("<Esc>")
    neovim.lua("look.at('90')")
    neovim.keys("cw9<Esc>")
    neovim.wait("#look.findings() == 0")
    assert neovim.lua("return vim.bo.modified")
    assert "limits.py:90" in (workspace / "docs/design.md").read_text()


def test_findings_follow_a_change_by_a_plugin(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.lua("vim.api.nvim_buf_set_lines(0, 0, 2, false, {})")
    neovim.wait("look.has('line-out-of-range', 3)")
    neovim.command("silent undo")
    neovim.wait("look.has('line-out-of-range', 5)")
    assert len(neovim.findings()) == 1


def test_columns_are_right_behind_umlauts_and_emoji(neovim, workspace):
    text = "Größe 🚀 für äöü: `src/limits.py:90` fehlt, `src/limits.py:3` nicht.\n"
    (workspace / "docs/german.md").write_text(text, encoding="utf-8")
    neovim.open("docs/german.md")
    neovim.wait("look.has('line-out-of-range', 1)")
    assert neovim.lua("return require('cite_lsp').client().offset_encoding") == "utf-8"
    (finding,) = neovim.findings()
    assert finding["text"] == "src/limits.py:90"
    assert finding["column"] == text.encode().index(b"src/limits.py:90")
    neovim.lua("look.at('limits.py:90')")
    neovim.keys("f9cw9<Esc>i🎉ß<Esc>")
    neovim.wait("look.findings()[1] == nil or look.findings()[1].text ~= 'src/limits.py:90'")


def test_a_document_with_windows_line_ends(neovim, workspace):
    text = (workspace / "docs/design.md").read_bytes()
    (workspace / "docs/windows.md").write_bytes(text.replace(b"\n", b"\r\n"))
    neovim.open("docs/windows.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.keys("ggOé `src/limits.py:91`<Esc>")
    neovim.wait("look.has('line-out-of-range', 1) and look.has('line-out-of-range', 6)")
    assert sorted(each["text"] for each in neovim.findings()) == ["src/limits.py:90", "src/limits.py:91"]


def test_a_document_without_a_workspace(neovim, tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "code.py").write_text("x = 1\n", encoding="utf-8")
    (folder / "note.md").write_text("See `code.py:9`.\n", encoding="utf-8")
    neovim.open(str(folder / "note.md"))
    neovim.wait("look.has('line-out-of-range', 1)")
    assert "none: single file" in "\n".join(
        neovim.lua("return require('cite_lsp.status').long(require('cite_lsp').client())")
    )


def test_a_buffer_without_a_name_harms_nobody(neovim):
    neovim.command("set filetype=markdown")
    neovim.keys("iSee `src/limits.py:90`.<Esc>")
    neovim.wait("vim.lsp.get_clients({ bufnr = 0 })[1] ~= nil")
    neovim.lua("pcall(vim.cmd, 'CiteLsp copy')")
    assert "has no file" in neovim.lua("return look.said[#look.said]")
    neovim.command("set hidden")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")


def test_a_verdict_follows_writing(neovim):
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.lua("look.at('three')")
    neovim.keys("cwfive<Esc>:silent write<CR>")
    neovim.wait("look.has('unsupported', 3)")
    (finding,) = [each for each in neovim.findings() if each["code"] == "unsupported"]
    assert finding["text"] == "src/limits.py:3"
    neovim.keys("cwthree<Esc>:silent write<CR>")
    neovim.wait("not look.has('unsupported')")


def test_settings_of_the_editor_count(neovim):
    neovim.lua(
        "vim.lsp.config('cite_lsp', { settings = { ['cite-lsp'] = { rules = { ['line-out-of-range'] = 'off' } } } })"
    )
    neovim.open("docs/design.md")
    neovim.wait("vim.b.cite_lsp_status and vim.b.cite_lsp_status.anchors == 3 and not vim.b.cite_lsp_status.indexing")
    neovim.keys("GoSee `src/nowhere.py:4`.<Esc>")
    neovim.wait("look.has('missing', 6)")
    assert not neovim.lua("return look.has('line-out-of-range')")


def test_unsaved_code_counts_where_code_files_are_attached(neovim):
    neovim.lua("vim.lsp.config('cite_lsp', { filetypes = require('cite_lsp').filetypes({ 'python' }) })")
    neovim.open("docs/design.md")
    neovim.wait("look.has('line-out-of-range', 5)")
    neovim.command("set hidden")
    neovim.open("src/limits.py")
    neovim.lua("vim.api.nvim_buf_set_lines(0, -1, -1, false, vim.fn['repeat']({ 'x = 1' }, 90))")
    assert neovim.findings() == neovim.lua("return look.findings()") == neovim.lua("return {}")
    neovim.command("buffer docs/design.md")
    neovim.wait("not look.has('line-out-of-range')")


def test_another_editor_on_the_same_workspace_is_noticed(start):
    first, second = start(), start()
    for each in (first, second):
        each.open("docs/design.md")
        each.wait("look.has('line-out-of-range', 5)")
    assert first.servers() != second.servers()
    second.command("edit src/limits.py")
    second.keys("4GdG:silent write<CR>")
    first.wait("look.has('line-out-of-range', 4) or look.has('end-out-of-range', 4)")
    second.close()
    first.lua("look.at('7-9')")
    first.keys("cW3`).<Esc>")
    first.wait("#look.findings() == 1")
