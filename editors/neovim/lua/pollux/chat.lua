-- The chat: a window with the conversation, and one below it to write in. Only what a person does
-- opens a window or moves the cursor.
local Cards = require("pollux.chat.cards")
local bar = require("pollux.chat.bar")
local client = require("pollux.client")
local compat = require("pollux.compat")
local config = require("pollux.config")
local prompt = require("pollux.chat.prompt")
local questions = require("pollux.questions")
local say = require("pollux.say")
local session = require("pollux.session")
local welcome = require("pollux.chat.welcome")
local words = require("pollux.chat.words")

local M = {}

-- { bufnr, cards } and the two windows.
local chat = nil
local windows = {}
local timer

local function valid(window) return window and vim.api.nvim_win_is_valid(window) end

function M.is_open() return valid(windows.chat) and vim.api.nvim_win_get_tabpage(windows.chat) == vim.api.nvim_get_current_tabpage() end

function M.buffer() return chat and chat.bufnr end

local function width() return valid(windows.chat) and vim.api.nvim_win_get_width(windows.chat) or 80 end

-- Runs something that makes the conversation longer, and stays at its end where the end was shown.
local function following(act)
  local pinned = {}
  local last = vim.api.nvim_buf_line_count(chat.bufnr)
  for _, window in ipairs(vim.fn.win_findbuf(chat.bufnr)) do
    local selecting = window == vim.api.nvim_get_current_win() and vim.fn.mode():match("^[vV\22]")
    if not selecting and vim.api.nvim_win_get_cursor(window)[1] == last then pinned[#pinned + 1] = window end
  end
  act()
  last = vim.api.nvim_buf_line_count(chat.bufnr)
  for _, window in ipairs(pinned) do
    vim.api.nvim_win_set_cursor(window, { last, 0 })
  end
end

-- The activity line counts seconds, and only while there is one.
local function tick(state)
  if state.turn and not timer then
    timer = compat.uv.new_timer()
    timer:start(1000, 1000, vim.schedule_wrap(function()
      local now = session.state()
      if chat and now and now.turn then following(function() chat.cards:settled(now, width()) end) end
    end))
  elseif not state.turn and timer then
    timer:stop()
    timer:close()
    timer = nil
  end
end

-- A person who looks at the chat needs no message about it.
local function notice(event, state)
  if M.is_open() and say.is_focused() then return end
  if event.kind == "approvalRequested" then
    say.notice("asks: " .. event.title:match("[^\n]*") .. "  (:PolluxApprove, :PolluxDeny)")
  elseif event.kind == "editProposed" then
    say.notice("asks to edit " .. event.path .. "  (:PolluxApprove, :PolluxDeny)")
  elseif event.kind == "turnEnded" and not say.is_focused() then
    say.notice((event.outcome == "completed" and "done: " or "stopped: ") .. (state.title or ""))
  end
end

local view = {}
local batch = {}

function view.event(event, state)
  if chat then batch[#batch + 1] = event end
  -- What is replayed has been seen: only the last question can still be open.
  if state.live then notice(event, state) end
end

-- What a command has changed on disk is shown, in buffers that have nothing to lose.
local function reload_changed(events)
  for _, event in ipairs(events) do
    if event.kind == "toolEnded" then
      for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
        if client.of_buffer(bufnr) and not vim.bo[bufnr].modified then vim.cmd("silent! checktime " .. bufnr) end
      end
      return
    end
  end
end

-- Nothing that was typed is lost.
function view.unsent(text) prompt.write(text) end

function view.settled(state)
  local is_live = state.live
  state.live = true
  if chat then
    local events = batch
    batch = {}
    if is_live then reload_changed(events) end
    following(function()
      for _, event in ipairs(events) do
        chat.cards:event(event)
      end
      chat.cards:settled(state, width())
    end)
  end
  tick(state)
  bar.refresh()
end

function view.reset()
  batch = {}
  if timer then
    timer:stop()
    timer:close()
    timer = nil
  end
  if not chat then return end
  chat.cards:clear()
  if not session.current() then welcome.show(chat.cards.transcript) end
  bar.refresh()
end

-- What the cursor stands on: a question, a card, or a prompt that waits. At the end of the chat it is
-- the question that has waited longest.
local function under_cursor()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local transcript = chat.cards.transcript
  local place = transcript:tail_place(row)
  if not place then return transcript:block_at(row) end
  if chat.cards.queue[place] then return nil, chat.cards.queue[place] end
  local question = place == #transcript.tail and questions.oldest()
  return question and chat.cards.questions[question.approval or question.proposal] or nil
end

-- A key that was meant for something else must not answer a question that has just come under the cursor.
local SEEN_MS = 600
-- When an answer moved the cursor to the end, where the next question is answered.
local moved = 0

local function answer(block, act)
  -- A key may be pressed again before the answer of the first is drawn.
  if not block.question then return end
  local by_itself = chat.cards.transcript:tail_place(vim.api.nvim_win_get_cursor(0)[1] - 1) ~= nil
  if by_itself and words.is_dangerous(block.question) then
    return say.line("this may destroy something: go to the question with gA, and answer there")
  end
  local since = by_itself and math.max(block.born, moved) or block.born
  if compat.uv.now() - since < SEEN_MS then return say.line("this question has just come: look first") end
  act(block.question)
  moved = compat.uv.now()
  -- The next one appears at the end.
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(chat.bufnr), 0 })
end

