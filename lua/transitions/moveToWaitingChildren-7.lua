--- Parks an active parent until its pending children have ended. One that is to be cancelled fails for good instead.
-- @include reject gate time lock storedJob finish events notes receipt endReceipt
-- @rejects JOB_NOT_FOUND JOB_HAS_FAILED_CHILDREN LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @returns 0 when parked, 1 when no child is pending and the job stays active; parked with a receipt { 0, 0, 0, 0, branch, attempts made, 0 }, by an earlier call with { how often it was answered again, '' } behind; cancelled { 0, 0, 0, 0, 'failed', attempts made, 0 }

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
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; slot?: boolean; fresh?: boolean; said?: boolean; acked?: readonly string[] } | undefined;
--   maxMetricsSize?: number | undefined
-- }
-- end of declarations

local replay = replayedEnd(queue, prefix, ending.receipt)
if replay then
  return replay
end
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(queue.job, token)
if rejection then
  return rejection
end
if not stored.cancelled then
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
end
local keys = queueKeys(prefix)
local meta = readMeta(keys)
rejection = unsoundHold(keys, stored, {
  prefix = prefix, job = queue.job, logs = ending.logs, set = queue.waitingChildren,
}) or leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local at = resolveNow(now)
if not stored.cancelled then
  redis.call('ZADD', queue.waitingChildren, at, jobId)
  emit(queue, 'waiting-children', 'jobId', jobId, 'prev', 'active')
end
writeNotes(keys, meta, queue.job, {
  id = jobId, progress = ending.progress, logs = ending.logs, keep = ending.logs and keptLogs(stored),
})
if stored.marked then
  redis.call('HDEL', queue.job, FIELD.unbegun)
end
local outcome, attemptsMade = 'waiting-children', stored.attemptsMade
if stored.cancelled then
  outcome, attemptsMade = 'failed', attemptsMade + 1
  failCancelled(keys, meta, stored, { prefix = prefix, id = jobId, now = at, maxMetricsSize = ending.maxMetricsSize })
end
wakeForFreedSlot(keys, meta)
if ending.receipt then
  writeReceipt(ending.receipt, outcome, attemptsMade, 0)
end
if ending.receipt or stored.cancelled then
  return { 0, 0, 0, 0, outcome, attemptsMade, 0 }
end
return 0
