-- `:checkhealth cite_lsp`.
local M = {}

local function check_neovim()
  if vim.fn.has('nvim-0.11') == 1 then
    vim.health.ok('Neovim ' .. tostring(vim.version()))
  else
    vim.health.error('Neovim 0.11 or newer is needed; this is ' .. tostring(vim.version()))
  end
end

local DOCTOR_MS = 30000
-- What `doctor` says of the command and of editors is known here, or none of Neovim's business.
local LEFT_OUT = { command = true, editor = true }

--- The command up to `serve`: what runs the server runs its other commands.
---@param cmd string[]
---@return string[]
local function program_of(cmd)
  local words = {}
  for _, word in ipairs(cmd) do
    if word == 'serve' then
      break
    end
    words[#words + 1] = word
  end
  return words
end

---@param check { name: string, state: 'good'|'note'|'wrong', message: string, mend: string }
local function tell(check)
  local text = check.name .. ': ' .. check.message
  if check.state == 'wrong' then
    return vim.health.error(text, check.mend ~= '' and { check.mend } or nil)
  end
  local say = check.state == 'good' and vim.health.ok or vim.health.info
  say(check.mend ~= '' and ('%s (%s)'):format(text, check.mend) or text)
end

--- What `cite-lsp doctor` says of a folder: git, settings and where each came from, the judge, keys (whether there is
--- one, never which). It sends nothing anywhere.
---@param program string[]
---@param root string
local function check_folder(program, root)
  local words = vim.list_extend(vim.deepcopy(program), { 'doctor', '--format', 'json', root })
  local started, running = pcall(vim.system, words, { text = true, timeout = DOCTOR_MS })
  local ran = started and running:wait() or { code = -1, stdout = '', stderr = running }
  local read, said = pcall(vim.json.decode, ran.stdout)
  if not read or type(said) ~= 'table' or not said.checks then
    local advice = { vim.trim(ran.stderr or ''), 'pip install --upgrade cite-lsp' }
    return vim.health.error(('"%s" ended with %d'):format(table.concat(words, ' '), ran.code), advice)
  end
  vim.health.info('the folder ' .. said.root)
  for _, check in ipairs(said.checks) do
    if not LEFT_OUT[check.name] then
      tell(check)
    end
  end
  for _, row in ipairs(said.settings) do
    vim.health.info(('%s = %s (%s)'):format(row.name, row.value, row.source))
  end
end

local function check_server()
  local cmd = vim.lsp.config.cite_lsp and vim.lsp.config.cite_lsp.cmd
  if type(cmd) ~= 'table' then
    return vim.health.info('the server is started by a function of your configuration')
  end
  if vim.fn.executable(cmd[1]) == 0 then
    local advice = { 'pip install cite-lsp', 'or name it in full: vim.lsp.config("cite_lsp", { cmd = { … } })' }
    return vim.health.error(('"%s" is no program on the PATH'):format(cmd[1]), advice)
  end
  vim.health.ok('the server is ' .. vim.fn.exepath(cmd[1]))
  local roots = {}
  for _, client in ipairs(vim.lsp.get_clients({ name = 'cite_lsp' })) do
    roots[client.root_dir or vim.fn.getcwd()] = true
  end
  roots = next(roots) and vim.tbl_keys(roots) or { vim.fn.getcwd() }
  for _, root in ipairs(roots) do
    check_folder(program_of(cmd), root)
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
    vim.health.info(".mdx has no file type here: vim.filetype.add({ extension = { mdx = 'mdx' } })")
  end
end

function M.check()
  vim.health.start('cite_lsp')
  check_neovim()
  check_server()
  check_clients()
  check_surroundings()
end

return M
