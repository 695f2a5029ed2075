-- What an empty chat says: how to begin, and what was talked about before.
local session = require("pollux.session")

local M = {}

function M.ago(milliseconds)
  local seconds = math.max(0, os.time() - math.floor(milliseconds / 1000))
  for _, unit in ipairs({ { 86400, "d" }, { 3600, "h" }, { 60, "min" } }) do
    if seconds >= unit[1] then return ("%d %s ago"):format(math.floor(seconds / unit[1]), unit[2]) end
  end
  return "just now"
end

local SHOWN = 5

function M.show(transcript)
  transcript:begin("note")
  transcript:append("Write below and press Enter. Pollux sees the files you have open, as they are on the screen.\n")
  transcript:append("It asks before it runs a command that may change something, and each edit can be kept or rejected.")
  transcript:flush()
  local page = transcript.page
  session.list(function(sessions)
    if session.current() or #sessions == 0 or transcript.page ~= page or not vim.api.nvim_buf_is_valid(transcript.bufnr) then return end
    transcript:begin("note")
    transcript:append("Before:")
    transcript.newlines, transcript.kind = 0, "card"
    for place = 1, math.min(SHOWN, #sessions) do
      local line = sessions[place]
      local block = { act = function() session.resume(line.session) end }
      local title = line.title:match("[^\n]*")
      transcript:add_block("card", block, { ("› %s  %s"):format(title, M.ago(line.updated)) })
    end
    transcript:flush()
  end)
end

return M
