-- The `:Pollux…` commands.
local M = {}

local MODES = { "plan", "default", "autoEdit", "yolo" }
local SCOPES = { "once", "session", "workspace", "always" }

local about = {
  plan = "read and plan, change nothing",
  default = "ask before edits, and before commands that may change something",
  autoEdit = "edit without asking; ask before commands that may change something",
  yolo = "edit and run commands without asking, except for guarded files",
}

local function pollux() return require("pollux") end
local function review() return require("pollux.review") end
local function session() return require("pollux.session") end
local function questions() return require("pollux.questions") end

local function starting_with(list)
  return function(lead)
    return vim.tbl_filter(function(item) return item:sub(1, #lead) == lead end, list)
  end
end

local function choose_mode(options)
  if vim.tbl_contains(MODES, options.args) then return session().set_mode(options.args) end
  if options.args ~= "" then
    return require("pollux.say").problem(("there is no mode `%s`: %s"):format(options.args, table.concat(MODES, ", ")))
  end
  vim.ui.select(MODES, {
    prompt = "How much may Pollux do?",
    format_item = function(mode) return mode .. ": " .. about[mode] end,
  }, function(mode)
    if mode then session().set_mode(mode) end
  end)
end

local function choose_session()
  session().list(function(sessions)
    if #sessions == 0 then return require("pollux.say").line("nothing has been recorded here yet") end
    local ago = require("pollux.chat.welcome").ago
    vim.ui.select(sessions, {
      prompt = "Sessions",
      format_item = function(line)
        local state = line.state == "running" and "running" or ago(line.updated)
        return ("%s  (%s)"):format(line.title:match("[^\n]*"), state)
      end,
    }, function(chosen)
      if not chosen then return end
      vim.ui.select({ "Resume", "Delete" }, { prompt = chosen.title:match("[^\n]*") }, function(act)
        if act == "Resume" then
          require("pollux.chat").open()
          session().resume(chosen.session)
        elseif act == "Delete" then
          session().delete(chosen.session, function() require("pollux.say").line("deleted") end)
        end
      end)
    end)
  end)
end

local function approve(options)
  local scope = options.args == "" and "once" or options.args
  if not vim.tbl_contains(SCOPES, scope) then
    return require("pollux.say").problem("say one of " .. table.concat(SCOPES, ", "))
  end
  questions().approve(scope)
end

local commands = {
  { "Pollux", function(options) pollux().toggle(options) end, { range = true, desc = "open or close the chat" } },
  { "PolluxAsk", function(options) pollux().ask(options) end, { nargs = "*", range = true, desc = "ask" } },
  { "PolluxNew", function() pollux().new() end, { desc = "begin a new session" } },
  { "PolluxSessions", choose_session, { desc = "resume or delete a session" } },
  {
    "PolluxMode",
    choose_mode,
    { nargs = "?", complete = starting_with(MODES), desc = "how much it may do without asking" },
  },
  { "PolluxStop", function() session().stop() end, { desc = "stop the running turn" } },
  { "PolluxRetry", function() session().retry() end, { desc = "retry now, or send the last prompt again" } },
  { "PolluxApprove", approve, { nargs = "?", complete = starting_with(SCOPES), desc = "allow what it asks for" } },
  { "PolluxDeny", function(options) questions().deny(options.args) end, { nargs = "*", desc = "deny it" } },
  { "PolluxNext", function() review().next() end, { desc = "the next hunk" } },
  { "PolluxPrevious", function() review().previous() end, { desc = "the hunk before" } },
  { "PolluxMine", function() review().mine() end, { desc = "conflict: keep your text" } },
  { "PolluxTheirs", function() review().theirs() end, { desc = "conflict: take the agent's text" } },
  { "PolluxUndo", function() review().undo() end, { desc = "undo the last decision" } },
  { "PolluxRedo", function() review().redo() end, { desc = "redo it" } },
  { "PolluxReapply", function() review().reapply() end, { desc = "apply a rejected hunk again" } },
  { "PolluxComment", function(options) review().comment(options.args) end, { nargs = "*", desc = "comment on a line" } },
  { "PolluxSendComments", function() review().send_comments() end, { desc = "send all comments" } },
  { "PolluxReview", function() review().list() end, { desc = "list all hunks" } },
  { "PolluxUndoTurn", function(options) review().undo_turn(options.args) end, { nargs = "?", desc = "undo a turn's edits" } },
  { "PolluxRedoTurn", function(options) review().redo_turn(options.args) end, { nargs = "?", desc = "redo them" } },
  { "PolluxRewind", function(options) review().rewind(options.args) end, { nargs = "?", desc = "back to before a prompt" } },
}

for _, verb in ipairs({ "keep", "reject" }) do
  local function act(options) review()[verb](options.args == "" and "hunk" or options.args) end
  local name = "Pollux" .. verb:sub(1, 1):upper() .. verb:sub(2)
  local extent = { nargs = "?", complete = starting_with({ "hunk", "file", "all" }), desc = verb .. " hunk, file or all" }
  commands[#commands + 1] = { name, act, extent }
end

function M.define()
  for _, command in ipairs(commands) do
    local options = vim.tbl_extend("force", command[3], { desc = "Pollux: " .. command[3].desc })
    -- Where text is taken as it is, a bar is part of it.
    options.bar = options.nargs ~= "*"
    vim.api.nvim_create_user_command(command[1], function(given)
      require("pollux").ready()
      command[2](given)
    end, options)
  end
end

return M
