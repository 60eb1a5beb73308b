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
local function writeProgress(queue, meta, job, note)
  redis.call('HSET', job, 'progress', note.progress)
  emitTrimmed(queue, meta, 'progress', 'jobId', note.id, 'data', note.progress)
end
local function appendLogs(job, rows, keep)
  local logs = logsKey(job)
  local length = redis.call('LLEN', logs)
  for first = 1, #rows, 1000 do
    length = redis.call('RPUSH', logs, unpack(rows, first, math.min(first + 999, #rows)))
  end
  if keep > 0 and length > keep then
    redis.call('LTRIM', logs, -keep, -1)
    length = keep
  end
  return length
end
local function writeNotes(queue, meta, job, notes)
  if notes.progress then
    writeProgress(queue, meta, job, notes)
  end
  if notes.logs and #notes.logs > 0 then
    appendLogs(job, notes.logs, notes.keep)
  end
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
local ending = ARGV[6] and ARGV[6] ~= '' and cmsgpack.unpack(ARGV[6]) or {} -- pack {
--   progress?: string | Uint8Array | undefined; logs?: readonly string[] | undefined;
--   receipt?: { key: string; field: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined
-- }
-- end of declarations

local replay = replayedEnd(queue, prefix, ending.receipt)
if replay then
  return replay
end
local stored = readStored(queue.job)
if not stored then
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
local meta = readMeta(keys)
writeNotes(keys, meta, queue.job, {
  id = jobId, progress = ending.progress, logs = ending.logs, keep = ending.logs and keptLogs(stored),
})
wakeForFreedSlot(keys, meta)
if ending.receipt then
  writeReceipt(ending.receipt, 'waiting-children', stored.attemptsMade, 0)
  return { 0, 0, 0, 0, 'waiting-children', stored.attemptsMade, 0 }
end
return 0
