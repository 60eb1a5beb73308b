-- repairQueue-1
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
local function storeJob(queue, prefix, id, job)
  local fields = { 'name', job.name, 'data', job.data, 'opts', job.opts, 'timestamp', job.timestamp,
    'delay', job.delay or 0, 'priority', job.priority or 0 }
  local function add(field, value)
    if value then
      fields[#fields + 1] = field
      fields[#fields + 1] = value
    end
  end
  add('parentKey', job.parentKey)
  add('parent', job.parent)
  add('rjk', job.schedulerId)
  add('deid', job.deduplication and job.deduplication.id)
  redis.call('HSET', prefix .. id, unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end
local function placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    delayUntil(queue, meta, id, job.timestamp + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
local function addKeptLast(meta, prefix, deduplicationId, now)
  local kept = prefix .. 'dn:' .. deduplicationId
  local values = redis.pcall('HMGET', kept, 'name', 'data', 'opts', 'jid', 'rjk', 'pk', 'pd', 'pdk')
  local queue = queueKeys(prefix)
  if not values[1] or unsoundPlaces(queue) or uncountable(queue.id)
    or unsound({ 'HLEN', prefix .. (values[4] or ''), 'SCARD', values[8] or kept .. ':none' }) then
    return
  end
  redis.call('DEL', kept)
  if values[4] and redis.call('EXISTS', prefix .. values[4]) == 1 then
    emit(queue, 'duplicated', 'jobId', values[4])
    return
  end
  if values[6] and redis.call('EXISTS', values[6]) == 0 then
    values[6], values[7], values[8] = false, false, false
  end
  local counted = redis.call('INCR', queue.id)
  local id = values[4] or string.format('%.0f', counted)
  local ok, options = pcall(cjson.decode, values[3] or '{}')
  options = ok and type(options) == 'table' and options or {}
  local job = {
    name = values[1], data = values[2] or '{}', opts = values[3] or '{}', timestamp = now,
    delay = tonumber(options.delay), priority = tonumber(options.priority), lifo = options.lifo == true,
    schedulerId = values[5], parentKey = values[6], parent = values[7], deduplication = { id = deduplicationId },
  }
  redis.call('SET', prefix .. 'de:' .. deduplicationId, id)
  storeJob(queue, prefix, id, job)
  placeJob(queue, meta, id, job)
  if values[8] then
    redis.call('SADD', values[8], prefix .. id)
  end
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
local function moveParentOn(parent, now)
  local queue = queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = finite(values[1], 0)
  local priority = finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    wakeAtNextDue(queue)
    return
  end
  enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  wakeWorkers(queue, meta)
  emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end
local function releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    moveParentOn(parent, now)
  end
end
local function releaseParentIfReady(parent, now)
  if redis.call('SCARD', parent.key .. ':dependencies') == 0 then
    releaseParent(parent, now)
  end
end
local function tellParentCompleted(child, parent, now, returnValue)
  if redis.call('SREM', parent.key .. ':dependencies', child) == 1 then
    redis.call('HSET', parent.key .. ':processed', child, returnValue)
    releaseParentIfReady(parent, now)
  end
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
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

local metaKey = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local fault = ARGV[2] -- string
local subject = ARGV[3] -- string the parent, the deduplication id, the key, the scheduler
local other = ARGV[4] -- string the child's key
local now = ARGV[5] -- ms
-- end of declarations

local keys = queueKeys(prefix)
local meta = readMeta({ meta = metaKey })

local function mendMarker()
  local stuck = hasWork(keys) and redis.call('LLEN', keys.active) == 0 and not gateIsClosed(keys, meta)
    and redis.call('EXISTS', keys.marker) == 0
  if stuck then
    wakeOne(keys)
  end
  return stuck and 'set the marker' or ''
end

--- A thousand of them; in order, behind the tail of `wait`: they run first.
local function mendParked()
  local parked = redis.call('LRANGE', keys.paused, 0, 999)
  if #parked == 0 then
    return ''
  end
  redis.call('LTRIM', keys.paused, #parked, -1)
  redis.call('RPUSH', keys.wait, unpack(parked))
  wakeWorkers(keys, meta)
  return 'moved to wait'
end

local function mendLegacyKey()
  local known = subject == 'priority' or subject == 'delay'
  if not known or kindOf(prefix, subject) == 'job' then
    return ''
  end
  return redis.call('DEL', prefix .. subject) == 1 and 'removed the key' or ''
end

local function mendParent()
  local parent = { key = prefix .. subject, id = subject, prefix = prefix, policy = {} }
  local trouble = unsoundParent(parent, 'failed')
  if trouble then
    return trouble
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.call('EXISTS', parent.key) == 0 or not inSet(keys.waitingChildren, subject) then
    return ''
  end
  local at = resolveNow(now)
  if other ~= '' then
    if redis.call('SISMEMBER', dependencies, other) == 0 then
      return ''
    end
    local childPrefix, childId = splitJobKey(other, prefix)
    local child = redis.pcall('HMGET', other, 'parentKey', 'returnvalue', 'timestamp')
    local gone = child.err or not child[3]
    if gone or child[1] ~= parent.key then
      redis.call('SREM', dependencies, other)
      releaseParentIfReady(parent, at)
      return 'waits no longer for it'
    elseif childPrefix and inSet(queueKeys(childPrefix).completed, childId) then
      tellParentCompleted(other, parent, at, child[2] or 'null')
      return 'was told of its end'
    end
    return ''
  end
  if redis.call('SCARD', dependencies) > 0 then
    return ''
  end
  releaseParentIfReady(parent, at)
  return 'released'
end

local function mendDeduplication()
  local key = prefix .. 'de:' .. subject
  local owner = redis.call('GET', key)
  if not owner or redis.call('PTTL', key) ~= -1 or redis.call('EXISTS', prefix .. owner) == 1 then
    return ''
  end
  if redis.call('EXISTS', prefix .. 'dn:' .. subject) == 1 then
    addKeptLast(meta, prefix, subject, resolveNow(now))
    return redis.call('EXISTS', prefix .. 'dn:' .. subject) == 0 and 'added the job that waited for it' or ''
  end
  redis.call('DEL', key)
  return 'freed'
end

local function mendSchedule()
  if redis.call('EXISTS', prefix .. 'repeat:' .. subject) == 1 then
    return ''
  end
  return redis.call('ZREM', keys.schedulers, subject) == 1 and 'removed the schedule' or ''
end

local trouble = unsoundPlaces(keys)
if trouble then
  return trouble
end
if fault == 'marker' then
  return mendMarker()
elseif fault == 'parked' then
  return mendParked()
elseif fault == 'legacy-key' then
  return mendLegacyKey()
elseif fault == 'parent' then
  return mendParent()
elseif fault == 'deduplication' then
  return mendDeduplication()
elseif fault == 'schedule' then
  return mendSchedule()
end
return ''
