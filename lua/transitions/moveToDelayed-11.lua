--- Moves an active job to `delayed`, counting an attempt or not, and fetches the next job in the same step.
-- @include reject gate time lock storedJob nextJob
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE
-- @returns { flat fields or 0, id or 0, rate limited for ms, next due ms, 'delayed', attempts made, delay ms }

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
--   token?: string; lockDuration?: number; name?: string; limiter?: { max: number; duration: number };
--   maxMetricsSize?: number
-- }
-- end of declarations

local stored = readStored(queue.job)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(queue.job, token) or leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local meta = readMeta(queue)
local at = resolveNow(now)
if dueAt ~= '' then
  delay = math.max(0, tonumber(dueAt) - at)
end
local attemptsMade = stored.attemptsMade
redis.call('HSET', queue.job, 'delay', delay)
if skipAttempt ~= '1' then
  attemptsMade = attemptsMade + 1
  redis.call('HSET', queue.job, FIELD.attemptsMade, attemptsMade)
end
delayUntil(queue, meta, jobId, at + delay)

local next = { 0, 0, 0, 0 }
if fetchNextJob == '1' then
  worker.prefix, worker.now = prefix, at
  worker.token = worker.token or token
  worker.lockDuration = worker.lockDuration or 30000
  next = fetchNext(queue, meta, worker)
else
  wakeForFreedSlot(queue, meta)
end
if next[2] == 0 then
  wakeAtNextDue(queue)
end
next[5], next[6], next[7] = 'delayed', attemptsMade, delay
return next
