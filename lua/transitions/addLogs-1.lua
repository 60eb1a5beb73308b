--- Appends log rows to a running job for the owner of its lock.
-- @include reject lock notes
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns how many rows the job has now

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local keep = tonumber(ARGV[2]) -- int
local rows = cmsgpack.unpack(ARGV[3]) -- pack readonly string[]
-- end of declarations

if redis.call('EXISTS', job) == 0 then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(job, token)
if rejection then
  return rejection
end

return appendLogs(job, rows, keep)
