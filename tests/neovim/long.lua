-- A long talk: what is new is appended and nothing else is written again.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

person.run(function()
  person.set_up()
  local cards = require("pollux.chat.cards")
  local state = require("pollux.state")
  local bufnr = vim.api.nvim_create_buf(false, true)
  local page, now = cards.new(bufnr), state.new("s")
  local written, said = 0, 0
  vim.api.nvim_buf_attach(bufnr, false, {
    on_bytes = function(_, _, _, _, _, _, _, _, _, _, _, new_bytes) written = written + new_bytes end,
  })
  local function hear(event)
    state.apply(now, event)
    page:event(event)
    page:settled(now, 80)
  end
  local usage = { total = 10, prompt = 1, cached = 0, answer = 9, thoughts = 0, tools = 0 }
  local started = vim.loop.hrtime()
  for turn = 1, 400 do
    hear({ kind = "turnStarted", turn = turn, prompt = "question " .. turn, model = "m" })
    for word = 1, 20 do
      local text = ("word%d "):format(word)
      said = said + #text
      hear({ kind = "text", text = text })
    end
    for call = 1, 5 do
      local id = turn .. "-" .. call
      hear({ kind = "toolStarted", call = id, title = "Read file " .. id })
      hear({ kind = "toolPrinted", call = id, text = ("line\n"):rep(20) })
      hear({ kind = "toolEnded", call = id, status = "succeeded", message = "fine" })
    end
    hear({ kind = "answerEnded", reason = "STOP", usage = usage })
    hear({ kind = "turnEnded", turn = turn, outcome = "completed", message = "" })
  end
  local took = (vim.loop.hrtime() - started) / 1e6
  -- For whoever reads the output of a failed or a slow run; the report is not compared with it.
  io.stderr:write(("%.0f ms for %d events\n"):format(took, 400 * 38))
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  say("lines", #lines)
  say("last", lines[#lines])
  -- Activity lines and cards are written twice or so; the text before them never again.
  local size = #table.concat(lines, "\n")
  say("written less than ten times what stands there", written < 10 * size)
end)
