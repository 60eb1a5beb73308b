--- Removes up to `limit` jobs of one location that wait to run. The next runs of schedulers stay: they are put where a
--- further call does not meet them again.
-- @include sound storedJob removal locations fields keys
-- @returns { how many were removed, how many stay of those looked at }

local location = KEYS[1] -- list or set
local prefix = ARGV[1] -- string
local limit = tonumber(ARGV[2]) -- int
local offset = tonumber(ARGV[3]) -- int
-- end of declarations

local isList = redis.call('TYPE', location).ok == 'list'
local ids
if isList then
  ids = redis.call('LRANGE', location, -limit - offset, -1 - offset)
else
  ids = redis.call('ZRANGE', location, offset, offset + limit - 1)
end

local trouble = unsound({ 'ZCARD', queueKeys(prefix).schedulers })
if trouble then
  return trouble
end

local kept = {}
for _, id in ipairs(ids) do
  local job = jobKey(prefix, id)
  local stored = readStored(prefix, id)
  if stored and isNextRun(prefix, id, redis.call('HGET', job, FIELD.schedulerId)) then
    kept[#kept + 1] = id
  else
    if isList then
      redis.call('LREM', location, -1, id)
    else
      redis.call('ZREM', location, id)
    end
    dropJob(prefix, id)
    releaseOwnedDeduplication(prefix, id, stored and stored.deduplicationId)
  end
end
return { #ids - #kept, #kept }
