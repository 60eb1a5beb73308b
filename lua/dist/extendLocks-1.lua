-- extendLocks-1
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
  local job = prefix .. lease.id
  local rejection = lockRejection(job, lease.token)
  if rejection == -2 and redis.call('EXISTS', job) == 0 then
    rejection = -1
  end
  answers[index] = rejection or 1
  requests[index] = prefix .. 'meta:cancel:' .. lease.id
end
-- One command for all while nobody asks.
local asked = #requests > 0 and redis.call('EXISTS', unpack(requests)) > 0

for index, lease in ipairs(leases) do
  if answers[index] == 1 then
    redis.call('SREM', queue.stalled, lease.id)
    redis.call('SET', prefix .. lease.id .. ':lock', lease.token, 'PX', lease.lockDuration)
    if lease.begun then
      redis.call('HDEL', prefix .. lease.id, 'echomq.unbegun')
    end
    if asked then
      local values = redis.call('HMGET', prefix .. lease.id, 'echomq.cancel', 'processedOn')
      answers[index] = isCancelled(values[1], values[2]) and 2 or 1
    end
  end
end
return answers
