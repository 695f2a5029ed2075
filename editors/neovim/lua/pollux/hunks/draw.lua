-- Draws hunks into a buffer. Only marks: the text is never touched.
local config = require("pollux.config")
local words = require("pollux.hunks.words")

local M = {}

local marks = vim.api.nvim_create_namespace("pollux-hunks")
local hints = vim.api.nvim_create_namespace("pollux-hunk-hint")

-- More lines than a screen has are no help.
local LONGEST_REMOVED = 100
local MOST_SIGNS = 2000
-- Below what a search or a selection marks, above the syntax.
local PRIORITY = 120

local function split(text)
  if text == "" then return {} end
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" then lines[#lines] = nil end
  return vim.tbl_map(function(line) return (line:gsub("\r$", "")) end, lines)
end

-- The line in pieces, with the changed words marked. The rest of the line gets its colour too.
local function chunks(line, changed, group, strong)
  -- Tabs in virtual lines are not aligned by Neovim.
  local pieces, place = {}, 0
  for _, bytes in ipairs(changed or {}) do
    if bytes[1] > place then pieces[#pieces + 1] = { line:sub(place + 1, bytes[1]), group } end
    pieces[#pieces + 1] = { line:sub(bytes[1] + 1, bytes[2]), strong }
    place = bytes[2]
  end
  pieces[#pieces + 1] = { line:sub(place + 1) .. " ", group }
  return pieces
end

local function expand_tabs(bufnr, line)
  if not line:find("\t", 1, true) then return line end
  local width, out, column = vim.bo[bufnr].tabstop, {}, 0
  for part, tab in line:gmatch("([^\t]*)(\t?)") do
    out[#out + 1] = part
    column = column + vim.fn.strdisplaywidth(part)
    if tab ~= "" then
      local spaces = width - column % width
      out[#out + 1] = (" "):rep(spaces)
      column = column + spaces
    end
  end
  return table.concat(out)
end

local function virtual(bufnr, lines, group, strong, changed)
  local shown = {}
  for place = 1, math.min(#lines, LONGEST_REMOVED) do
    local line = lines[place]
    local bytes = changed and changed[place]
    -- Byte ranges are those of the line with its tabs.
    if line:find("\t", 1, true) then line, bytes = expand_tabs(bufnr, line), nil end
    shown[place] = chunks(line, bytes, group, strong)
  end
  if #lines > LONGEST_REMOVED then
    shown[#shown + 1] = { { ("… %d more lines"):format(#lines - LONGEST_REMOVED), "PolluxDim" } }
  end
  return shown
end

-- Word by word where lines stand against lines.
local function compare(old, new)
  local gone, come = {}, {}
  if #old == #new then
    for place = 1, #old do
      gone[place], come[place] = words.changed(old[place], new[place])
    end
  end
  return gone, come
end

local function signs(bufnr, first, last, text, group)
  for row = first, math.min(last, first + MOST_SIGNS) - 1 do
    vim.api.nvim_buf_set_extmark(bufnr, marks, row, 0, { sign_text = text, sign_hl_group = group, priority = PRIORITY })
  end
end

local function background(bufnr, first, last, group)
  if last <= first then return end
  local count = vim.api.nvim_buf_line_count(bufnr)
  local stop = { end_row = last, end_col = 0 }
  if last >= count then
    local line = vim.api.nvim_buf_get_lines(bufnr, count - 1, count, false)[1]
    stop = { end_row = count - 1, end_col = #line }
  end
  vim.api.nvim_buf_set_extmark(bufnr, marks, first, 0, {
    end_row = stop.end_row,
    end_col = stop.end_col,
    hl_group = group,
    hl_eol = true,
    priority = PRIORITY,
  })
end

local function emphasise(bufnr, first, changed, group)
  for place, ranges in pairs(changed) do
    for _, bytes in ipairs(ranges) do
      vim.api.nvim_buf_set_extmark(bufnr, marks, first + place - 1, bytes[1], {
        end_col = bytes[2],
        hl_group = group,
        priority = PRIORITY + 1,
      })
    end
  end
end

-- Virtual lines are gathered first: the order of several marks in one place differs between versions.
local gathered

local function virtual_lines(row, lines, above)
  if #lines == 0 then return end
  local side = above and gathered.above or gathered.below
  side[row] = vim.list_extend(side[row] or {}, lines)
end

-- Above the first line there is room only if it is asked for.
local function make_room(bufnr, count)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.winsaveview().topline == 1 then vim.fn.winrestview({ topline = 1, topfill = count }) end
    end)
  end
end

local function put_virtual_lines(bufnr)
  for _, above in ipairs({ true, false }) do
    for row, lines in pairs(above and gathered.above or gathered.below) do
      vim.api.nvim_buf_set_extmark(bufnr, marks, row, 0, { virt_lines = lines, virt_lines_above = above })
    end
  end
  if gathered.above[0] then make_room(bufnr, #gathered.above[0]) end
end

local styles = {}

-- What was there stands above, faded; what came is marked in the text.
function styles.pending(bufnr, first, last, hunk)
  local sign = config.values.hunks.signs
  local old, new = split(hunk.removed), split(hunk.added)
  local gone, come = compare(old, new)
  local behind = first >= vim.api.nvim_buf_line_count(bufnr)
  local anchor = behind and first - 1 or first
  virtual_lines(math.max(anchor, 0), virtual(bufnr, old, "PolluxRemoved", "PolluxRemovedWord", gone), not behind)
  if last > first then
    signs(bufnr, first, last, sign.pending, #old > 0 and "PolluxSignChanged" or "PolluxSignAdded")
    background(bufnr, first, last, "PolluxAdded")
    emphasise(bufnr, first, come, "PolluxAddedWord")
  else
    signs(bufnr, math.max(anchor, 0), math.max(anchor, 0) + 1, sign.removed, "PolluxSignRemoved")
  end
end

-- What would go is marked in the text; what would come stands below.
function styles.proposed(bufnr, first, last, hunk)
  local sign = config.values.hunks.signs
  local old, new = split(hunk.removed), split(hunk.added)
  local gone, come = compare(old, new)
  local lines = virtual(bufnr, new, "PolluxAdded", "PolluxAddedWord", come)
  if last > first then
    signs(bufnr, first, last, sign.proposed, "PolluxSignProposed")
    background(bufnr, first, last, "PolluxRemoved")
    emphasise(bufnr, first, gone, "PolluxRemovedWord")
    virtual_lines(last - 1, lines, false)
  else
    local behind = first >= vim.api.nvim_buf_line_count(bufnr)
    local anchor = math.max(behind and first - 1 or first, 0)
    signs(bufnr, anchor, anchor + 1, sign.proposed, "PolluxSignProposed")
    virtual_lines(anchor, lines, not behind)
  end
end

-- The person's text is the one in the file; the agent's stands below and waits.
function styles.conflict(bufnr, first, last, hunk)
  local sign = config.values.hunks.signs
  local lines = virtual(bufnr, split(hunk.added), "PolluxTheirs", "PolluxTheirs")
  table.insert(lines, 1, { { "Pollux wants instead:", "PolluxConflict" } })
  local anchor = math.max(math.min(last, vim.api.nvim_buf_line_count(bufnr)) - 1, first, 0)
  signs(bufnr, first, math.max(last, first + 1), sign.conflict, "PolluxConflict")
  background(bufnr, first, last, "PolluxMine")
  virtual_lines(math.min(anchor, vim.api.nvim_buf_line_count(bufnr) - 1), lines, false)
end

local function comments(bufnr, hunk)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  for _, comment in ipairs(hunk.comments or {}) do
    local lines = vim.tbl_map(function(line) return { { "  ▏ " .. line, "PolluxComment" } } end, split(comment.text))
    virtual_lines(math.max(math.min(comment.line, last), 0), lines, false)
  end
end

-- Draws all hunks of a buffer anew. Returns them with the marks that say where they are.
function M.all(bufnr, hunks)
  vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  vim.api.nvim_buf_clear_namespace(bufnr, hints, 0, -1)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local placed = {}
  gathered = { above = {}, below = {} }
  for _, hunk in ipairs(hunks) do
    local first = math.min(hunk.range.start.line, count)
    local last = hunk.range["end"].line + (hunk.range["end"].character > 0 and 1 or 0)
    last = math.max(first, math.min(last, count))
    styles[hunk.state](bufnr, first, last, hunk)
    comments(bufnr, hunk)
    local anchor = math.min(first, count - 1)
    local mark = vim.api.nvim_buf_set_extmark(bufnr, marks, anchor, 0, {
      end_row = math.max(anchor, math.min(last, count - 1)),
      right_gravity = false,
    })
    placed[#placed + 1] = { hunk = hunk, mark = mark, to_end = last >= count and last > first }
  end
  put_virtual_lines(bufnr)
  return placed
end

-- The lines of a hunk as they are now, the second one behind its last.
function M.span(bufnr, item)
  local found = vim.api.nvim_buf_get_extmark_by_id(bufnr, marks, item.mark, { details = true })
  if not found[1] then return end
  local last = found[3].end_row
  return found[1], item.to_end and last + 1 or last
end

-- Says what the keys do, at the end of the hunk's first line.
function M.hint(bufnr, item, place, count)
  vim.api.nvim_buf_clear_namespace(bufnr, hints, 0, -1)
  if not item or not config.values.hunks.hint then return end
  local keys = require("pollux.keymaps").shown(item.hunk.state)
  local text = ("%s%d of %d"):format(keys ~= "" and keys .. " · " or "", place, count)
  if item.hunk.edited then text = text .. " · edited by you" end
  local row = M.span(bufnr, item)
  vim.api.nvim_buf_set_extmark(bufnr, hints, row, 0, {
    virt_text = { { "  " .. text, "PolluxDim" } },
    virt_text_pos = "eol",
    priority = PRIORITY + 2,
  })
end

return M
