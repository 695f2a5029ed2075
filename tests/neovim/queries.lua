-- A client of MCP asks what another language server of this Neovim knows, and has something renamed.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say
local compat = require("pollux.compat")

-- `pollux mcp`, asked as any client asks it.
local function mcp_client()
  local answers, rest, last = {}, "", 0
  local job = vim.fn.jobstart({ vim.env.POLLUX_BINARY, "mcp" }, {
    cwd = person.folder,
    on_stdout = function(_, pieces)
      pieces[1] = rest .. pieces[1]
      rest = table.remove(pieces)
      for _, line in ipairs(pieces) do
        local message = vim.json.decode(line)
        if message.id then answers[message.id] = message end
      end
    end,
  })
  local function write(message)
    message.jsonrpc = "2.0"
    vim.fn.chansend(job, vim.json.encode(message) .. "\n")
  end
  local function request(method, params)
    last = last + 1
    write({ id = last, method = method, params = params })
    person.wait("the answer to " .. method, function() return answers[last] end)
    return answers[last].result
  end
  request("initialize", {
    protocolVersion = "2025-06-18",
    capabilities = vim.empty_dict(),
    clientInfo = { name = "a script", version = "1" },
  })
  write({ method = "notifications/initialized" })
  return {
    call = function(name, arguments)
      local result = request("tools/call", { name = name, arguments = arguments })
      return result.structuredContent, result.content[1].text
    end,
    stop = function()
      vim.fn.chanclose(job, "stdin")
      vim.fn.jobwait({ job })
    end,
  }
end

local function show(title, answer, words)
  if not answer.places then return say(title, words) end
  say(title, #answer.places, "hidden", answer.hidden)
  for _, place in ipairs(answer.places) do
    say(" ", ("%s:%d:%d"):format(place.path, place.line, place.column), place.text)
  end
end

person.run(function()
  person.set_up()
  vim.cmd("edit a.txt")
  local record = require("pollux.client").attach(0)
  person.wait("the server", function() return record.ready end)
  local client = mcp_client()

  -- Without another language server there is nobody to ask.
  local spot = { path = "a.txt", line = 1, symbol = "total" }
  local _, words = client.call("definition", spot)
  say("alone:", words)

  local started = false
  local id = compat.start_client({
    name = "words",
    cmd = {
      vim.v.progpath, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c",
      "luafile " .. vim.env.POLLUX_TESTS .. "/language_server.lua",
    },
    root_dir = person.folder,
    -- Newer versions ask the server.
    offset_encoding = "utf-8",
    on_init = function() started = true end,
  })
  vim.lsp.buf_attach_client(0, id)
  person.wait("the other server", function() return started end)
  say("it counts in", vim.lsp.get_client_by_id(id).offset_encoding)

  show("definition", client.call("definition", spot))
  -- What is typed counts, and a file that is not open can be asked about too.
  person.keys("Goé total<Esc>")
  show("references", client.call("references", { path = "b.txt", line = 2, column = 5 }))
  show("nothing", client.call("references", { path = "b.txt", line = 1, column = 4 }))

  local renaming = function(name) return vim.tbl_extend("force", spot, { new_name = name }) end
  local _, no_name = client.call("rename", renaming("def"))
  say("no name:", no_name)
  local _, moved = client.call("rename", renaming("moved"))
  say("moved:", moved)
  local renamed, refused = client.call("rename", renaming("sum"))
  if not renamed then error(refused) end
  for _, edit in ipairs(renamed.edits) do
    say("proposed", edit.path, edit.hunks)
  end
  person.wait("the hunks", function() return #person.ask("pollux/review", vim.empty_dict()).files == 2 end)
  say("not yet", vim.fn.getline(1), "/", vim.fn.readfile("b.txt")[2])
  person.ask("workspace/executeCommand", { command = "pollux.all.keep", arguments = { vim.empty_dict() } })
  for _, edit in ipairs(renamed.edits) do
    say("decided", client.call("wait_for_decision", { id = edit.id }).state)
  end
  person.wait("the buffer", function() return vim.fn.getline(1):find("sum") end)
  say("renamed", vim.fn.getline(1), "/", vim.fn.getline("$"), "/", vim.fn.readfile("b.txt")[2])
  client.stop()
  compat.stop(vim.lsp.get_client_by_id(id))
  person.wait("the other server to end", function() return not vim.lsp.get_client_by_id(id) end)
end)
