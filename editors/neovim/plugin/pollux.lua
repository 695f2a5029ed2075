-- Defines the commands, and sets up with the defaults unless a configuration has done so.
if vim.g.loaded_pollux or vim.fn.has("nvim-0.7") == 0 then return end
vim.g.loaded_pollux = true

require("pollux.commands").define()

-- After the person's configuration, which may call `setup` itself.
if vim.v.vim_did_enter == 1 then
  require("pollux").ready()
else
  vim.api.nvim_create_autocmd("VimEnter", { once = true, callback = function() require("pollux").ready() end })
end
