-- The session that this Neovim shows: started with the first prompt, followed from its events.
local client = require("pollux.client")
local say = require("pollux.say")
local state = require("pollux.state")

local M = {}

-- { record, id, state, deaf }. Deaf while it is followed anew: what still comes belongs to the past.
local current
-- Told of every event, and when everything begins anew.
local view = { event = function() end, reset = function() end, settled = function() end, unsent = function() end }

function M.show_in(listener) view = listener end
function M.current() return current end
function M.state() return current and current.state or nil end

local function params(more)
  return vim.tbl_extend("force", { session = current.id }, more or {})
end

-- Asks something about the current session.
local function ask(method, more, done)
  if not current then return say.line("there is no session yet") end
  client.request(current.record, method, params(more), done)
end

local function heard(message, record)
  if not current or current.deaf or record ~= current.record or message.session ~= current.id then return end
  for _, event in ipairs(message.events) do
    -- A new host shows the session from its first event again.
    if event.kind == "opened" then
      if current.opened then
        current.state = state.new(current.id)
        view.reset()
      end
      current.opened = true
    end
    state.apply(current.state, event)
    view.event(event, current.state)
  end
  view.settled(current.state)
end

-- Shows a session that is open in the host from its first event on.
local function follow(record, id, is_new)
  if current then client.request(current.record, "pollux/sessionUnfollow", params(), nil, function() end) end
  current = { record = record, id = id, state = state.new(id), deaf = true }
  -- What is replayed has been seen: nobody is told of it again.
  current.state.live = is_new
  local mine = current
  view.reset()
  client.request(record, "pollux/sessionUnfollow", { session = id }, function()
    if mine ~= current then return end
    mine.deaf = false
    client.request(record, "pollux/sessionFollow", { session = id, cursor = 0 })
  end)
end

-- Calls `act` once there is a session; starts one if there is none.
local function with_session(act, failed)
  if current and not current.lost then return act() end
  local record = current and current.record or client.current()
  local resumed = current and current.id
  local method = resumed and "pollux/sessionResume" or "pollux/sessionStart"
  client.request(record, method, resumed and { session = resumed } or vim.empty_dict(), function(result)
    follow(record, result.session, not resumed)
    act()
  end, failed)
end

-- Sends what was typed; `method` names the request. What was not sent is in the prompt again.
local function send(text, method)
  local function failed(problem)
    say.problem(problem)
    view.unsent(text)
  end
  with_session(function() client.request(current.record, method(), params({ text = text }), nil, failed) end, failed)
end

function M.queue(text)
  send(text, function() return "pollux/promptQueue" end)
end

-- Without a running turn there is nothing to steer: then it is an ordinary prompt.
function M.steer(text)
  send(text, function() return current.state.turn and "pollux/promptSteer" or "pollux/promptQueue" end)
end

function M.unqueue(id) ask("pollux/promptUnqueue", { id = id }) end

function M.stop()
  if not (current and current.state.turn) then return say.line("nothing is running") end
  ask("pollux/turnCancel")
end

-- One call only: the turn goes on.
function M.stop_call(call) ask("pollux/callStop", { call = call }) end

-- What waits to be retried is sent now; without a running turn the last prompt is sent again.
function M.retry()
  if current and current.state.retry then return ask("pollux/retryNow") end
  if current and current.state.last_prompt and not current.state.turn then M.queue(current.state.last_prompt) end
end

function M.continue_turn()
  if current and current.state.interrupted and not current.state.turn then M.queue("Continue where you were interrupted.") end
end

function M.set_mode(mode)
  with_session(function() ask("pollux/modeSet", { mode = mode }) end)
end

-- Once: a key that is held down says the same again and again.
function M.answer(question, answer)
  if question.answered then return end
  question.answered = true
  ask("pollux/approvalAnswer", { approval = state.number(question), answer = answer })
end

-- Leaves the current session; the next prompt starts another one.
function M.leave()
  if current then client.request(current.record, "pollux/sessionUnfollow", params(), nil, function() end) end
  current = nil
  view.reset()
end

-- The recorded sessions of the current folder, the newest first.
function M.list(done)
  local record = current and current.record or client.current()
  client.request(record, "pollux/sessionList", vim.empty_dict(), function(result)
    table.sort(result.sessions, function(one, other) return one.updated > other.updated end)
    done(result.sessions)
  end)
end

function M.resume(id)
  local record = current and current.record or client.current()
  client.request(record, "pollux/sessionResume", { session = id }, function(result) follow(record, result.session) end)
end

function M.delete(id, done)
  local record = current and current.record or client.current()
  if current and current.id == id then M.leave() end
  client.request(record, "pollux/sessionDelete", { session = id }, done)
end

-- Builds the view again from the first event.
function M.replay()
  if current and not current.lost then follow(current.record, current.id) end
end

function M.listen()
  client.on("pollux/sessionEvents", heard)
  client.on_end(function(record)
    if not current or current.record ~= record then return end
    -- The host keeps sessions by their record: the next prompt opens this one again.
    current.lost = true
    local running = current.state.turn ~= nil
    current.state.turn, current.state.activity = nil, nil
    if running then
      local reason = "the server has ended; the next prompt starts it again and goes on here"
      view.event({ kind = "refused", reason = reason }, current.state)
    end
    view.settled(current.state)
  end)
end

return M
