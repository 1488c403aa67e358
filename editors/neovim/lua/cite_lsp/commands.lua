-- `:CiteLsp {what}`, a command of each attached buffer.
local M = {}

local say = function(text, level)
  vim.notify('cite-lsp: ' .. text, level or vim.log.levels.INFO)
end

--- Ask the server to run one of its commands for this buffer.
---@param command string
---@param argument table what goes beside the document's address
---@param done fun(result: any)
local function ask(command, argument, done)
  local bufnr = vim.api.nvim_get_current_buf()
  local client = require('cite_lsp').client(bufnr)
  if not client then
    return say('no server attends to this buffer; try :CiteLsp restart', vim.log.levels.WARN)
  end
  argument.uri = vim.uri_from_bufnr(bufnr)
  local request = { title = command, command = command, arguments = { argument } }
  client:exec_cmd(request, { bufnr = bufnr }, function(err, result)
    if err then
      say(err.message, vim.log.levels.ERROR)
    else
      done(result)
    end
  end)
end

local VERDICTS = {
  { 'supported', 'supported' },
  { 'partial', 'partly supported' },
  { 'unsupported', 'unsupported' },
  { 'review', 'for review' },
  { 'unchecked', 'undecided' },
}

--- The counts of verdicts in words, "" where there are none.
---@param counts table<string, integer>
---@return string
local function in_words(counts)
  local parts = {}
  for _, verdict in ipairs(VERDICTS) do
    local name, words = unpack(verdict)
    if (counts[name] or 0) > 0 then
      parts[#parts + 1] = ('%d %s'):format(counts[name], words)
    end
  end
  return table.concat(parts, ', ')
end

local function judge()
  ask('cite-lsp.server.judgeDocument', {}, function(counts)
    if type(counts) == 'table' then
      local words = in_words(counts)
      say(words ~= '' and words or 'no citation here has lines to judge')
    end
  end)
end

local function judge_workspace()
  ask('cite-lsp.server.judgeWorkspace', {}, function(found)
    if type(found) ~= 'table' then
      return
    end
    local judged = 0
    for outcome, count in pairs(found.documents) do
      judged = judged + (outcome == 'not-judged' and 0 or count)
    end
    local left = found.documents['not-judged'] or 0
    local words = in_words(found.labels)
    say(
      ('%s%d documents judged%s%s'):format(
        found.cancelled and 'stopped; ' or '',
        judged,
        left > 0 and (', %d not'):format(left) or '',
        words ~= '' and ': ' .. words or ''
      )
    )
  end)
end

---@class cite_lsp.PolicyRun
---@field policy string
---@field passages integer
---@field unchecked integer
---@field found integer
---@field review integer
---@field why string? why passages were not checked

---@param count integer
---@param noun string
local function number(count, noun)
  return ('%d %s%s'):format(count, noun, count == 1 and '' or 's')
end

--- What a run of policies came to in one line: what was not checked comes first, and is never counted among what was.
---@param ran { policies: cite_lsp.PolicyRun[], refused: string[], cancelled: boolean }
---@return string
---@return boolean lacking whether something was left out
local function in_one_line(ran)
  local sum = { passages = 0, unchecked = 0, found = 0, review = 0 }
  local why
  for _, each in ipairs(ran.policies) do
    for name, count in pairs(sum) do
      sum[name] = count + each[name]
    end
    why = why or (type(each.why) == 'string' and each.why or nil)
  end
  local lacking = sum.unchecked > 0
  local parts = { number(sum.passages, 'passage') }
  if lacking then
    parts[1] = ('%d of %s not checked'):format(sum.unchecked, parts[1])
  end
  if sum.found > 0 then
    parts[#parts + 1] = number(sum.found, 'finding')
  end
  if sum.review > 0 then
    parts[#parts + 1] = ('%d to look at'):format(sum.review)
  end
  if #parts == 1 and sum.unchecked < sum.passages then
    parts[2] = lacking and 'nothing found in the others' or 'nothing found'
  end
  local name = #ran.policies == 1 and ran.policies[1].policy or ('%d policies'):format(#ran.policies)
  local line = ('%s%s: %s'):format(ran.cancelled and 'stopped; ' or '', name, table.concat(parts, ', '))
  line = line .. (lacking and why and (' (%s)'):format(why) or '')
  for _, path in ipairs(ran.refused) do
    line = ('%s; %s is faulty, so it is not asked'):format(line, path)
  end
  return line, lacking or #ran.refused > 0
end

local function policies()
  ask('cite-lsp.server.runPolicies', {}, function(ran)
    if type(ran) == 'table' then
      local line, lacking = in_one_line(ran)
      say(line, lacking and vim.log.levels.WARN or nil)
    end
  end)
end

local function clear()
  ask('cite-lsp.server.clearCache', {}, function(count)
    say(('%d answers forgotten'):format(type(count) == 'number' and count or 0))
  end)
end

local function repair()
  local client = require('cite_lsp').client()
  local params = vim.lsp.util.make_range_params(0, client and client.offset_encoding or 'utf-16')
  ask('cite-lsp.server.requestRepair', { range = params.range }, function() end)
end

local function fix()
  ask('cite-lsp.server.fixAll', {}, function(applied)
    applied = type(applied) == 'number' and applied or 0
    say(applied == 0 and 'nothing has one answer; see the code actions' or ('%d mended'):format(applied))
  end)
end

local function status()
  local client = require('cite_lsp').client()
  if not client then
    return say('no server attends to this buffer; try :CiteLsp restart', vim.log.levels.WARN)
  end
  vim.notify(table.concat(require('cite_lsp.status').long(client), '\n'))
end

--- The file that the server writes to when its command says `--log-file`, else Neovim's log of all servers.
local function log_path()
  local cmd = (require('cite_lsp').client() or { config = vim.lsp.config.cite_lsp or {} }).config.cmd
  for number, word in ipairs(type(cmd) == 'table' and cmd or {}) do
    local file = word:match('^%-%-log%-file=(.+)') or (word == '--log-file' and cmd[number + 1])
    if file then
      return file
    end
  end
  return vim.lsp.log.get_filename()
end

local function log()
  local path = log_path()
  if not vim.uv.fs_stat(path) then
    return say(path .. ' is not there: nothing was logged yet')
  end
  vim.cmd.split({ args = { vim.fn.fnameescape(path) } })
  vim.bo.autoread = true
  vim.cmd.normal({ 'G', bang = true })
end

---@type table<string, fun(range: { first: integer, last: integer }?)>
local subcommands = {
  judge = judge,
  workspace = judge_workspace,
  policies = policies,
  clear = clear,
  repair = repair,
  fix = fix,
  status = status,
  log = log,
  restart = function()
    require('cite_lsp').restart()
  end,
  copy = function(range)
    range = range or {}
    require('cite_lsp').copy(range.first, range.last)
  end,
}

local function names()
  local all = vim.tbl_keys(subcommands)
  table.sort(all)
  return all
end

local function run(given)
  local subcommand = subcommands[given.args]
  if not subcommand then
    return say(('no command "%s"; there are %s'):format(given.args, table.concat(names(), ', ')), vim.log.levels.ERROR)
  end
  subcommand(given.range > 0 and { first = given.line1, last = given.line2 } or nil)
end

local function complete(lead)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, lead)
  end, names())
end

--- What a code lens runs: the places that cite the lines below it, as `vim.lsp.buf.references()` lists them.
---@param command lsp.Command its arguments: the document's URI, the place of the lens, and the locations
---@param context { client_id: integer }
function M.show_citations(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  local locations = (command.arguments or {})[3] or {}
  local items = vim.lsp.util.locations_to_items(locations, client and client.offset_encoding or 'utf-16')
  vim.fn.setqflist({}, ' ', { title = command.title, items = items })
  vim.cmd('botright copen')
end

---@param bufnr integer
function M.create(bufnr)
  vim.api.nvim_buf_create_user_command(bufnr, 'CiteLsp', run, {
    nargs = 1,
    range = true,
    complete = complete,
    desc = 'cite-lsp: judge, workspace, policies, clear, repair, fix, copy, status, restart, log',
  })
end

return M
