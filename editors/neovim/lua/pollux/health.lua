-- `:checkhealth pollux`
local M = {}

local function program(health, cmd)
  if vim.fn.executable(cmd[1]) ~= 1 then
    health.error(("`%s` is not installed or not on the PATH"):format(cmd[1]), {
      "Install Pollux, or name the program: require('pollux').setup{ cmd = { '/path/to/pollux', 'lsp' } }",
    })
    return
  end
  local version = vim.trim(vim.fn.system({ cmd[1], "--version" }))
  if vim.v.shell_error ~= 0 then
    health.error(("`%s --version` failed: %s"):format(cmd[1], version))
  else
    health.ok(version .. " at " .. vim.fn.exepath(cmd[1]))
  end
end

local function clients(health)
  local client = require("pollux.client")
  local running = client.all()
  if #running == 0 then health.info("No server runs yet: open a file, or :Pollux") end
  for _, record in ipairs(running) do
    local state = record.ready and health.ok or health.warn
    state((record.ready and "A server runs for %s" or "A server starts for %s"):format(record.root))
  end
end

function M.check()
  local health = require("pollux.compat").health()
  require("pollux").ready()
  health.start("pollux")
  if vim.fn.has("nvim-0.7") == 1 then
    local version = vim.version()
    health.ok(("Neovim %d.%d.%d"):format(version.major, version.minor, version.patch))
  else
    health.error("Neovim 0.7 or newer is needed")
  end
  if not require("pollux.compat").has_winbar then
    health.info("Without winbar (Neovim 0.8), model and mode are in the status line of the chat")
  end
  program(health, require("pollux.config").values.cmd)
  clients(health)
  health.info("More about the server, its settings and keys: run `pollux doctor` in a terminal")
end

return M
