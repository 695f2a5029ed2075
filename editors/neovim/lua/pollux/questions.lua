-- Answers what the agent asks. Nothing pops up by itself: the person begins.
local say = require("pollux.say")
local session = require("pollux.session")

local M = {}

-- The question that has waited longest.
function M.oldest()
  local state = session.state()
  return state and state.questions[1]
end

-- The narrowest offer that can be given in that scope.
local function always(question, scope)
  if question.proposal then return { kind = "always", offer = 0, scope = "session" } end
  for place, offer in ipairs(question.offers or {}) do
    if vim.tbl_contains(offer.scopes, scope) then return { kind = "always", offer = place - 1, scope = scope } end
  end
end

local function ask_one(questions, place, replies, done)
  local question = questions[place]
  if not question then return done(replies) end
  local function reply(text)
    if text == nil or text == "" then return end
    replies[tostring(place - 1)] = text
    ask_one(questions, place + 1, replies, done)
  end
  local form = question.answer
  if form.kind == "text" then
    local default = type(question.placeholder) == "string" and question.placeholder or nil
    return vim.ui.input({ prompt = question.text .. " ", default = default }, reply)
  end
  local options = form.kind == "yesNo" and { "Yes", "No" }
    or vim.tbl_map(function(option) return option.label end, form.options)
  vim.ui.select(options, { prompt = question.text }, reply)
end

local function answer_questions(question)
  local replies = vim.empty_dict()
  ask_one(question.subject.questions, 1, replies, function(all)
    session.answer(question, { kind = "replies", replies = all })
  end)
end

-- `scope` is "once", "session", "workspace" or "always".
function M.approve(scope, question)
  question = question or M.oldest()
  if not question then return say.line("nothing waits for an answer") end
  local kind = question.subject and question.subject.kind
  if kind == "questions" then return answer_questions(question) end
  if kind == "plan" then
    local mode = scope == "once" and "default" or "autoEdit"
    return session.answer(question, { kind = "carryOut", mode = mode })
  end
  if scope == "once" then return session.answer(question, { kind = "allow" }) end
  local answer = always(question, scope == "always" and "user" or scope)
  if not answer then return say.problem(("this cannot be allowed for the %s; allow it once"):format(scope)) end
  session.answer(question, answer)
end

function M.deny(reason, question)
  question = question or M.oldest()
  if not question then return say.line("nothing waits for an answer") end
  local feedback = reason and reason ~= "" and reason or nil
  session.answer(question, { kind = "deny", feedback = feedback })
end

function M.deny_with_reason(question)
  vim.ui.input({ prompt = "Instead: " }, function(reason)
    if reason then M.deny(reason, question) end
  end)
end

-- What a key does on a question, by the letters that `chat.words` shows.
M.keys = {
  y = function(question) M.approve("once", question) end,
  s = function(question) M.approve("session", question) end,
  w = function(question) M.approve("workspace", question) end,
  A = function(question) M.approve("always", question) end,
  n = function(question) M.deny(nil, question) end,
  r = function(question) M.deny_with_reason(question) end,
}

return M
