-- `:checkhealth cite_lsp`.
local M = {}

local function check_neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.11 or newer is needed; this is ' .. tostring(vim.version()))
  end
end

local function check_server()
  local config = vim.lsp.config.cite_lsp
  local cmd = config and config.cmd
  if type(cmd) ~= 'table' then
    return vim.health.info('the server is started by a function of your configuration')
  end
  if vim.fn.executable(cmd[1]) == 0 then
    local advice = { 'pip install cite-lsp', 'or name it in full: vim.lsp.config("cite_lsp", { cmd = { … } })' }
    return vim.health.error(('"%s" is no program on the PATH'):format(cmd[1]), advice)
  end
  local ran = vim.system({ cmd[1], '--version' }, { text = true, timeout = 10000 }):wait()
  if ran.code == 0 then
    vim.health.ok(('%s: %s'):format(vim.fn.exepath(cmd[1]), vim.trim(ran.stdout)))
  else
    vim.health.error(('"%s --version" ended with %d'):format(cmd[1], ran.code), { vim.trim(ran.stderr or '') })
  end
end

local function check_git()
  if vim.fn.executable('git') == 1 then
    vim.health.ok('git is there: it knows what citations showed when they were written')
  else
    vim.health.warn('git is no program on the PATH: what moved since it was cited is not known')
  end
end

local function check_clients()
  if not (vim.lsp.is_enabled and vim.lsp.is_enabled('cite_lsp')) then
    vim.health.warn('not enabled', { "vim.lsp.enable('cite_lsp')" })
  end
  local clients = vim.lsp.get_clients({ name = 'cite_lsp' })
  if #clients == 0 then
    vim.health.info('no server runs: none of the open buffers is a document')
  end
  for _, client in ipairs(clients) do
    vim.health.ok(table.concat(require('cite_lsp.status').long(client), '\n'))
  end
end

local function check_surroundings()
  if vim.fn.has('clipboard') == 1 then
    vim.health.ok(':CiteLsp copy reaches the clipboard')
  else
    vim.health.info('no clipboard provider: :CiteLsp copy fills the unnamed register only')
  end
  if not vim.filetype.match({ filename = 'a.mdx' }) then
    vim.health.info('.mdx has no file type here', { "vim.filetype.add({ extension = { mdx = 'mdx' } })" })
  end
end

function M.check()
  vim.health.start('cite_lsp')
  check_neovim()
  check_server()
  check_git()
  check_clients()
  check_surroundings()
end

return M
