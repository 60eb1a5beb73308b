--- Stores a job's progress and tells the stream: a running one's for the owner of its lock, any one's for an
--- administrator (`anyone`).
-- @include gate sound writer notes
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
local anyone = ARGV[4] -- flag
-- end of declarations

local rejection = writeRejection(queue.job, token, anyone)
if rejection then
  return rejection
end
local trouble = unsound({ 'XLEN', queue.events })
if trouble then
  return trouble
end

writeProgress(queue, readMeta(queue), queue.job, { id = jobId, progress = progress })
return 0
