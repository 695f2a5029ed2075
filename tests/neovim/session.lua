-- Drives a real Neovim: attaches to `pollux lsp`, edits as a person would, and compares the
-- buffer with the text the room holds. Prints one line per check; the Rust test reads them.
local pollux, folder = vim.env.POLLUX_BINARY, vim.env.POLLUX_WORK

local function say(...)
  io.stdout:write(table.concat({ ... }, " ") .. "\n")
end

local function quit(code)
  io.stdout:flush()
  vim.cmd(code == 0 and "qall!" or ("cquit " .. code))
end

-- What the editor would write to disk, which is what the language server protocol syncs.
local function buffer_text(buffer)
  local ending = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[buffer].fileformat]
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), ending)
  return vim.bo[buffer].endofline and (text .. ending) or text
end

local client_id

local function ask(buffer, method, params)
  -- Neovim gathers changes for a moment; a request sends them first in newer versions only.
  local lsp = vim.lsp
  if lsp._changetracking then lsp._changetracking.flush(lsp.get_client_by_id(client_id), buffer)
  elseif lsp.util and lsp.util._flush then lsp.util._flush() end
  local reply, failure
  lsp.get_client_by_id(client_id).request(method, params, function(error, result)
    reply, failure = result, error
  end, buffer)
  local answered = vim.wait(20000, function() return reply ~= nil or failure ~= nil end, 5)
  if not answered then error("no reply to " .. method) end
  if failure then error(vim.inspect(failure)) end
  return reply
end

local function check(name, buffer)
  local wanted = buffer_text(buffer)
  local held
  -- The editor sends changes when it is idle: ask until they are there.
  vim.wait(20000, function()
    held = ask(buffer, "pollux/document", { uri = vim.uri_from_bufnr(buffer) })
    return held.text == wanted
  end, 20)
  if held.text == wanted and held.sync == "synced" then
    say("ok", name)
  else
    say("differs", name, vim.inspect({ buffer = wanted, room = held.text, sync = held.sync }))
  end
end

local function open(name)
  vim.cmd("edit " .. folder .. "/" .. name)
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client_id)
  return buffer
end

local function keys(typed)
  local codes = vim.api.nvim_replace_termcodes(typed, true, false, true)
  vim.api.nvim_feedkeys(codes, "xt", false)
end

local function main()
  client_id = vim.lsp.start_client({
    name = "pollux",
    cmd = { pollux, "lsp" },
    root_dir = folder,
    flags = { allow_incremental_sync = true, debounce_text_changes = 0 },
  })
  local ready = vim.wait(20000, function()
    local client = vim.lsp.get_client_by_id(client_id)
    return client and client.initialized
  end, 5)
  if not ready then error("the server did not start") end
  local capabilities = vim.lsp.get_client_by_id(client_id).server_capabilities
  say("encoding", capabilities.positionEncoding)
  say("sync", tostring(capabilities.textDocumentSync.change))

  local buffer = open("plain.txt")
  check("opened", buffer)
  keys("ggOfirst line<Esc>Golast line<Esc>")
  check("typed", buffer)
  keys("ggddp")
  check("moved a line", buffer)
  keys("u")
  check("undone", buffer)
  keys("uu")
  check("undone to the start", buffer)
  keys("<C-r><C-r><C-r>")
  check("redone", buffer)
  vim.cmd("%s/line/LINE/g")
  check("substituted", buffer)
  -- Neovim 0.7 reports an emptied buffer as a text without its last line end, and goes on from
  -- there. What it saves is right, and so is the room from then on.
  keys("ggVGd")
  keys("u")
  vim.cmd("silent write")
  check("emptied, undone and saved", buffer)

  buffer = open("emoji.txt")
  check("emoji opened", buffer)
  -- Behind characters of two units, in the middle of a joined emoji, on a combining mark.
  keys("gg$ahello<Esc>")
  check("typed behind an emoji", buffer)
  keys("gg0xi👩‍💻<Esc>")
  check("replaced an emoji", buffer)
  keys("jAe\204\129<Esc>0iñ<Esc>")
  check("combining characters", buffer)
  keys("jddkP")
  check("moved lines of emoji", buffer)
  keys("uuuu")
  check("undone emoji", buffer)

  buffer = open("dos.txt")
  say("fileformat", vim.bo[buffer].fileformat)
  check("crlf opened", buffer)
  keys("ggoinserted<Esc>")
  check("crlf inserted a line", buffer)
  keys("GA tail<Esc>ggJ")
  check("crlf joined lines", buffer)
  keys("uu")
  check("crlf undone", buffer)
  keys("ggyGP")
  check("crlf pasted", buffer)

  vim.cmd("silent write")
  check("saved", buffer)
  vim.cmd("bwipeout!")
  local room = ask(vim.api.nvim_get_current_buf(), "pollux/snapshot", {})
  local names = {}
  for _, document in ipairs(room.documents) do
    table.insert(names, vim.fn.fnamemodify(document.uri, ":t"))
  end
  table.sort(names)
  say("open", table.concat(names, ","))
  vim.lsp.stop_client(client_id)
  local stopped = vim.wait(20000, function() return vim.lsp.get_client_by_id(client_id) == nil end, 5)
  say(stopped and "ok" or "differs", "stopped")
end

local fine, problem = xpcall(main, debug.traceback)
if not fine then say("failed", (tostring(problem):gsub("\n", " | "))) end
quit(fine and 0 or 1)
