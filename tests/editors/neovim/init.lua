-- What a person's configuration says; the plugin's folder is on the runtime path already.
vim.o.swapfile = false
vim.o.shortmess = vim.o.shortmess .. 'I'
vim.diagnostic.config({ virtual_text = true })
vim.lsp.enable('cite_lsp')
