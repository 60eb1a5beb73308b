-- retryJob-11
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
  REQUEST_ID_REUSED = -23,
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
local function keptLogs(stored)
  return math.floor(finite(optionsOf(stored)[OPTION.keepLogs], 0))
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
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, 1000)
  if #due == 0 then
    return 0
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = jobKey(prefix, id)
    local priority = redis.pcall('HGET', job, 'priority')
    if type(priority) == 'table' then
      enqueue(queue, meta, id, { priority = 0 })
    else
      enqueue(queue, meta, id, { priority = finite(priority, 0) })
      if priority then
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
local function deleteJobKeys(job)
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
local DEFAULT_MAX_BACKOFF_MS = 86400000
local function spread(delay, jitter, rand)
  if jitter <= 0 then
    return delay
  end
  return math.floor(rand * delay * jitter + delay * (1 - jitter))
end
local function backoffDelay(backoff, n, rand)
  local base = finite(backoff.delay, 0)
  local jitter = finite(backoff.jitter, 0)
  if type(backoff.steps) == 'table' then
    return spread(finite(backoff.steps[math.min(n, #backoff.steps)], 0), jitter, rand)
  elseif backoff.type == 'fixed' then
    return spread(base, jitter, rand)
  elseif backoff.type == 'exponential' then
    local factor = finite(backoff.factor, 2)
    return spread(math.floor(factor ^ (n - 1) * base + 0.5), jitter, rand)
  end
  return nil
end
local function decideRetry(stored, retry)
  local options = optionsOf(stored)
  local made = stored.attemptsMade + 1
  if retry.mode == 'NEVER' or made >= finite(options.attempts, 0) then
    return { again = false }
  end
  local cap = retry.maxDelay or DEFAULT_MAX_BACKOFF_MS
  if retry.delay then
    return { again = true, delay = math.min(retry.delay, cap) }
  end
  local backoff = options.backoff
  if type(backoff) == 'number' then
    backoff = { type = 'fixed', delay = backoff }
  elseif type(backoff) ~= 'table' then
    return { again = true, delay = 0 }
  end
  local named = retry.backoffs and retry.backoffs[backoff.type]
  local delay = backoffDelay(named or backoff, made, retry.rand or 0)
  if not delay then
    return { again = false, problem = 'unknown backoff ' .. tostring(backoff.type) }
  end
  local limit = named and math.min(named.max or cap, cap) or cap
  return { again = true, delay = math.max(0, math.min(delay, limit)) }
end
local function appendStack(job, stack, limit)
  local ok, stacks = pcall(cjson.decode, redis.call('HGET', job, 'stacktrace') or '[]')
  if not ok or type(stacks) ~= 'table' then
    stacks = {}
  end
  stacks[#stacks + 1] = stack
  local kept = {}
  for i = math.max(1, #stacks - limit + 1), #stacks do
    kept[#kept + 1] = stacks[i]
  end
  redis.call('HSET', job, 'stacktrace', #kept == 0 and '[]' or cjson.encode(kept))
end
local function requeueFailed(queue, meta, stored, failed)
  local delay = failed.delay
  redis.call('HSET', failed.job, FIELD.attemptsMade, stored.attemptsMade + 1, 'failedReason', failed.reason)
  if delay > 0 then
    redis.call('HSET', failed.job, 'delay', delay)
    delayUntil(queue, meta, failed.id, failed.now + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  local toFront = stored.priority == 0 and optionsOf(stored).lifo == true
  enqueue(queue, meta, failed.id, { priority = stored.priority, toFront = toFront })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', failed.id, 'prev', 'active')
  return stored.priority > 0 and 'prioritized' or 'waiting'
end
local RECEIPT_FORMAT = 1
local function readReceipt(text)
  if not text then
    return nil
  end
  local ok, receipt = pcall(cjson.decode, text)
  if not ok or type(receipt) ~= 'table' or receipt[1] ~= RECEIPT_FORMAT then
    return { 0, '', 0 }
  end
  return receipt
end
local function findReceipt(receipt)
  if not receipt then
    return nil
  end
  local found = redis.call('HMGET', receipt.key, receipt.field, 'body')
  local known = readReceipt(found[1])
  if (known and known[2] ~= receipt.digest) or (receipt.whole and found[2] and found[2] ~= receipt.digest) then
    return REJECT.REQUEST_ID_REUSED
  end
  return known
end
local function writeReceipt(receipt, ...)
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  redis.call('HSET', receipt.key, receipt.field, cjson.encode({ RECEIPT_FORMAT, receipt.digest, 0, ... }))
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  redis.call('PEXPIRE', receipt.key, receipt.ttl)
end
local function replayed(receipt)
  local known = findReceipt(receipt)
  if type(known) == 'table' then
    return { 1, known[4] }
  end
  return known
end
local function remembered(receipt, answer)
  if receipt then
    writeReceipt(receipt, answer)
  end
  return answer
end
local RUN_FIELDS = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', FIELD.attemptsMade,
  FIELD.attemptsStarted, FIELD.stalledCount, 'parentKey', 'parent', FIELD.schedulerId, FIELD.deferredFailure,
  FIELD.deduplicationId, 'progress' }
local function flatJob(activation, values)
  local reply = { 'processedOn', activation[1] }
  if activation[2] then
    reply[3], reply[4] = FIELD.processedBy, activation[2]
  end
  for i, field in ipairs(RUN_FIELDS) do
    if values[i] then
      reply[#reply + 1] = field
      reply[#reply + 1] = tostring(values[i])
    end
  end
  return reply
end
local function heldJob(queue, lease)
  local job = jobKey(lease.prefix, lease.id)
  if redis.call('GET', lockKey(job)) ~= lease.token then
    return nil
  end
  local values = redis.call('HMGET', job, unpack(RUN_FIELDS))
  local activation = redis.call('HMGET', job, 'processedOn', FIELD.processedBy)
  if not activation[1] then
    return nil
  end
  redis.call('PEXPIRE', lockKey(job), lease.lockDuration)
  redis.call('SREM', queue.stalled, lease.id)
  return flatJob(activation, values)
end
local function replayedEnd(queue, prefix, receipt, lockDuration)
  local known = findReceipt(receipt)
  if type(known) ~= 'table' then
    return known
  end
  local reply = { 0, 0, 0, 0, known[4], known[5], known[6], known[3], '' }
  local id, token = known[7], known[8]
  local lease = { prefix = prefix, id = id, token = token, lockDuration = lockDuration or 30000 }
  local flat = id and heldJob(queue, lease)
  if flat then
    known[3] = known[3] + 1
    redis.call('HSET', receipt.key, receipt.field, cjson.encode(known))
    redis.call('PEXPIRE', receipt.key, receipt.ttl)
    reply[1], reply[2], reply[8], reply[9] = flat, id, known[3], token
  end
  return reply
end
local function answeredAgain(guard)
  local known = readReceipt(redis.call('HGET', guard.key, guard.field))
  return known ~= nil and known[3] ~= guard.replays
end

local queue = {
  active = KEYS[1], -- list
  wait = KEYS[2], -- list
  paused = KEYS[3], -- list, BullMQ 5 only
  job = KEYS[4], -- hash of the job
  meta = KEYS[5], -- hash
  events = KEYS[6], -- stream
  delayed = KEYS[7], -- set by due time
  prioritized = KEYS[8], -- set by priority and arrival
  pc = KEYS[9], -- counter of arrivals
  marker = KEYS[10], -- set that wakes a blocked fetch
  stalled = KEYS[11], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local jobId = ARGV[3] -- string
local token = ARGV[4] -- string
local reason = ARGV[5] -- text
local fields = ARGV[6] ~= '' and cmsgpack.unpack(ARGV[6]) or {} -- pack readonly (string | number | Uint8Array)[]
local more = ARGV[7] and ARGV[7] ~= '' and cmsgpack.unpack(ARGV[7]) or {} -- pack { receipt?: { key: string; field: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
-- end of declarations

local replay = replayedEnd(queue, prefix, more.receipt)
if replay then
  return replay
end
local stored = readStored(queue.job)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if #fields % 2 == 1 then
  return redis.error_reply('ERR fields: a name without a value')
end
local rejection = lockRejection(queue.job, token) or leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local meta = readMeta(queue)
local at = resolveNow(now)
if #fields > 0 then
  redis.call('HSET', queue.job, unpack(fields))
end
promoteDue(queue, meta, prefix, at)
local location = requeueFailed(queue, meta, stored, {
  id = jobId, job = queue.job, now = at, delay = 0, reason = reason,
})
if more.receipt then
  writeReceipt(more.receipt, location, stored.attemptsMade + 1, 0)
  return { 0, 0, 0, 0, location, stored.attemptsMade + 1, 0 }
end
return location
