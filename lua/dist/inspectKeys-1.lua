-- inspectKeys-1
local function queueKeys(prefix)
  return {
    wait = prefix .. 'wait',
    active = prefix .. 'active',
    paused = prefix .. 'paused',
    prioritized = prefix .. 'prioritized',
    delayed = prefix .. 'delayed',
    waitingChildren = prefix .. 'waiting-children',
    completed = prefix .. 'completed',
    failed = prefix .. 'failed',
    stalled = prefix .. 'stalled',
    events = prefix .. 'events',
    marker = prefix .. 'marker',
    meta = prefix .. 'meta',
    pc = prefix .. 'pc',
    id = prefix .. 'id',
    schedulers = prefix .. 'repeat',
    limiter = prefix .. 'limiter',
    failedMetrics = prefix .. 'metrics:failed',
  }
end
local function inSet(set, id)
  local score = redis.pcall('ZSCORE', set, id)
  return type(score) == 'string'
end
local function countInList(list, id)
  local positions = redis.pcall('LPOS', list, id, 'COUNT', 0)
  return positions.err and 0 or #positions
end
local function inspectedSets(keys)
  return {
    { 'prioritized', keys.prioritized }, { 'delayed', keys.delayed }, { 'waiting-children', keys.waitingChildren },
    { 'completed', keys.completed }, { 'failed', keys.failed },
  }
end
local function isLocked(prefix, id)
  return redis.call('TYPE', prefix .. id .. ':lock').ok == 'string'
end

local active = KEYS[1] -- list
local prefix = ARGV[1] -- string
local names = { unpack(ARGV, 2) } -- strings...
-- end of declarations

local keys = queueKeys(prefix)
local found = {}
local function note(kind, id)
  found[#found + 1] = kind
  found[#found + 1] = id
end

local function isInSet(id)
  for _, set in ipairs(inspectedSets(keys)) do
    if inSet(set[2], id) then
      return true
    end
  end
  return false
end

for _, name in ipairs(names) do
  local deduplicationId = string.match(name, '^de:(.+)$')
  local locked = string.match(name, '^(.+):lock$')
  if deduplicationId then
    local key = prefix .. 'de:' .. deduplicationId
    local owner = redis.pcall('GET', key)
    if type(owner) == 'string' and redis.call('PTTL', key) == -1 and redis.call('EXISTS', prefix .. owner) == 0 then
      note('deduplication', deduplicationId)
    end
  elseif locked and isLocked(prefix, locked) then
    if countInList(active, locked) == 0 then
      note('lock', locked)
    end
  elseif redis.pcall('HEXISTS', prefix .. name, 'timestamp') == 1 and not isInSet(name) then
    note('job', name)
  end
end
return found
