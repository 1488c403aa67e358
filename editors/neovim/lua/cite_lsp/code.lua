-- Code files join the server of a workspace once a document of it is open: what is typed in them moves the citations
-- of it, and "references" tells which documents cite a line. Where no document is open, code starts no server.
local M = {}

---@type table<integer, true>
local followed = {}
local group = vim.api.nvim_create_augroup('cite_lsp_code', {})

--- Whether Neovim itself finds the server of a buffer: a document, which may belong to a repository further in.
local function is_enabled(bufnr)
  local filetypes = (vim.lsp.config.cite_lsp or {}).filetypes
  local named = not filetypes or vim.list_contains(filetypes, vim.bo[bufnr].filetype)
  return named and require('cite_lsp').attends(bufnr)
end

--- Attach a buffer, and leave it its completion: of code there is none here.
local function attach(client, bufnr)
  local omnifunc = vim.bo[bufnr].omnifunc
  vim.lsp.buf_attach_client(bufnr, client.id)
  if vim.bo[bufnr].filetype ~= 'toml' then
    vim.bo[bufnr].omnifunc = omnifunc
  end
end

--- Attach a buffer if it holds a file of code below the workspace folder of a client.
---@param client vim.lsp.Client
---@param bufnr integer
local function join(client, bufnr)
  local root = client.root_dir
  if not root or not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= '' or is_enabled(bufnr) then
    return
  end
  local name = vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  if vim.startswith(name, vim.fs.normalize(root) .. '/') then
    attach(client, bufnr)
  end
end

--- Have the files that are open, and those that will be, join a client. Once for each client.
---@param client vim.lsp.Client
function M.follow(client)
  if followed[client.id] then
    return
  end
  followed[client.id] = true
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = group,
    desc = 'cite-lsp: code joins the server of its documents',
    callback = function(event)
      if client:is_stopped() then
        followed[client.id] = nil
        return true
      end
      join(client, event.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    join(client, bufnr)
  end
end

return M
