--- Renews the lock of one active job for its owner.
-- @include lock
-- @rejects LOCK_LOST LOCK_NOT_OWNED
-- @returns 1

local queue = {
  job = KEYS[1], -- hash of the job
  stalled = KEYS[2], -- set of the stalled check
}
local token = ARGV[1] -- string
local lockDuration = tonumber(ARGV[2]) -- int
local jobId = ARGV[3] -- string
-- end of declarations

local rejection = lockRejection(queue.job, token)
if rejection then
  return rejection
end

redis.call('SREM', queue.stalled, jobId)
redis.call('SET', lockKey(queue.job), token, 'PX', lockDuration)
return 1
