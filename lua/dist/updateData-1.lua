-- updateData-1
local REJECT = {
  JOB_NOT_FOUND = -1,
  LOCK_LOST = -2,
  JOB_NOT_IN_STATE = -3,
  JOB_HAS_PENDING_CHILDREN = -4,
  PARENT_JOB_NOT_FOUND = -5,
  LOCK_NOT_OWNED = -6,
  PARENT_JOB_CANNOT_BE_REPLACED = -7,
  JOB_BELONGS_TO_SCHEDULER = -8,
  JOB_HAS_FAILED_CHILDREN = -9,
  SCHEDULER_JOB_ID_COLLISION = -10,
  SCHEDULER_JOB_SLOTS_BUSY = -11,
  QUEUE_NOT_PAUSED = -20,
  QUEUE_HAS_ACTIVE_JOBS = -21,
  JOB_LOCKED = -22,
  REQUEST_ID_REUSED = -23,
  QUEUE_FULL = -24,
  PAYLOAD_TOO_LARGE = -25,
}
local function lockKey(job)
  return job .. ':lock'
end
local function tokenRejection(owner, token)
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', lockKey(job)), token)
end
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and REJECT.JOB_NOT_FOUND or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return REJECT.JOB_NOT_FOUND
  end
  return lockRejection(job, token)
end

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
