-- updateData-1
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
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and -1 or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return -1
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
