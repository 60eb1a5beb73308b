-- extendLock-2
local function tokenRejection(owner, token)
  if not owner then
    return -2
  end
  if owner ~= token or token == '' or token == '0' then
    return -6
  end
  return nil
end
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', job .. ':lock'), token)
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
redis.call('SET', queue.job .. ':lock', token, 'PX', lockDuration)
return 1
