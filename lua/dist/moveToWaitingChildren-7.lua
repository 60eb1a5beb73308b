-- moveToWaitingChildren-7
local REJECT = {
  JOB_NOT_FOUND = -1,
  LOCK_LOST = -2,
  JOB_NOT_IN_STATE = -3,
  JOB_HAS_PENDING_CHILDREN = -4,
  PARENT_JOB_NOT_FOUND = -5,
  LOCK_NOT_OWNED = -6,
  PARENT_JOB_CANNOT_BE_REPLACED = -7,
  JOB_BELONGS_TO_SCHEDULER = -8,
  JOB_HAS_FAILED_CHILDREN = -9,
  SCHEDULER_JOB_ID_COLLISION = -10,
  SCHEDULER_JOB_SLOTS_BUSY = -11,
  QUEUE_NOT_PAUSED = -20,
  QUEUE_HAS_ACTIVE_JOBS = -21,
  JOB_LOCKED = -22,
}
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
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function jobKey(prefix, id)
  return prefix .. id
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
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
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
local function lockRejection(job, token)
  local owner = redis.call('GET', lockKey(job))
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end
local function leaveActive(queue, id, job)
  if redis.call('LREM', queue.active, 1, id) == 0 then
    return REJECT.JOB_NOT_IN_STATE
  end
  redis.call('DEL', lockKey(job))
  redis.call('SREM', queue.stalled, id)
  return nil
end
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
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
local function readStored(job)
  local values = redis.pcall('HMGET', job, 'timestamp', FIELD.attemptsMade, 'opts', 'priority', 'parent', 'parentKey',
    FIELD.deduplicationId, FIELD.stalledCount)
  if values.err or (not values[1] and redis.call('EXISTS', job) == 0) then
    return nil
  end
  return {
    attemptsMade = finite(values[2], 0),
    optsText = values[3],
    priority = finite(values[4], 0),
    parentText = values[5],
    parentKey = values[6],
    deduplicationId = values[7],
    stalledCount = finite(values[8], 0),
  }
end
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
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
  active = KEYS[1], -- list
  waitingChildren = KEYS[2], -- set
  job = KEYS[3], -- hash of the job
  dependencies = KEYS[4], -- set of pending children
  unsuccessful = KEYS[5], -- set of failed children
  stalled = KEYS[6], -- set of the stalled check
  events = KEYS[7], -- stream
}
local token = ARGV[1] -- string
local childKey = ARGV[2] -- string
local now = ARGV[3] -- ms
local jobId = ARGV[4] -- string
local prefix = ARGV[5] -- string
-- end of declarations

if not readStored(queue.job) then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(queue.job, token)
if rejection then
  return rejection
end
if redis.call('ZCARD', queue.unsuccessful) > 0 then
  return REJECT.JOB_HAS_FAILED_CHILDREN
end
local pending
if childKey ~= '' then
  pending = redis.call('SISMEMBER', queue.dependencies, childKey)
else
  pending = redis.call('SCARD', queue.dependencies)
end
if pending == 0 then
  return 1
end
rejection = leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

redis.call('ZADD', queue.waitingChildren, resolveNow(now), jobId)
emit(queue, 'waiting-children', 'jobId', jobId, 'prev', 'active')
local keys = queueKeys(prefix)
wakeForFreedSlot(keys, readMeta(keys))
return 0
