-- inspectLocation-1
local function mayBeKeyName(id)
  local function among(names, name)
    return string.find(names, ' ' .. name .. ' ', 1, true) ~= nil
  end
  if not string.find(id, ':', 1, true) then
    return among(' wait paused active prioritized delayed waiting-children completed failed stalled stalled-check ', id)
      or among(' limiter meta id pc events marker repeat metrics de dn priority delay ', id)
  end
  return among(' meta repeat de dn metrics ', string.match(id, '^[^:]*'))
    or among(' lock logs dependencies processed failed unsuccessful ', string.match(id, '[^:]*$'))
end
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
local function kindOf(prefix, id)
  local job = prefix .. id
  local timestamp = redis.pcall('HGET', job, 'timestamp')
  if type(timestamp) == 'table' then
    return 'other'
  elseif timestamp then
    return 'job'
  elseif redis.call('EXISTS', job) == 0 then
    return 'none'
  end
  return mayBeKeyName(id) and 'other' or 'job'
end
local function inSet(set, id)
  local score = redis.pcall('ZSCORE', set, id)
  return type(score) == 'string'
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
