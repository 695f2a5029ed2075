-- An agent changes three files in nine places; a person keeps six and rejects three, by keyboard only.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local hunks = require("pollux.hunks")

local function pending() return (hunks.count()) end

-- Moves to the next hunk and decides about it, as a person does: look, then press the key.
local function decide(key)
  local before = pending()
  person.keys("]p")
  person.wait("a hunk under the cursor", function() return hunks.under_cursor() end)
  local at = vim.fn.expand("%:t") .. ":" .. vim.fn.line(".")
  person.keys(key)
  person.wait("the decision", function() return pending() == before - 1 end)
  return at
end

person.run(function()
  person.set_up()
  vim.cmd("set hidden | edit a.txt")
  local file = vim.api.nvim_get_current_win()
  require("pollux.session").set_mode("autoEdit")
  person.wait("the mode", function() return (require("pollux.session").state() or {}).mode == "autoEdit" end)
  vim.cmd("PolluxAsk change them")
  person.wait_for_end(1)
  person.wait("nine hunks", function() return pending() == 9 end)
  person.show_chat("the turn")
  say("status", require("pollux").status())
  say("focus stays", vim.api.nvim_get_current_win() == file, vim.fn.expand("%:t"), "files opened", #vim.fn.getbufinfo({ buflisted = 1 }))
  -- It was saved before the edit, and is asked to be saved again after it.
  person.wait("the file to be saved", function() return not vim.bo.modified end)
  say("open file", vim.fn.getline(3), vim.fn.readfile("a.txt")[3])

  vim.cmd("PolluxReview")
  person.wait("the list", function() return vim.bo.buftype == "quickfix" end)
  say("listed", #vim.fn.getqflist(), vim.fn.getqflist()[1].text)
  vim.cmd("cclose")
  vim.api.nvim_set_current_win(file)

  -- Two of each file are kept, the last of each is rejected.
  vim.cmd("normal! gg")
  for _ = 1, 3 do
    say("kept", decide("\\pk"))
    say("kept", decide("\\pk"))
    say("rejected", decide("\\pr"))
  end
  say("left", pending())

  -- What was rejected is still there to be seen, and can be had again.
  local rejected = person.ask("pollux/review", vim.empty_dict()).rejected
  local shown = vim.tbl_map(function(item) return item.path .. ":" .. item.line + 1 end, rejected)
  table.sort(shown)
  say("rejected", table.concat(shown, " "))

  -- A decision can be taken back, and made again.
  person.keys("\\pu")
  person.wait("the hunk to be back", function() return pending() == 1 end)
  say("undone", vim.fn.expand("%:t"), vim.fn.getline(22))
  person.keys("\\pU")
  person.wait("the decision to be made again", function() return pending() == 0 end)
  say("redone", vim.fn.getline(22))

  vim.ui.select = function(items, options, choose)
    table.sort(items, function(one, other) return one.path < other.path end)
    say("offered", options.format_item(items[1]))
    choose(items[1], 1)
  end
  vim.cmd("PolluxReapply")
  person.wait("it to be pending again", function() return pending() == 1 end)
  vim.cmd("edit a.txt")
  say("applied again", vim.fn.getline(22))
  person.keys("\\pR")
  person.wait("the file to be decided", function() return pending() == 0 end)

  local function unsaved()
    return vim.tbl_filter(function(item) return item.changed == 1 end, vim.fn.getbufinfo({ buflisted = 1 }))
  end
  person.wait("everything to be saved", function() return #unsaved() == 0 end)
end)
