-- A citation of the lines at hand.
local M = {}

local MARKERS = { '.git', 'cite-lsp.toml', 'pyproject.toml' }

--- The workspace folder that holds a file: the buffer's own client's, any other client's of ours that holds it, else
--- what the root markers say, else the working directory.
---@param bufnr integer
---@param file string absolute
---@return string? root absolute, nil where nothing holds the file
local function root_of(bufnr, file)
  local clients = vim.lsp.get_clients({ name = 'cite_lsp', bufnr = bufnr })
  vim.list_extend(clients, vim.lsp.get_clients({ name = 'cite_lsp' }))
  local roots = {}
  for _, client in ipairs(clients) do
    for _, folder in ipairs(client.workspace_folders or {}) do
      roots[#roots + 1] = vim.uri_to_fname(folder.uri)
    end
  end
  roots[#roots + 1] = vim.fs.root(bufnr, MARKERS)
  roots[#roots + 1] = vim.fn.getcwd()
  for _, root in ipairs(roots) do
    if vim.fs.relpath(root, file) then
      return root
    end
  end
end

--- The lines meant: those given, the selection, or the cursor's line.
local function lines(first, last)
  if first then
    return first, last or first
  end
  if vim.fn.mode():find('^[vV\22]') then
    first, last = vim.fn.line('v'), vim.fn.line('.')
    return math.min(first, last), math.max(first, last)
  end
  return vim.fn.line('.'), vim.fn.line('.')
end

---@param bufnr integer
---@param first integer 1-based
---@param last integer
---@return string? citation nil when the buffer has no file
function M.of(bufnr, first, last)
  local name = vim.api.nvim_buf_get_name(bufnr)
  if name == '' or vim.bo[bufnr].buftype ~= '' then
    return nil
  end
  local file = vim.fs.normalize(vim.fn.fnamemodify(name, ':p'))
  local root = root_of(bufnr, file)
  local path = root and vim.fs.relpath(root, file) or file
  return first == last and ('%s:%d'):format(path, first) or ('%s:%d-%d'):format(path, first, last)
end

--- Copy a citation into the unnamed register, and onto the clipboard where there is one.
---@param first integer?
---@param last integer?
---@return string?
function M.copy(first, last)
  first, last = lines(first, last)
  local citation = M.of(0, first, last)
  if not citation then
    vim.notify('cite-lsp: this buffer has no file, so its lines cannot be cited', vim.log.levels.WARN)
    return nil
  end
  vim.fn.setreg('"', citation)
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', citation)
  end
  vim.notify('copied ' .. citation)
  return citation
end

return M
