-- What the server asks about code. The other language servers of this Neovim answer; nothing is shown, and nothing edited.
local buffers = require("pollux.buffers")
local compat = require("pollux.compat")

local M = {}

M.kinds = { "definition", "references", "rename" }

local METHODS = {
  definition = "textDocument/definition",
  references = "textDocument/references",
  rename = "textDocument/rename",
}

-- Nobody reads more.
local MOST_PLACES = 1000
-- One language server that hangs must not take the answers of the others with it.
local PATIENCE_MS = 15000

local function is_below(path, folder)
  if type(folder) ~= "string" then return false end
  folder = folder:gsub("/$", "") .. "/"
  return path:sub(1, #folder) == folder
end

-- Those of the buffer; for a file that is not open, those of its folder.
local function other_clients(uri, method)
  local bufnr = buffers.loaded(uri)
  local path = vim.uri_to_fname(uri)
  local found = {}
  for _, client in ipairs(compat.clients(bufnr)) do
    local is_near = bufnr or is_below(path, client.config.root_dir)
    if client.name ~= "pollux" and is_near and compat.supports(client, method) then found[#found + 1] = client end
  end
  table.sort(found, function(one, other) return one.id < other.id end)
  return found, bufnr
end

-- A line of a file, which is read once however often it is asked for.
local function reader()
  local files = {}
  return function(uri, number)
    local bufnr = buffers.loaded(uri)
    if bufnr then return vim.api.nvim_buf_get_lines(bufnr, number, number + 1, false)[1] or "" end
    if not files[uri] then
      local path = vim.uri_to_fname(uri)
      files[uri] = vim.fn.filereadable(path) == 1 and vim.fn.readfile(path) or {}
    end
    return files[uri][number + 1] or ""
  end
end

-- Each language server has agreed on an encoding of its own.
local function translator(from, to)
  local line_of = reader()
  local function position(uri, place)
    if from == to then return place end
    local line = line_of(uri, place.line)
    return { line = place.line, character = compat.column(line, compat.byte(line, place.character, from), to) }
  end
  return position, function(uri, range)
    return { start = position(uri, range.start), ["end"] = position(uri, range["end"]) }
  end
end

-- One place, a list of them, or a list of links.
local function places(result, translated)
  local all = result.uri and { result } or result
  return vim.tbl_map(function(found)
    local uri = found.uri or found.targetUri
    return { uri = uri, range = translated(uri, found.range or found.targetSelectionRange or found.targetRange) }
  end, all)
end

-- Returns the files, or nothing and the reason.
local function edited_files(edit, versions, translated)
  local files = {}
  local function add(uri, edits)
    local changes = vim.tbl_map(function(change)
      return { range = translated(uri, change.range), newText = change.newText }
    end, edits)
    files[#files + 1] = { uri = uri, version = versions[vim.uri_to_fname(uri)], edits = changes }
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.kind then return nil, "it would also have to create, move or delete files" end
    add(change.textDocument.uri, change.edits)
  end
  if not edit.documentChanges then
    for uri, edits in pairs(edit.changes or {}) do
      add(uri, edits)
    end
  end
  return files
end

-- What the server knows of the open files now: what is typed from here on makes an edit stale.
local function versions_now()
  local versions = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) then versions[vim.api.nvim_buf_get_name(bufnr)] = vim.lsp.util.buf_versions[bufnr] end
  end
  return versions
end

-- Joins what the language servers say. Two of them would rename the same twice, so the first one that can does it.
local function gather(kind)
  local found, files, reason = {}, nil, nil
  return {
    add = function(client, result, problem, versions, translated)
      if problem then
        reason = reason or ("%s: %s"):format(client.name, problem.message or vim.inspect(problem))
      elseif type(result) ~= "table" then
        return
      elseif kind ~= "rename" then
        vim.list_extend(found, places(result, translated))
      elseif not files then
        local refused
        files, refused = edited_files(result, versions, translated)
        reason = refused or reason
      end
    end,
    answer = function()
      if kind ~= "rename" and (#found > 0 or not reason) then
        return { kind = "places", places = vim.list_slice(found, 1, MOST_PLACES) }
      elseif files and #files > 0 then
        return { kind = "edits", files = files }
      end
      return { kind = "refused", reason = reason or "no language server can rename that" }
    end,
  }
end

-- Answers by `done`, once every language server has spoken or time is up. `encoding` is the one that we count in.
function M.answer(params, encoding, done)
  local kind = params.query.kind
  local method = METHODS[kind]
  if not method then return done({ kind = "refused", reason = "this Neovim knows no " .. tostring(kind) }) end
  local clients, bufnr = other_clients(params.uri, method)
  local gathered = gather(kind)
  local left, is_over = #clients, false
  local function finish()
    if is_over then return end
    is_over = true
    done(gathered.answer())
  end
  if left == 0 then
    return done({ kind = "refused", reason = "no language server of this Neovim is there for this file" })
  end
  vim.defer_fn(finish, PATIENCE_MS)
  local versions = versions_now()
  for _, client in ipairs(clients) do
    local theirs = client.offset_encoding or "utf-16"
    local to_them = translator(encoding, theirs)
    local _, to_us = translator(theirs, encoding)
    local question = {
      textDocument = { uri = params.uri },
      position = to_them(params.uri, params.position),
      context = kind == "references" and { includeDeclaration = true } or nil,
      newName = params.query.newName,
    }
    local asked = compat.ask(client, method, question, function(problem, result)
      if is_over then return end
      gathered.add(client, result, problem, versions, to_us)
      left = left - 1
      if left == 0 then finish() end
    end, bufnr)
    if not asked then left = left - 1 end
  end
  if left == 0 then finish() end
end

return M
