-- What the server last said of itself, and the words for it.
local M = {}

---@class cite_lsp.Status
---@field documents integer open documents
---@field anchors integer their citations
---@field findings integer
---@field judged integer citations with a verdict
---@field unchecked integer citations that a judge could not decide, or has not looked at
---@field queued integer
---@field judge string
---@field requests integer what was asked of judges elsewhere in this session
---@field tokensIn integer
---@field tokensOut integer
---@field declined integer citations that the limits of a day left unasked
---@field indexing boolean
---@field watching 'client'|'server'|'nobody' who tells of changed files
---@field lastError string?
---@field policies { passages: integer, unchecked: integer, why: string? }? what policies came to, once they were asked

---@type table<integer, cite_lsp.Status>
local known = {}

local function redraw(client_id)
  vim.api.nvim_exec_autocmds('User', { pattern = 'CiteLspStatus', modeline = false, data = { client_id = client_id } })
  vim.cmd.redrawstatus({ bang = true })
end

--- Buffers that a client attends to.
local function buffers(client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  return client and vim.tbl_keys(client.attached_buffers) or {}
end

--- Keep a status: `vim.b.cite_lsp_status` in each of the client's buffers, `vim.g.cite_lsp_status` the newest of all.
---@param status cite_lsp.Status
---@param client_id integer
function M.receive(status, client_id)
  if type(status) ~= 'table' then
    return
  end
  if status.lastError == vim.NIL then
    status.lastError = nil
  end
  known[client_id] = status
  vim.g.cite_lsp_status = status
  for _, bufnr in ipairs(buffers(client_id)) do
    M.show(client_id, bufnr)
  end
  redraw(client_id)
end

--- Give a buffer its client's status, where there is one yet.
---@param client_id integer
---@param bufnr integer
function M.show(client_id, bufnr)
  if known[client_id] and vim.api.nvim_buf_is_valid(bufnr) then
    vim.b[bufnr].cite_lsp_status = known[client_id]
  end
end

--- The client is gone: what it said no longer holds.
---@param client_id integer
function M.forget(client_id)
  if not known[client_id] then
    return
  end
  known[client_id] = nil
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    local client = require('cite_lsp').client(bufnr)
    if vim.b[bufnr].cite_lsp_status and not (client and known[client.id]) then
      vim.b[bufnr].cite_lsp_status = nil
    end
  end
  local _, newest = next(known)
  vim.g.cite_lsp_status = newest
  redraw(client_id)
end

---@param number integer
---@param one string
---@param many string
local function count(number, one, many)
  return ('%d %s'):format(number, number == 1 and one or many)
end

--- How many citations have no verdict, for whatever reason: dead ones, those a judge could not decide, those that none
--- has looked at yet.
---@param status cite_lsp.Status
local function not_judged(status)
  return math.max(status.anchors - status.judged, status.unchecked)
end

--- The status in one short line. What has no verdict is always counted: it is not the same as good.
---@param client_id integer
---@return string
function M.short(client_id)
  local status = known[client_id]
  if not status then
    return 'cite-lsp: starting'
  end
  local parts = {}
  if status.indexing then
    parts[1] = 'indexing'
  end
  parts[#parts + 1] = count(status.anchors, 'citation', 'citations')
  if status.findings > 0 then
    parts[#parts + 1] = count(status.findings, 'finding', 'findings')
  end
  if status.queued > 0 then
    parts[#parts + 1] = ('%d in judgement'):format(status.queued)
  elseif not_judged(status) > 0 then
    parts[#parts + 1] = ('%d undecided'):format(not_judged(status))
  end
  return (status.lastError and 'cite-lsp!: ' or 'cite-lsp: ') .. table.concat(parts, ', ')
end

--- The status in full, for `:CiteLsp status`.
---@param client vim.lsp.Client
---@return string[]
function M.long(client)
  local lines = { M.short(client.id), 'workspace: ' .. (client.root_dir or 'none: single file') }
  local status = known[client.id]
  if status then
    lines[#lines + 1] = ('%s open, %s by %s, %d undecided'):format(
      count(status.documents, 'document', 'documents'),
      count(status.judged, 'citation decided', 'citations decided'),
      status.judge,
      not_judged(status)
    )
    if (status.requests or 0) > 0 then
      lines[#lines + 1] = ('%s, %d tokens sent, %d received'):format(
        count(status.requests, 'request', 'requests'),
        status.tokensIn,
        status.tokensOut
      )
    end
    if (status.declined or 0) > 0 then
      lines[#lines + 1] = ('%s not asked: the limits of the day'):format(
        count(status.declined, 'citation', 'citations')
      )
    end
    local asked = status.policies
    if type(asked) == 'table' then
      local checked = ('%d of %s checked by policies'):format(
        asked.passages - asked.unchecked,
        count(asked.passages, 'passage', 'passages')
      )
      if asked.unchecked > 0 then
        local why = type(asked.why) == 'string' and ': ' .. asked.why or ''
        checked = ('%s, %d not checked%s'):format(checked, asked.unchecked, why)
      end
      lines[#lines + 1] = checked
    end
    if status.watching == 'nobody' then
      lines[#lines + 1] = 'files that other programs change are not noticed before you save'
    end
    if status.lastError then
      lines[#lines + 1] = 'last error: ' .. status.lastError
    end
  end
  return lines
end

return M
