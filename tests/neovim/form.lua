-- A server asks in the midst of a call: what stands there already is taken, changed or emptied, and one thing is left out.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

-- What the person types or picks, in the order they are asked.
local given = { "", "Ann", true, "", "[ ] y, or so", "Done", "No answer", "large (as it stands)" }

local function next_given() return table.remove(given, 1) end

person.run(function()
  person.set_up()
  vim.notify = function(text) say("notice", text) end
  vim.ui.input = function(options, reply)
    say("input", options.prompt .. "=", options.default or "(empty)")
    local typed = next_given()
    reply(typed == true and options.default or typed)
  end
  vim.ui.select = function(items, options, reply)
    local shown = vim.tbl_map(options.format_item or tostring, items)
    say("select", options.prompt .. ":", table.concat(shown, ", "))
    local picked = next_given()
    for place, item in ipairs(shown) do
      if item == picked then return reply(items[place], place) end
    end
    error("there is no " .. picked)
  end
  vim.cmd("edit notes.txt")
  vim.cmd("Pollux | stopinsert")
  local asked = 0
  repeat
    asked = asked + 1
    vim.cmd("PolluxAsk /mcp list s")
    person.wait("an answer", function()
      local _, answers = table.concat(person.chat(), "\n"):gsub("%*%*s%*%*:", "")
      return answers >= asked
    end)
  until person.has("**s**: connected")
  vim.cmd("PolluxAsk fill it in")
  person.wait("a question", function() return require("pollux.questions").oldest() end)
  vim.cmd("PolluxApprove")
  person.wait_for_text("All done.")
  for _, line in ipairs(person.chat()) do
    if line:find("Answered", 1, true) then say(line) end
  end
end)
