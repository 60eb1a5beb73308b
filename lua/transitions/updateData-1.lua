--- Replaces a job's data: a running one's for the owner of its lock, any one's for an administrator (`anyone`).
-- @include writer
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns 0

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local data = ARGV[2] -- bytes
local anyone = ARGV[3] -- flag
-- end of declarations

local rejection = writeRejection(job, token, anyone)
if rejection then
  return rejection
end

redis.call('HSET', job, 'data', data)
return 0
