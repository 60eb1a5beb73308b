-- addJobScheduler-9
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
local function slotAfter(now, every, offset)
  local slot = math.floor(now / every) * every + offset
  return slot <= now and slot + every or slot
end
local function nextEvery(schedule, previous, now)
  local every, offset = schedule.every, schedule.offset or 0
  local due
  if previous then
    due = previous + every
    if due < now then
      due = slotAfter(now, every, offset)
    end
  elseif schedule.startDate then
    due = math.max(schedule.startDate, now)
  elseif offset > 0 then
    due = slotAfter(now, every, offset)
  else
    due = now
  end
  return due, offset > 0 and offset or due % every
end
local function runId(schedulerId, due)
  return string.format('repeat:%s:%.0f', schedulerId, due)
end
local function runOptions(run)
  local parts = {}
  local function add(format, ...)
    parts[#parts + 1] = string.format(format, ...)
  end
  local repeated = run.repeatHead .. string.format(',"count":%d', run.count)
  if run.offset and run.offset > 0 then
    repeated = repeated .. string.format(',"offset":%.0f', run.offset)
  end
  if run.head ~= '' then
    parts[1] = run.head
  end
  add('"repeat":{%s}', repeated)
  add('"jobId":"repeat:%s:%.0f"', run.jsonId, run.due)
  add('"delay":%.0f', math.max(0, run.due - run.now))
  add('"timestamp":%.0f', run.now)
  add('"repeatJobKey":"%s"', run.jsonId)
  if run.previous then
    add('"prevMillis":%.0f', run.due)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end
local function addRun(queue, meta, prefix, run)
  redis.call('INCR', queue.id)
  local id = runId(run.schedulerId, run.due)
  local delay = math.max(0, run.due - run.now)
  local job = {
    name = run.name, data = run.data, opts = runOptions(run), timestamp = run.now, delay = delay,
    priority = run.priority, schedulerId = run.schedulerId,
  }
  storeJob(queue, prefix, id, job)
  placeJob(queue, meta, id, job)
  return id, delay
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
local function releaseOwnedDeduplication(prefix, id, deduplicationId)
  if not deduplicationId then
    return
  end
  local key = prefix .. 'de:' .. deduplicationId
  if redis.pcall('GET', key) == id then
    redis.call('DEL', key, prefix .. 'dn:' .. deduplicationId)
  end
end

local queue = {
  schedulers = KEYS[1], -- set `repeat`
  record = KEYS[2], -- hash of the scheduler
  delayed = KEYS[3], -- set by due time
  wait = KEYS[4], -- list
  paused = KEYS[5], -- list, BullMQ 5 only
  prioritized = KEYS[6], -- set by priority and arrival
  meta = KEYS[7], -- hash
  events = KEYS[8], -- stream
  marker = KEYS[9], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local schedulerId = ARGV[3] -- string
local nextDue = ARGV[4] -- ms
local schedule = cmsgpack.unpack(ARGV[5]) -- pack {
--   name: string; tz?: string; limit?: number; pattern?: string; every?: number; startDate?: number;
--   endDate?: number; offset?: number; opts?: string; data?: string | Uint8Array
-- }
local template = cmsgpack.unpack(ARGV[6]) -- pack { head: string; repeatHead: string; jsonId: string; data: string | Uint8Array; priority?: number }
-- end of declarations

local at = resolveNow(now)
local keys = queueKeys(prefix)
queue.id, queue.pc, queue.active = keys.id, keys.pc, keys.active

--- Where the run made ahead can still be taken back from.
local function holderOf(id)
  if redis.call('ZSCORE', queue.delayed, id) then
    return queue.delayed
  elseif redis.call('ZSCORE', queue.prioritized, id) then
    return queue.prioritized
  elseif redis.call('LPOS', queue.wait, id) then
    return queue.wait
  elseif redis.call('LPOS', queue.paused, id) then
    return queue.paused
  end
  return nil
end

local previous = tonumber(redis.call('ZSCORE', queue.schedulers, schedulerId))
local stored = redis.call('HMGET', queue.record, 'every', 'ic')
local sameEvery = schedule.every and tonumber(stored[1]) == schedule.every
local oldId = previous and runId(schedulerId, previous)
local holder = oldId and holderOf(oldId)
local due, offset = tonumber(nextDue), schedule.offset or 0
if schedule.every then
  due, offset = nextEvery(schedule, sameEvery and previous or nil, at)
  if holder and sameEvery then
    due, offset = previous, schedule.offset or previous % schedule.every
  end
end

local function isTaken(moment)
  local id = runId(schedulerId, moment)
  return redis.call('EXISTS', prefix .. id) == 1 and not (holder and id == oldId)
end

if isTaken(due) then
  if not schedule.every then
    return -10
  end
  local tries = 0
  while isTaken(due) do
    if tries == 32 then
      return -11
    end
    due, tries = due + schedule.every, tries + 1
  end
end

local trouble = unsoundPlaces(queue) or uncountable(queue.id)
if trouble then
  return trouble
end
local meta = readMeta(queue)
if holder then
  if holder == queue.wait or holder == queue.paused then
    redis.call('LREM', holder, 1, oldId)
  else
    redis.call('ZREM', holder, oldId)
  end
  local old = readStored(prefix, oldId)
  dropJob(prefix, oldId)
  releaseOwnedDeduplication(prefix, oldId, old and old.deduplicationId)
end

redis.call('ZADD', queue.schedulers, due, schedulerId)
redis.call('DEL', queue.record)
local fields = { 'name', schedule.name, 'ic', tonumber(stored[2]) or 1, 'offset', offset }
for _, field in ipairs({ 'tz', 'limit', 'pattern', 'every', 'startDate', 'endDate', 'opts', 'data' }) do
  if schedule[field] then
    fields[#fields + 1] = field
    fields[#fields + 1] = schedule[field]
  end
end
redis.call('HSET', queue.record, unpack(fields))
local id, delay = addRun(queue, meta, prefix, {
  schedulerId = schedulerId, due = due, now = at, name = schedule.name, data = template.data,
  priority = template.priority, head = template.head, repeatHead = template.repeatHead, jsonId = template.jsonId,
  count = 1, offset = schedule.offset, previous = not schedule.every,
})
return { id, delay, due }
