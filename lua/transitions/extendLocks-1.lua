--- Renews many locks of one queue, each for its owner and each with its own answer. One that is `begun` counts from
--- now on as a run that its worker has begun.
-- @include reject lock storedJob fields
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns per lease 1, or 2 when somebody asked to cancel its job, or the rejection that it met

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
