-- promoteDueJobs-8
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
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
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
local function isLifo(opts)
  if not opts or not string.find(opts, '"lifo"', 1, true) then
    return false
  end
  local ok, options = pcall(cjson.decode, opts)
  return ok and type(options) == 'table' and options.lifo == true
end
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, 1000)
  if #due == 0 then
    return 0
  end
  local trouble = unsoundPlaces(queue)
  if trouble then
    return 0, trouble
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = prefix .. id
    local found = redis.pcall('HMGET', job, 'priority', 'opts')
    if found.err then
      enqueue(queue, meta, id, { priority = 0 })
    else
      local priority = finite(found[1], 0)
      enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and isLifo(found[2]) })
      if found[1] then
        redis.call('HSET', job, 'delay', 0)
      end
    end
    emit(queue, 'waiting', 'jobId', id, 'prev', 'delayed')
  end
  wakeWorkers(queue, meta)
  return #due
end
local function nextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  return first[2] and math.floor(tonumber(first[2]) / 4096) or 0
end

local queue = {
  delayed = KEYS[1], -- set by due time
  wait = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  active = KEYS[4], -- list
  meta = KEYS[5], -- hash
  pc = KEYS[6], -- counter of arrivals
  events = KEYS[7], -- stream
  marker = KEYS[8], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
-- end of declarations

-- A write that needs no memory comes first: on a full store the script then runs to its end.
redis.call('ZREM', queue.delayed, '')
local moved, trouble = promoteDue(queue, readMeta(queue), prefix, resolveNow(now))
if trouble then
  return trouble
end
local due = nextDue(queue)
if due > 0 then
  wakeAtNextDue(queue)
end
return { moved, due }
