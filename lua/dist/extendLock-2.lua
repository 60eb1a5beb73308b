-- extendLock-2
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
