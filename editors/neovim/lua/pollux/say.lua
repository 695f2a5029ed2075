-- How the plugin speaks: a line that passes by, or a notification when nobody is looking.
local M = {}

local focused = true

function M.watch_focus(group)
  vim.api.nvim_create_autocmd("FocusGained", { group = group, callback = function() focused = true end })
  vim.api.nvim_create_autocmd("FocusLost", { group = group, callback = function() focused = false end })
end

function M.is_focused() return focused end

-- The answer to something the person did.
function M.line(text)
  vim.api.nvim_echo({ { "Pollux: " .. text:gsub("%s*\n%s*", " ") } }, false, {})
end

function M.problem(text)
  vim.notify("Pollux: " .. text, vim.log.levels.WARN)
end

-- Something that happened by itself.
function M.notice(text)
  vim.notify("Pollux: " .. text, vim.log.levels.INFO)
end

return M
