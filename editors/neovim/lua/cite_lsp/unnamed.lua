-- A buffer without a name is a document without a file. Neovim writes the address of each as `file://`, and takes that
-- address, when it comes back, for a buffer "/": so at most one is the server's, and what comes back is brought to it.
-- When it is written and so gets a name, Neovim goes through the events of its end, and its client hears of no write
-- to it any more: so it is attached anew, and the server is told of each.
local M = {}

local ADDRESS = 'file://'

---@type integer?
local held
---@type table<integer, integer> by buffer, the client of those that had no name and have one
local named = {}
local is_prepared = false

--- The buffer that is meant by the address.
---@return integer? bufnr
local function meant()
  return held and vim.api.nvim_buf_is_loaded(held) and held or nil
end

---@param bufnr integer
local function attach_anew(bufnr)
  local id = named[bufnr]
  if not id then
    return
  elseif not vim.api.nvim_buf_is_loaded(bufnr) then
    named[bufnr] = nil
  elseif vim.lsp.get_client_by_id(id) then
    vim.lsp.buf_attach_client(bufnr, id)
  end
end

--- Let go of a buffer while its address is the one that the server knows.
local function leave(event)
  local bufnr = event.buf
  local client = (bufnr == held or named[bufnr]) and require('cite_lsp').client(bufnr)
  if bufnr == held then
    held = nil
  end
  if not client then
    return
  end
  named[bufnr] = client.id
  vim.lsp.buf_detach_client(bufnr, client.id)
  vim.schedule(function()
    attach_anew(bufnr)
  end)
end

local function written(event)
  attach_anew(event.buf)
  local client = named[event.buf] and require('cite_lsp').client(event.buf)
  if client then
    client:notify('textDocument/didSave', { textDocument = { uri = vim.uri_from_bufnr(event.buf) } })
  end
end

local function prepare()
  is_prepared = true
  local group = vim.api.nvim_create_augroup('cite_lsp_unnamed', {})
  vim.api.nvim_create_autocmd({ 'BufWipeout', 'BufFilePre' }, { group = group, callback = leave })
  vim.api.nvim_create_autocmd('BufWritePost', { group = group, callback = written })
  -- Code actions ask this function of Neovim's which buffer to change, and leave no other way in.
  local to_bufnr = vim.uri_to_bufnr
  ---@diagnostic disable-next-line: duplicate-set-field
  vim.uri_to_bufnr = function(uri)
    return uri == ADDRESS and meant() or to_bufnr(uri)
  end
end

--- Take a buffer without a name for the one that the server has, unless there is another.
---@param bufnr integer
---@return boolean
function M.take(bufnr)
  if meant() and held ~= bufnr then
    return false
  end
  held = bufnr
  if not is_prepared then
    prepare()
  end
  return true
end

--- Handle `textDocument/publishDiagnostics`: show what is told of the address in its buffer, if there is one.
---@type lsp.Handler
function M.published(err, params, context)
  local bufnr = meant()
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not (params and params.uri == ADDRESS) then
    return vim.lsp.handlers[context.method](err, params, context)
  elseif not (bufnr and client) then
    return -- it was on its way while the buffer got its name
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local function column(place)
    return vim.str_byteindex(lines[place.line + 1] or '', client.offset_encoding, place.character, false)
  end
  local shown = vim.tbl_map(function(told)
    local first, last = told.range.start, told.range['end']
    return {
      lnum = first.line,
      col = column(first),
      end_lnum = last.line,
      end_col = column(last),
      severity = told.severity,
      message = told.message,
      source = told.source,
      code = told.code,
      user_data = { lsp = told },
    }
  end, params.diagnostics)
  vim.diagnostic.set(vim.lsp.diagnostic.get_namespace(client.id), bufnr, shown)
end

return M
