--- Gives an active job back unrun: to the front (it runs next) or the back, with no attempt counted.
-- @include reject gate lock storedJob places events
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE
-- @returns milliseconds for which the queue is rate limited, or 0

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
-- end of declarations

local job = jobKey(prefix, jobId)
local stored = readStored(job)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(job, token) or leaveActive(queue, jobId, job)
if rejection then
  return rejection
end

queue.pc = queueKeys(prefix).pc
local meta = readMeta(queue)
enqueue(queue, meta, jobId, { priority = stored.priority, toFront = toBack ~= '1' })
if limitMs > 0 then
  redis.call('SET', queue.limiter, '9007199254740991', 'PX', limitMs)
end
wakeWorkers(queue, meta)
emitTrimmed(queue, meta, 'waiting', 'jobId', jobId, 'prev', 'active')
return math.max(0, redis.call('PTTL', queue.limiter))
