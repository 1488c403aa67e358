"""Buffers without a name in Neovim: documents without a file, until they are written to one."""

import pytest

PREFERRED = "vim.lsp.buf.code_action({ apply = true, filter = function(action) return action.isPreferred end })"
ATTENDED = "vim.lsp.get_clients({ bufnr = 0 })[1] ~= nil"


@pytest.fixture
def unnamed(neovim):
    neovim.command("set hidden filetype=markdown")
    neovim.wait(ATTENDED)
    neovim.keys("iGröße 🚀: three attempts (`src/limits.py:90`).<Esc>")
    neovim.wait("look.has('line-out-of-range', 1)")
    return neovim


def buffers(neovim):
    """The names of all buffers, of those that no list shows as well."""
    return neovim.lua("return vim.tbl_map(function(each) return each.name end, vim.fn.getbufinfo())")


def test_what_is_found_stands_in_the_buffer_as_it_is_typed(unnamed):
    (finding,) = unnamed.findings()
    assert (finding["source"], finding["text"]) == ("cite-lsp", "src/limits.py:90")
    assert buffers(unnamed) == [""], "and in no other"
    unnamed.keys("oEach waits twice as long (`src/limits.py:7-9`).<Esc>")
    unnamed.lua("look.at('limits.py:7')")
    unnamed.keys("K")
    assert "BACKOFF_SECONDS * 2**attempt" in unnamed.wait("look.float() ~= '' and look.float()")
    unnamed.keys("<C-]>")
    unnamed.wait("vim.api.nvim_buf_get_name(0):find('src/limits.py$')")
    assert unnamed.request("nvim_win_get_cursor", 0)[0] == 7
    unnamed.command("buffer 1")
    unnamed.lua("look.at('90')")
    unnamed.keys("cw9<Esc>")
    unnamed.wait("#look.findings() == 0")


def test_what_mends_a_citation_changes_the_buffer(unnamed):
    unnamed.keys("oIt waits (`src/limits.py:7-40`).<Esc>")
    unnamed.wait("look.has('end-out-of-range', 2)")
    unnamed.lua("look.at('limits.py:7')")
    unnamed.lua(PREFERRED)
    unnamed.wait("not look.has('end-out-of-range')")
    assert unnamed.line(2) == "It waits (`src/limits.py:7-9`)."
    unnamed.keys("u")
    unnamed.wait("look.has('end-out-of-range', 2)")
    unnamed.command("CiteLsp fix")
    unnamed.wait("not look.has('end-out-of-range')")
    assert unnamed.line(2) == "It waits (`src/limits.py:7-9`)."
    assert buffers(unnamed) == [""]


def test_once_it_is_written_it_is_the_file(unnamed, workspace):
    unnamed.keys("oAt most five attempts are made (`src/limits.py:3`).<Esc>")
    unnamed.command("write docs/notes.md")
    unnamed.wait("look.has('unsupported', 2)")
    assert [(each["code"], each["line"]) for each in unnamed.findings()] == [
        ("line-out-of-range", 1),
        ("unsupported", 2),
    ]
    unnamed.keys("ggO<Esc>")
    unnamed.wait("look.has('line-out-of-range', 2) and look.has('unsupported', 3)")
    unnamed.lua("look.at('90')")
    unnamed.keys("cw9<Esc>:silent write<CR>")
    unnamed.wait("not look.has('line-out-of-range')")
    assert "limits.py:9`" in (workspace / "docs/notes.md").read_text(encoding="utf-8")
    assert [name.removeprefix(f"{workspace}/") for name in buffers(unnamed)] == ["docs/notes.md"]


def test_what_could_not_be_written_has_the_server_and_the_name(unnamed):
    unnamed.lua("pcall(vim.cmd, 'write nowhere/notes.md')")
    assert "nowhere/notes.md" in unnamed.lua("return vim.fn.bufname()")
    unnamed.keys("oGone (`src/nowhere.py:4`).<Esc>")
    unnamed.wait("look.has('line-out-of-range', 1) and look.has('missing', 2)")


def test_read_anew_from_its_file_it_is_the_file(unnamed, workspace):
    unnamed.command("write docs/notes.md")
    (workspace / "docs/notes.md").write_text("\nGone (`src/nowhere.py:4`).\n", encoding="utf-8")
    unnamed.command("edit!")
    unnamed.wait("look.has('missing', 2) and #look.findings() == 1")
    unnamed.keys("ggO<Esc>")
    unnamed.wait("look.has('missing', 3)")


def test_written_to_what_is_no_document_it_has_no_findings(unnamed):
    unnamed.command("write notes.py")
    unnamed.wait("#look.findings() == 0")
    unnamed.command("file docs/notes.md")
    unnamed.wait("look.has('line-out-of-range', 1)")
    unnamed.command("write")
    unnamed.keys("ggO<Esc>")
    unnamed.wait("look.has('line-out-of-range', 2)")


def test_a_name_alone_makes_it_a_file_as_well(unnamed):
    unnamed.command("file docs/notes.md")
    unnamed.keys("oAt most five attempts are made (`src/limits.py:3`).<Esc>")
    unnamed.command("write")
    unnamed.wait("look.has('line-out-of-range', 1) and look.has('unsupported', 2)")
    assert len(unnamed.findings()) == 2


def test_wiped_out_it_leaves_its_place_to_another(unnamed):
    unnamed.command("enew | set filetype=markdown")
    unnamed.command("bwipeout! 1")
    unnamed.keys("iGone (`src/limits.py:70`).<Esc>:set filetype=markdown<CR>")
    unnamed.wait("look.has('line-out-of-range', 1)")
    assert "Cannot detach" not in unnamed.lua("return vim.fn.execute('messages')")


def test_of_several_the_first_has_the_server_until_it_has_a_name(unnamed):
    unnamed.command("enew | set filetype=markdown")
    unnamed.keys("iGone (`src/limits.py:70`).<Esc>")
    unnamed.command("buffer 1")
    unnamed.keys("oGone (`src/nowhere.py:4`).<Esc>")
    unnamed.wait("look.has('missing', 2)")
    assert [each["line"] for each in unnamed.findings()] == [1, 2], "the other is not laid over it"
    unnamed.command("buffer 2")
    assert not unnamed.lua(f"return {ATTENDED}")
    unnamed.command("buffer 1 | write docs/notes.md")
    unnamed.command("buffer 2 | set filetype=markdown")
    unnamed.wait("look.has('line-out-of-range', 1)")
    assert [each["text"] for each in unnamed.findings()] == ["src/limits.py:70"]
    unnamed.command("buffer 1")
    unnamed.wait("look.has('line-out-of-range', 1) and look.has('missing', 2)")
