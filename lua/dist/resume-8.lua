-- resume-8
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = tonumber(meta[2]),
    max = tonumber(meta[3]),
    duration = tonumber(meta[4]),
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
    setMarker(queue, 0, '0')
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
local function isEmpty(queue)
  return redis.pcall('LLEN', queue.wait) == 0 and redis.pcall('LLEN', queue.active) == 0
    and redis.pcall('ZCARD', queue.prioritized) == 0
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
local function trimEvents(queue, meta)
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
local function jobKey(prefix, id)
  return prefix .. id
end
local function prefixOf(job, id)
  return string.sub(job, 1, -#id - 1)
end
local function idOf(job, prefix)
  return string.sub(job, #prefix + 1)
end
local function lockKey(job)
  return job .. ':lock'
end
local function logsKey(job)
  return job .. ':logs'
end
local function dependenciesKey(job)
  return job .. ':dependencies'
end
local function processedKey(job)
  return job .. ':processed'
end
local function ignoredFailuresKey(job)
  return job .. ':failed'
end
local function failedChildrenKey(job)
  return job .. ':unsuccessful'
end
local function deduplicationKey(prefix, deduplicationId)
  return prefix .. 'de:' .. deduplicationId
end
local function keptLastKey(prefix, deduplicationId)
  return prefix .. 'dn:' .. deduplicationId
end
local function schedulerKey(prefix, schedulerId)
  return prefix .. 'repeat:' .. schedulerId
end
local function countersKey(prefix)
  return prefix .. 'meta:counters:1'
end
local function cancelKey(prefix, id)
  return prefix .. 'meta:cancel:' .. id
end
local function cancelChannel(prefix)
  return prefix .. 'meta:cancel'
end
local function workerKey(prefix, session)
  return prefix .. 'meta:workers:' .. session
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
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
  cancel = 'echomq.cancel',
  unbegun = 'echomq.unbegun',
}
local POLICY = {
  failParent = 'fpof',
  continueParent = 'cpof',
  ignoreDependency = 'idof',
  removeDependency = 'rdof',
}
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local OPTION = {
  keepLogs = 'kl',
}
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
local function unsoundPlace(queue, meta, job)
  local asked = { 'XLEN', queue.events, 'LLEN', queue.wait }
  if (job.delay or 0) > 0 or job.dueAt then
    asked[3], asked[4] = 'ZCARD', queue.delayed
  elseif (job.priority or 0) > 0 then
    asked[3], asked[4] = 'ZCARD', queue.prioritized
  elseif meta.paused then
    asked[5], asked[6] = 'LLEN', parkedKey(queue.meta)
  end
  if meta.concurrency and queue.active then
    asked[#asked + 1] = 'LLEN'
    asked[#asked + 1] = queue.active
  end
  return unsound(asked) or ((job.priority or 0) > 0 and queue.pc and uncountable(queue.pc)) or nil
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
local function isLifo(opts)
  if not opts or not string.find(opts, '"lifo"', 1, true) then
    return false
  end
  local ok, options = pcall(cjson.decode, opts)
  return ok and type(options) == 'table' and options.lifo == true
end
local MAX_PROMOTED = 1000
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, MAX_PROMOTED)
  if #due == 0 then
    return 0
  end
  local trouble = unsoundPlaces(queue)
  if trouble then
    return 0, trouble
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = jobKey(prefix, id)
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
  add(FIELD.schedulerId, job.schedulerId)
  add(FIELD.deduplicationId, job.deduplication and job.deduplication.id)
  redis.call('HSET', jobKey(prefix, id), unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = jobKey(prefix, id)
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, logsKey(job), dependenciesKey(job), processedKey(job), ignoredFailuresKey(job),
    failedChildrenKey(job))
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
