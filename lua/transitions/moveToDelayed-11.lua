--- Moves an active job to `delayed`, counting an attempt or not, and fetches the next job in the same step. One that is
--- to be cancelled fails for good instead.
-- @include reject gate time lock storedJob finish notes nextJob receipt endReceipt
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @returns { flat fields or 0, id or 0, rate limited for ms, next due ms, 'delayed' | 'failed', attempts made, delay ms }; the answer of a receipt goes on with { how often it was answered again, token of the next job or '' }

local queue = {
  marker = KEYS[1], -- set that wakes a blocked fetch
  active = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  delayed = KEYS[4], -- set by due time
  job = KEYS[5], -- hash of the job
  events = KEYS[6], -- stream
  meta = KEYS[7], -- hash
  stalled = KEYS[8], -- set of the stalled check
  wait = KEYS[9], -- list
  limiter = KEYS[10], -- counter of the rate limit
  pc = KEYS[11], -- counter of arrivals
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local jobId = ARGV[3] -- string
local token = ARGV[4] -- string
local delay = tonumber(ARGV[5]) -- int
local dueAt = ARGV[6] -- ms
local skipAttempt = ARGV[7] -- flag
local fetchNextJob = ARGV[8] -- flag
local worker = cmsgpack.unpack(ARGV[9]) -- pack {
--   token?: string; lockDuration?: number; name?: string; buffered?: boolean; limiter?: { max: number; duration: number };
--   maxMetricsSize?: number
-- }
local ending = ARGV[10] and ARGV[10] ~= '' and cmsgpack.unpack(ARGV[10]) or {} -- pack {
--   progress?: string | Uint8Array | undefined; logs?: readonly string[] | undefined;
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; slot?: boolean; fresh?: boolean; said?: boolean; acked?: readonly string[] } | undefined
-- }
-- end of declarations

local replay = replayedEnd(queue, prefix, ending.receipt, worker.lockDuration)
if replay then
  return replay
end
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local meta = readMeta(queue)
local rejection = lockRejection(queue.job, token)
  or unsoundHold(queue, stored, { prefix = prefix, job = queue.job, logs = ending.logs, set = queue.delayed })
  or leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local at = resolveNow(now)
if dueAt ~= '' then
  delay = math.max(0, tonumber(dueAt) - at)
end
writeNotes(queue, meta, queue.job, {
  id = jobId, progress = ending.progress, logs = ending.logs, keep = ending.logs and keptLogs(stored),
})
local outcome, attemptsMade = 'delayed', stored.attemptsMade
if stored.marked then
  redis.call('HDEL', queue.job, FIELD.unbegun)
end
if stored.cancelled or skipAttempt ~= '1' then
  attemptsMade = attemptsMade + 1
end
if stored.cancelled then
  outcome, delay = 'failed', 0
  failCancelled(queue, meta, stored, { prefix = prefix, id = jobId, now = at, maxMetricsSize = worker.maxMetricsSize })
else
  redis.call('HSET', queue.job, 'delay', delay)
  if skipAttempt ~= '1' then
    redis.call('HSET', queue.job, FIELD.attemptsMade, attemptsMade)
  end
  delayUntil(queue, meta, jobId, at + delay)
end

local next = { 0, 0, 0, 0 }
if fetchNextJob == '1' then
  worker.prefix, worker.now = prefix, at
  worker.token = worker.token or token
  worker.lockDuration = worker.lockDuration or 30000
  next = fetchAfterEnd(queue, meta, worker)
else
  wakeForFreedSlot(queue, meta)
end
if next[2] == 0 then
  wakeAtNextDue(queue)
end
if ending.receipt then
  local nextToken = next[2] ~= 0 and worker.token or nil
  writeReceipt(ending.receipt, outcome, attemptsMade, delay, nextToken and next[2], nextToken)
end
next[5], next[6], next[7] = outcome, attemptsMade, delay
return flattened(next)
