--- Renews many locks of one queue, each for its owner and each with its own answer.
-- @include reject lock
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED
-- @returns per lease 1, or the rejection that it met

local queue = {
  stalled = KEYS[1], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local leases = cmsgpack.unpack(ARGV[2]) -- pack readonly { id: string; token: string; lockDuration: number }[]
-- end of declarations

local answers = {}
for index, lease in ipairs(leases) do
  local job = jobKey(prefix, lease.id)
  local rejection = lockRejection(job, lease.token)
  if rejection == REJECT.LOCK_LOST and redis.call('EXISTS', job) == 0 then
    rejection = REJECT.JOB_NOT_FOUND
  end
  answers[index] = rejection or 1
end

for index, lease in ipairs(leases) do
  if answers[index] == 1 then
    redis.call('SREM', queue.stalled, lease.id)
    redis.call('SET', lockKey(jobKey(prefix, lease.id)), lease.token, 'PX', lease.lockDuration)
  end
end
return answers
