-- Drives a real Neovim that knows nothing of Pollux: a question of the agent comes to it as a message with
-- buttons, and its own handler sends the answer. Prints one line per step; the Rust test reads them.
local pollux, folder = vim.env.POLLUX_BINARY, vim.env.POLLUX_WORK

local function say(...)
  io.stdout:write(table.concat({ ... }, " ") .. "\n")
end

local function quit(code)
  io.stdout:flush()
  vim.cmd(code == 0 and "qall!" or ("cquit " .. code))
end

local client_id

local function ask(method, params)
  local reply, failure
  vim.lsp.get_client_by_id(client_id).request(method, params, function(error, result)
    reply, failure = result, error
  end, 0)
  local answered = vim.wait(20000, function() return reply ~= nil or failure ~= nil end, 5)
  if not answered then error("no reply to " .. method) end
  if failure then error(vim.inspect(failure)) end
  return reply
end

local asked, outcome

-- The person at the keyboard: Neovim shows the message as a list, and newer ones by `vim.ui.select`.
vim.fn.inputlist = function(lines)
  asked = lines[1]
  for place, line in ipairs(lines) do
    local number = line:match("^(%d+)%. Allow$")
    if number then return tonumber(number) end
  end
  return 0
end
vim.ui.select = function(items, options, choose)
  asked = options.prompt
  for place, item in ipairs(items) do
    if item.title == "Allow" then return choose(item, place) end
  end
  choose(nil, nil)
end

local function main()
  client_id = vim.lsp.start_client({
    name = "pollux",
    cmd = { pollux, "lsp" },
    root_dir = folder,
    handlers = {
      ["pollux/sessionEvents"] = function(_, result)
        for _, event in ipairs(result.events) do
          if event.kind == "turnEnded" then outcome = event.outcome end
        end
      end,
    },
  })
  local ready = vim.wait(20000, function()
    local client = vim.lsp.get_client_by_id(client_id)
    return client and client.initialized
  end, 5)
  if not ready then error("the server did not start") end
  local session = ask("pollux/sessionStart", vim.empty_dict()).session
  ask("pollux/sessionFollow", { session = session })
  ask("pollux/promptQueue", { session = session, text = "make it" })
  vim.wait(20000, function() return outcome ~= nil end, 5)
  say("asked", (tostring(asked):gsub("\n", " | ")))
  say(tostring(outcome), vim.fn.filereadable(folder .. "/made") == 1 and "made" or "not made")
  vim.lsp.stop_client(client_id)
  local stopped = vim.wait(20000, function() return vim.lsp.get_client_by_id(client_id) == nil end, 5)
  say(stopped and "ok" or "differs", "stopped")
end

local fine, problem = xpcall(main, debug.traceback)
if not fine then say("failed", (tostring(problem):gsub("\n", " | "))) end
quit(fine and 0 or 1)
