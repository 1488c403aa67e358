-- What a person's configuration may call. Everything here loads on first use; nothing runs at startup.
local M = {}

local DOCUMENTS = { 'markdown', 'mdx', 'rst', 'asciidoc', 'text', 'toml' }

-- Neovim's names of these file types are not those of the protocol.
local LANGUAGE_IDS = { rst = 'restructuredtext', text = 'plaintext' }

--- The file types of documents and policies, and those given: for `vim.lsp.config('cite_lsp', { filetypes = … })`, so
--- that the server starts for code alone, too.
---@param more string[]? file types of code
---@return string[]
function M.filetypes(more)
  return vim.list_extend(vim.deepcopy(DOCUMENTS), more or {})
end

--- Whether the server starts for a buffer of one of its file types: for each but TOML files that are neither policies
--- nor settings of ours, and but buffers without a name behind the first.
---@param bufnr integer
---@return boolean
function M.attends(bufnr)
  local path = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  if vim.bo[bufnr].filetype == 'toml' then
    return vim.fs.basename(path) == 'cite-lsp.toml' or path:find('/policies/[^/]+%.toml$') ~= nil
  end
  return path ~= '' or require('cite_lsp.unnamed').take(bufnr)
end

--- The protocol's name of a file type.
---@param filetype string
---@return string
function M.language_id(filetype)
  return LANGUAGE_IDS[filetype] or filetype
end

--- The server's client of a buffer.
---@param bufnr integer? the current one when left out
---@return vim.lsp.Client?
function M.client(bufnr)
  return vim.lsp.get_clients({ name = 'cite_lsp', bufnr = bufnr or vim.api.nvim_get_current_buf() })[1]
end

--- One line for a statusline: "" in a buffer that the server does not attend to.
---@param bufnr integer?
---@return string
function M.status(bufnr)
  local client = M.client(bufnr)
  return client and require('cite_lsp.status').short(client.id) or ''
end

--- Copy the citation of the cursor's line, or of the selected lines, as `path:line` or `path:first-last`. It works in
--- every file, attached or not. The path is relative to the workspace folder.
---@param first integer? 1-based; the selection or the cursor's line when left out
---@param last integer?
---@return string? citation nil when the buffer has no file, which is then said
function M.copy(first, last)
  return require('cite_lsp.citation').copy(first, last)
end

--- Stop the server of this buffer, wait until it is gone, and start it with the configuration as it is now.
function M.restart()
  require('cite_lsp.restart')()
end

--- Give a buffer its `:CiteLsp`, and have the code files of its workspace join the server. Call it from your own `on_attach` if you replace ours.
---@param client vim.lsp.Client
---@param bufnr integer
function M.on_attach(client, bufnr)
  require('cite_lsp.status').show(client.id, bufnr)
  local commands = require('cite_lsp.commands')
  commands.create(bufnr)
  vim.lsp.commands['cite-lsp.showCitations'] = commands.show_citations
  require('cite_lsp.code').follow(client)
end

return M
