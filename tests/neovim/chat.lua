-- A turn in the chat: text, thoughts, tools, steps; the view closed, opened and built anew.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

person.run(function()
  person.set_up()
  vim.cmd("edit notes.txt")
  local file = vim.api.nvim_get_current_win()

  vim.cmd("PolluxAsk what is in the notes?")
  say("focus stays in the file", vim.api.nvim_get_current_win() == file)
  person.wait_for_end(1)
  person.show_chat("after the turn")
  say("windows", #vim.api.nvim_tabpage_list_wins(0), "focus stays", vim.api.nvim_get_current_win() == file)

  -- A card opens and closes where it stands.
  local before = person.chat()
  person.go_to("▸ Reading")
  person.keys("<Tab>")
  say("opened", person.has("  │ The notes come first."))
  person.keys("za")
  say("closed", vim.deep_equal(person.chat(), before))

  -- Closed and opened again it is the same page; wiped, it is built from the events.
  vim.cmd("Pollux")
  say("closed windows", #vim.api.nvim_tabpage_list_wins(0), "focus", vim.api.nvim_get_current_win() == file)
  vim.cmd("Pollux")
  vim.cmd("stopinsert")
  say("opened again", vim.deep_equal(person.chat(), before))
  vim.cmd("Pollux")
  vim.cmd("bwipeout! " .. require("pollux.chat").buffer())
  vim.cmd("Pollux")
  person.wait("the page to be built anew", function() return #person.chat() == #before end)
  say("built anew", vim.deep_equal(person.chat(), before))

  -- Written by hand, sent with Enter.
  person.keys("ithanks<CR>")
  person.wait_for_end(2)
  local lines = person.chat()
  say("second turn", lines[#lines - 2], "/", lines[#lines])
  say("prompt is empty again", vim.fn.getline(1) == "")

  -- A failure says what to do next.
  person.keys("ionce more<CR>")
  person.wait_for_end(3)
  person.go_to("✗ Failed: ")
  say("failed turn", vim.fn.getline(vim.fn.line(".") + 1))
end)
