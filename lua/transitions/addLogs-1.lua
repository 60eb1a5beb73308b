--- Appends log rows to a job: a running one's for the owner of its lock, any one's for an administrator (`anyone`).
-- @include writer notes receipt
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED REQUEST_ID_REUSED
-- @returns how many rows the job has now, or { 1, that number } for a request that was carried out before

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local keep = tonumber(ARGV[2]) -- int
local rows = cmsgpack.unpack(ARGV[3]) -- pack readonly string[]
local more = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
local anyone = ARGV[5] -- flag
-- end of declarations

local replay = replayed(more.receipt)
if replay then
  return replay
end
local rejection = writeRejection(job, token, anyone)
if rejection then
  return rejection
end

return remembered(more.receipt, appendLogs(job, rows, keep))
