-- @include keys
--- What is true of an id at one instant, for who checks a queue. Keys of a wrong type hold nothing.

--- Whether there is a job: 'job', 'none', or 'other' where something else stands in its place.
local function kindOf(prefix, id)
  local job = jobKey(prefix, id)
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

--- How often a list holds an id.
local function countInList(list, id)
  local positions = redis.pcall('LPOS', list, id, 'COUNT', 0)
  return positions.err and 0 or #positions
end

--- The sets that hold jobs, by their names in keys.
local function inspectedSets(keys)
  return {
    { 'prioritized', keys.prioritized }, { 'delayed', keys.delayed }, { 'waiting-children', keys.waitingChildren },
    { 'completed', keys.completed }, { 'failed', keys.failed },
  }
end

--- Every place that holds an id as { name, how often }, in the order in which jobs pass them.
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
  return redis.call('TYPE', lockKey(jobKey(prefix, id))).ok == 'string'
end
