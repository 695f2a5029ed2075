-- Decisions about hunks. The server makes them; what it answers is said in a line.
local client = require("pollux.client")
local hunks = require("pollux.hunks")
local say = require("pollux.say")
local session = require("pollux.session")

local M = {}

-- The hunk has changed since it was drawn; a fresh one is on its way.
local STALE = -32801

local function told(result)
  if type(result) == "table" and result.message then say.line(result.message) end
end

local function failed(message, code)
  if code == STALE then return say.line("this has just changed: look again and decide") end
  say.problem(message)
end

local function run(command, argument, record, done)
  client.execute(record or client.current(), command, argument, done or told, failed)
end

local function here(command)
  local name, _, record = hunks.under_cursor()
  if not name then return say.line("there is no hunk in this line") end
  run(command, name, record)
end

-- `what` is "hunk", "file" or "all".
local function decide(verb, what)
  if what == "all" then return run("pollux.all." .. verb) end
  if what == "file" then
    return run("pollux.file." .. verb, { uri = vim.uri_from_bufnr(0) }, client.of_buffer(vim.api.nvim_get_current_buf()))
  end
  here("pollux.hunk." .. verb)
end

function M.keep(what) decide("keep", what) end
function M.reject(what) decide("reject", what) end
function M.mine() here("pollux.conflict.mine") end
function M.theirs() here("pollux.conflict.theirs") end
function M.undo() run("pollux.review.undo") end
function M.redo() run("pollux.review.redo") end

local function jump(result)
  if not result.uri then return told(result) end
  -- The way back stays in the jump list.
  vim.cmd("normal! m'")
  local path = vim.uri_to_fname(result.uri)
  if vim.api.nvim_buf_get_name(0) ~= path then vim.cmd("edit " .. vim.fn.fnameescape(path)) end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(result.line + 1, last), 0 })
  vim.cmd("normal! zv")
  told(result)
end

local function go(command)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  run(command, { uri = vim.uri_from_bufnr(0), line = line }, nil, jump)
end

function M.next() go("pollux.hunk.next") end
function M.previous() go("pollux.hunk.previous") end

local function add_comment(uri, line, text, record)
  run("pollux.comment.add", { uri = uri, line = line, text = text }, record)
end

function M.comment(text)
  local bufnr = vim.api.nvim_get_current_buf()
  local uri, line = vim.uri_from_bufnr(bufnr), vim.api.nvim_win_get_cursor(0)[1] - 1
  local record = client.of_buffer(bufnr)
  if not record then return say.line("Pollux does not know this file") end
  if text and text ~= "" then return add_comment(uri, line, text, record) end
  vim.ui.input({ prompt = "Comment: " }, function(typed)
    if typed and typed ~= "" then add_comment(uri, line, typed, record) end
  end)
end

local function own_session()
  local current = session.current()
  return current and { session = current.id } or nil
end

function M.send_comments() run("pollux.comments.send", own_session()) end

local symbols = { pending = "I", proposed = "W", conflict = "E" }

local function first_line(text) return vim.trim(text:match("[^\n]*")) end

local function entries(review)
  local items = {}
  for _, file in ipairs(review.files) do
    for _, hunk in ipairs(file.hunks) do
      local text = first_line(hunk.added ~= "" and hunk.added or hunk.removed)
      local sign = hunk.added ~= "" and (hunk.removed ~= "" and "~ " or "+ ") or "- "
      items[#items + 1] = {
        filename = vim.uri_to_fname(file.uri),
        lnum = hunk.range.start.line + 1,
        type = symbols[hunk.state],
        text = sign .. text,
      }
    end
  end
  return items
end

-- All hunks as a quickfix list.
function M.list()
  client.request(client.current(), "pollux/review", vim.empty_dict(), function(review)
    local items = entries(review)
    vim.fn.setqflist({}, " ", { title = "Pollux: to review", items = items })
    if #items == 0 then return say.line("nothing is pending") end
    vim.cmd("copen")
  end)
end

-- What was rejected can be had again.
function M.reapply()
  client.request(client.current(), "pollux/review", vim.empty_dict(), function(review)
    if #review.rejected == 0 then return say.line("nothing was rejected") end
    vim.ui.select(review.rejected, {
      prompt = "Apply again",
      format_item = function(item)
        local text = item.added ~= "" and "+ " .. first_line(item.added) or "- " .. first_line(item.removed)
        return ("%s:%d  %s"):format(item.path, item.line + 1, text)
      end,
    }, function(item)
      if item then run("pollux.hunk.reapply", { id = item.id }) end
    end)
  end)
end

local function turn(command, number, done)
  local state = session.state()
  local wanted = tonumber(number) or (state and state.last_turn)
  if not wanted then return say.line("there is no turn yet") end
  run(command, { session = state.session, turn = wanted }, session.current().record, done)
end

function M.undo_turn(number) turn("pollux.turn.undo", number) end
function M.redo_turn(number) turn("pollux.turn.redo", number) end

-- Files and chat back to before a prompt; the prompt comes back to be written anew.
function M.rewind(number)
  turn("pollux.rewind", number, function(result)
    told(result)
    local prompt = result.prompt or result.text
    if type(prompt) == "string" then require("pollux.chat.prompt").write(prompt) end
  end)
end

return M
