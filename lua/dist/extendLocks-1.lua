-- extendLocks-1
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
local function jobKey(prefix, id)
  return prefix .. id
end
local function lockKey(job)
  return job .. ':lock'
end
local function cancelKey(prefix, id)
  return prefix .. 'meta:cancel:' .. id
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
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
  cancel = 'echomq.cancel',
  unbegun = 'echomq.unbegun',
  stalledRun = 'echomq.stalled',
}
local function isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end

local queue = {
  stalled = KEYS[1], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local leases = cmsgpack.unpack(ARGV[2]) -- pack readonly { id: string; token: string; lockDuration: number; begun?: boolean | undefined }[]
-- end of declarations

local answers, requests = {}, {}
for index, lease in ipairs(leases) do
  local job = jobKey(prefix, lease.id)
  local rejection = lockRejection(job, lease.token)
  if rejection == REJECT.LOCK_LOST and redis.call('EXISTS', job) == 0 then
    rejection = REJECT.JOB_NOT_FOUND
  end
  answers[index] = rejection or 1
  requests[index] = cancelKey(prefix, lease.id)
end
-- One command for all while nobody asks.
local asked = #requests > 0 and redis.call('EXISTS', unpack(requests)) > 0

for index, lease in ipairs(leases) do
  if answers[index] == 1 then
    redis.call('SREM', queue.stalled, lease.id)
    redis.call('SET', lockKey(jobKey(prefix, lease.id)), lease.token, 'PX', lease.lockDuration)
    if lease.begun then
      redis.call('HDEL', jobKey(prefix, lease.id), FIELD.unbegun)
    end
    if asked then
      local values = redis.call('HMGET', jobKey(prefix, lease.id), FIELD.cancel, 'processedOn')
      answers[index] = isCancelled(values[1], values[2]) and 2 or 1
    end
  end
end
return answers
