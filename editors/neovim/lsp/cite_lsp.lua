---@brief
---
--- cite-lsp: finds the citations of code in documents (`src/retry.ts:24-26`), resolves each against the
--- workspace, and tells which are dead, ambiguous or wrong.
---
--- Install the server with `pip install cite-lsp` (or `pipx`, `uv tool`), then:
---
--- ```lua
--- vim.lsp.enable('cite_lsp')
--- ```
---
--- It starts for documents, and for policy files; the code files of their workspace join, see `:help cite_lsp-code`.

-- A repository is the root even where a document's folder has settings of its own: citations are read from the
-- top. Below Neovim 0.11.3 the markers are one flat list, so the nearest `cite-lsp.toml` wins over `pyproject.toml`.
local settings_files = { 'cite-lsp.toml', 'pyproject.toml' }
local root_markers = vim.fn.has('nvim-0.11.3') == 1 and { '.git', settings_files }
  or vim.list_extend({ '.git' }, settings_files)

---@type vim.lsp.Config
return {
  cmd = { 'cite-lsp', 'serve' },
  filetypes = { 'markdown', 'mdx', 'rst', 'asciidoc', 'text', 'toml' },
  root_markers = root_markers,
  -- TOML files are policies of ours or nothing to us; whoever replaces this function has the server in all of them.
  root_dir = function(bufnr, on_dir)
    if require('cite_lsp').attends(bufnr) then
      on_dir(vim.fs.root(bufnr, vim.lsp.config.cite_lsp.root_markers or root_markers))
    end
  end,
  settings = { ['cite-lsp'] = vim.empty_dict() },
  get_language_id = function(_, filetype)
    return require('cite_lsp').language_id(filetype)
  end,
  handlers = {
    ['textDocument/publishDiagnostics'] = function(...)
      return require('cite_lsp.unnamed').published(...)
    end,
    ['cite-lsp/status'] = function(_, status, context)
      require('cite_lsp.status').receive(status, context.client_id)
    end,
  },
  on_attach = function(client, bufnr)
    require('cite_lsp').on_attach(client, bufnr)
  end,
  on_exit = function(_, _, client_id)
    vim.schedule(function()
      require('cite_lsp.status').forget(client_id)
    end)
  end,
}
