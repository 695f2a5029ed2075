-- The text of the chat as a buffer that grows at its end.
--
-- Text is only ever put behind the end of a line, so the marks of everything below stay where they
-- belong. The last lines are the tail: what is true now (queue, steps, activity). It is replaced as
-- a whole, and the conversation grows above it.
local M = {}
M.__index = M

local marks = vim.api.nvim_create_namespace("pollux-chat")
local places = vim.api.nvim_create_namespace("pollux-chat-places")
local output = vim.api.nvim_create_namespace("pollux-chat-output")

function M.new(bufnr)
  local self = setmetatable({ bufnr = bufnr }, M)
  self:clear()
  return self
end

-- Everything that is written goes through here: the buffer belongs to us alone.
function M:write(act)
  vim.bo[self.bufnr].modifiable = true
  act()
  vim.bo[self.bufnr].modifiable = false
  vim.bo[self.bufnr].modified = false
end

function M:clear()
  -- Tells an answer that comes late that the page is another one by now.
  self.page = (self.page or 0) + 1
  -- Lines and bytes of the last line, of the conversation without its tail.
  self.rows, self.bytes = 1, 0
  self.kind, self.newlines = nil, 2
  self.pending = {}
  self.tail = {}
  -- By the number of their mark.
  self.blocks = {}
  vim.api.nvim_buf_clear_namespace(self.bufnr, marks, 0, -1)
  vim.api.nvim_buf_clear_namespace(self.bufnr, places, 0, -1)
  vim.api.nvim_buf_clear_namespace(self.bufnr, output, 0, -1)
  self:write(function() vim.api.nvim_buf_set_lines(self.bufnr, 0, -1, false, { "" }) end)
end

-- Puts text behind the conversation; it is seen with the next `flush`.
function M:append(text)
  if text == "" then return end
  self.pending[#self.pending + 1] = text
  local ends = #text:match("\n*$")
  self.newlines = ends == #text and math.min(self.newlines + ends, 2) or math.min(ends, 2)
end

function M:flush()
  if #self.pending == 0 then return end
  local lines = vim.split(table.concat(self.pending), "\n", { plain = true })
  self.pending = {}
  local row, column = self.rows - 1, self.bytes
  self:write(function() vim.api.nvim_buf_set_text(self.bufnr, row, column, row, column, lines) end)
  self.rows = self.rows + #lines - 1
  self.bytes = #lines == 1 and column + #lines[1] or #lines[#lines]
end

-- Begins something of another kind: on a line of its own, with an empty one between. Cards of one
-- kind stand close together.
function M:begin(kind)
  local wanted = (kind == "card" and self.kind == "card") and 1 or 2
  if self.newlines < wanted then self:append(("\n"):rep(wanted - self.newlines)) end
  self.kind = kind
end

-- Text in pieces, which may go on where the last one ended.
function M:stream(kind, text)
  if self.kind ~= kind then
    self:begin(kind)
    text = text:gsub("^\n+", "")
  end
  self:append(text)
end

-- Lines that can be changed later.
function M:add_block(kind, block, lines)
  block.before = self.kind
  self:begin(kind)
  self:flush()
  block.mark = vim.api.nvim_buf_set_extmark(self.bufnr, marks, self.rows - 1, 0, { right_gravity = false })
  block.height, block.last = #lines, #lines[#lines]
  self.blocks[block.mark] = block
  self:append(table.concat(lines, "\n"))
  self.newlines = 0
  return block
end

function M:row(block)
  return vim.api.nvim_buf_get_extmark_by_id(self.bufnr, marks, block.mark, {})[1]
end

function M:set_block(block, lines)
  self:flush()
  local row = self:row(block)
  local at_end = row + block.height == self.rows
  self:write(function()
    vim.api.nvim_buf_set_text(self.bufnr, row, 0, row + block.height - 1, block.last, lines)
  end)
  self.rows = self.rows + #lines - block.height
  block.height, block.last = #lines, #lines[#lines]
  if at_end then self.bytes = block.last end
end

-- Takes a block out, with the empty line above it.
function M:remove_block(block)
  self:flush()
  local row = self:row(block)
  if row < 2 then return self:set_block(block, { "" }) end
  local above = #vim.api.nvim_buf_get_lines(self.bufnr, row - 2, row - 1, true)[1]
  local at_end = row + block.height == self.rows
  self:write(function()
    vim.api.nvim_buf_set_text(self.bufnr, row - 2, above, row + block.height - 1, block.last, { "" })
  end)
  self.rows = self.rows - block.height - 1
  self.blocks[block.mark] = nil
  vim.api.nvim_buf_del_extmark(self.bufnr, marks, block.mark)
  if at_end then
    self.bytes, self.kind, self.newlines = above, block.before, 0
  end
end

-- A place to come back to: where the conversation goes on.
function M:place()
  self:flush()
  return vim.api.nvim_buf_set_extmark(self.bufnr, places, self.rows - 1, 0, { right_gravity = false })
end

-- Takes out everything from a place on, with the empty lines above it.
function M:cut(place)
  self:flush()
  local row = vim.api.nvim_buf_get_extmark_by_id(self.bufnr, places, place, {})[1]
  local function above() return vim.api.nvim_buf_get_lines(self.bufnr, row - 1, row, true)[1] end
  while row > 0 and above() == "" do
    row = row - 1
  end
  if row == 0 then return self:clear() end
  for mark, block in pairs(self.blocks) do
    if self:row(block) >= row then
      self:hide_output(block)
      self.blocks[mark] = nil
      vim.api.nvim_buf_del_extmark(self.bufnr, marks, mark)
    end
  end
  local last = above()
  self:write(function()
    vim.api.nvim_buf_set_text(self.bufnr, row - 1, #last, self.rows - 1, self.bytes, { "" })
  end)
  self.rows, self.bytes, self.kind, self.newlines = row, #last, nil, 0
end

-- Lines that are seen below a block and are no part of the text: what a command prints right now.
function M:show_output(block, lines)
  self:flush()
  local shown = vim.tbl_map(function(line) return { { "  │ " .. line, "PolluxDim" } } end, lines)
  block.output = vim.api.nvim_buf_set_extmark(self.bufnr, output, self:row(block), 0, {
    id = block.output,
    virt_lines = shown,
  })
end

function M:hide_output(block)
  if block.output then vim.api.nvim_buf_del_extmark(self.bufnr, output, block.output) end
  block.output = nil
end

-- The block that a line belongs to.
function M:block_at(row)
  local found = vim.api.nvim_buf_get_extmarks(self.bufnr, marks, { row, -1 }, 0, { limit = 1 })[1]
  local block = found and self.blocks[found[1]]
  if block and row < found[2] + block.height then return block end
end

-- The number of a line in the tail, or nil.
function M:tail_place(row)
  return row >= self.rows and row - self.rows + 1 or nil
end

function M:set_tail(lines)
  self:flush()
  if vim.deep_equal(lines, self.tail) then return end
  -- Most often only the last line differs: leave the others alone.
  local same = 0
  while lines[same + 1] and lines[same + 1] == self.tail[same + 1] do
    same = same + 1
  end
  local changed = vim.list_slice(lines, same + 1)
  self:write(function() vim.api.nvim_buf_set_lines(self.bufnr, self.rows + same, -1, false, changed) end)
  self.tail = lines
end

return M
