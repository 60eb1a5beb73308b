-- @include reject lock
--- Who may write to a job that stays where it is.

--- The rejection for a write to a job, or nil: of its holder, who shows the token, or of somebody who needs no lease
--- (`anyone`). The latter is kept away from what is no job: a scheduler's record and a peer's stub have no time of add.
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and REJECT.JOB_NOT_FOUND or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return REJECT.JOB_NOT_FOUND
  end
  return lockRejection(job, token)
end
