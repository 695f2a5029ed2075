-- How hunks look in a buffer, and what stays as it is. The messages are the server's, said by the test.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local function range(first, last)
  return { start = { line = first, character = 0 }, ["end"] = { line = last, character = 0 } }
end

local function hunk(index, state, first, last, removed, added, more)
  local all = { index = index, state = state, range = range(first, last), removed = removed, added = added, edited = false, comments = {} }
  return vim.tbl_extend("force", all, more or {})
end

local function text_of(chunks)
  local text = ""
  for _, chunk in ipairs(chunks) do
    text = text .. (chunk[2]:find("Word$") and "[" .. chunk[1] .. "]" or chunk[1])
  end
  return vim.trim(text)
end

-- What stands on the screen, signs and virtual lines included.
local function show_screen()
  vim.cmd("redraw")
  for row = 1, 16 do
    local line = ""
    for column = 1, 60 do
      line = line .. vim.fn.screenstring(row, column)
    end
    say("|" .. vim.trim(line):gsub("%s+$", ""))
  end
end

-- Everything that is drawn, line by line.
local function show(title)
  say("--", title)
  local drawn = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("pollux-hunks"), 0, -1, { details = true })
  local coloured = {}
  for _, mark in ipairs(drawn) do
    local detail = mark[4]
    if detail.hl_group then
      local columns = detail.hl_group:find("Word$") and (" %d-%d"):format(mark[3], detail.end_col) or ""
      coloured[#coloured + 1] = ("line %d to %d %s%s"):format(mark[2], detail.end_row, detail.hl_group, columns)
    end
    for place, line in ipairs(detail.virt_lines or {}) do
      local side = detail.virt_lines_above and "above" or "below"
      coloured[#coloured + 1] = ("line %d %s %d: %s %s"):format(mark[2], side, place, text_of(line), line[1][2])
    end
  end
  -- Their order among each other is another one in every version.
  table.sort(coloured)
  vim.tbl_map(say, coloured)
  local hints = vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace("pollux-hunk-hint"), 0, -1, { details = true })
  for _, mark in ipairs(hints) do
    say("line", mark[2], "hint:", vim.trim(mark[4].virt_text[1][1]))
  end
  say("--")
end

person.run(function()
  person.set_up()
  vim.cmd("edit notes.txt")
  local record = require("pollux.client").attach(0)
  person.wait("the server", function() return record.ready end)
  local handler = vim.lsp.get_client_by_id(record.id).config.handlers["pollux/hunks"]
  local function hear(version, hunks)
    handler(nil, { uri = vim.uri_from_bufnr(0), path = "notes.txt", version = version, revision = 7, hunks = hunks }, {})
  end
  local version = function() return vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] end
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)

  hear(version(), {
    hunk(0, "pending", 1, 2, "let total = 1;\n", "let total = 2;\n"),
    hunk(1, "pending", 3, 3, "gone\n", ""),
    hunk(2, "proposed", 4, 5, "five\n", "FIVE\nand more\n", { comments = { { id = 1, line = 4, text = "why?" } } }),
    hunk(3, "conflict", 6, 7, "seven\n", "SEVEN\n"),
  })
  show("all kinds")
  show_screen()
  say("status", require("pollux").status())
  say("text untouched", vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), lines), not vim.bo.modified)

  -- The marks move with the text, and so does the name of the hunk under the cursor.
  person.keys("ggOnew first line<Esc>")
  vim.api.nvim_win_set_cursor(0, { 6, 0 })
  local name, found = require("pollux.hunks").under_cursor()
  say("moved", name.revision, name.index, found.state)

  -- What was said about an older text and does not fit is not drawn; what fits is.
  local old = version() - 1
  hear(old, { hunk(0, "pending", 1, 2, "let total = 1;\n", "let total = 2;\n") })
  name = require("pollux.hunks").under_cursor()
  say("late message left alone", name.index)
  hear(old, { hunk(0, "pending", 2, 3, "let total = 1;\n", "let total = 2;\n") })
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd("doautocmd CursorMoved")
  show("a late message that fits")

  -- The keys name exactly what is drawn.
  local sent = {}
  require("pollux.client").execute = function(_, command, argument)
    argument = argument or {}
    local parts = { command }
    for _, key in ipairs({ "revision", "index", "line", "text" }) do
      if argument[key] then parts[#parts + 1] = key .. "=" .. argument[key] end
    end
    if argument.uri then parts[#parts + 1] = vim.fn.fnamemodify(argument.uri, ":t") end
    sent[#sent + 1] = table.concat(parts, " ")
  end
  person.keys("\\pk\\pr\\pK\\pu\\pU]p[p")
  vim.cmd("PolluxComment too short")
  vim.cmd("PolluxReject all")
  for _, line in ipairs(sent) do
    say("sent", line)
  end

  hear(version(), {})
  show("nothing pending")
  say("status", require("pollux").status() == "")
end)
