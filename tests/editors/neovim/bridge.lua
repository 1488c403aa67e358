-- nvim -l bridge.lua SOCKET: a request of Neovim's API per line of JSON, `[method, argument…]`; one line answers it.
local channel = vim.fn.sockconnect('pipe', arg[1], { rpc = true })
for line in io.lines() do
  local request = vim.json.decode(line)
  local ok, result = pcall(vim.rpcrequest, channel, unpack(request))
  io.write(vim.json.encode({ ok = ok, result = result }), '\n')
  io.flush()
end
