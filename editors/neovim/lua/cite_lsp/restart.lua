-- Stop the server, wait until it is gone, start it again.
local PATIENCE_MS = 3000
local LOOK_EVERY_MS = 50

local function start()
  -- Reads the configuration again and attaches every open buffer it names.
  vim.lsp.enable('cite_lsp')
end

---@param client vim.lsp.Client
---@param waited integer ms
local function when_gone(client, waited)
  if not vim.lsp.get_client_by_id(client.id) then
    return start()
  end
  if waited == PATIENCE_MS then
    client:stop(true)
  end
  vim.defer_fn(function()
    when_gone(client, waited + LOOK_EVERY_MS)
  end, LOOK_EVERY_MS)
end

return function()
  local client = require('cite_lsp').client()
  if not client then
    return start()
  end
  client:stop()
  when_gone(client, 0)
end
