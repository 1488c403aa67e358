-- What the tests look at. Loaded once into the Neovim under test, as the global `look`.
local look = {}

--- Every finding of the buffer: its code, message, 1-based line, and the text it stands under ("" where that is no
--- longer there: between an edit and the answer to it).
function look.findings()
  return vim.tbl_map(function(item)
    local there, text = pcall(vim.api.nvim_buf_get_text, 0, item.lnum, item.col, item.end_lnum, item.end_col, {})
    text = there and text or {}
    return {
      code = item.code,
      message = item.message,
      source = item.source,
      line = item.lnum + 1,
      column = item.col,
      text = table.concat(text, '\n'),
    }
  end, vim.diagnostic.get(0))
end

--- Whether a finding with this code stands on this line (on any, when it is nil).
function look.has(code, line)
  for _, finding in ipairs(look.findings()) do
    if finding.code == code and (not line or finding.line == line) then
      return true
    end
  end
  return false
end

--- The text of the floating window, "" when there is none.
function look.float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then
      return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
    end
  end
  return ''
end

--- Every code lens of the buffer as last asked for: its 1-based line and its title. Asks anew for the next look.
function look.lenses()
  vim.lsp.codelens.refresh({ bufnr = 0 })
  return vim.tbl_map(function(lens)
    return { lens.range.start.line + 1, lens.command.title }
  end, vim.lsp.codelens.get(0))
end

--- Every inlay hint of the buffer: its 1-based line and its label.
function look.hints()
  return vim.tbl_map(function(each)
    return { each.inlay_hint.position.line + 1, each.inlay_hint.label }
  end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
end

--- Put the cursor on the first place of this text.
function look.at(text)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  return vim.fn.search('\\V' .. vim.fn.escape(text, '\\'), 'cW')
end

--- The screen, cell by cell, as the person sees it.
function look.screen()
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    rows[row] = (table.concat(cells):gsub('%s+$', ''))
  end
  return rows
end

--- What was said by `vim.notify`, in order.
look.said = {}
vim.notify = (function(notify)
  return function(message, ...)
    table.insert(look.said, message)
    return notify(message, ...)
  end
end)(vim.notify)

_G.look = look
