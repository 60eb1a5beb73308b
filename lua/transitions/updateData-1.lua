--- Replaces a running job's data for the owner of its lock.
-- @include reject lock
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns 0

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local data = ARGV[2] -- bytes
-- end of declarations

if redis.call('EXISTS', job) == 0 then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(job, token)
if rejection then
  return rejection
end

redis.call('HSET', job, 'data', data)
return 0
