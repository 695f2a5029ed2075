-- A person types into a file while the agent edits the same file and twenty others: every key lands where it was meant to.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

-- Ten keys in a second, and at least this many of them.
local TYPING_MS = 100
local LEAST = 20

-- So many of the others are open, behind the one that is looked at.
local OPEN = 5

person.run(function()
  person.set_up()
  vim.cmd("set hidden")
  for number = 0, OPEN - 1 do
    vim.cmd(("edit other%d.txt"):format(number))
  end
  vim.cmd("edit a.txt")
  local file = vim.api.nvim_get_current_win()
  require("pollux.session").set_mode("autoEdit")
  person.wait("the mode", function() return (require("pollux.session").state() or {}).mode == "autoEdit" end)
  vim.cmd("PolluxAsk change them")
  person.wait_for_text("change them")

  -- From here on nothing may come up by itself.
  local windows, files = 0, 0
  vim.api.nvim_create_autocmd("WinNew", { callback = function() windows = windows + 1 end })
  vim.api.nvim_create_autocmd("BufAdd", { callback = function() files = files + 1 end })

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
  person.wait("enough keys", function() return #typed >= LEAST end)
  clock:stop()
  say("every key in its line", vim.fn.getline(".") == "a.txt old 14" .. typed)
  say(
    "still here", vim.api.nvim_get_current_win() == file, vim.fn.expand("%:t"),
    "windows opened", windows, "files opened", files
  )
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local new = vim.tbl_filter(function(line) return line:find("new") end, lines)
  say("the agent's lines", #lines, table.concat(new, ", "))

  -- Files that nobody typed into are saved, whether they are open or not.
  person.wait("the open ones to be saved", function()
    for number = 0, OPEN - 1 do
      local name = ("other%d.txt"):format(number)
      local text = vim.api.nvim_buf_get_lines(vim.fn.bufnr(name), 0, -1, false)
      if vim.bo[vim.fn.bufnr(name)].modified or not vim.deep_equal(text, vim.fn.readfile(name)) then return false end
    end
    return true
  end)
  say("the others", vim.fn.readfile("other0.txt")[11] == "other0.txt new 10")
  person.wait("the room to agree", function()
    local document = person.ask("pollux/document", { uri = vim.uri_from_bufnr(0) })
    return document.sync == "synced" and document.text == require("pollux.buffers").text(0)
  end)
  say("the room agrees")
end)
