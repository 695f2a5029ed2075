-- What a person's configuration calls.
local M = {}

local is_set_up = false

-- Everything has a default; `require("pollux").setup()` is not needed.
function M.setup(options)
  require("pollux.config").set(options)
  require("pollux.keymaps").set()
  if is_set_up then return end
  is_set_up = true
  local group = vim.api.nvim_create_augroup("pollux", {})
  local client = require("pollux.client")
  require("pollux.highlights").define()
  vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = require("pollux.highlights").define })
  require("pollux.say").watch_focus(group)
  require("pollux.session").listen()
  require("pollux.chat").watch(group)
  require("pollux.hunks").watch(group)
  require("pollux.editor_state").watch(group)
  require("pollux.hunks").on_change(function() vim.cmd("redrawstatus!") end)
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost" }, {
    group = group,
    callback = function(event)
      -- Once its kind is known.
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(event.buf) and require("pollux.config").values.autostart then
          client.attach(event.buf)
        end
      end)
    end,
  })
  if require("pollux.config").values.autostart then
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      client.attach(bufnr)
    end
  end
end

-- Sets up with the defaults if nobody has.
function M.ready()
  if not is_set_up then M.setup() end
end

local function hold_selection(options)
  if options.range == 0 then return end
  require("pollux.client").attach(vim.api.nvim_get_current_buf())
  require("pollux.editor_state").hold(vim.api.nvim_get_current_buf(), options.line1, options.line2)
end

function M.toggle(options)
  if options and options.range > 0 then
    hold_selection(options)
    return require("pollux.chat").open("focus")
  end
  require("pollux.chat").toggle()
end

-- Sends a prompt. The chat is opened to show the answer, and the cursor stays where it is.
function M.ask(options)
  hold_selection(options)
  local function send(text)
    if not text or vim.trim(text) == "" then return end
    require("pollux.editor_state").flush()
    -- Asked from here: the file that is looked at says which folder is meant.
    require("pollux.session").queue(text)
    require("pollux.chat").open()
  end
  if options.args ~= "" then return send(options.args) end
  vim.ui.input({ prompt = "Ask Pollux: " }, send)
end

function M.new()
  require("pollux.session").leave()
  require("pollux.chat").open("focus")
end

-- For a status line: `Pollux: 5 to review`, `Pollux asks`, or nothing.
function M.status()
  local state = require("pollux.session").state()
  if state and #state.questions > 0 then return "Pollux asks" end
  local waiting = require("pollux.hunks").count()
  if waiting > 0 then return ("Pollux: %d to review"):format(waiting) end
  return state and state.turn and "Pollux works" or ""
end

return M
