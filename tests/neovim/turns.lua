-- Conflicts are settled, comments sent, turns undone and done again, and the talk taken back to a prompt: by the plugin's commands.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local hunks = require("pollux.hunks")

local function pending() return (hunks.count()) end

local function line(number) return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1] end

-- The kinds of the hunks of this file, in its order.
local function kinds()
  local review = person.ask("pollux/review", vim.empty_dict())
  for _, file in ipairs(review.files) do
    if file.path == "a.txt" then
      return table.concat(vim.tbl_map(function(hunk) return hunk.state end, file.hunks), " ")
    end
  end
  return "none"
end

local function wait_for_line(number, text)
  person.wait(text, function() return line(number) == text end)
end

person.run(function()
  person.set_up()
  vim.cmd("set hidden | edit a.txt")
  local record = require("pollux.client").attach(0)
  person.wait("the server", function() return record.ready end)
  require("pollux.session").set_mode("autoEdit")
  person.wait("the mode", function() return (require("pollux.session").state() or {}).mode == "autoEdit" end)

  -- The person is a moment quicker than the agent, in the same line.
  local handlers = vim.lsp.get_client_by_id(record.id).config.handlers
  local apply = handlers["workspace/applyEdit"]
  handlers["workspace/applyEdit"] = function(...)
    handlers["workspace/applyEdit"] = apply
    person.keys("3GA mine<Esc>")
    return apply(...)
  end
  vim.cmd("PolluxAsk change them")
  person.wait_for_end(1)
  person.wait("three hunks", function() return pending() == 3 end)
  say("after the turn", kinds(), "/", line(3))

  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  person.wait("the conflict under the cursor", function() return hunks.under_cursor() end)
  vim.cmd("PolluxTheirs")
  person.wait("it to be settled", function() return pending() == 2 end)
  wait_for_line(3, "a.txt new 2")
  say("theirs", kinds(), "/", line(3))
  vim.cmd("PolluxUndo")
  person.wait("the conflict to be back", function() return pending() == 3 end)
  wait_for_line(3, "a.txt old 2 mine")
  say("undone", kinds(), "/", line(3))
  person.wait("it under the cursor", function() return hunks.under_cursor() end)
  vim.cmd("PolluxMine")
  person.wait("it to be settled", function() return pending() == 2 end)
  say("mine", kinds(), "/", line(3))

  -- Two comments go together, as a turn of their own.
  vim.api.nvim_win_set_cursor(0, { 11, 0 })
  vim.cmd("PolluxComment why this?")
  vim.api.nvim_win_set_cursor(0, { 22, 0 })
  vim.cmd("PolluxComment and this?")
  person.wait("both comments", function()
    local shown = 0
    for _, file in ipairs(person.ask("pollux/review", vim.empty_dict()).files) do
      for _, hunk in ipairs(file.hunks) do
        shown = shown + #hunk.comments
      end
    end
    return shown == 2
  end)
  vim.cmd("PolluxSendComments")
  person.wait_for_end(2)
  person.wait_for_text("I see.")
  say("comments are sent")

  -- What the turn did goes and comes; what was typed since stays.
  person.keys("Gotyped later<Esc>")
  vim.cmd("PolluxUndoTurn 1")
  wait_for_line(11, "a.txt old 10")
  person.wait("nothing to review", function() return pending() == 0 end)
  say("turn undone", line(3), "/", line(11), "/", vim.api.nvim_buf_line_count(0), line(31))
  vim.cmd("PolluxRedoTurn 1")
  wait_for_line(11, "a.txt new 10")
  say("turn done again", line(3), "/", line(11), "/", vim.api.nvim_buf_line_count(0), line(32))

  -- Back to before the first prompt: files, chat and prompt.
  vim.cmd("PolluxRewind 1")
  wait_for_line(11, "a.txt old 10")
  person.wait("the prompt", function()
    local bufnr = vim.fn.bufnr("pollux://prompt")
    return bufnr > 0 and vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == "change them"
  end)
  person.wait("the chat to forget", function() return not person.has("I see.") and not person.has("▌ change them") end)
  say("rewound", line(3), "/", line(11), "/", line(31))
  person.wait("nothing to review", function() return pending() == 0 end)
end)
