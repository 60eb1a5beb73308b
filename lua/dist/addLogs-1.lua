-- addLogs-1
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
local function lockRejection(job, token)
  local owner = redis.pcall('GET', lockKey(job))
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end
local function leaveActive(queue, id, job)
  local marked = redis.call('SREM', queue.stalled, id)
  local left = redis.pcall('LREM', queue.active, 1, id)
  if left == 1 then
    redis.call('DEL', lockKey(job))
    return nil
  end
  if marked == 1 then
    redis.call('SADD', queue.stalled, id)
  end
  return type(left) == 'table' and left or REJECT.JOB_NOT_IN_STATE
end
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and REJECT.JOB_NOT_FOUND or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return REJECT.JOB_NOT_FOUND
  end
  return lockRejection(job, token)
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
local function readReceipt(receipt)
  local text
  if receipt.field then
    text = redis.call('HGET', receipt.key, receipt.field)
  else
    text = redis.call('GET', receipt.key)
  end
  if not text then
    return nil
  end
  local ok, known = pcall(cjson.decode, text)
  if not ok or type(known) ~= 'table' or known[1] ~= RECEIPT_FORMAT then
    return { 0, '', 0 }
  end
  return known
end
local function storeReceipt(receipt, known)
  local text = cjson.encode(known)
  if not receipt.field then
    redis.call('SET', receipt.key, text, 'PX', receipt.ttl)
    return
  end
  redis.call('HSET', receipt.key, receipt.field, text)
  redis.call('PEXPIRE', receipt.key, receipt.ttl)
end
local function findReceipt(receipt)
  if not receipt then
    return nil
  end
  local known = readReceipt(receipt)
  local body = receipt.whole and redis.call('HGET', receipt.key, 'body')
  if (known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest) then
    return REJECT.REQUEST_ID_REUSED
  end
  return known
end
local function writeReceipt(receipt, ...)
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  storeReceipt(receipt, { RECEIPT_FORMAT, receipt.digest, 0, ... })
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

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local keep = tonumber(ARGV[2]) -- int
local rows = cmsgpack.unpack(ARGV[3]) -- pack readonly string[]
local more = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
local anyone = ARGV[5] -- flag
-- end of declarations

local replay = replayed(more.receipt)
if replay then
  return replay
end
local rejection = writeRejection(job, token, anyone)
if rejection then
  return rejection
end

return remembered(more.receipt, appendLogs(job, rows, keep))
