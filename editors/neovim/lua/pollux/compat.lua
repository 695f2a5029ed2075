-- The differences between Neovim 0.7 and later ones, in one place.
local M = {}

local has = function(version) return vim.fn.has("nvim-" .. version) == 1 end

-- Newer versions have a line above each window; before 0.8 the line below it has to do.
M.has_winbar = vim.fn.exists("+winbar") == 1

function M.start_client(config)
  if has("0.11") then return vim.lsp.start(config, { attach = false }) end
  return vim.lsp.start_client(config)
end

-- Their functions became methods in 0.11.
function M.request(client, method, params, handler, bufnr)
  if has("0.11") then return client:request(method, params, handler, bufnr) end
  return client.request(method, params, handler, bufnr)
end

function M.notify(client, method, params)
  if has("0.11") then return client:notify(method, params) end
  return client.notify(method, params)
end

function M.is_stopped(client)
  if has("0.11") then return client:is_stopped() end
  return client.is_stopped()
end

function M.stop(client)
  if has("0.11") then return client:stop() end
  return client.stop()
end

-- The column of a byte in the encoding that client and server agreed on.
function M.column(line, byte, encoding)
  byte = math.min(byte, #line)
  if encoding == "utf-8" then return byte end
  if has("0.11") then return vim.str_utfindex(line, encoding, byte, false) end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return encoding == "utf-32" and utf32 or utf16
end

-- The byte of such a column.
function M.byte(line, column, encoding)
  if encoding == "utf-8" then return math.min(column, #line) end
  if has("0.11") then return vim.str_byteindex(line, encoding, column, false) end
  local utf32, utf16 = vim.str_utfindex(line)
  local last = encoding == "utf-32" and utf32 or utf16
  return vim.str_byteindex(line, math.min(column, last), encoding ~= "utf-32")
end

-- The clients of a buffer, or all of them.
function M.clients(bufnr)
  if has("0.10") then return vim.lsp.get_clients({ bufnr = bufnr }) end
  return bufnr and vim.tbl_values(vim.lsp.buf_get_clients(bufnr)) or vim.lsp.get_active_clients()
end

-- Asks another server, which is told first what was typed: of all buffers, where no buffer is named to an older Neovim.
function M.ask(client, method, params, handler, bufnr)
  return M.request(client, method, params, handler, has("0.11") and (bufnr or 0) or nil)
end

function M.supports(client, method)
  if has("0.11") then return client:supports_method(method) end
  return client.supports_method(method)
end

-- The version of a buffer that the server was told last.
function M.version(bufnr)
  return vim.lsp.util.buf_versions[bufnr] or 0
end

-- For this window, and not for those that are opened later.
function M.set_local(window, name, value)
  if has("0.8") then return vim.api.nvim_set_option_value(name, value, { scope = "local", win = window }) end
  vim.api.nvim_win_call(window, function() vim.opt_local[name] = value end)
end

function M.health()
  local health = vim.health or require("health")
  return {
    start = health.start or health.report_start,
    ok = health.ok or health.report_ok,
    warn = health.warn or health.report_warn,
    error = health.error or health.report_error,
    info = health.info or health.report_info,
  }
end

M.uv = vim.uv or vim.loop

return M