local function jump_to(card)
  local edit = card and (card.edit or card.question)
  if not (edit and edit.path) then return end
  local path = session.current().record.root .. "/" .. edit.path
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if window ~= windows.chat and window ~= windows.prompt then
      vim.api.nvim_set_current_win(window)
      break
    end
  end
  vim.cmd("edit " .. vim.fn.fnameescape(path))
  pcall(vim.api.nvim_win_set_cursor, 0, { edit.hunks[1].line + 1, 0 })
end

local function open_output(card)
  if not (card and card.detail) then return end
  vim.cmd("new")
  local bufnr = vim.api.nvim_get_current_buf()
  vim.bo[bufnr].buftype, vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile = "nofile", "wipe", false
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, card:detail())
  vim.bo[bufnr].filetype = card.edit and "diff" or ""
  vim.bo[bufnr].modifiable = false
end

local function enter()
  local block = under_cursor()
  if block and block.act then return block.act() end
  if block and block.question then return answer(block, questions.keys.y) end
  if block then following(function() chat.cards:toggle(block) end) end
end

local function keys(bufnr)
  local function map(lhs, act, what, options)
    local all = vim.tbl_extend("force", { buffer = bufnr, desc = "Pollux: " .. what, nowait = true }, options or {})
    vim.keymap.set("n", lhs, act, all)
  end
  map("<CR>", enter, "answer yes, open or close")
  for _, lhs in ipairs({ "<Tab>", "za" }) do
    map(lhs, function()
      local block = under_cursor()
      if block then following(function() chat.cards:toggle(block) end) end
    end, "open or close")
  end
  map("o", function() open_output(under_cursor()) end, "open all of it in a window")
  map("gd", function() jump_to(under_cursor()) end, "go to the file")
  map("x", function()
    local _, queued = under_cursor()
    if queued then session.unqueue(queued) end
  end, "take back the prompt that waits")
  map("X", function()
    local block = under_cursor()
    if block and block.call and block.icon == words.icons.running then session.stop_call(block.call) end
  end, "stop the call under the cursor")
  map("R", session.retry, "send what waits to be retried now, or the last prompt again")
  map("C", session.continue_turn, "continue the interrupted turn")
  map("q", function() M.close() end, "close the chat")
  map("]]", function() vim.fn.search("^▌\\%(.*\\n▌\\)\\@!", "W") end, "the next prompt")
  map("[[", function() vim.fn.search("^▌\\%(.*\\n▌\\)\\@!", "bW") end, "the prompt before")
  map("gA", function() M.go_to_question() end, "go to the question")
  for _, lhs in ipairs({ "i", "a" }) do
    map(lhs, function()
      M.open("focus")
    end, "write")
  end
  map("<C-c>", function()
    local state = session.state()
    if state and state.turn then session.stop() end
  end, "stop the running turn")
  -- These letters answer on a question, and are what they always are elsewhere.
  for letter, act in pairs(questions.keys) do
    map(letter, function()
      local block = under_cursor()
      if block and block.question then
        vim.schedule(function() answer(block, act) end)
        return ""
      end
      return letter
    end, "answer the question", { expr = true })
  end
end

