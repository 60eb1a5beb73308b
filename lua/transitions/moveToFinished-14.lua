--- Ends a run, completed or failed, and fetches the next job, in one step. With the option `retry` a failure that has
--- attempts left goes back to wait, prioritized or delayed instead, as the job's own options say. A job that is to be cancelled fails for good.
-- @include reject time lock gate keys sound places events storedJob finish retry notes nextJob receipt endReceipt
-- @rejects JOB_NOT_FOUND JOB_HAS_PENDING_CHILDREN JOB_HAS_FAILED_CHILDREN LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @returns 0 for a plain finish without a next job, else { flat fields or 0, id or 0, limited for ms, next due ms, 'completed' | 'failed' | 'waiting' | 'prioritized' | 'delayed', attempts made, retry delay ms }; the answer of a receipt goes on with { how often it was answered again, token of the next job or '' }, that of a failure whose backoff is not known with { 0, '', what is wrong }

local queue = {
  wait = KEYS[1], -- list
  active = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  events = KEYS[4], -- stream
  stalled = KEYS[5], -- set of the stalled check
  limiter = KEYS[6], -- counter of the rate limit
  delayed = KEYS[7], -- set by due time
  paused = KEYS[8], -- list, BullMQ 5 only
  meta = KEYS[9], -- hash
  pc = KEYS[10], -- counter of arrivals
  finished = KEYS[11], -- set `completed` or `failed`
  job = KEYS[12], -- hash of the job
  metrics = KEYS[13], -- hash of the target's metrics
  marker = KEYS[14], -- set that wakes a blocked fetch
}
local jobId = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local valueField = ARGV[3] -- string
local value = ARGV[4] -- bytes
local target = ARGV[5] -- string
local fetchNextJob = ARGV[6] -- flag
local prefix = ARGV[7] -- string
local options = cmsgpack.unpack(ARGV[8]) -- pack {
--   token: string; nextToken?: string; lockDuration?: number; name?: string; buffered?: boolean;
--   limiter?: { max: number; duration: number }; keepJobs?: { count?: number; age?: number; limit?: number };
--   defaultKeep?: { count?: number; age?: number; limit?: number }; attempts?: number;
--   maxMetricsSize?: number | '';
--   retry?: { mode: 'DEFAULT' | 'NEVER'; delay?: number; rand?: number; maxDelay?: number; backoffs?: Record<string, { type?: string; delay?: number; factor?: number; max?: number; jitter?: number; steps?: readonly number[] }> };
--   stack?: string; stackLimit?: number; progress?: string | Uint8Array; logs?: readonly string[];
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] }
-- }
local fields = ARGV[9] and ARGV[9] ~= '' and cmsgpack.unpack(ARGV[9]) or {} -- pack readonly (string | number | Uint8Array)[]
-- end of declarations

local replay = replayedEnd(queue, prefix, options.receipt, options.lockDuration)
if replay then
  return replay
end
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if #fields % 2 == 1 then
  return redis.error_reply('ERR fields: a name without a value')
end
if target == 'completed' and not stored.cancelled then
  if redis.call('SCARD', dependenciesKey(queue.job)) > 0 then
    return REJECT.JOB_HAS_PENDING_CHILDREN
  elseif redis.call('ZCARD', failedChildrenKey(queue.job)) > 0 then
    return REJECT.JOB_HAS_FAILED_CHILDREN
  end
end
local rejection = lockRejection(queue.job, options.token)
if rejection then
  return rejection
end
local decision = { again = false }
if target == 'failed' and options.retry and not stored.cancelled then
  decision = decideRetry(stored, options.retry)
end
local trouble = options.logs and unsound({ 'LLEN', logsKey(queue.job) })
if not trouble and decision.again then
  trouble = unsoundPlaces(queue)
elseif not trouble then
  -- A parent in another slot of a cluster cannot be told: that error comes from here too.
  trouble = unsoundEnd(stored.cancelled and jobKey(prefix, 'failed') or queue.finished, stored,
    stored.cancelled and 'failed' or target)
end
if trouble then
  return trouble
end

local now = resolveNow(timestamp)
local meta = readMeta(queue)
-- It tells as well whether `events` is a stream. Old events go even if the job is found not to be active.
trimEvents(queue, meta)
rejection = leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local maxMetricsSize = tonumber(options.maxMetricsSize)
if #fields > 0 then
  redis.call('HSET', queue.job, unpack(fields))
end
writeNotes(queue, meta, queue.job, {
  id = jobId, progress = options.progress, logs = options.logs, keep = options.logs and keptLogs(stored),
})
if options.stack then
  local own = finite(optionsOf(stored).stackTraceLimit)
  appendStack(queue.job, options.stack, math.min(own or options.stackLimit or 10, options.stackLimit or 10))
end

local outcome, attemptsMade = target, stored.attemptsMade + 1
if stored.cancelled then
  outcome = 'failed'
  failCancelled(queue, meta, stored, {
    prefix = prefix, id = jobId, now = now, maxMetricsSize = maxMetricsSize, defaultKeep = options.defaultKeep,
  })
elseif decision.again then
  outcome = requeueFailed(queue, meta, stored, {
    id = jobId, job = queue.job, now = now, delay = decision.delay, reason = value,
  })
else
  if decision.problem then
    value = value .. ' (' .. decision.problem .. ')'
  end
  recordFinished(queue, meta, {
    prefix = prefix,
    id = jobId,
    job = queue.job,
    stored = stored,
    now = now,
    target = target,
    valueField = valueField,
    value = value,
    set = queue.finished,
    keep = options.keepJobs and keepFromOption(options.keepJobs) or keepOf(stored, target, options.defaultKeep),
    attempts = options.attempts or finite(optionsOf(stored).attempts, 0),
    metrics = queue.metrics,
    maxMetricsSize = maxMetricsSize,
  })
end

local next = { 0, 0, 0, 0 }
if fetchNextJob == '1' then
  next = fetchAfterEnd(queue, meta, {
    prefix = prefix,
    now = now,
    token = options.nextToken or options.token,
    lockDuration = options.lockDuration or 30000,
    name = options.name,
    limiter = options.limiter,
    buffered = options.buffered,
    maxMetricsSize = maxMetricsSize,
  })
else
  wakeForFreedSlot(queue, meta)
end
if options.receipt then
  local token = next[2] ~= 0 and (options.nextToken or options.token) or nil
  writeReceipt(options.receipt, outcome, attemptsMade, decision.delay or 0, token and next[2], token)
end
local nothing = next[2] == 0 and next[3] == 0 and next[4] == 0
if nothing and not decision.again and isEmpty(queue) then
  emit(queue, 'drained')
end
if nothing and not options.retry then
  return 0
end
next[5], next[6], next[7] = outcome, attemptsMade, decision.delay or 0
if decision.problem then
  next[8], next[9], next[10] = 0, '', decision.problem
end
return next
