-- What the scripts of the plugin's tests have in common: a person at a real Neovim, and a report of
-- what happened, one line per step, which the Rust test reads.
local M = {}

M.folder = vim.env.POLLUX_WORK

local DEADLINE_MS = 20000

function M.say(...)
  local words = vim.tbl_map(tostring, { ... })
  io.stdout:write((table.concat(words, " "):gsub("\n", " | ")) .. "\n")
end

-- Waits for something to become true, and never for a time.
function M.wait(what, is_true)
  local problem
  local came = vim.wait(DEADLINE_MS, function()
    local fine, value = pcall(is_true)
    problem = not fine and value or nil
    return fine and value
  end, 5)
  if not came then error(("waited for %s: %s\n%s"):format(what, tostring(problem), table.concat(M.chat(), "\n"))) end
end

function M.keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), "xt", false)
end

function M.chat()
  local bufnr = require("pollux.chat").buffer()
  return bufnr and vim.api.nvim_buf_get_lines(bufnr, 0, -1, false) or {}
end

function M.has(text)
  return table.concat(M.chat(), "\n"):find(text, 1, true) ~= nil
end

function M.wait_for_text(text)
  M.wait(text, function() return M.has(text) end)
end

-- The end of a turn, as the plugin knows it.
function M.wait_for_end(turn)
  M.wait("the end of turn " .. turn, function()
    local state = require("pollux.session").state()
    return state and state.last_turn == turn and not state.turn
  end)
end

function M.show_chat(title)
  M.say("--", title)
  for _, line in ipairs(M.chat()) do
    io.stdout:write((line == "" and "." or line) .. "\n")
  end
  M.say("--")
end

-- Moves to the chat's line with this text.
function M.go_to(text)
  local bufnr = require("pollux.chat").buffer()
  local window = vim.fn.bufwinid(bufnr)
  vim.api.nvim_set_current_win(window)
  for row, line in ipairs(M.chat()) do
    if line:find(text, 1, true) then return vim.api.nvim_win_set_cursor(window, { row, 0 }) end
  end
  error("no line with " .. text)
end

function M.ask(method, params)
  local reply, failure
  local client = require("pollux.client")
  client.request(client.current(), method, params, function(result) reply = result end, function(problem)
    failure = problem
  end)
  M.wait("the reply to " .. method, function() return reply ~= nil or failure ~= nil end)
  if failure then error(failure) end
  return reply
end

function M.set_up(more)
  vim.o.columns, vim.o.lines = 160, 50
  vim.cmd("runtime plugin/pollux.lua")
  local options = { cmd = { vim.env.POLLUX_BINARY, "lsp" }, root_dir = function() return M.folder end }
  require("pollux").setup(vim.tbl_extend("force", options, more or {}))
end

function M.run(main)
  local fine, problem = xpcall(main, debug.traceback)
  if not fine then M.say("failed", problem) end
  -- A file that was opened last must not start the server again.
  require("pollux.config").values.autostart = false
  require("pollux.client").stop_all()
  vim.wait(DEADLINE_MS, function() return #require("pollux.client").all() == 0 end, 5)
  io.stdout:flush()
  vim.cmd(fine and "qall!" or "cquit 1")
end

return M
