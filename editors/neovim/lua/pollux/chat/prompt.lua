-- The few lines in which a person writes.
local session = require("pollux.session")

local M = {}

local bufnr
local history, place = {}, nil

local function text() return vim.trim(table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), "\n")) end

local function set(lines)
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines)
  local window = vim.fn.bufwinid(bufnr)
  if window ~= -1 then vim.api.nvim_win_set_cursor(window, { #lines, #lines[#lines] }) end
end

local function send(how)
  local said = text()
  if said == "" then return end
  if history[#history] ~= said then history[#history + 1] = said end
  place = nil
  set({ "" })
  how(said)
end

function M.queue() send(session.queue) end
function M.steer() send(session.steer) end

-- Earlier prompts, one after the other, as long as nothing else was written.
local function recall(step, key)
  local shown = place and history[place]
  if text() ~= (shown or "") then return vim.api.nvim_feedkeys(key, "n", false) end
  local wanted = (place or #history + 1) + step
  if history[wanted] then
    place = wanted
    set(vim.split(history[wanted], "\n", { plain = true }))
  elseif wanted > #history then
    place = nil
    set({ "" })
  end
end

local function keys()
  local function map(modes, lhs, act, what) vim.keymap.set(modes, lhs, act, { buffer = bufnr, desc = "Pollux: " .. what }) end
  local code = function(key) return vim.api.nvim_replace_termcodes(key, true, false, true) end
  map("n", "<CR>", M.queue, "send, or queue behind the running turn")
  map("i", "<CR>", function()
    -- A menu of completions keeps its own Enter.
    if vim.fn.pumvisible() == 1 then return vim.api.nvim_feedkeys(code("<C-y>"), "n", false) end
    M.queue()
  end, "send, or queue behind the running turn")
  for _, lhs in ipairs({ "<M-CR>", "<C-CR>" }) do
    map({ "n", "i" }, lhs, M.steer, "say it into the running turn")
  end
  for _, lhs in ipairs({ "<C-j>", "<S-CR>" }) do
    map("i", lhs, function() vim.api.nvim_feedkeys(code("<CR>"), "n", false) end, "a new line")
  end
  map("n", "<C-c>", function()
    local state = session.state()
    if state and state.turn then session.stop() end
  end, "stop the running turn")
  map({ "n", "i" }, "<Up>", function() recall(-1, code("<Up>")) end, "the prompt before")
  map({ "n", "i" }, "<Down>", function() recall(1, code("<Down>")) end, "the next prompt")
  map("n", "q", function() require("pollux.chat").close() end, "close the chat")
  map("n", "gA", function() require("pollux.chat").go_to_question() end, "go to the question")
end

function M.buffer()
  if bufnr and vim.api.nvim_buf_is_valid(bufnr) then return bufnr end
  bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "pollux://prompt")
  vim.bo[bufnr].bufhidden = "hide"
  vim.bo[bufnr].swapfile = false
  vim.bo[bufnr].filetype = "pollux-prompt"
  keys()
  return bufnr
end

-- Puts text there to be changed and sent, unless something is being written.
function M.write(said)
  M.buffer()
  if text() == "" then set(vim.split(said, "\n", { plain = true })) end
end

return M
