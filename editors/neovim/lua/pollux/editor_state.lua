-- Tells the server what the person looks at: only what has changed, and only when things are quiet.
local client = require("pollux.client")
local compat = require("pollux.compat")

local M = {}

local QUIET_MS = 100

local timer
-- By client: what was sent last.
local sent = setmetatable({}, { __mode = "k" })
-- The window of the file that was looked at last. The chat is no file.
local file_window
-- A selection that outlives visual mode: { bufnr, first, last }.
local held
local diagnostics_changed = true

local function position(bufnr, row, byte, encoding)
  local line = vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ""
  return { line = row, character = compat.column(line, byte, encoding) }
end

-- Both ends of a selection as rows and bytes, the second one behind the last character.
local function span(bufnr, from, to, kind)
  if from[1] > to[1] or (from[1] == to[1] and from[2] > to[2]) then from, to = to, from end
  local first, last = from[1] - 1, to[1] - 1
  if kind == "V" then
    local count = vim.api.nvim_buf_line_count(bufnr)
    if last + 1 < count then return { first, 0, last + 1, 0 } end
    local line = vim.api.nvim_buf_get_lines(bufnr, last, last + 1, false)[1] or ""
    return { first, 0, last, #line }
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, last, last + 1, false)[1] or ""
  -- Behind the whole character, however many bytes it has.
  local tail = vim.fn.byteidx(line:sub(to[2]), 1)
  local stop = tail > 0 and to[2] - 1 + tail or #line
  return { first, math.min(from[2] - 1, #line), last, math.min(stop, #line) }
end

local function selection(bufnr, window)
  if held and held.bufnr == bufnr then return held.span end
  if vim.api.nvim_get_current_win() ~= window then return end
  local mode = vim.fn.mode()
  if not mode:match("^[vV\22]") then return end
  local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
  return span(bufnr, { from[2], from[3] }, { to[2], to[3] }, mode)
end

local function active_file(record)
  if not (file_window and vim.api.nvim_win_is_valid(file_window)) then return vim.NIL end
  local bufnr = vim.api.nvim_win_get_buf(file_window)
  if client.of_buffer(bufnr) ~= record then return vim.NIL end
  local encoding = client.encoding(record)
  local cursor = vim.api.nvim_win_get_cursor(file_window)
  local shown = vim.fn.getwininfo(file_window)[1]
  local file = {
    uri = vim.uri_from_bufnr(bufnr),
    cursor = position(bufnr, cursor[1] - 1, cursor[2], encoding),
    visibleRanges = {
      { start = { line = shown.topline - 1, character = 0 }, ["end"] = { line = shown.botline, character = 0 } },
    },
  }
  local chosen = selection(bufnr, file_window)
  if chosen then
    file.selections = {
      {
        start = position(bufnr, chosen[1], chosen[2], encoding),
        ["end"] = position(bufnr, chosen[3], chosen[4], encoding),
      },
    }
  end
  return file
end

local NAMES = { "errors", "warnings", "information", "hints" }

local function diagnostics(record)
  local counts, order = {}, {}
  for _, found in ipairs(vim.diagnostic.get()) do
    -- What we show of the review is no problem of the file.
    if found.source ~= "pollux" and client.of_buffer(found.bufnr) == record then
      local entry = counts[found.bufnr]
      if not entry then
        entry = { uri = vim.uri_from_bufnr(found.bufnr) }
        counts[found.bufnr] = entry
        order[#order + 1] = entry
      end
      local name = NAMES[found.severity]
      entry[name] = (entry[name] or 0) + 1
    end
  end
  table.sort(order, function(one, other) return one.uri < other.uri end)
  return order
end

-- Sends what has changed since the last time, at once.
function M.flush()
  if timer then timer:stop() end
  for _, record in ipairs(client.all()) do
    if record.ready then
      local known = sent[record] or {}
      local message = {}
      local file = active_file(record)
      if not vim.deep_equal(file, known.file) then
        message.activeFile, known.file = file, file
      end
      if diagnostics_changed or not known.diagnostics then
        local counts = diagnostics(record)
        if not vim.deep_equal(counts, known.diagnostics or {}) then message.diagnostics = counts end
        known.diagnostics = counts
      end
      sent[record] = known
      if next(message) then client.notify(record, "pollux/editorState", message) end
    end
  end
  diagnostics_changed = false
end

local function soon()
  timer = timer or compat.uv.new_timer()
  timer:stop()
  timer:start(QUIET_MS, 0, vim.schedule_wrap(M.flush))
end

-- Keeps lines selected until the cursor leaves them.
function M.hold(bufnr, first, last)
  held = { bufnr = bufnr, span = span(bufnr, { first, 1 }, { last, 1 }, "V") }
  M.flush()
end

-- A server that is started again knows nothing.
function M.forget(record) sent[record] = nil end

function M.watch(group)
  client.on_start(M.flush)
  client.on_end(M.forget)
  vim.api.nvim_create_autocmd({ "BufEnter", "WinEnter", "BufWinEnter" }, {
    group = group,
    callback = function()
      if client.is_file(vim.api.nvim_get_current_buf()) then file_window = vim.api.nvim_get_current_win() end
      soon()
    end,
  })
  vim.api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI" }, {
    group = group,
    callback = function(event)
      local row = vim.api.nvim_win_get_cursor(0)[1] - 1
      local outside = held and (row < held.span[1] or row > held.span[3])
      if held and held.bufnr == event.buf and outside then held = nil end
      soon()
    end,
  })
  vim.api.nvim_create_autocmd({ "ModeChanged", "WinScrolled", "WinClosed" }, { group = group, callback = soon })
  vim.api.nvim_create_autocmd("DiagnosticChanged", {
    group = group,
    callback = function()
      diagnostics_changed = true
      soon()
    end,
  })
  if client.is_file(vim.api.nvim_get_current_buf()) then file_window = vim.api.nvim_get_current_win() end
end

return M
