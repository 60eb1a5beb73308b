-- repairJob-1
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
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
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = meta[2] and tonumber(meta[2]) or nil,
    max = meta[3] and tonumber(meta[3]) or nil,
    duration = meta[4] and tonumber(meta[4]) or nil,
    maxEvents = string.match(meta[5] or '', '^%d+$'),
    maxJobs = meta[6] and tonumber(meta[6]),
    maxPayload = meta[7] and tonumber(meta[7]),
  }
end
local function gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
end
local function setMarker(queue, score, member)
  local reply = redis.pcall('ZADD', queue.marker, score, member)
  if type(reply) == 'table' then
    redis.call('DEL', queue.marker)
    redis.call('ZADD', queue.marker, score, member)
  end
end
local function wakeOne(queue)
  if queue.gathered then
    queue.gathered.wakes = true
  else
    setMarker(queue, '0', '0')
  end
end
local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
local function wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil then
    pcall(function()
      if hasWork(queue) then
        wakeWorkers(queue, meta)
      end
    end)
  end
end
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local known = {}
local function unsound(asked)
  for i = 1, #asked, 2 do
    local key = asked[i + 1]
    local reply = known[key] or redis.pcall(asked[i], key)
    if type(reply) == 'table' then
      return redis.error_reply(reply.err .. ' (' .. key .. ')')
    end
    known[key] = true
  end
  return nil
end
local function uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end
local function prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end
local function waitingList(queue, meta)
  local parked = parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
local function enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, prioritizedScore(queue, priority), id)
  end
end
local function unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', parkedKey(queue.meta) }
  local function ask(command, key)
    if key then
      asked[#asked + 1] = command
      asked[#asked + 1] = key
    end
  end
  ask('LLEN', queue.wait)
  ask('LLEN', queue.active)
  ask('ZCARD', queue.prioritized)
  ask('ZCARD', queue.delayed)
  return unsound(asked) or (queue.pc and uncountable(queue.pc)) or nil
end
local function delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end
local function delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local meta = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local id = ARGV[2] -- string
local fault = ARGV[3] -- string
local seen = ARGV[4] -- string when the run began that was seen without a lock
local now = ARGV[5] -- ms
-- end of declarations

local keys = queueKeys(prefix)
local trouble = unsoundPlaces(keys) or unsound({
  'ZCARD', keys.completed, 'ZCARD', keys.failed, 'ZCARD', keys.waitingChildren, 'SCARD', keys.stalled,
})
if trouble then
  return trouble
end
local settings = readMeta({ meta = meta })
local job = prefix .. id
local kind = kindOf(prefix, id)
local places = heldIn(keys, id)
local locked = isLocked(prefix, id)

local function isIn(name)
  for _, place in ipairs(places) do
    if place[1] == name then
      return true
    end
  end
  return false
end

local function takeFrom(name, count)
  if name == 'wait' or name == 'paused' or name == 'active' then
    redis.call('LREM', prefix .. name, count, id)
  else
    redis.call('ZREM', prefix .. name, id)
  end
end

--- What the hash says of where the job belongs.
local function belongsIn()
  local values = redis.call('HMGET', job, 'finishedOn', 'returnvalue', 'failedReason', 'timestamp', 'delay', 'priority')
  local finishedOn, delay = finite(values[1]), finite(values[5], 0)
  local due = finite(values[4], 0) + delay
  if locked then
    return 'active'
  elseif finishedOn then
    return values[3] and not values[2] and 'failed' or 'completed', finishedOn
  elseif redis.pcall('SCARD', job .. ':dependencies') ~= 0 then
    return 'waiting-children'
  elseif delay > 0 and due > resolveNow(now) then
    return 'delayed', due
  end
  return finite(values[6], 0) > 0 and 'prioritized' or 'wait', finite(values[6], 0)
end

--- The place that stays: where the job belongs, else the one from which it runs soonest. An active one without a lock
--- would come back a second time.
local function whichStays()
  local wanted = belongsIn()
  if isIn(wanted) then
    return wanted
  end
  for _, name in ipairs({ 'completed', 'failed', 'wait', 'paused', 'prioritized', 'delayed', 'waiting-children' }) do
    if isIn(name) then
      return name
    end
  end
  return 'active'
end

local function keepOnePlace()
  local stays = whichStays()
  for _, place in ipairs(places) do
    if place[1] ~= stays then
      takeFrom(place[1], 0)
    elseif place[2] > 1 then
      -- From the head: the entry that is next to run stays.
      takeFrom(place[1], place[2] - 1)
    end
  end
  return 'stays in ' .. stays
end

--- Puts a job that is nowhere where its hash says.
local function putBack()
  local place, score = belongsIn()
  if place == 'active' then
    redis.call('LPUSH', keys.active, id)
  elseif place == 'completed' or place == 'failed' then
    redis.call('ZADD', prefix .. place, score, id)
  elseif place == 'waiting-children' then
    redis.call('ZADD', keys.waitingChildren, resolveNow(now), id)
  elseif place == 'delayed' then
    delayUntil(keys, settings, id, score)
    wakeAtNextDue(keys)
  else
    enqueue(keys, settings, id, { priority = score })
    wakeWorkers(keys, settings)
    emit(keys, 'waiting', 'jobId', id)
  end
  return 'put back into ' .. place
end

local function drop()
  for _, place in ipairs(places) do
    takeFrom(place[1], 0)
  end
  redis.call('SREM', keys.stalled, id)
  wakeForFreedSlot(keys, settings)
  return 'removed the id'
end

local total = 0
for _, place in ipairs(places) do
  total = total + place[2]
end

if fault == 'two-places' and kind == 'job' and total > 1 then
  return keepOnePlace()
elseif (fault == 'ghost' or fault == 'marker-entry') and kind ~= 'job' and total > 0 and not locked then
  return drop()
elseif fault == 'orphan' and kind == 'job' and total == 0 then
  return putBack()
elseif fault == 'stray-lock' and locked and not isIn('active') then
  redis.call('DEL', job .. ':lock')
  return 'removed the lock'
elseif fault == 'unleased' and kind == 'job' and total == 1 and isIn('active') and not locked then
  local began = redis.pcall('HGET', job, 'processedOn')
  if (type(began) == 'string' and began or '') == seen then
    redis.call('SADD', keys.stalled, id)
    return 'left to the stalled sweep'
  end
end
return ''
