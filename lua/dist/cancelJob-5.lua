-- cancelJob-5
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
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
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
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
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = prefix .. id
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
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
local function failParent(child, parent, now)
  redis.call('ZADD', parent.key .. ':unsuccessful', now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  local waited = redis.call('ZREM', queue.waitingChildren, parent.id) == 1
  local delayed = not waited and redis.call('ZREM', queue.delayed, parent.id) == 1
  if not (waited or delayed) and redis.call('ZSCORE', queue.failed, parent.id) then
    return
  end
  redis.call('HSET', parent.key, 'defa', 'child ' .. child .. ' failed')
  if delayed then
    redis.call('HSET', parent.key, 'delay', 0)
  end
  if waited or delayed then
    moveParentOn(parent, now)
  end
end
local function isSet(flag)
  return flag and flag ~= cjson.null
end
local function tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = isSet(policy['fpof']), isSet(policy['cpof'])
  local ignore, remove = isSet(policy['idof']), isSet(policy['rdof'])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', parent.key .. ':dependencies', child) == 0 then
    return
  end
  if fail then
    failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', parent.key .. ':failed', child, reason)
    releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', parent.key .. ':failed', child, reason)
    end
    releaseParentIfReady(parent, now)
  end
end
local function detachFromParent(child, stored)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.pcall('SISMEMBER', dependencies, child) ~= 1 or unsoundParent(parent) then
    return
  end
  redis.call('SREM', dependencies, child)
  if redis.call('SCARD', dependencies) > 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  if redis.call('ZREM', queue.waitingChildren, parent.id) == 1 then
    local meta = readMeta(queue)
    redis.call('RPUSH', waitingList(queue, meta), parent.id)
    wakeWorkers(queue, meta)
    emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
  end
end
local function dropJob(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  deleteJobKeys(prefix, id)
end
local function releaseDeduplication(prefix, id, deduplicationId)
  local key = prefix .. 'de:' .. deduplicationId
  local ttl = redis.call('PTTL', key)
  if ttl == 0 or (ttl == -1 and redis.pcall('GET', key) == id) then
    redis.call('DEL', key)
  end
end
local function wholeNumber(value)
  local number = finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end
local function keepFromOption(option)
  if option == true then
    return { count = 0 }
  elseif type(option) == 'number' then
    return { count = wholeNumber(option) or -1 }
  elseif type(option) == 'table' then
    return { count = wholeNumber(option.count), age = finite(option.age), limit = wholeNumber(option.limit) }
  end
  return { count = -1 }
end
local function keepOf(stored, target, default)
  local name = target == 'completed' and 'removeOnComplete' or 'removeOnFail'
  if stored.optsText and string.find(stored.optsText, name, 1, true) then
    local option = optionsOf(stored)[name]
    if option ~= nil then
      return keepFromOption(option)
    end
  end
  return default or { count = -1 }
end
local function dropAll(prefix, set, ids)
  for _, id in ipairs(ids) do
    dropJob(prefix, id)
  end
  if #ids > 0 then
    redis.call('ZREM', set, unpack(ids))
  end
end
local function trimFinished(prefix, set, keep, now)
  if keep.age then
    local limit = math.max(0, math.min(keep.limit or 1000, 1000))
    dropAll(prefix, set, redis.call('ZREVRANGEBYSCORE', set, now - keep.age * 1000, '-inf', 'LIMIT', 0, limit))
  end
  if keep.count and keep.count > 0 then
    dropAll(prefix, set, redis.call('ZREVRANGE', set, keep.count, keep.count + 999))
  end
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
local function countFinished(metrics, maxPoints, now)
  local data = metrics .. ':data'
  local count = redis.pcall('HINCRBY', metrics, 'count', 1)
  if type(count) == 'table' then
    return
  end
  count = count - 1
  local previous = redis.call('HMGET', metrics, 'prevTS', 'prevCount')
  local since = finite(previous[1])
  if not since then
    redis.call('HSET', metrics, 'prevTS', now, 'prevCount', 0)
    return
  end
  local minutes = math.floor(now / 60000) - math.floor(since / 60000)
  local points = math.min(minutes, maxPoints)
  if points <= 0 or type(redis.pcall('LPUSH', data, count - finite(previous[2], 0))) == 'table' then
    return
  end
  for _ = 2, points do
    redis.call('LPUSH', data, 0)
  end
  redis.call('LTRIM', data, 0, maxPoints - 1)
  redis.call('HSET', metrics, 'prevCount', count, 'prevTS', now)
end
local function countDropped(prefix, reason)
  redis.pcall('HINCRBY', prefix .. 'meta:counters:1', reason, 1)
end
local function settleFinished(queue)
  local gathered = queue.gathered
  for set, members in pairs(gathered and gathered.finished or {}) do
    redis.call('ZADD', set, unpack(members))
    gathered.finished[set] = nil
  end
end
local function addFinished(queue, set, id, now)
  local gathered = queue.gathered
  if not gathered then
    redis.call('ZADD', set, now, id)
    return
  end
  local members = gathered.finished[set] or {}
  members[#members + 1], members[#members + 2] = now, id
  gathered.finished[set] = members
end
local function recordFinished(queue, meta, finished)
  local failed = finished.target == 'failed'
  local job, now = finished.job, finished.now
  local parent = parentOf(finished.stored)
  local deduplicationId = finished.stored.deduplicationId
  if deduplicationId then
    releaseDeduplication(finished.prefix, finished.id, deduplicationId)
    addKeptLast(meta, finished.prefix, deduplicationId, now)
  end
  if parent and failed then
    tellParentFailed(job, parent, now, finished.value)
  elseif parent then
    tellParentCompleted(job, parent, now, finished.value)
  end
  local attemptsMade = finished.stored.attemptsMade + (finished.prev and 0 or 1)
  if finished.keep.count == 0 then
    detachFromParent(job, finished.stored)
    deleteJobKeys(finished.prefix, finished.id)
  else
    redis.call('HSET', job, 'atm', attemptsMade, finished.valueField, finished.value, 'finishedOn', now)
    if failed then
      redis.call('HDEL', job, 'defa')
    end
    addFinished(queue, finished.set, finished.id, now)
    if finished.keep.age or (finished.keep.count or 0) > 0 then
      settleFinished(queue)
      trimFinished(finished.prefix, finished.set, finished.keep, now)
    end
  end
  emit(queue, finished.target, 'jobId', finished.id, finished.valueField, finished.value,
    'prev', finished.prev or 'active')
  if failed and not finished.prev and attemptsMade >= finished.attempts then
    emit(queue, 'retries-exhausted', 'jobId', finished.id, 'attemptsMade', attemptsMade)
  end
  if finished.maxMetricsSize and finished.maxMetricsSize > 0 then
    countFinished(finished.metrics, finished.maxMetricsSize, now)
  end
  return attemptsMade
end
local function unsoundEnd(set, stored, target)
  local parent = parentOf(stored)
  return unsound({ 'ZCARD', set }) or (parent and unsoundParent(parent, target)) or nil
end
local function failForGood(queue, meta, stored, fate)
  local keys = queueKeys(fate.prefix)
  local options = optionsOf(stored)
  local parent = parentOf(stored)
  if parent and unsoundParent(parent, 'failed') then
    countDropped(fate.prefix, 'parentNotTold')
    stored.parent = false
  end
  trimEvents(queue, meta)
  recordFinished(queue, meta, {
    prefix = fate.prefix,
    id = fate.id,
    job = fate.prefix .. fate.id,
    stored = stored,
    now = fate.now,
    target = 'failed',
    valueField = 'failedReason',
    value = fate.reason,
    set = keys.failed,
    keep = keepOf(stored, 'failed', fate.defaultKeep),
    attempts = finite(options.attempts, 0),
    metrics = keys.failedMetrics,
    maxMetricsSize = fate.maxMetricsSize,
    prev = fate.prev,
  })
end
local function failCancelled(queue, meta, stored, fate)
  redis.call('DEL', fate.prefix .. 'meta:cancel:' .. fate.id)
  redis.call('HDEL', fate.prefix .. fate.id, 'echomq.cancel')
  fate.reason = 'cancelled'
  failForGood(queue, meta, stored, fate)
end
local function setsOf(queue)
  return {
    { 'completed', queue.completed }, { 'waiting-children', queue.waitingChildren }, { 'delayed', queue.delayed },
    { 'failed', queue.failed }, { 'prioritized', queue.prioritized },
  }
end
local function listsOf(queue)
  return { { 'wait', queue.wait }, { 'paused', queue.paused }, { 'active', queue.active } }
end
local function takeOut(queue, id)
  for _, set in ipairs(setsOf(queue)) do
    if redis.call('ZREM', set[2], id) == 1 then
      return set[1]
    end
  end
  for _, list in ipairs(listsOf(queue)) do
    if redis.call('LREM', list[2], 0, id) > 0 then
      return list[1]
    end
  end
  return 'unknown'
end

local queue = {
  job = KEYS[1], -- hash of the job
  active = KEYS[2], -- list
  completed = KEYS[3], -- set of finished jobs
  failed = KEYS[4], -- set of failed jobs
  cancel = KEYS[5], -- string that says that somebody asked
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local jobId = ARGV[3] -- string
local force = ARGV[4] -- flag
local ttl = tonumber(ARGV[5]) -- int
local maxMetricsSize = tonumber(ARGV[6]) -- int
-- end of declarations

local stored = readStored(prefix, jobId)
if not stored then
  return -1
end
if redis.call('ZSCORE', queue.completed, jobId) or redis.call('ZSCORE', queue.failed, jobId) then
  return -3
end

--- Tells those who renew locks. Whoever does not hear it, or may not be told, learns it with the next renewal.
local function tellHolder()
  redis.pcall('PUBLISH', prefix .. 'meta:cancel', jobId)
end

local runs = redis.call('LPOS', queue.active, jobId)
local token = runs and redis.call('GET', queue.job .. ':lock') or ''
if runs and force ~= '1' then
  redis.call('SET', queue.cancel, '1', 'PX', ttl)
  redis.call('HSET', queue.job, 'echomq.cancel', stored.processedOn or '')
  tellHolder()
  return { 'asked', 'active', token }
end
local keys = queueKeys(prefix)
local trouble = unsoundPlaces(keys) or unsound({ 'SCARD', keys.stalled }) or unsoundEnd(queue.failed, stored, 'failed')
if trouble then
  return trouble
end
-- Where it stands in no location this writes nothing.
local location = takeOut(keys, jobId)
if location == 'unknown' then
  return -3
end

redis.call('DEL', queue.job .. ':lock')
redis.call('SREM', keys.stalled, jobId)
local meta = readMeta(keys)
failCancelled(keys, meta, stored, {
  prefix = prefix, id = jobId, now = resolveNow(now), maxMetricsSize = maxMetricsSize,
  prev = not runs and ((location == 'wait' or location == 'paused') and 'waiting' or location) or nil,
})
if runs then
  wakeForFreedSlot(keys, meta)
  tellHolder()
end
return { 'failed', location, token }
