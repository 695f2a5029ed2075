-- Turns events into what the chat shows. One function for each kind of event.
local Transcript = require("pollux.chat.transcript")
local words = require("pollux.chat.words")
local uv = require("pollux.compat").uv

local M = {}
M.__index = M

-- Of what a command prints, this much is kept for the card.
local KEPT_BYTES = 256 * 1024
local SHOWN_WHILE_RUNNING = 5
local SHOWN_OPEN = 60

function M.new(bufnr)
  local self = setmetatable({ transcript = Transcript.new(bufnr) }, M)
  self:clear()
  return self
end

function M:clear()
  self.transcript:clear()
  -- Cards by call, edits by proposal, questions by number.
  self.calls, self.edits, self.questions = {}, {}, {}
  self.queue = {}
  -- Sub-agents at work by their calls, and what the person's own lines are in the way of, by file.
  self.agents, self.conflicts = {}, {}
  -- Where each turn begins.
  self.turns = {}
end

local function card_lines(card)
  local indent = card.indent or ""
  local line = indent .. card.icon .. " " .. card.title
  if card.suffix then line = line .. "  " .. card.suffix end
  local lines = { line }
  if card.open then
    local detail = card:detail()
    local from = math.max(1, #detail - SHOWN_OPEN + 1)
    if from > 1 then lines[2] = indent .. ("  │ … %d lines before: o opens all"):format(from - 1) end
    for place = from, #detail do
      lines[#lines + 1] = indent .. "  │ " .. detail[place]
    end
  end
  return lines
end

function M:card(card)
  return self.transcript:add_block("card", card, card_lines(card))
end

function M:redraw(card)
  self.transcript:set_block(card, card_lines(card))
end

function M:toggle(card)
  if not card.detail or #card:detail() == 0 then return false end
  card.open = not card.open
  self:redraw(card)
  return true
end

function M:note(text)
  self.transcript:begin("note")
  self.transcript:append(text)
end

local function clean(lines)
  for place, line in ipairs(lines) do
    -- Colours are for terminals, and a bare return would hide what stands before it.
    lines[place] = line:gsub("\27%[[%d;?]*%a", ""):gsub("\r$", ""):gsub("^.*\r", "")
  end
  return lines
end

-- The last lines of what was printed, without going through all of it.
local function last_lines(card)
  local text, place = "", #card.printed
  while place > 0 and #text < 2048 do
    text = card.printed[place] .. text
    place = place - 1
  end
  local lines = words.split(text:sub(-2048))
  return clean(vim.list_slice(lines, math.max(1, #lines - SHOWN_WHILE_RUNNING + 1), #lines))
end

local function output_lines(card)
  local lines = {}
  if card.printed then vim.list_extend(lines, words.split(table.concat(card.printed))) end
  if card.message and card.message ~= "" and not card.edit then vim.list_extend(lines, words.split(card.message)) end
  if card.edit then vim.list_extend(lines, words.diff(card.edit)) end
  return clean(lines)
end

local on = {}

function on:turnStarted(event)
  self.transcript:begin("prompt")
  self.turns[event.turn] = self.transcript:place()
  local lines = words.split(event.prompt)
  self.transcript:append("▌ " .. table.concat(lines, "\n▌ "))
end

function on:promptSteered(event)
  self.transcript:begin("prompt")
  local lines = words.split(event.text)
  self.transcript:append("▌ → " .. table.concat(lines, "\n▌   "))
end

function on:text(event) self.transcript:stream("text", event.text) end

function on:thought(event)
  local subject = event.subject ~= "" and event.subject or event.description
  self:card({
    icon = "▸",
    title = words.line(subject, 160),
    detail = function() return words.split(event.description) end,
  })
end

function on:citation(event)
  local title = type(event.title) == "string" and event.title .. "  " or ""
  self:card({ icon = "↗", title = title .. event.uri })
end

function on:requestRetried(event)
  local title = ("Attempt %d of %d failed: %s"):format(event.attempt, event.attempts, words.line(event.reason))
  self:card({ icon = "↻", title = title })
end

function on:modelChanged(event)
  self:card({ icon = "↻", title = ("%s instead of %s: %s"):format(event.to, event.from, words.line(event.reason)) })
end

function on:historyCompressed(event)
  if event.status == "NOOP" then return end
  local title = event.status:find("^FAILED") and "The conversation could not be made shorter"
    or ("The conversation was made shorter: %s tokens, before %s"):format(
      words.tokens(event.after),
      words.tokens(event.before)
    )
  self:card({ icon = "↧", title = title })
end

function on:answerDiscarded(event)
  self:card({ icon = "–", title = "That answer does not count, the model is asked again: " .. words.line(event.reason) })
end

function on:toolStarted(event)
  local within = self.calls[event.parent]
  local title = words.line(event.title, 160)
  -- Where several sub-agents work at once, a line says whose it is.
  if within and within.agent and vim.tbl_count(self.agents) > 1 then title = within.agent .. ": " .. title end
  local card = self:card({
    icon = words.icons.running,
    title = title,
    detail = output_lines,
    call = event.call,
    indent = within and (within.indent or "") .. "  " or nil,
    agent = event.activity == "agent" and (event.title:match("^([^\n]-): ") or title) or nil,
  })
  self.calls[event.call] = card
  if card.agent then self.agents[event.call] = card end
end

function on:toolPrinted(event)
  local card = self.calls[event.call]
  if not card then return end
  card.printed = card.printed or {}
  card.size = (card.size or 0) + #event.text
  table.insert(card.printed, event.text)
  while card.size > KEPT_BYTES and #card.printed > 1 do
    card.size = card.size - #table.remove(card.printed, 1)
  end
  -- Drawn once the whole message is read.
  self.printing = self.printing or {}
  self.printing[card] = true
end

function on:toolProgress(event)
  local card = self.calls[event.call]
  if not card then return end
  local message = type(event.message) == "string" and event.message or ""
  if card.agent then
    local turn = type(event.total) == "number" and ("turn %d of %d"):format(event.done, event.total) or nil
    card.suffix = table.concat(vim.tbl_filter(function(part) return part and part ~= "" end, { words.line(message, 100), turn }), " · ")
    return self:redraw(card)
  end
  local share = type(event.total) == "number" and event.total > 0
    and ("%d %%"):format(math.floor(100 * event.done / event.total))
  card.suffix = vim.trim(message .. " " .. (share or ""))
  self:redraw(card)
end

function on:toolEnded(event)
  local card = self.calls[event.call]
  if not card then return end
  card.icon = words.icons[event.status] or "·"
  card.message = event.message
  local parts = {}
  if card.edit then
    parts[1] = card.suffix
  else
    -- As the server counts it: without the time in which somebody was asked.
    local seconds = (tonumber(event.durationMs) or 0) / 1000
    if seconds >= 1 then parts[1] = ("%.1f s"):format(seconds) end
  end
  if card.agent and event.status == "succeeded" then table.insert(parts, 1, words.line(event.message, 120)) end
  self.agents[event.call] = nil
  if event.status == "failed" then parts[#parts + 1] = words.line(event.message, 120) end
  card.suffix = #parts > 0 and table.concat(parts, "  ") or nil
  self.transcript:hide_output(card)
  if self.printing then self.printing[card] = nil end
  self:redraw(card)
end

local function edited(self, event)
  local card = self.calls[event.call]
  if not card then
    card = self:card({ icon = words.icons.running, title = "Edit " .. event.path, detail = output_lines })
    self.calls[event.call] = card
  end
  card.edit, card.suffix = event, words.edit(event)
  self.edits[event.proposal] = card
  self:redraw(card)
end

local function ask(self, event, number)
  local block = { question = event, born = uv.now() }
  self.questions[number] = self.transcript:add_block("question", block, words.question(event))
end

local function settle(self, number, line)
  local block = self.questions[number]
  if not block then return end
  self.questions[number] = nil
  self.transcript:set_block(block, { line })
  block.question = nil
end

function on:editProposed(event)
  edited(self, event)
  ask(self, event, event.proposal)
end

function on:editMade(event)
  edited(self, event)
end

function on:editDecided(event)
  local card = self.edits[event.proposal]
  if not card then return end
  card.suffix = words.edit(card.edit, event.decisions)
  self:redraw(card)
  -- The card says it all: the question goes.
  local block = self.questions[event.proposal]
  if not block then return end
  self.questions[event.proposal] = nil
  self.transcript:remove_block(block)
end

-- Kept, and not in the file: the person has changed the same lines.
function on:editContested(event)
  local edit = self.edits[event.proposal]
  if not edit then return end
  local path = edit.edit.path
  local card = self:card({
    icon = "⚠",
    title = ("You and Pollux changed the same lines: %s. Yours are in the file; gd goes there"):format(path),
    indent = edit.indent,
    edit = edit.edit,
    detail = output_lines,
  })
  self.conflicts[path] = self.conflicts[path] or {}
  table.insert(self.conflicts[path], card)
end

function on:hunksDecided(event)
  if event.conflicts > 0 then return end
  for _, card in ipairs(self.conflicts[event.path] or {}) do
    card.icon, card.title = "✓", "Conflict settled: " .. event.path
    self:redraw(card)
  end
  self.conflicts[event.path] = nil
end

function on:approvalRequested(event) ask(self, event, event.approval) end

function on:approvalEnded(event)
  local block = self.questions[event.approval]
  if block then settle(self, event.approval, words.answered(block.question, event.answer)) end
end

function on:approvalNotRemembered(event)
  self:card({ icon = "–", title = "Allowed for this once only: " .. words.line(event.reason) })
end

function on:commandAnswered(event) self:note(event.text) end

function on:deleted() self:note("This session was deleted in another window. Start a new one to go on.") end

function on:refused(event) self:note("✗ " .. event.reason) end

function on:turnEnded(event)
  for number, block in pairs(self.questions) do
    settle(self, number, words.answered(block.question, nil))
  end
  local lines = words.ending(event)
  if lines then self:note(table.concat(lines, "\n")) end
  -- Nothing of this turn changes any more; its blocks can still be opened.
  self.calls, self.edits, self.agents, self.printing = {}, {}, {}, nil
end

-- The talk goes on from before a turn.
function on:rewound(event)
  local place = self.turns[event.turn]
  if place then self.transcript:cut(place) end
  self.calls, self.edits, self.questions, self.printing = {}, {}, {}, nil
  self.agents, self.conflicts = {}, {}
end

function M:event(event)
  local show = on[event.kind]
  if show then show(self, event) end
end

-- Why a request waits, for how long, and what may be done meanwhile.
local function retrying(retry, width)
  local when = "Waiting to retry"
  if retry.at then
    local seconds, microseconds = uv.gettimeofday()
    local left = math.ceil((retry.at - seconds * 1000 - microseconds / 1000) / 1000)
    when = ("Retrying in %d s"):format(math.max(0, left))
  end
  return {
    ("↻ %s (attempt %d of %d failed)"):format(when, retry.attempt, retry.attempts),
    "  " .. words.line(retry.reason, math.max(20, width - 4)),
    "  R retry now · C-c stop",
  }
end

-- The lines below the conversation. Steps that are all done are no news once the turn is over.
local function tail(state, width, queue, above)
  local open = vim.tbl_filter(function(todo) return todo.status ~= "completed" and todo.status ~= "cancelled" end, state.todos)
  local lines = (state.turn or #open > 0) and words.todos(state.todos, width) or {}
  for _, prompt in ipairs(state.queue) do
    lines[#lines + 1] = "⧗ " .. words.line(prompt.text, math.max(20, width - 4))
    queue[#lines + above] = prompt.id
  end
  if state.turn and state.retry and #state.questions == 0 then
    vim.list_extend(lines, retrying(state.retry, width))
  elseif state.turn then
    local waits = #state.questions > 0 and "waiting for your answer"
    local seconds = math.floor((uv.now() - (state.since or uv.now())) / 1000)
    local what = waits or words.line(state.activity or "thinking", math.max(20, width - 12))
    lines[#lines + 1] = "∙ " .. what .. ((not waits and seconds > 0) and (" · %d s"):format(seconds) or "")
  end
  if #lines > 0 and above == 1 then table.insert(lines, 1, "") end
  return lines
end

-- After a message of the server, or a second later: everything that was held back is drawn.
function M:settled(state, width)
  for card in pairs(self.printing or {}) do
    self.transcript:show_output(card, last_lines(card))
  end
  self.printing = nil
  self.queue = {}
  self.transcript:flush()
  -- One empty line above it, if the text has not ended with one.
  local above = self.transcript.newlines == 0 and 1 or 0
  self.transcript:set_tail(tail(state, width, self.queue, above))
end

return M
