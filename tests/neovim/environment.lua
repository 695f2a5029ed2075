-- What programs in a terminal are told, and when they are told that it holds no longer.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local function show(when)
  local port, token = vim.env.GEMINI_CLI_IDE_SERVER_PORT, vim.env.GEMINI_CLI_IDE_AUTH_TOKEN
  say(when, "port", tonumber(port or "") ~= nil, "token", #(token or "") > 20)
  say(when, "folder", vim.env.GEMINI_CLI_IDE_WORKSPACE_PATH == vim.env.POLLUX_WORK)
  say(when, "container", vim.env.REMOTE_CONTAINERS or "-")
end

local function start()
  require("pollux.config").values.autostart = true
  vim.cmd("edit! notes.txt")
  person.wait("the variables", function() return vim.env.GEMINI_CLI_IDE_SERVER_PORT end)
end

local function stop()
  require("pollux.config").values.autostart = false
  require("pollux.client").stop_all()
  person.wait("the end", function() return vim.env.GEMINI_CLI_IDE_SERVER_PORT == nil end)
end

person.run(function()
  person.set_up()
  local client = require("pollux.client")
  for _, name in ipairs({ "SSH_CONNECTION", "REMOTE_CONTAINERS", "VSCODE_REMOTE_CONTAINERS_SESSION" }) do
    vim.env[name] = nil
  end
  client.container_marks = { person.folder .. "/nothing", person.folder .. "/notes.txt" }
  start()
  show("in a container:")
  stop()
  show("after it:")
  vim.env.SSH_CONNECTION = "from afar"
  start()
  show("over SSH:")
  stop()
  vim.env.SSH_CONNECTION = nil
  client.container_marks = {}
  start()
  show("at home:")
end)
