-- Which words of a line differ from another line.
local M = {}

-- Longer lines are data, not prose: nobody looks for the word.
local LONGEST = 2000

-- A word, a run of spaces, or a single other character, one per line for the line diff.
local function tokens(line)
  local list, place = {}, 1
  while place <= #line do
    local token = line:match("^[%w_\128-\255]+", place) or line:match("^%s+", place) or line:sub(place, place)
    list[#list + 1] = token
    place = place + #token
  end
  return list
end

-- The bytes of each token from `first` on, `count` of them.
local function stretch(list, first, count)
  local start = 0
  for place = 1, first - 1 do
    start = start + #list[place]
  end
  local stop = start
  for place = first, first + count - 1 do
    stop = stop + #list[place]
  end
  return { start, stop }
end

-- Two lists of { from, to } in bytes: what is only in the old line, and what is only in the new one.
-- Nothing for lines that have hardly anything in common: there the whole line is the change.
function M.changed(old, new)
  if #old > LONGEST or #new > LONGEST then return {}, {} end
  local before, after = tokens(old), tokens(new)
  local found = vim.diff(table.concat(before, "\n") .. "\n", table.concat(after, "\n") .. "\n", { result_type = "indices" })
  local gone, come, kept = {}, {}, #old
  for _, change in ipairs(found) do
    if change[2] > 0 then
      local bytes = stretch(before, change[1], change[2])
      gone[#gone + 1] = bytes
      kept = kept - (bytes[2] - bytes[1])
    end
    if change[4] > 0 then come[#come + 1] = stretch(after, change[3], change[4]) end
  end
  if kept < #old * 0.4 then return {}, {} end
  return gone, come
end

return M
