-- inspectJob-1
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
local function heldIn(keys, id)
  local places = {}
  for _, list in ipairs({ { 'wait', keys.wait }, { 'paused', keys.paused }, { 'active', keys.active } }) do
    local count = countInList(list[2], id)
    if count > 0 then
      places[#places + 1] = { list[1], count }
    end
  end
  for _, set in ipairs(inspectedSets(keys)) do
    if inSet(set[2], id) then
      places[#places + 1] = { set[1], 1 }
    end
  end
  return places
end
local function isLocked(prefix, id)
  return redis.call('TYPE', prefix .. id .. ':lock').ok == 'string'
end

local job = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local id = ARGV[2] -- string
-- end of declarations

local processedOn = redis.pcall('HGET', job, 'processedOn')
local facts = {
  kindOf(prefix, id), type(processedOn) == 'string' and processedOn or '', isLocked(prefix, id) and '1' or '0',
}
for _, place in ipairs(heldIn(queueKeys(prefix), id)) do
  facts[#facts + 1] = place[1]
  facts[#facts + 1] = place[2]
end
return facts
