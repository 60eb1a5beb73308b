--- Gives an active job back unrun: to the front (it runs next) or the back, with no attempt counted.
--- One that is to be cancelled fails for good instead. A run that no worker has begun may come after its lock has
--- lapsed: it is no stall, and what a sweep has counted meanwhile is taken back, also where another run has begun since.
-- @include reject gate time lock storedJob places finish events notes receipt endReceipt
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @returns milliseconds for which the queue is rate limited, or 0; with a receipt { 0, 0, 0, 0, 'waiting' | 'prioritized', attempts made, 0 }, of a cancelled job { 0, 0, 0, 0, 'failed', attempts made, 0 }, of an earlier call with { how often it was answered again, '' } behind

local queue = {
  active = KEYS[1], -- list
  wait = KEYS[2], -- list
  stalled = KEYS[3], -- set of the stalled check
  paused = KEYS[4], -- list, BullMQ 5 only
  meta = KEYS[5], -- hash
  limiter = KEYS[6], -- counter of the rate limit
  prioritized = KEYS[7], -- set by priority and arrival
  marker = KEYS[8], -- set that wakes a blocked fetch
  events = KEYS[9], -- stream
}
local jobId = ARGV[1] -- string
local token = ARGV[2] -- string
local prefix = ARGV[3] -- string
local toBack = ARGV[4] -- flag
local limitMs = tonumber(ARGV[5]) -- int
local ending = ARGV[6] and ARGV[6] ~= '' and cmsgpack.unpack(ARGV[6]) or {} -- pack {
--   progress?: string | Uint8Array | undefined; logs?: readonly string[] | undefined;
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; slot?: boolean; fresh?: boolean; said?: boolean; acked?: readonly string[] } | undefined;
--   unlessReplayed?: { key: string; field?: string | undefined; replays: number; digest?: string | undefined } | undefined; maxMetricsSize?: number | undefined;
--   unbegunRun?: string | undefined; lapsesAt?: number | undefined
-- }
-- end of declarations

local job = jobKey(prefix, jobId)
local replay = replayedEnd(queue, prefix, ending.receipt)
if replay then
  return replay
end
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if ending.unlessReplayed and answeredAgain(ending.unlessReplayed) then
  return REJECT.LOCK_NOT_OWNED
end

--- A sweep has moved the run and has counted a stall, which is taken back once: then its name is gone, and where the
--- run is the job's last (a sweep of BullMQ names none) a mark says so.
local function takeStallBack(isLast)
  local counted = redis.call('HGET', job, FIELD.stalledRun) == ending.unbegunRun
  if not counted and not (isLast and not stored.unbegun) or stored.stalledCount < 1
    or redis.call('HEXISTS', job, 'finishedOn') == 1 then
    return false
  end
  redis.call('HDEL', job, FIELD.stalledRun)
  if stored.stalledCount > 1 then
    redis.call('HSET', job, FIELD.stalledCount, stored.stalledCount - 1)
  else
    redis.call('HDEL', job, FIELD.stalledCount)
  end
  if isLast then
    redis.call('HSET', job, FIELD.unbegun, stored.processedOn)
  end
  return true
end

--- So long a script may take from the time that it has asked for to the lock that it sets, ms: its process may not get a
--- core in between.
local SET_WITHIN = 250

--- The lock stands for longer than who gives the job back has seen to: another server renews it, to which the worker has
--- come with the job.
local function isAdopted()
  return ending.lapsesAt ~= nil and resolveNow('') + redis.call('PTTL', lockKey(job)) > ending.lapsesAt + SET_WITHIN
end

queue.pc = queueKeys(prefix).pc
local rejection = lockRejection(job, token) or (isAdopted() and REJECT.LOCK_NOT_OWNED) or nil
local lapsed = rejection == REJECT.LOCK_LOST and ending.unbegunRun ~= nil and ending.unbegunRun == stored.processedOn
rejection = not lapsed and rejection
  or unsoundHold(queue, stored, { prefix = prefix, job = job, logs = ending.logs })
  or leaveActive(queue, jobId, job)
local moved = lapsed and rejection == REJECT.JOB_NOT_IN_STATE
if (moved or (rejection and not lapsed and ending.unbegunRun ~= nil)) and takeStallBack(moved) then
  return 0
end
if rejection then
  return rejection
end

local meta = readMeta(queue)
writeNotes(queue, meta, job, {
  id = jobId, progress = ending.progress, logs = ending.logs, keep = ending.logs and keptLogs(stored),
})
if limitMs > 0 then
  redis.call('SET', queue.limiter, '9007199254740991', 'PX', limitMs)
end
if stored.marked then
  redis.call('HDEL', job, FIELD.unbegun)
end
local location, attemptsMade = stored.priority > 0 and 'prioritized' or 'waiting', stored.attemptsMade
if stored.cancelled then
  location, attemptsMade = 'failed', attemptsMade + 1
  failCancelled(queue, meta, stored, {
    prefix = prefix, id = jobId, now = resolveNow(''), maxMetricsSize = ending.maxMetricsSize,
  })
  wakeForFreedSlot(queue, meta)
else
  enqueue(queue, meta, jobId, { priority = stored.priority, toFront = toBack ~= '1' })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', jobId, 'prev', 'active')
end
if ending.receipt then
  writeReceipt(ending.receipt, location, attemptsMade, 0)
end
if ending.receipt or stored.cancelled then
  return { 0, 0, 0, 0, location, attemptsMade, 0 }
end
return math.max(0, redis.call('PTTL', queue.limiter))
