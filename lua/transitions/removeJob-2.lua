--- Removes a job from wherever it stands. A running one is refused unless forced: its worker then finds its lock lost.
-- @include reject storedJob removal events gate keys
-- @rejects JOB_NOT_FOUND JOB_LOCKED JOB_BELONGS_TO_SCHEDULER
-- @returns the location that held it, or 'unknown'

local queue = {
  job = KEYS[1], -- hash of the job
  schedulers = KEYS[2], -- set `repeat`
}
local jobId = ARGV[1] -- string
local prefix = ARGV[2] -- string
local force = ARGV[3] -- flag
-- end of declarations

local stored = readStored(queue.job)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local scheduler = redis.call('HGET', queue.job, FIELD.schedulerId)
if scheduler then
  local due = redis.call('ZSCORE', queue.schedulers, scheduler)
  if due and jobId == 'repeat:' .. scheduler .. ':' .. due then
    return REJECT.JOB_BELONGS_TO_SCHEDULER
  end
end
if force ~= '1' and redis.call('EXISTS', lockKey(queue.job)) == 1 then
  return REJECT.JOB_LOCKED
end

local keys = queueKeys(prefix)
local sets = {
  { 'completed', keys.completed }, { 'waiting-children', keys.waitingChildren }, { 'delayed', keys.delayed },
  { 'failed', keys.failed }, { 'prioritized', keys.prioritized },
}
local lists = { { 'wait', keys.wait }, { 'paused', keys.paused }, { 'active', keys.active } }
local location = 'unknown'
for _, set in ipairs(sets) do
  if redis.call('ZREM', set[2], jobId) == 1 then
    location = set[1]
  end
end
for _, list in ipairs(lists) do
  if location == 'unknown' and redis.call('LREM', list[2], 0, jobId) > 0 then
    location = list[1]
  end
end
redis.call('DEL', lockKey(queue.job))
redis.call('SREM', keys.stalled, jobId)
detachFromParent(queue.job, stored)
releaseOwnedDeduplication(prefix, jobId, stored.deduplicationId)
deleteJobKeys(queue.job)
local meta = readMeta(keys)
emitTrimmed(keys, meta, 'removed', 'jobId', jobId, 'prev', location)
if location == 'active' then
  wakeForFreedSlot(keys, meta)
end
return location
