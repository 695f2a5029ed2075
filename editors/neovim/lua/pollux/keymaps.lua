-- The keys, each of them a command that can be typed as well.
local config = require("pollux.config")

local M = {}

-- Name, key behind the prefix, command, modes, and what it does.
local keys = {
  { "toggle", "p", "Pollux", "n", "open or close the chat" },
  { "ask", "a", "PolluxAsk", "nx", "ask, about the selection if there is one" },
  { "stop", "x", "PolluxStop", "n", "stop the running turn" },
  { "mode", "m", "PolluxMode", "n", "choose how much it may do" },
  { "sessions", "s", "PolluxSessions", "n", "go to another session" },
  { "approve", "y", "PolluxApprove", "n", "allow what it asks for, once" },
  { "deny", "n", "PolluxDeny", "n", "deny what it asks for" },
  { "keep", "k", "PolluxKeep", "n", "keep this hunk" },
  { "reject", "r", "PolluxReject", "n", "reject this hunk" },
  { "keep_file", "K", "PolluxKeep file", "n", "keep everything in this file" },
  { "reject_file", "R", "PolluxReject file", "n", "reject everything in this file" },
  { "undo", "u", "PolluxUndo", "n", "undo the last decision" },
  { "redo", "U", "PolluxRedo", "n", "redo it" },
  { "comment", "c", "PolluxComment", "n", "comment on this line" },
  { "send_comments", "C", "PolluxSendComments", "n", "send all comments" },
  { "review", "l", "PolluxReview", "n", "list all hunks" },
  { "mine", "o", "PolluxMine", "n", "conflict: keep your text" },
  { "theirs", "t", "PolluxTheirs", "n", "conflict: take the agent's text" },
}

local function key_of(name, default)
  local settings = config.values.keymaps
  if settings == false then return end
  local own = settings[name]
  if own == false then return end
  return own or settings.prefix .. default
end

function M.set()
  if config.values.keymaps == false then return end
  for _, key in ipairs(keys) do
    local lhs = key_of(key[1], key[2])
    if lhs then
      for mode in key[4]:gmatch(".") do
        -- In visual mode the colon brings the range with it.
        local rhs = mode == "x" and ":" .. key[3] .. "<CR>" or "<Cmd>" .. key[3] .. "<CR>"
        vim.keymap.set(mode, lhs, rhs, { desc = "Pollux: " .. key[5], silent = true })
      end
    end
  end
  for _, way in ipairs({ { "next_hunk", "PolluxNext" }, { "previous_hunk", "PolluxPrevious" } }) do
    local lhs = config.values.keymaps[way[1]]
    if lhs then
      vim.keymap.set("n", lhs, "<Cmd>" .. way[2] .. "<CR>", { desc = "Pollux: " .. way[1]:gsub("_", " "), silent = true })
    end
  end
end

local function readable(lhs)
  local leader = vim.g.mapleader or "\\"
  return (lhs:gsub("<[lL]eader>", leader == " " and "<Space>" or leader))
end

-- What decides about a hunk, for the hint beside it.
function M.shown(state)
  local wanted = state == "conflict" and { "mine", "theirs" } or { "keep", "reject" }
  local parts = {}
  for _, key in ipairs(keys) do
    local lhs = vim.tbl_contains(wanted, key[1]) and key_of(key[1], key[2])
    if lhs then parts[#parts + 1] = key[1] .. " " .. readable(lhs) end
  end
  return table.concat(parts, " · ")
end

return M
