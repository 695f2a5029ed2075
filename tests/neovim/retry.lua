-- A request waits before it is sent again: why, for how long, and what a person does about it.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

-- The line about the wait, without its seconds.
local function waits()
  for _, line in ipairs(person.chat()) do
    local found = line:match("^↻ Retrying in %d+ s (.*)$")
    if found then return found end
  end
end

person.run(function()
  person.set_up()
  vim.cmd("edit notes.txt")
  vim.cmd("PolluxAsk hello")
  person.wait("the wait", waits)
  say(waits(), person.has("\n  the model is busy (HTTP 429)"))
  say(person.has("  R retry now · C-c stop"))
  local first = tonumber(table.concat(person.chat(), "\n"):match("Retrying in (%d+) s"))
  person.wait("the seconds to count down", function()
    return tonumber(table.concat(person.chat(), "\n"):match("Retrying in (%d+) s")) < first
  end)

  person.go_to("▌ hello")
  person.keys("R")
  person.wait("the second wait", function() return (waits() or ""):find("attempt 2", 1, true) end)
  vim.cmd("PolluxRetry")
  person.wait_for_end(1)
  say(person.has("At last."), waits())

  vim.cmd("PolluxAsk again")
  person.wait("the third wait", waits)
  vim.cmd("PolluxStop")
  person.wait_for_end(2)
  say("stopped", waits())
end)
