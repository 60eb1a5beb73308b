-- moveJobsToWait-9
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
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
local function splitJobKey(key, near)
  local base = near and string.match(near, '^(.*:)[^:]+:$')
  if base and string.sub(key, 1, #base) == base then
    local queue, id = string.match(string.sub(key, #base + 1), '^([^:]+:)(.+)$')
    if queue then
      return base .. queue, id
    end
  end
  return string.match(key, '^(.*:)([^:]*)$')
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
local function isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end
local function isUnbegun(mark, processedOn)
  return mark ~= false and mark == processedOn
end
local function readStored(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'timestamp', 'atm', 'opts', 'priority', 'parent', 'parentKey',
    'deid', 'stc', 'processedOn', 'echomq.cancel', 'echomq.unbegun')
  if values.err or (not values[1] and (mayBeKeyName(id) or redis.call('EXISTS', job) == 0)) then
    return nil
  end
  return {
    prefix = prefix,
    attemptsMade = finite(values[2], 0),
    optsText = values[3],
    priority = finite(values[4], 0),
    parentText = values[5],
    parentKey = values[6],
    deduplicationId = values[7],
    stalledCount = finite(values[8], 0),
    processedOn = values[9],
    cancelled = isCancelled(values[10], values[9]),
    marked = values[11] ~= false,
    unbegun = isUnbegun(values[11], values[9]),
  }
end
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
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
local function readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end
local function parentOf(stored)
  if stored.parent == nil then
    stored.parent = readParent(stored) or false
  end
  return stored.parent or nil
end
local function unsoundParent(parent, target)
  local dependencies = parent.key .. ':dependencies'
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', parent.key .. ':processed', 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = queueKeys(parent.prefix)
  return unsound({
    'HLEN', parent.key .. ':failed', 'ZCARD', parent.key .. ':unsuccessful',
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or unsoundPlaces(queue)
end
local function relinkToParent(child, stored, state)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  if unsoundParent(parent, state) then
    return
  end
  local removed
  if state == 'completed' then
    removed = redis.call('HDEL', parent.key .. ':processed', child)
  else
    removed = redis.call('ZREM', parent.key .. ':unsuccessful', child)
      + redis.call('HDEL', parent.key .. ':failed', child)
  end
  if removed > 0 then
    redis.call('SADD', parent.key .. ':dependencies', child)
  end
end

local queue = {
  location = KEYS[1], -- set `completed`, `failed` or `delayed`
  wait = KEYS[2], -- list
  meta = KEYS[3], -- hash
  active = KEYS[4], -- list
  marker = KEYS[5], -- set that wakes a blocked fetch
  prioritized = KEYS[6], -- set by priority and arrival
  pc = KEYS[7], -- counter of arrivals
  events = KEYS[8], -- stream
  delayed = KEYS[9], -- set by due time
}
local prefix = ARGV[1] -- string
local state = ARGV[2] -- string
local limit = tonumber(ARGV[3]) -- int
local latest = ARGV[4] ~= '' and tonumber(ARGV[4]) or '+inf' -- ms
-- end of declarations

local ids = redis.call('ZRANGEBYSCORE', queue.location, '-inf', latest, 'LIMIT', 0, limit)
if #ids == 0 then
  return { 0, '0' }
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end

for first = 1, #ids, 1000 do
  redis.call('ZREM', queue.location, unpack(ids, first, math.min(first + 999, #ids)))
end
local meta = readMeta(queue)
for _, id in ipairs(ids) do
  local job = prefix .. id
  local stored = readStored(prefix, id)
  if stored then
    if state == 'delayed' then
      redis.call('HSET', job, 'delay', 0)
    else
      redis.call('HDEL', job, 'finishedOn', 'processedOn', state == 'failed' and 'failedReason' or 'returnvalue')
      relinkToParent(job, stored, state)
    end
    enqueue(queue, meta, id, { priority = stored.priority, toFront = stored.priority == 0 and optionsOf(stored).lifo == true })
    emitTrimmed(queue, meta, 'waiting', 'jobId', id, 'prev', state)
  end
end
wakeWorkers(queue, meta)
return { #ids, #ids == limit and '1' or '0' }
