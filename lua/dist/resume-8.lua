-- resume-8
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
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
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

local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end

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
