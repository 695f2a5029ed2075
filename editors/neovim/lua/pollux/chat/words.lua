-- What is said in the chat about questions, edits and endings. Text only.
local M = {}

M.icons = { running = "○", succeeded = "✓", failed = "✗", cancelled = "–" }

-- One line, however long the text is and whatever is in it.
function M.line(text, longest)
  local line = text:gsub("%s*\n.*$", " …")
  if longest and vim.fn.strchars(line) > longest then line = vim.fn.strcharpart(line, 0, longest - 1) .. "…" end
  return line
end

function M.split(text)
  local lines = vim.split(text, "\n", { plain = true })
  if lines[#lines] == "" and #lines > 1 then lines[#lines] = nil end
  return lines
end

local function count(text) return text == "" and 0 or #M.split(text) end

-- `+9 −4`, and a mark for every hunk: ● waits, ✓ kept, ✕ rejected.
function M.edit(edit, decisions)
  local added, removed, states = 0, 0, {}
  for place, hunk in ipairs(edit.hunks) do
    added, removed = added + count(hunk.added), removed + count(hunk.removed)
    local decision = decisions and decisions[place]
    states[place] = decision == "keep" and "✓" or decision == "reject" and "✕" or "●"
  end
  -- Beyond a handful nobody counts dots.
  local dots = #states <= 12 and table.concat(states) or (#states .. " hunks")
  return ("+%d −%d  %s"):format(added, removed, dots)
end

-- How far all lines are indented: in a narrow window that is room for nothing.
local function indent(lines)
  local least
  for _, line in ipairs(lines) do
    local spaces = line[2]:match("^%s*()%S")
    if spaces then least = math.min(least or spaces, spaces) end
  end
  return least or 1
end

local function hunk_lines(hunk)
  local lines = {}
  for _, side in ipairs({ { "-", hunk.removed }, { "+", hunk.added } }) do
    if side[2] ~= "" then
      for _, line in ipairs(M.split(side[2])) do
        lines[#lines + 1] = { side[1], (line:gsub("\r$", "")) }
      end
    end
  end
  return lines
end

function M.diff(edit)
  local lines = {}
  for _, hunk in ipairs(edit.hunks) do
    lines[#lines + 1] = ("@@ line %d"):format(hunk.line + 1)
    local changed = hunk_lines(hunk)
    local from = indent(changed)
    for _, line in ipairs(changed) do
      lines[#lines + 1] = line[1] .. " " .. line[2]:sub(from)
    end
  end
  return lines
end

local function has_scope(question, scope)
  for _, offer in ipairs(question.offers or {}) do
    if vim.tbl_contains(offer.scopes, scope) then return true end
  end
  return false
end

-- What may destroy something, or comes from outside: nobody answers it without having gone to it.
function M.is_dangerous(question)
  local cautions = question.subject and question.subject.cautions
  return type(cautions) == "table" and #cautions > 0
end

-- The keys that answer a question, in the order in which they are shown.
function M.keys(question)
  if question.proposal then
    return { { "y", "keep" }, { "s", "keep all edits of this session" }, { "n", "reject" }, { "r", "reject with a reason" } }
  end
  local kind = question.subject.kind
  if kind == "questions" then return { { "y", "answer" }, { "n", "leave it" } } end
  if kind == "enterPlan" then return { { "y", "plan first" }, { "n", "no" } } end
  if kind == "stuck" then return { { "y", "go on" }, { "n", "stop" }, { "r", "say what to do instead" } } end
  if kind == "plan" then
    return { { "y", "carry it out" }, { "s", "and edit without asking" }, { "n", "go on planning" }, { "r", "say what to change" } }
  end
  local keys = { { "y", "once" } }
  if has_scope(question, "session") then keys[#keys + 1] = { "s", "session" } end
  if has_scope(question, "workspace") then keys[#keys + 1] = { "w", "workspace" } end
  if has_scope(question, "user") then keys[#keys + 1] = { "A", "always" } end
  keys[#keys + 1] = { "n", "reject" }
  keys[#keys + 1] = { "r", "reject with a reason" }
  return keys
end

local body = {}

function body.command(subject, lines)
  for place, line in ipairs(M.split(subject.command)) do
    lines[place == 1 and #lines or #lines + 1] = (place == 1 and "Run  " or "     ") .. line
  end
  lines[#lines + 1] = "in " .. vim.fn.fnamemodify(subject.folder, ":~:.")
  for _, caution in ipairs(subject.cautions) do
    lines[#lines + 1] = "⚠ " .. caution
  end
end

function body.fetch(subject, lines)
  lines[#lines] = "Fetch with " .. subject.method
  vim.list_extend(lines, subject.urls)
end

function body.questions(subject, lines)
  lines[#lines] = "A question"
  for _, question in ipairs(subject.questions) do
    vim.list_extend(lines, M.split(question.text))
    if question.optional == true then lines[#lines] = lines[#lines] .. " (optional)" end
    for _, option in ipairs(question.answer.options or {}) do
      lines[#lines + 1] = "  · " .. option.label .. (option.description ~= "" and ": " .. option.description or "")
    end
  end
end

function body.enterPlan(subject, lines)
  lines[#lines] = "Plan first?"
  lines[#lines + 1] = subject.reason
end

function body.plan(subject, lines)
  lines[#lines] = "The plan is ready: " .. subject.path
  vim.list_extend(lines, M.split(subject.text))
end

function body.stuck(subject, lines)
  lines[#lines] = ("%s failed %d times"):format(lines[#lines], subject.times)
  vim.list_extend(lines, M.split(subject.error))
end

function body.other(subject, lines)
  vim.list_extend(lines, M.split(subject.arguments))
end

-- A question in full: exactly what would happen, why somebody is asked, and the keys.
function M.question(question)
  local lines
  if question.proposal then
    lines = { ("Edit  %s  %s"):format(question.path, M.edit(question)) }
    vim.list_extend(lines, M.diff(question))
  else
    lines = { M.line(question.title) }
    body[question.subject.kind](question.subject, lines)
    if question.reason ~= "" then lines[#lines + 1] = "asks: " .. M.line(question.reason) end
  end
  local keys = vim.tbl_map(function(key) return key[1] .. " " .. key[2] end, M.keys(question))
  for place, line in ipairs(lines) do
    lines[place] = (place == 1 and "┌ " or "│ ") .. line
  end
  lines[#lines + 1] = "└ " .. table.concat(keys, " · ")
  return lines
end

-- What remains of a question once it is answered.
function M.answered(question, answer)
  local subject = M.line(question.path and "Edit " .. question.path or question.title, 100)
  if type(answer) ~= "table" then return "– Not answered: " .. subject end
  local kind = answer.kind
  if kind == "deny" then
    local feedback = type(answer.feedback) == "string" and answer.feedback ~= "" and ": " .. answer.feedback or ""
    return "✗ Rejected: " .. subject .. M.line(feedback)
  end
  if kind == "always" then
    local scopes = { session = "for this session", workspace = "in this workspace", user = "always" }
    return ("✓ Allowed %s: %s"):format(scopes[answer.scope] or "", subject)
  end
  if kind == "replies" then
    local places = vim.tbl_keys(answer.replies)
    table.sort(places, function(one, other) return tonumber(one) < tonumber(other) end)
    local said = vim.tbl_map(function(place)
      local reply = answer.replies[place]
      return type(reply) == "table" and table.concat(reply, ", ") or reply
    end, places)
    return "✓ Answered: " .. M.line(table.concat(said, "; "))
  end
  return "✓ Allowed once: " .. subject
end

local endings = {
  cancelled = "– Stopped",
  interrupted = "– Interrupted",
  declined = "– Stopped: you turned it down",
  limited = "– Stopped at a limit",
  failed = "✗ Failed",
}

-- How a turn ended, if it did not simply end.
function M.ending(event)
  local words = endings[event.outcome]
  if not words then return end
  local said = event.message ~= "" and event.outcome ~= "cancelled" and words .. ": " .. event.message or words
  local lines = M.split(said)
  if event.outcome == "interrupted" then
    lines[#lines + 1] = "  C continue · R send the prompt again"
  elseif event.outcome == "failed" or event.outcome == "limited" then
    lines[#lines + 1] = "  R send the prompt again · :PolluxNew begin anew · :checkhealth pollux"
  end
  return lines
end

local boxes = { completed = "☑", inProgress = "◐", cancelled = "☒", blocked = "⚠", pending = "☐" }

-- The steps, in one line where they fit.
function M.todos(todos, width)
  if #todos == 0 then return {} end
  local steps, done = {}, 0
  for place, todo in ipairs(todos) do
    steps[place] = (boxes[todo.status] or "☐") .. " " .. M.line(todo.description)
    if todo.status == "completed" then done = done + 1 end
  end
  local line = table.concat(steps, "  ")
  if vim.fn.strdisplaywidth(line) <= width then return { line } end
  if #steps <= 8 then return steps end
  for place, todo in ipairs(todos) do
    if todo.status == "inProgress" then return { ("%d of %d  %s"):format(done, #todos, steps[place]) } end
  end
  return { ("%d of %d steps"):format(done, #todos) }
end

function M.tokens(number)
  if number < 1000 then return tostring(number) end
  if number < 1000000 then return ("%dk"):format(math.floor(number / 1000 + 0.5)) end
  return ("%.1fM"):format(number / 1000000)
end

return M
