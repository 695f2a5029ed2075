-- The two lines around the chat: what it is about, and what the keys do now.
local compat = require("pollux.compat")
local session = require("pollux.session")
local words = require("pollux.chat.words")

local M = {}

local modes = { plan = "plan", default = "default", autoEdit = "auto-edit", yolo = "yolo" }

-- A percent sign means something in these lines.
local function plain(text) return (text:gsub("%%", "%%%%")) end

function M.header()
  local state = session.state()
  local title = state and state.title and words.line(state.title, 60) or "New session"
  local right = {}
  if state then
    if #state.questions > 0 then right[#right + 1] = "%#PolluxAsk#asks%*" end
    if state.model then right[#right + 1] = plain(state.model) end
    if state.mode then right[#right + 1] = modes[state.mode] or plain(state.mode) end
    if state.tokens and state.tokens > 0 then right[#right + 1] = words.tokens(state.tokens) end
  end
  return "%#PolluxTitle# " .. plain(title) .. "%* %<%=" .. table.concat(right, " · ") .. " "
end

function M.footer()
  local state = session.state()
  if state and #state.questions > 0 then return " %#PolluxAsk#Pollux asks%* · gA go to the question" end
  if state and state.turn and state.retry then return " %#PolluxDim#:PolluxRetry retry now · C-c stop%*" end
  if state and state.turn then return " %#PolluxDim#Enter queue · M-Enter steer · C-c stop%*" end
  return " %#PolluxDim#Enter send · C-j new line%*"
end

-- Before 0.8 the line below a window is all there is. Later it is left empty.
function M.attach(window, which)
  local line = ("%%{%%v:lua.require'pollux.chat.bar'.%s()%%}"):format(which)
  if compat.has_winbar then
    compat.set_local(window, "winbar", line)
    line = " "
  end
  compat.set_local(window, "statusline", line)
end

function M.refresh()
  vim.cmd("redrawstatus!")
end

return M
