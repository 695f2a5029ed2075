-- What is true of a session now, folded from its events. Small, whatever the length of the talk.
local M = {}

function M.new(session)
  return {
    session = session,
    title = nil,
    model = nil,
    mode = nil,
    -- The number of the turn that runs, or nil.
    turn = nil,
    -- The number of the last turn there was, and what was asked in it.
    last_turn = nil,
    last_prompt = nil,
    -- What happens at the moment, and since when (milliseconds of the event loop).
    activity = nil,
    since = nil,
    -- A request that waits before it is sent again: { reason, attempt, attempts, at }, with `at` in ms since 1970.
    retry = nil,
    -- Tokens that the model was shown last.
    tokens = nil,
    todos = {},
    -- { id, text }, in the order in which they wait.
    queue = {},
    -- Questions that wait for an answer, the oldest first. A proposed edit is one too.
    questions = {},
  }
end

local function now() return (vim.uv or vim.loop).now() end

local function doing(state, what)
  if state.activity ~= what then
    state.activity, state.since = what, now()
  end
end

local function remove(list, matches)
  for place, item in ipairs(list) do
    if matches(item) then return table.remove(list, place) end
  end
end

-- The number under which a question is answered.
function M.number(question) return question.approval or question.proposal end

local on = {}

function on.promptQueued(state, event) table.insert(state.queue, { id = event.id, text = event.text }) end

function on.promptUnqueued(state, event)
  remove(state.queue, function(item) return item.id == event.id end)
end

function on.turnStarted(state, event)
  state.turn, state.last_turn = event.turn, event.turn
  state.last_prompt, state.model = event.prompt, event.model
  state.interrupted, state.retry = false, nil
  state.title = state.title or event.prompt:match("[^\n]*")
  doing(state, "thinking")
end

function on.text(state) doing(state, "writing") end

function on.thought(state, event) doing(state, event.subject ~= "" and event.subject or "thinking") end

function on.toolStarted(state, event) doing(state, event.title:match("[^\n]*")) end

function on.toolEnded(state) doing(state, "thinking") end

function on.requestRetried(state, event)
  state.retry = { reason = event.reason, attempt = event.attempt, attempts = event.attempts, at = event.retryAtMs }
  doing(state, "waiting to retry")
end

function on.retryStarted(state)
  state.retry = nil
  doing(state, "thinking")
end

function on.modelChanged(state, event) state.model, state.retry = event.to, nil end

function on.modelChosen(state, event) state.model = event.model end

function on.answerEnded(state, event) state.tokens = event.usage.total end

function on.editProposed(state, event) table.insert(state.questions, event) end

-- Somebody has answered. What happens now begins now: nobody counts how long a person thought.
local function answered(state, matches)
  if remove(state.questions, matches) and state.activity then state.since = now() end
end

function on.editDecided(state, event)
  answered(state, function(item) return item.proposal == event.proposal end)
end

function on.approvalRequested(state, event) table.insert(state.questions, event) end

function on.approvalEnded(state, event)
  answered(state, function(item) return M.number(item) == event.approval end)
end

function on.modeChanged(state, event) state.mode = event.mode end

function on.todos(state, event) state.todos = event.todos end

function on.topic(state, event)
  if type(event.title) == "string" then state.title = event.title end
end

function on.turnEnded(state, event)
  state.interrupted = event.outcome == "interrupted"
  state.retry = nil
  state.turn, state.activity, state.since = nil, nil, nil
  state.questions = {}
end

function on.rewound(state, event)
  state.last_turn = event.turn > 1 and event.turn - 1 or nil
  state.turn, state.activity, state.since = nil, nil, nil
  state.todos, state.questions, state.retry = {}, {}, nil
end

function M.apply(state, event)
  local fold = on[event.kind]
  if fold then fold(state, event) end
end

return M
