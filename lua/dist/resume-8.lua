-- resume-8
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents')
  return {
    paused = meta[1] ~= false,
    concurrency = tonumber(meta[2]),
    max = tonumber(meta[3]),
    duration = tonumber(meta[4]),
    maxEvents = string.match(meta[5] or '', '^%d+$'),
  }
end
local function gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
end
local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    redis.call('ZADD', queue.marker, 0, '0')
  end
end
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    redis.call('ZADD', queue.marker, tonumber(first[2]) / 4096, '1')
  end
end
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
local function wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil and hasWork(queue) then
    wakeWorkers(queue, meta)
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
local function trimEvents(queue, meta)
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end

local queue = {
  meta = KEYS[1], -- hash
  wait = KEYS[2], -- list
  paused = KEYS[3], -- list, BullMQ 5 only
  prioritized = KEYS[4], -- set by priority and arrival
  delayed = KEYS[5], -- set by due time
  active = KEYS[6], -- list
  marker = KEYS[7], -- set that wakes a blocked fetch
  events = KEYS[8], -- stream
}
-- end of declarations

for _ = 1, 7 do
  local parked = redis.call('LRANGE', queue.paused, 0, 999)
  if #parked == 0 then
    break
  end
  -- In this order the first write frees memory: on a full store the script then runs to its end.
  redis.call('LTRIM', queue.paused, #parked, -1)
  redis.call('RPUSH', queue.wait, unpack(parked))
end
if redis.call('EXISTS', queue.paused) == 1 then
  return 1
end

redis.call('HDEL', queue.meta, 'paused')
local meta = readMeta(queue)
if hasWork(queue) then
  wakeWorkers(queue, meta)
else
  wakeAtNextDue(queue)
end
emit(queue, 'resumed')
return 0
