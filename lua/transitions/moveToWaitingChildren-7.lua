--- Parks an active parent until its pending children have ended.
-- @include reject gate time lock storedJob events
-- @rejects JOB_NOT_FOUND JOB_HAS_FAILED_CHILDREN LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE
-- @returns 0 when parked, 1 when no child is pending and the job stays active

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
