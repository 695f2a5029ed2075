-- A language server for tests. Its language has words, and `def` before the one that is defined; it counts columns in bytes, as
-- some do. It knows the open texts and the text files of its folder.
local folder
local texts = {}

local function send(message)
  message.jsonrpc = "2.0"
  local body = vim.json.encode(message)
  io.stdout:write(("Content-Length: %d\r\n\r\n%s"):format(#body, body))
  io.stdout:flush()
end

local function receive()
  local length
  for line in io.stdin:lines() do
    line = line:gsub("\r$", "")
    if line == "" then break end
    length = tonumber(line:match("^Content%-Length: (%d+)")) or length
  end
  return length and vim.json.decode(io.stdin:read(length), { luanil = { object = true } })
end

local function lines_of(uri)
  if texts[uri] then return vim.split(texts[uri], "\n") end
  return vim.fn.readfile(vim.uri_to_fname(uri))
end

local function word_at(uri, position)
  local line = lines_of(uri)[position.line + 1]
  for start, word, behind in line:gmatch("()([%w_]+)()") do
    if start - 1 <= position.character and position.character < behind - 1 then return word end
  end
end

-- Every place of a word, and whether it is defined there.
local function places_of(word)
  local found = {}
  for _, path in ipairs(vim.fn.sort(vim.fn.glob(folder .. "/*.txt", true, true))) do
    local uri = vim.uri_from_fname(path)
    for number, line in ipairs(lines_of(uri)) do
      for start, other, behind in line:gmatch("()([%w_]+)()") do
        if other == word then
          local from, to = { line = number - 1, character = start - 1 }, { line = number - 1, character = behind - 1 }
          local defines = line:sub(1, start - 1):find("def $") ~= nil
          found[#found + 1] = { uri = uri, range = { start = from, ["end"] = to }, defines = defines }
        end
      end
    end
  end
  return found
end

local answers = {
  initialize = function(params)
    folder = vim.uri_to_fname(params.rootUri)
    return {
      capabilities = {
        positionEncoding = "utf-8",
        textDocumentSync = 1,
        definitionProvider = true,
        referencesProvider = true,
        renameProvider = true,
      },
    }
  end,
  ["textDocument/definition"] = function(params)
    for _, place in ipairs(places_of(word_at(params.textDocument.uri, params.position))) do
      if place.defines then return { uri = place.uri, range = place.range } end
    end
  end,
  ["textDocument/references"] = function(params)
    local word = word_at(params.textDocument.uri, params.position)
    local links = vim.tbl_map(function(place)
      return { targetUri = place.uri, targetRange = place.range, targetSelectionRange = place.range }
    end, places_of(word))
    return #links > 0 and links or vim.NIL
  end,
  ["textDocument/rename"] = function(params)
    if params.newName == "def" then return nil, { code = -32602, message = "`def` is no name" } end
    local changes = {}
    for _, place in ipairs(places_of(word_at(params.textDocument.uri, params.position))) do
      local edits = changes[place.uri] or {}
      changes[place.uri] = edits
      edits[#edits + 1] = { range = place.range, newText = params.newName }
    end
    if params.newName ~= "moved" then return { changes = changes } end
    return { documentChanges = { { kind = "rename", oldUri = "file:///a", newUri = "file:///b" } } }
  end,
  shutdown = function() return vim.NIL end,
}

while true do
  local message = receive()
  if not message or message.method == "exit" then break end
  local params = message.params
  if message.method == "textDocument/didOpen" then
    texts[params.textDocument.uri] = params.textDocument.text
  elseif message.method == "textDocument/didChange" then
    texts[params.textDocument.uri] = params.contentChanges[1].text
  elseif message.id and answers[message.method] then
    local result, problem = answers[message.method](params)
    if result == nil and not problem then result = vim.NIL end
    send({ id = message.id, result = result, error = problem })
  end
end
vim.cmd("qall!")
