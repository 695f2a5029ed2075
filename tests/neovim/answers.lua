-- Questions are answered by key and by command; prompts wait, steer and are taken back; a turn is stopped.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local session = require("pollux.session")

local function question()
  for place, line in ipairs(person.chat()) do
    if line:find("^┌") then return table.concat(vim.list_slice(person.chat(), place), "\n") end
  end
end

person.run(function()
  person.set_up()
  local noticed = {}
  vim.notify = function(text) noticed[#noticed + 1] = text end
  vim.cmd("edit notes.txt")
  local file = vim.api.nvim_get_current_win()

  vim.cmd("PolluxAsk make it")
  person.wait("a question", question)
  say(question():gsub(vim.pesc(person.folder), "FOLDER"), "")
  say("focus stays", vim.api.nvim_get_current_win() == file, "notices", #noticed, "mode", vim.fn.mode())
  say("status", require("pollux").status())

  -- What is said meanwhile waits, or goes into the turn; what waits can be taken back.
  vim.cmd("Pollux | Pollux | stopinsert")
  person.keys("ilater<CR>")
  person.wait_for_text("⧗ later")
  person.keys("inever<CR>")
  person.wait_for_text("⧗ never")
  person.go_to("⧗ never")
  person.keys("x")
  person.wait("the prompt to be taken back", function() return not person.has("⧗ never") end)
  vim.api.nvim_set_current_win(vim.fn.bufwinid("pollux://prompt"))
  person.keys("iin a hurry<M-CR>")

  -- A letter answers on the question only.
  person.go_to("▌ make it")
  person.keys("yy")
  say("yanked", vim.fn.getreg('"'))
  person.go_to("┌ Run")
  local chat = require("pollux.chat")
  person.wait("the question to be old enough", function()
    person.keys("y")
    return #require("pollux.session").state().questions == 0
  end)
  person.wait_for_end(2)
  say("made", vim.fn.filereadable("made"))
  person.show_chat("allowed, steered and queued")

  -- Turned down by command, with a word about what to do instead; the chat is closed meanwhile.
  chat.close()
  require("pollux.session").queue("again")
  person.wait("a question", function() return require("pollux.questions").oldest() end)
  say("noticed", noticed[#noticed])
  vim.cmd("PolluxDeny use the other folder")
  person.wait_for_end(3)
  say("made2", vim.fn.filereadable("made2"))

  -- A key on the question rejects the call and nothing else: the turn goes on.
  session.queue("once more")
  person.wait("a question", function() return require("pollux.questions").oldest() end)
  vim.cmd("Pollux | stopinsert")
  person.go_to("┌ Run  touch made3")
  person.wait("the question to be old enough", function()
    person.keys("n")
    return #session.state().questions == 0
  end)
  person.wait_for_end(4)
  say("made3", vim.fn.filereadable("made3"), person.has("As you wish."))

  -- Enter at the end of the chat answers the question there, unless it is about something dangerous.
  session.queue("clean up")
  person.wait("a question", function() return require("pollux.questions").oldest() end)
  vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buffer()))
  person.keys("G")
  person.keys("<CR>")
  say("still asked", #session.state().questions, vim.fn.filereadable("notes.txt"))
  person.go_to("┌ Run  rm notes.txt")
  person.wait("the question to be old enough", function()
    person.keys("n")
    return #session.state().questions == 0
  end)
  person.wait_for_end(5)
  chat.close()

  -- Escape leaves insert mode and does nothing else, however often it is pressed. Stopping has a key of its own.
  vim.cmd("Pollux | stopinsert")
  person.keys("istop this<CR>")
  person.wait_for_text("Once upon a time")
  person.keys("<Esc><Esc>")
  assert(vim.fn.maparg("<Esc>", "n") == "", "Escape must not be mapped in the prompt")
  assert(require("pollux.session").state().turn, "the turn goes on")
  person.keys("<C-c>")
  person.wait_for_end(6)
  local lines = person.chat()
  say("stopped", lines[#lines])

  vim.cmd("PolluxMode plan")
  person.wait("the mode", function() return require("pollux.session").state().mode == "plan" end)
  say("header", require("pollux.chat.bar").header())
end)
