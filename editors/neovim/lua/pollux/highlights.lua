-- The names of our colours, each linked to one that every theme has.
local M = {}

local links = {
  PolluxAdded = "DiffAdd",
  PolluxAddedWord = "DiffText",
  PolluxRemoved = "DiffDelete",
  PolluxRemovedWord = "DiffText",
  PolluxMine = "DiffChange",
  PolluxTheirs = "DiffAdd",
  PolluxConflict = "WarningMsg",
  PolluxSignAdded = "DiagnosticHint",
  PolluxSignChanged = "DiagnosticInfo",
  PolluxSignRemoved = "DiagnosticError",
  PolluxSignProposed = "DiagnosticWarn",
  PolluxComment = "DiagnosticInfo",
  PolluxDim = "Comment",
  PolluxTitle = "Title",
  PolluxAsk = "WarningMsg",
  PolluxPrompt = "Statement",
  PolluxCard = "Normal",
  PolluxFailed = "ErrorMsg",
  PolluxQuestion = "Normal",
  PolluxKeys = "Question",
}

function M.define()
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

return M
