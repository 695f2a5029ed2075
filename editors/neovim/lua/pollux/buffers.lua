-- What the server asks of the buffers: edit them, save them, send them whole.
local compat = require("pollux.compat")

local M = {}

-- The text as it would be written, which is what the protocol carries.
function M.text(bufnr)
  local ending = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[bufnr].fileformat]
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), ending)
  return vim.bo[bufnr].endofline and text .. ending or text
end

-- The loaded buffer of a file, without opening one.
function M.loaded(uri)
  local path = vim.uri_to_fname(uri)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_name(bufnr) == path then return bufnr end
  end
end

function M.resync(client, uri)
  local bufnr = M.loaded(uri)
  if not bufnr then return end
  compat.notify(client, "textDocument/didChange", {
    textDocument = { uri = uri, version = compat.version(bufnr) },
    contentChanges = { { text = M.text(bufnr) } },
  })
end

-- Returns what could not be saved, as a sentence, or nil.
function M.save(uris)
  local failed = {}
  for _, uri in ipairs(uris) do
    local bufnr = M.loaded(uri)
    if bufnr and vim.bo[bufnr].modified then
      local saved, problem = pcall(vim.api.nvim_buf_call, bufnr, function()
        vim.cmd("silent keepalt lockmarks update")
      end)
      if not saved then
        failed[#failed + 1] = vim.fn.fnamemodify(vim.uri_to_fname(uri), ":.") .. ": " .. tostring(problem)
      end
    end
  end
  return #failed > 0 and table.concat(failed, "; ") or nil
end

-- Undo must not take the agent's edit and the person's typing in one step.
local function break_undo(bufnr)
  vim.api.nvim_buf_call(bufnr, function() vim.cmd("let &l:undolevels = &l:undolevels") end)
end

-- The first file whose text is not the one the edit was made for.
local function stale(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local document = change.textDocument
    local version = document and document.version
    if type(version) == "number" then
      local bufnr = M.loaded(document.uri)
      if bufnr and compat.version(bufnr) ~= version then return document.uri end
    end
  end
end

-- Neovim tells the server of every hunk of an edit by itself. The server would see a text that nobody
-- meant, and take it for something the person typed: all of them are told in one message.
local function told_at_once(client, act)
  local own, pass_on = rawget(client, "notify"), client.notify
  local changes, order = {}, {}
  client.notify = function(...)
    local method, params = ...
    -- As a function before 0.11, as a method from then on.
    if method == client then method, params = select(2, ...) end
    if method ~= "textDocument/didChange" then return pass_on(...) end
    local uri = params.textDocument.uri
    if not changes[uri] then
      changes[uri] = { contentChanges = {} }
      order[#order + 1] = uri
    end
    changes[uri].textDocument = params.textDocument
    vim.list_extend(changes[uri].contentChanges, params.contentChanges)
    return true
  end
  local fine, problem = pcall(act)
  client.notify = own
  for _, uri in ipairs(order) do
    compat.notify(client, "textDocument/didChange", changes[uri])
  end
  return fine, problem
end

-- Neovim's own handler leaves a file alone that has changed meanwhile, and still says that it was
-- edited. Here all of it is refused, so that the server can make the edit anew.
function M.apply_edit(client, params)
  local changed = stale(params.edit)
  if changed then
    return { applied = false, failureReason = vim.uri_to_fname(changed) .. " has changed meanwhile" }
  end
  local touched = {}
  for _, change in ipairs(params.edit.documentChanges or {}) do
    local bufnr = change.textDocument and M.loaded(change.textDocument.uri)
    if bufnr then touched[#touched + 1] = bufnr end
  end
  vim.tbl_map(break_undo, touched)
  local applied, problem = told_at_once(client, function()
    vim.lsp.util.apply_workspace_edit(params.edit, client.offset_encoding)
  end)
  vim.tbl_map(break_undo, touched)
  return { applied = applied, failureReason = not applied and tostring(problem) or nil }
end

return M
