-- What sub-agents do is set in below them, a conflict is told, and one call is stopped while the turn goes on.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local function started(call, title, activity, parent)
  return { kind = "toolStarted", call = call, title = title, tool = "t", activity = activity, input = "{}", parent = parent }
end

local function ended(call, message)
  return { kind = "toolEnded", call = call, status = "succeeded", message = message or "", output = "", outputLines = 0, durationMs = 3 }
end

local edit = { proposal = 1, call = "e", path = "a.rs", hunks = { { baseLine = 1, line = 1, removed = "a\n", added = "b\n" } }, allEdits = {} }

local events = {
  started("s", "scout: Find it", "agent"),
  started("s1", "Read a.rs", "read", "s"),
  ended("s1"),
  { kind = "toolProgress", call = "s", message = "Where it is", done = 2, total = 30 },
  started("t", "tester: Test it", "agent"),
  started("t1", "cargo test", "command", "t"),
  ended("s", "Done in 3 turns"),
  started("e", "Edit a.rs", "edit", "t"),
  vim.tbl_extend("force", edit, { kind = "editMade" }),
  { kind = "editContested", proposal = 1, conflicts = 1 },
}

person.run(function()
  person.set_up()
  local bufnr = vim.api.nvim_create_buf(false, true)
  local cards = require("pollux.chat.cards").new(bufnr)
  local function show(title)
    cards:settled(require("pollux.state").new("made up"), 80)
    say("--", title)
    for _, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)) do
      io.stdout:write(line .. "\n")
    end
  end
  for _, event in ipairs(events) do
    cards:event(event)
  end
  show("at work")
  cards:event({ kind = "hunksDecided", turn = 1, path = "a.rs", kept = 1, rejected = 0, pending = 0, conflicts = 0 })
  cards:toggle(cards.calls.e)
  show("settled and opened")

  vim.cmd("PolluxAsk wait for it")
  person.wait_for_text("┌ Run")
  vim.cmd("PolluxApprove once")
  person.wait("the command to run", function() return vim.fn.filereadable(person.folder .. "/begun") == 1 end)
  person.go_to("○ Run mkfifo")
  person.keys("X")
  person.wait_for_end(1)
  say("stopped", person.has("\n– "), "and on", person.has("\nNever mind."))
end)
