-- changeDelay-4
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
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
local function setMarker(queue, score, member)
  local reply = redis.pcall('ZADD', queue.marker, score, member)
  if type(reply) == 'table' then
    redis.call('DEL', queue.marker)
    redis.call('ZADD', queue.marker, score, member)
  end
end
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
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

local queue = {
  delayed = KEYS[1], -- set by due time
  meta = KEYS[2], -- hash
  marker = KEYS[3], -- set that wakes a blocked fetch
  events = KEYS[4], -- stream
}
local jobId = ARGV[1] -- string
local prefix = ARGV[2] -- string
local now = ARGV[3] -- ms
local delay = tonumber(ARGV[4]) -- int
local dueAt = ARGV[5] -- ms
-- end of declarations

local job = prefix .. jobId
if not readStored(prefix, jobId) then
  return -1
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end
if redis.call('ZREM', queue.delayed, jobId) == 0 then
  return -3
end

local at = resolveNow(now)
if dueAt ~= '' then
  delay = math.max(0, tonumber(dueAt) - at)
end
redis.call('HSET', job, 'delay', delay)
delayUntil(queue, readMeta(queue), jobId, at + delay)
wakeAtNextDue(queue)
return at + delay
