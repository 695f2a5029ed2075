-- What a person may set, with what holds if nothing is set.
local M = {}

local defaults = {
  -- The program and its arguments.
  cmd = { "pollux", "lsp" },
  -- Attach to files as they are opened. With false, the first `:Pollux` command does.
  autostart = true,
  -- A function from a file's path to the folder it belongs to; nil: where `.git` or `.gemini` is.
  root_dir = nil,
  chat = {
    -- Columns, or the share of the screen if below 1.
    width = 0.4,
    -- "right" or "left".
    side = "right",
    prompt_height = 4,
  },
  hunks = {
    -- The keys of the hunk under the cursor, at the end of its first line.
    hint = true,
    signs = { pending = "┃", proposed = "┆", conflict = "!", removed = "▁" },
  },
  -- false: none at all. A single one is left out by setting it to false.
  keymaps = {
    prefix = "<leader>p",
    next_hunk = "]p",
    previous_hunk = "[p",
  },
}

M.values = vim.deepcopy(defaults)

local function check(options)
  local function expect(name, value, ...)
    local kinds = { ... }
    if value ~= nil and not vim.tbl_contains(kinds, type(value)) then
      error(("pollux: %s is a %s, not a %s"):format(name, type(value), table.concat(kinds, " or ")), 0)
    end
  end
  expect("cmd", options.cmd, "table")
  expect("autostart", options.autostart, "boolean")
  expect("root_dir", options.root_dir, "function")
  expect("chat", options.chat, "table")
  expect("hunks", options.hunks, "table")
  expect("keymaps", options.keymaps, "table", "boolean")
  for name in pairs(options) do
    if name ~= "root_dir" and defaults[name] == nil then
      error(("pollux: there is no setting `%s`"):format(name), 0)
    end
  end
end

function M.set(options)
  options = options or {}
  check(options)
  if options.keymaps == true then
    options = vim.tbl_extend("force", options, { keymaps = {} })
  end
  M.values = vim.tbl_deep_extend("force", vim.deepcopy(defaults), options)
  -- A list is not merged place by place.
  M.values.cmd = options.cmd or M.values.cmd
end

return M
