-- The hunks that wait for a decision, by file, and where they are in the buffers now.
local buffers = require("pollux.buffers")
local client = require("pollux.client")
local compat = require("pollux.compat")
local draw = require("pollux.hunks.draw")

local M = {}

-- By URI: { message, record }. What the server said last.
local files = {}
-- By buffer: a list of { hunk, mark }, in the order of the text.
local placed = {}
-- By buffer: the hunk whose keys are shown.
local hinted = {}
local watchers = {}

function M.on_change(watcher) watchers[#watchers + 1] = watcher end

local function lines_of(text)
  if text == "" then return {} end
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" then lines[#lines] = nil end
  return vim.tbl_map(function(line) return (line:gsub("\r$", "")) end, lines)
end

-- Whether the buffer has the lines that the hunk says are there.
local function fits(bufnr, hunk)
  local wanted = hunk.state == "pending" and hunk.added or hunk.removed
  local first, last = hunk.range.start.line, hunk.range["end"].line
  if hunk.range["end"].character > 0 then last = last + 1 end
  if last > vim.api.nvim_buf_line_count(bufnr) then return false end
  return vim.deep_equal(vim.api.nvim_buf_get_lines(bufnr, first, last, false), lines_of(wanted))
end

-- A message about a text that has changed since is drawn only where it still fits. Otherwise the old
-- marks stay, which moved along with the text, until the next message comes.
local function is_current(bufnr, message)
  if type(message.version) ~= "number" or message.version >= compat.version(bufnr) then return true end
  for _, hunk in ipairs(message.hunks) do
    if not fits(bufnr, hunk) then return false end
  end
  return true
end

local function show(bufnr, entry)
  if not is_current(bufnr, entry.message) then return end
  hinted[bufnr] = nil
  placed[bufnr] = draw.all(bufnr, entry.message.hunks)
  M.hint(bufnr)
end

function M.heard(message, record)
  if #message.hunks == 0 then
    files[message.uri] = nil
  else
    files[message.uri] = { message = message, record = record }
  end
  local bufnr = buffers.loaded(message.uri)
  if bufnr then show(bufnr, { message = message, record = record }) end
  for _, watcher in ipairs(watchers) do
    watcher()
  end
end

-- How many wait, in how many files.
function M.count()
  local hunks, in_files = 0, 0
  for _, entry in pairs(files) do
    hunks, in_files = hunks + #entry.message.hunks, in_files + 1
  end
  return hunks, in_files
end

-- The hunk at a line of a buffer, with what is needed to name it to the server.
function M.at(bufnr, row)
  for place, item in ipairs(placed[bufnr] or {}) do
    local first, last = draw.span(bufnr, item)
    if first and row >= first and row <= math.max(first, last - 1) then return item, place end
  end
end

-- The name of the hunk under the cursor, or nil.
function M.under_cursor()
  local bufnr = vim.api.nvim_get_current_buf()
  local entry = files[vim.uri_from_bufnr(bufnr)]
  local item = entry and M.at(bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if not item then return end
  return { uri = entry.message.uri, revision = entry.message.revision, index = item.hunk.index }, item.hunk, entry.record
end

-- Shows the keys at the hunk under the cursor, and at no other one.
function M.hint(bufnr)
  if vim.api.nvim_get_current_buf() ~= bufnr or not placed[bufnr] then return end
  local item, place = M.at(bufnr, vim.api.nvim_win_get_cursor(0)[1] - 1)
  if hinted[bufnr] == item then return end
  hinted[bufnr] = item
  draw.hint(bufnr, item, place, #placed[bufnr])
end

local function forget(record)
  for uri, entry in pairs(files) do
    if entry.record == record then
      files[uri] = nil
      local bufnr = buffers.loaded(uri)
      if bufnr then
        placed[bufnr] = draw.all(bufnr, {})
      end
    end
  end
end

function M.watch(group)
  client.on("pollux/hunks", M.heard)
  client.on_end(forget)
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, {
    group = group,
    callback = function(event) M.hint(event.buf) end,
  })
  vim.api.nvim_create_autocmd("BufWinEnter", {
    group = group,
    callback = function(event)
      if not client.is_file(event.buf) then return end
      local entry = files[vim.uri_from_bufnr(event.buf)]
      if entry and not placed[event.buf] then show(event.buf, entry) end
    end,
  })
  vim.api.nvim_create_autocmd({ "BufUnload", "BufWipeout" }, {
    group = group,
    callback = function(event)
      placed[event.buf], hinted[event.buf] = nil, nil
    end,
  })
end

return M