local function create()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "pollux://chat")
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].swapfile, vim.bo[bufnr].undolevels = "hide", false, -1
  vim.bo[bufnr].filetype = "pollux-chat"
  -- What the lines of a card, a list or a question are indented to where they are wrapped.
  vim.bo[bufnr].formatlistpat = [[^\s*\%([-*+○✓✗–▸▾↗↻↧›·┌│└▌⧗∙☑☐]\|\d\+\.\)\s\+]]
  vim.bo[bufnr].modifiable = false
  chat = { bufnr = bufnr, cards = Cards.new(bufnr) }
  keys(bufnr)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = bufnr,
    callback = function() chat = nil end,
  })
  if session.current() then session.replay() else welcome.show(chat.cards.transcript) end
end

local function set(window, options)
  for name, value in pairs(options) do
    compat.set_local(window, name, value)
  end
end

local plain_window = {
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  list = false,
  spell = false,
  wrap = true,
  linebreak = true,
  cursorline = false,
  colorcolumn = "",
  fillchars = "eob: ",
}

local function open_windows()
  local from = vim.api.nvim_get_current_win()
  local settings = config.values.chat
  local columns = settings.width < 1 and math.floor(vim.o.columns * settings.width) or settings.width
  vim.cmd((settings.side == "left" and "topleft" or "botright") .. " vertical " .. columns .. "split")
  windows.chat = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(windows.chat, chat.bufnr)
  set(windows.chat, plain_window)
  set(windows.chat, { winfixwidth = true, breakindent = true, conceallevel = 2, concealcursor = "nc" })
  -- Before 0.9 the pattern is taken from whatever buffer is the current one.
  if vim.fn.has("nvim-0.9") == 1 then set(windows.chat, { breakindentopt = "list:-1" }) end
  vim.cmd("belowright " .. settings.prompt_height .. "split")
  windows.prompt = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(windows.prompt, prompt.buffer())
  set(windows.prompt, plain_window)
  set(windows.prompt, { winfixheight = true, winfixwidth = true, conceallevel = 0 })
  bar.attach(windows.chat, "header")
  bar.attach(windows.prompt, "footer")
  vim.api.nvim_win_set_cursor(windows.chat, { vim.api.nvim_buf_line_count(chat.bufnr), 0 })
  vim.api.nvim_set_current_win(from)
end

-- Opens the chat if it is not open. With "focus" the cursor goes to where one writes.
function M.open(focus)
  if not chat then create() end
  if not M.is_open() then
    M.close()
    open_windows()
  elseif not valid(windows.prompt) then
    M.close()
    open_windows()
  end
  if focus == "focus" then
    vim.api.nvim_set_current_win(windows.prompt)
    vim.cmd("startinsert!")
  end
end

function M.close()
  for _, name in ipairs({ "prompt", "chat" }) do
    local window = windows[name]
    windows[name] = nil
    if valid(window) then
      -- The last window cannot be closed; then it shows something else.
      if not pcall(vim.api.nvim_win_close, window, true) then
        vim.api.nvim_set_current_win(window)
        vim.cmd("enew")
      end
    end
  end
end

function M.toggle()
  if M.is_open() then
    vim.cmd("stopinsert")
    M.close()
  else
    M.open("focus")
  end
end

function M.go_to_question()
  local question = questions.oldest()
  if not question then return say.line("nothing waits for an answer") end
  M.open()
  local block = chat.cards.questions[question.approval or question.proposal]
  if not block then return end
  vim.cmd("stopinsert")
  vim.api.nvim_set_current_win(windows.chat)
  vim.api.nvim_win_set_cursor(windows.chat, { chat.cards.transcript:row(block) + 1, 0 })
end

local function only_ours_left()
  local leaving = vim.api.nvim_get_current_win()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local floats = vim.api.nvim_win_get_config(window).relative ~= ""
    if not floats and window ~= leaving and window ~= windows.chat and window ~= windows.prompt then return false end
  end
  return leaving ~= windows.chat and leaving ~= windows.prompt
end

function M.watch(group)
  session.show_in(view)
  vim.api.nvim_create_autocmd("WinClosed", {
    group = group,
    callback = function(event)
      local closed = tonumber(event.match)
      if closed == windows.chat or closed == windows.prompt then vim.schedule(M.close) end
    end,
  })
  -- `:q` in the last file ends Neovim, chat or no chat.
  vim.api.nvim_create_autocmd("QuitPre", {
    group = group,
    callback = function()
      if M.is_open() and only_ours_left() then M.close() end
    end,
  })
end

return M
