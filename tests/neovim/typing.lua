-- A person types into a file while the agent edits the same file and others: every key lands where it was meant to.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

-- Ten keys in a second.
local TYPING_MS = 100

person.run(function()
  person.set_up()
  vim.cmd("set hidden | edit a.txt")
  local file = vim.api.nvim_get_current_win()
  require("pollux.session").set_mode("autoEdit")
  person.wait("the mode", function() return (require("pollux.session").state() or {}).mode == "autoEdit" end)
  vim.cmd("PolluxAsk change them")

  -- One key after the other, at the end of the line where the cursor is, wherever that line has gone.
  vim.api.nvim_win_set_cursor(file, { 15, 0 })
  local typed = ""
  local clock = vim.loop.new_timer()
  clock:start(0, TYPING_MS, vim.schedule_wrap(function()
    local key = string.char(97 + #typed % 26)
    person.keys("A" .. key .. "<Esc>")
    typed = typed .. key
  end))
  person.wait_for_end(1)
  clock:stop()
  say("every key in its line", vim.fn.getline(".") == "a.txt old 14" .. typed, #typed > 5)
  say("still here", vim.api.nvim_get_current_win() == file, vim.fn.expand("%:t"), #vim.api.nvim_tabpage_list_wins(0))
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local new = vim.tbl_filter(function(line) return line:find("new") end, lines)
  say("the agent's lines", #lines, table.concat(new, ", "))
  person.wait("the room to agree", function()
    local document = person.ask("pollux/document", { uri = vim.uri_from_bufnr(0) })
    return document.sync == "synced" and document.text == require("pollux.buffers").text(0)
  end)
  say("the room agrees")
end)
