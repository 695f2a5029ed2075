-- The language client: one per workspace folder, started when it is needed, attached to its files.
local buffers = require("pollux.buffers")
local compat = require("pollux.compat")
local config = require("pollux.config")
local queries = require("pollux.queries")
local say = require("pollux.say")

local M = {}

-- By folder: { root, id, ready, waiting }. `waiting` holds what was asked before the server answered.
local clients = {}
-- What else wants to hear from the server, by method, and when a server has started or ended.
local listeners = {}
local enders = {}
local starters = {}
local last_used

function M.on(method, listener) listeners[method] = listener end
function M.on_start(listener) starters[#starters + 1] = listener end
function M.on_end(listener) enders[#enders + 1] = listener end

local function folder_of(path)
  local wanted = config.values.root_dir
  if wanted then return wanted(path) end
  local from = vim.fn.fnamemodify(path, ":p:h")
  -- Settings of the person lie in `.gemini` at home, which makes home no project.
  local home = vim.fn.expand("~")
  local folder = from
  while true do
    for _, mark in ipairs({ ".git", ".gemini" }) do
      if folder ~= home and compat.uv.fs_stat(folder .. "/" .. mark) then return folder end
    end
    local parent = vim.fn.fnamemodify(folder, ":h")
    if parent == folder then break end
    folder = parent
  end
  local here = vim.fn.getcwd()
  if (from .. "/"):sub(1, #here + 1) == here .. "/" then return here end
  return from
end

-- A file that a person edits, and not a list, a terminal or a page of help.
function M.is_file(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ""
    and vim.api.nvim_buf_get_name(bufnr) ~= ""
    and not vim.api.nvim_buf_get_name(bufnr):find("^%a[%w+.-]+://")
end

local function live(record)
  local client = record and record.id and vim.lsp.get_client_by_id(record.id)
  if client and not compat.is_stopped(client) then return client end
end

local function heard(method, record)
  return function(_, params)
    local listener = listeners[method]
    if listener then listener(params, record) end
  end
end

-- The files by which gemini-cli sees that it is in a container, and what tells it that the editor is in there too.
M.container_marks = { "/.dockerenv", "/run/.containerenv" }
local INSIDE = { "SSH_CONNECTION", "REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION" }

-- Whether gemini-cli would look for us outside of the container that it shares with us.
local function is_silent_container()
  local marked = vim.tbl_filter(function(mark) return vim.fn.filereadable(mark) == 1 end, M.container_marks)
  local said = vim.tbl_filter(function(name) return (vim.env[name] or "") ~= "" end, INSIDE)
  return #marked > 0 and #said == 0
end

-- Who told the terminals last, and whether they were told of a container.
local teller, told_container

-- What an agent in a terminal of this Neovim goes by. Of several folders the last one counts; the agent finds the others
-- by their files.
local function tell_terminals(companion, record)
  local known = type(companion) == "table" and companion or {}
  if told_container then
    vim.env.REMOTE_CONTAINERS, told_container = nil, false
  end
  if known.port and is_silent_container() then
    vim.env.REMOTE_CONTAINERS, told_container = "1", true
  end
  teller = record
  vim.env.GEMINI_CLI_IDE_SERVER_PORT = known.port and string.format("%d", known.port) or nil
  vim.env.GEMINI_CLI_IDE_WORKSPACE_PATH = known.workspacePath
  vim.env.GEMINI_CLI_IDE_AUTH_TOKEN = known.authToken
end

local function handlers(record)
  return {
    ["pollux/sessionEvents"] = heard("pollux/sessionEvents", record),
    ["pollux/hunks"] = heard("pollux/hunks", record),
    ["pollux/companion"] = function(_, params) tell_terminals(params.companion, record) end,
    ["pollux/resync"] = function(_, params) buffers.resync(live(record), params.uri) end,
    -- Before 0.9 a handler cannot wait, so what the other language servers say comes later.
    ["pollux/editorQuery"] = function(_, params)
      queries.answer(params, M.encoding(record), function(answer)
        M.notify(record, "pollux/editorAnswer", { id = params.id, answer = answer })
      end)
      return { kind = "later" }
    end,
    ["pollux/save"] = function(_, params)
      local problem = buffers.save(params.uris)
      if problem then return nil, { code = -32803, message = problem } end
      return vim.NIL
    end,
    ["workspace/applyEdit"] = function(_, params) return buffers.apply_edit(live(record), params) end,
  }
end

local function capabilities()
  local all = vim.lsp.protocol.make_client_capabilities()
  -- Neovim can, and does not say so. Without it an edit does not name the text it was made for.
  all.workspace.workspaceEdit = vim.tbl_extend("force", all.workspace.workspaceEdit or {}, { documentChanges = true })
  all.experimental = vim.tbl_deep_extend("force", all.experimental or {}, {
    pollux = { resync = true, approvals = true, hunks = true, save = true, companion = true, queries = queries.kinds },
  })
  return all
end

local function ended(record, code)
  -- A port of yesterday is somebody else's today.
  if teller == record then tell_terminals(nil, nil) end
  record.id, record.ready = nil, false
  record.waiting = {}
  for _, listener in ipairs(enders) do
    listener(record, code)
  end
end

local function start(record)
  local cmd = config.values.cmd
  if vim.fn.executable(cmd[1]) ~= 1 then
    record.missing = true
    return false
  end
  record.missing, record.waiting = false, {}
  record.id = compat.start_client({
    name = "pollux",
    cmd = cmd,
    root_dir = record.root,
    capabilities = capabilities(),
    handlers = handlers(record),
    -- Changes are sent as they are made: an answer always fits the text it is for.
    flags = { allow_incremental_sync = true, debounce_text_changes = 0 },
    -- Neovim lists the client after this call, and opens its files: what waits comes behind them.
    on_init = function()
      vim.schedule(function()
        record.ready = true
        local waiting = record.waiting
        record.waiting = {}
        for _, act in ipairs(vim.list_extend(vim.list_slice(starters), waiting)) do
          act(record)
        end
      end)
    end,
    on_exit = function(code) vim.schedule(function() ended(record, code) end) end,
  })
  if record.id then
    for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
      if M.is_file(bufnr) and folder_of(vim.api.nvim_buf_get_name(bufnr)) == record.root then
        vim.lsp.buf_attach_client(bufnr, record.id)
      end
    end
  end
  return record.id ~= nil
end

local function record_of(root)
  clients[root] = clients[root] or { root = root, waiting = {} }
  return clients[root]
end

-- The running client of a folder; started if there is none.
function M.ensure(root)
  local record = record_of(root)
  if not live(record) then start(record) end
  return record
end

function M.attach(bufnr)
  if not M.is_file(bufnr) then return end
  local record = M.ensure(folder_of(vim.api.nvim_buf_get_name(bufnr)))
  if record.id then vim.lsp.buf_attach_client(bufnr, record.id) end
  return record
end

-- The client that a buffer belongs to, if one runs.
function M.of_buffer(bufnr)
  if not M.is_file(bufnr) then return end
  local record = clients[folder_of(vim.api.nvim_buf_get_name(bufnr))]
  return live(record) and record or nil
end

-- The client of what the person looks at; else the last one, else one for the current folder.
function M.current()
  local bufnr = vim.api.nvim_get_current_buf()
  local record = M.is_file(bufnr) and M.attach(bufnr) or last_used or M.ensure(vim.fn.getcwd())
  if not live(record) then start(record) end
  last_used = record
  return record
end

function M.all()
  local running = {}
  for _, record in pairs(clients) do
    if live(record) then running[#running + 1] = record end
  end
  return running
end

function M.encoding(record)
  local client = live(record)
  return client and client.offset_encoding or "utf-16"
end

-- Runs at once, or as soon as the server has said hello.
local function when_ready(record, act)
  if record.ready then act() else table.insert(record.waiting, act) end
end

function M.notify(record, method, params)
  local client = live(record)
  if client and record.ready then compat.notify(client, method, params) end
end

-- Asks, and hands on the result. A problem is said aloud unless `failed` takes it.
function M.request(record, method, params, done, failed)
  if not live(record) and not start(record) then
    local problem = record.missing and ("`%s` is not installed; see :checkhealth pollux"):format(config.values.cmd[1])
      or "the server does not run"
    return (failed or say.problem)(problem, 0)
  end
  when_ready(record, function()
    compat.request(live(record), method, params, function(error, result)
      if error then
        (failed or say.problem)(error.message or vim.inspect(error), error.code)
      elseif done then
        done(result)
      end
    end, 0)
  end)
end

function M.execute(record, command, argument, done, failed)
  local params = { command = command, arguments = { argument or vim.empty_dict() } }
  M.request(record, "workspace/executeCommand", params, done, failed)
end

function M.stop_all()
  for _, record in pairs(clients) do
    local client = live(record)
    if client then compat.stop(client) end
  end
end

return M
