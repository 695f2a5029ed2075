-- Sessions are listed, resumed and deleted, and what the person looks at is known to the server.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

-- The person at the menus: takes what the script says, in order.
local picks = {}
local offered = {}
vim.ui.select = function(items, options, choose)
  local format = options.format_item or tostring
  offered[#offered + 1] = vim.tbl_map(format, items)
  local pick = table.remove(picks, 1)
  for place, item in ipairs(items) do
    if format(item):find(pick, 1, true) then return choose(item, place) end
  end
  choose(nil, nil)
end

local function active_file() return person.ask("pollux/snapshot", vim.empty_dict()).activeFile end

person.run(function()
  person.set_up()
  vim.cmd("edit notes.txt")
  person.wait("the file to be known", active_file)
  local file = active_file()
  say("looks at", vim.fn.fnamemodify(file.uri, ":t"), file.cursor.line, file.cursor.character, #(file.selections or {}))
  person.keys("jl")
  -- Without a screen nobody tells.
  vim.cmd("doautocmd CursorMoved")
  person.wait("the cursor to be known", function() return active_file().cursor.line == 1 end)
  -- Four bytes, or two units: newer versions and the server agree on bytes.
  local encoding = require("pollux.client").encoding(require("pollux.client").current())
  say("cursor behind an emoji", active_file().cursor.character == (encoding == "utf-8" and 4 or 2))

  vim.cmd("2,3PolluxAsk what is this?")
  person.wait_for_end(1)
  local selected = active_file().selections[1]
  say("selected", selected.start.line, selected.start.character, selected["end"].line, selected["end"].character)
  vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
    { lnum = 0, col = 0, message = "wrong", severity = vim.diagnostic.severity.ERROR },
    { lnum = 1, col = 0, message = "odd", severity = vim.diagnostic.severity.WARN },
  })
  person.wait("the problems to be known", function()
    return #person.ask("pollux/snapshot", vim.empty_dict()).diagnostics == 1
  end)
  local counts = person.ask("pollux/snapshot", vim.empty_dict()).diagnostics[1]
  say("problems", counts.errors, counts.warnings)
  local talk = person.chat()

  vim.cmd("PolluxNew")
  vim.cmd("stopinsert")
  person.wait_for_text("› what is this?")
  say("a new page shows what was before")
  require("pollux.session").queue("something else")
  person.wait_for_end(1)
  say("another session", person.has("what is this?") == false)

  picks = { "what is this?", "Resume" }
  vim.cmd("PolluxSessions")
  person.wait("the old talk", function() return vim.deep_equal(person.chat(), talk) end)
  say("resumed", #offered[1], "sessions;", table.concat(offered[2], ", "))

  -- The server dies: the next prompt starts it again and goes on with the same talk.
  local client = require("pollux.client")
  client.stop_all()
  person.wait("the server to end", function() return #client.all() == 0 end)
  person.wait("the session to know", function() return require("pollux.session").current().lost end)
  require("pollux.session").queue("are you there?")
  person.wait_for_end(2)
  say("goes on", person.has("what is this?"), person.has("are you there?"))

  -- The one that a terminal has left behind is deleted.
  picks = { "from the terminal", "Delete" }
  vim.cmd("PolluxSessions")
  local left
  person.wait("the session to be gone", function()
    left = person.ask("pollux/sessionList", vim.empty_dict()).sessions
    return #left == 2
  end)
  say("left", left[1].title, "/", left[2].title)

  vim.cmd("checkhealth pollux")
  local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  say("health", health:find("A server runs for", 1, true) ~= nil, health:find("ERROR", 1, true) == nil)
end)
