-- The host is killed: while nothing runs, twice in a row, in the middle of an answer, while a question is open, and while
-- hunks wait. The chat goes on each time, and ends as the session is recorded.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local session = require("pollux.session")
local hunks = require("pollux.hunks")

local function page() return table.concat(person.chat(), "\n") end

-- Milliseconds until the chat has been shown again from the next host.
local function killed(what, is_there)
  local before, begun = session.state(), vim.loop.hrtime()
  local said = vim.fn.system({ "sh", vim.env.POLLUX_TESTS .. "/../support/kill_host.sh" })
  assert(vim.v.shell_error == 0, said)
  person.wait(what, function() return session.state() ~= before and is_there() end)
  return (vim.loop.hrtime() - begun) / 1e6
end

local function interrupted()
  local state = session.state()
  return state.interrupted and not state.turn and #state.questions == 0 and person.has("– Interrupted")
end

local slowest = 0

-- In the middle of a turn a person does not wait long to learn of it.
local function killed_in_turn(what)
  slowest = math.max(slowest, killed(what, interrupted))
  local noticed
  local notify = vim.api.nvim_echo
  vim.api.nvim_echo = function(chunks) noticed = chunks[1][1] end
  vim.cmd("PolluxStop")
  vim.api.nvim_echo = notify
  say(what, "offers", person.has("C continue") and "C" or "nothing", "stop says", noticed or "nothing")
end

person.run(function()
  person.set_up()
  vim.cmd("set hidden | edit a.txt")
  vim.cmd("PolluxAsk first")
  person.wait_for_end(1)

  -- Idle, and twice in a row.
  local before = page()
  killed("the chat after the first kill", function() return page() == before end)
  killed("the chat after the second kill", function() return page() == before end)
  vim.cmd("PolluxAsk second")
  person.wait_for_end(2)
  say("goes on", person.has("two"))

  -- In the middle of an answer: what came is kept, and C goes on.
  vim.cmd("PolluxAsk third")
  person.wait_for_text("half an answer")
  killed_in_turn("in an answer")
  say("kept", person.has("half an answer"))
  local file = vim.api.nvim_get_current_win()
  person.go_to("– Interrupted")
  person.keys("C")
  vim.api.nvim_set_current_win(file)
  person.wait_for_end(4)

  -- While a question is open: nobody runs what was asked about.
  session.queue("fourth")
  person.wait("a question", function() return require("pollux.questions").oldest() end)
  killed_in_turn("at a question")
  say("made", vim.fn.filereadable("made"), person.has("Run touch made  The call was interrupted"))

  -- While hunks wait: they are there again, and are decided as ever.
  session.set_mode("autoEdit")
  person.wait("the mode", function() return session.state().mode == "autoEdit" end)
  vim.cmd("edit a.txt")
  session.queue("fifth")
  person.wait_for_end(6)
  person.wait("three hunks", function() return hunks.count() == 3 end)
  before = page()
  killed("the chat with hunks", function() return page() == before end)
  person.wait("three hunks again", function() return hunks.count() == 3 end)
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  person.wait("a hunk under the cursor", function() return hunks.under_cursor() end)
  vim.cmd("PolluxKeep")
  person.wait("the decision", function() return hunks.count() == 2 end)
  vim.cmd("PolluxReject file")
  person.wait("the decision", function() return hunks.count() == 0 end)
  person.wait("the file to be saved", function() return not vim.bo.modified end)

  -- What is on the screen is what is recorded.
  person.show_chat("at the end")
  before = page()
  session.replay()
  person.wait("the page to be built anew", function() return page() == before end)
  say("learned within two seconds", slowest < 2000 or ("no, after %d ms"):format(slowest))
end)
