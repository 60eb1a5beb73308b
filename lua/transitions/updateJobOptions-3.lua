--- Replaces the options of a job that has not finished, if they are still those that the caller has read: the text is
--- written by the caller, so that members that nobody here knows stay byte for byte.
-- @include reject storedJob keys
-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE
-- @returns 1 when done, 0 when somebody else has changed them meanwhile

local queue = {
  job = KEYS[1], -- hash of the job
  completed = KEYS[2], -- set of finished jobs
  failed = KEYS[3], -- set of finished jobs
}
local jobId = ARGV[1] -- string
local change = cmsgpack.unpack(ARGV[2]) -- pack {
--   opts: string | Uint8Array; readOpts?: string | Uint8Array; parent?: string; readParent?: string | Uint8Array
-- }
-- end of declarations

if not readStored(prefixOf(queue.job, jobId), jobId) then
  return REJECT.JOB_NOT_FOUND
end
if redis.call('ZSCORE', queue.completed, jobId) or redis.call('ZSCORE', queue.failed, jobId) then
  return REJECT.JOB_NOT_IN_STATE
end
local stored = redis.call('HMGET', queue.job, 'opts', 'parent')
if (stored[1] or nil) ~= change.readOpts or (stored[2] or nil) ~= change.readParent then
  return 0
end

redis.call('HSET', queue.job, 'opts', change.opts)
if change.parent then
  redis.call('HSET', queue.job, 'parent', change.parent)
end
return 1
