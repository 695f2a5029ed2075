-- The buffers do what the server asks: edits that fit are made, others are refused whole, saves open nothing.
local person = dofile(vim.env.POLLUX_TESTS .. "/person.lua")
local say = person.say

local function edit(uri, version, line, text)
  return {
    edit = {
      documentChanges = {
        {
          textDocument = { uri = uri, version = version },
          edits = {
            { range = { start = { line = line, character = 0 }, ["end"] = { line = line + 1, character = 0 } }, newText = text },
          },
        },
      },
    },
  }
end

person.run(function()
  person.set_up()
  vim.cmd("edit notes.txt")
  local record = require("pollux.client").attach(0)
  person.wait("the server", function() return record.ready end)
  local client = vim.lsp.get_client_by_id(record.id)
  local uri = vim.uri_from_bufnr(0)
  local version = function() return vim.lsp.util.buf_versions[vim.api.nvim_get_current_buf()] end
  local apply = client.config.handlers["workspace/applyEdit"]

  -- The person types, the agent edits above and below, and undo takes one of them at a time.
  person.keys("3GAtyped<Esc>")
  local typed_at = vim.api.nvim_win_get_cursor(0)
  say("applied", apply(nil, edit(uri, version(), 0, "ONE\nand a half\n"), {}).applied)
  local now = vim.api.nvim_win_get_cursor(0)
  say("cursor moved with its line", now[1] - typed_at[1], now[2] == typed_at[2], vim.fn.getline("."))
  vim.cmd("silent undo")
  say("undone", vim.fn.getline(1), "/", vim.fn.getline(3))
  vim.cmd("silent redo")

  -- An edit of several hunks is told to the server in one piece.
  local told = {}
  local notify = client.notify
  client.notify = function(...)
    local all = { ... }
    for _, argument in ipairs(all) do
      if type(argument) == "table" and argument.contentChanges then told[#told + 1] = #argument.contentChanges end
    end
    return notify(...)
  end
  local two = edit(uri, version(), 0, "ONE more\n")
  vim.list_extend(two.edit.documentChanges[1].edits, edit(uri, 0, 4, "FOUR\n").edit.documentChanges[1].edits)
  say("two hunks", apply(nil, two, {}).applied, "messages", #told, "changes", told[1])
  client.notify = notify

  -- Too late: nothing is edited, and the server is told so.
  local old = version()
  person.keys("Gomore<Esc>")
  local before = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local answer = apply(nil, edit(uri, old, 0, "TWO\n"), {})
  say("refused", answer.applied, (answer.failureReason:gsub(".*/", "")))
  say("untouched", vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), before))

  -- The room has the same text after all this.
  local function held() return person.ask("pollux/document", { uri = uri }) end
  person.wait("the room to agree", function() return held().text == require("pollux.buffers").text(0) end)
  say("the room agrees", held().sync)

  -- The whole text again, when it is asked for.
  local compat = require("pollux.compat")
  compat.notify(client, "textDocument/didChange", {
    textDocument = { uri = uri, version = version() },
    contentChanges = { { range = { start = { line = 900, character = 0 }, ["end"] = { line = 901, character = 0 } }, text = "" } },
  })
  person.wait("the room to be whole again", function()
    local document = held()
    return document.sync == "synced" and document.text == require("pollux.buffers").text(0)
  end)
  say("whole again")

  -- Saved without a window, from another file.
  vim.cmd("set hidden | edit other.txt")
  local windows, shown = #vim.api.nvim_list_wins(), vim.api.nvim_get_current_buf()
  local result = client.config.handlers["pollux/save"](nil, { uris = { uri } }, {})
  say("saved", result == vim.NIL, vim.fn.readfile("notes.txt")[1], vim.bo[vim.fn.bufnr("notes.txt")].modified)
  say("where it was", #vim.api.nvim_list_wins() == windows, vim.api.nvim_get_current_buf() == shown)
end)
