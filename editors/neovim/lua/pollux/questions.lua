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

-- A field of a question that may be missing.
local function words(value) return type(value) == "string" and value or nil end

-- Each item is switched on or off until the person is done. What is chosen stays a list: a label may have commas in it.
local function choose_several(options, prompt, chosen, reply)
  local items = { { done = true } }
  for _, option in ipairs(options) do
    items[#items + 1] = { label = option }
  end
  local function shown(item)
    if item.done then return "Done" end
    return (chosen[item.label] and "[x] " or "[ ] ") .. item.label
  end
  vim.ui.select(items, { prompt = prompt, format_item = shown }, function(item)
    if not item then return reply(nil) end
    if not item.done then
      chosen[item.label] = not chosen[item.label]
      return choose_several(options, prompt, chosen, reply)
    end
    local labels = vim.tbl_filter(function(option) return chosen[option] end, options)
    reply(#labels > 0 and labels or "")
  end)
end

-- What stands there already comes first, because that is what <CR> takes.
local function choose_one(options, question, prompt, reply)
  local default = words(question.default)
  local items = {}
  for _, option in ipairs(options) do
    table.insert(items, option == default and 1 or #items + 1, { label = option })
  end
  if question.optional == true then items[#items + 1] = { label = "" } end
  local function shown(item)
    if item.label == "" then return "No answer" end
    return item.label .. (item.label == default and " (as it stands)" or "")
  end
  vim.ui.select(items, { prompt = prompt, format_item = shown }, function(item) reply(item and item.label) end)
end

local function ask_one(questions, place, replies, done)
  local question = questions[place]
  if not question then return done(replies) end
  local default = words(question.default)
  local stands = type(question.default) == "table" and question.default or {}
  -- Nothing at all leaves the whole question for later.
  local function reply(text)
    if text == nil then return end
    if text == "" and question.optional ~= true then
      say.problem("this wants an answer")
      return ask_one(questions, place, replies, done)
    end
    if text ~= "" or default or #stands > 0 then replies[tostring(place - 1)] = text end
    ask_one(questions, place + 1, replies, done)
  end
  local form = question.answer
  local prompt = question.text .. (question.optional == true and " (optional)" or "")
  if form.kind == "text" then
    local hint = words(question.placeholder)
    if hint and hint ~= "" then prompt = ("%s (%s)"):format(prompt, hint) end
    return vim.ui.input({ prompt = prompt .. " ", default = default }, reply)
  end
  local options = form.kind == "yesNo" and { "Yes", "No" }
    or vim.tbl_map(function(option) return option.label end, form.options)
  if form.several ~= true then return choose_one(options, question, prompt, reply) end
  local chosen = {}
  for _, label in ipairs(stands) do
    chosen[label] = true
  end
  choose_several(options, prompt, chosen, reply)
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
