--- Stores a running job's progress for the owner of its lock, and tells the stream.
-- @include reject gate lock notes
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns 0

local queue = {
  job = KEYS[1], -- hash of the job
  events = KEYS[2], -- stream
  meta = KEYS[3], -- hash
}
local jobId = ARGV[1] -- string
local token = ARGV[2] -- string
local progress = ARGV[3] -- json
-- end of declarations

if redis.call('EXISTS', queue.job) == 0 then
  return REJECT.JOB_NOT_FOUND
end
local rejection = lockRejection(queue.job, token)
if rejection then
  return rejection
end

writeProgress(queue, readMeta(queue), queue.job, { id = jobId, progress = progress })
return 0
