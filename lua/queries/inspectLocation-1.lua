--- Looks at a part of one location for ids that deserve a closer look: without a job, in one of the sets besides, active
--- without a lock, no id at all. What is true of each `inspectJob` tells.
-- @include facts
-- @returns { how many were looked at, ids... }

local location = KEYS[1] -- list or set
local prefix = ARGV[1] -- string
local name = ARGV[2] -- string of the location, as in its key
local first = tonumber(ARGV[3]) -- int
local count = tonumber(ARGV[4]) -- int
-- end of declarations

local keys = queueKeys(prefix)
local kind = redis.call('TYPE', location).ok
local ids = {}
if kind == 'list' then
  ids = redis.call('LRANGE', location, first, first + count - 1)
elseif kind == 'zset' then
  ids = redis.call('ZRANGE', location, first, first + count - 1)
end

local function isSuspect(id)
  if kindOf(prefix, id) ~= 'job' or (name == 'active' and not isLocked(prefix, id)) then
    return true
  end
  for _, set in ipairs(inspectedSets(keys)) do
    if set[1] ~= name and inSet(set[2], id) then
      return true
    end
  end
  return false
end

local found = { #ids }
for _, id in ipairs(ids) do
  if isSuspect(id) then
    found[#found + 1] = id
  end
end
return found
