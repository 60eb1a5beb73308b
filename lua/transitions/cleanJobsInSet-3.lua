--- Removes up to `limit` jobs of one location that are older than a moment. Running jobs and the next runs of
--- schedulers stay; a parent that loses its last child goes on. With `from` it removes, of `limit` finished jobs from
--- that rank on, those that are past the age of their own options at that moment, as silently as retention does.
-- @include gate sound places storedJob removal locations fields events keys
-- @returns the ids removed

local queue = {
  location = KEYS[1], -- list or set
  events = KEYS[2], -- stream
  schedulers = KEYS[3], -- set `repeat`
}
local prefix = ARGV[1] -- string
local olderThan = tonumber(ARGV[2]) -- int
local limit = tonumber(ARGV[3]) -- int
local state = ARGV[4] -- string
local from = ARGV[5] -- string
-- end of declarations

--- The latest of the moments that say how old a job is in its location.
local function ageOf(job)
  local values = redis.call('HMGET', job, 'finishedOn', 'processedOn', 'timestamp')
  return tonumber(values[1]) or tonumber(values[2]) or tonumber(values[3]) or 0
end

local byScore = state == 'completed' or state == 'failed' or state == 'waiting-children'
local isList = state == 'waiting' or state == 'paused' or state == 'active'
local candidates
if byScore then
  candidates = redis.call('ZRANGEBYSCORE', queue.location, '-inf', olderThan, 'LIMIT', 0, limit)
elseif isList then
  candidates = redis.call('LRANGE', queue.location, -10000, -1)
else
  candidates = redis.call('ZRANGE', queue.location, 0, 9999)
end

local keys = queueKeys(prefix)
local trouble = unsound({ 'XLEN', queue.events, 'ZCARD', queue.schedulers })
  or (state == 'active' and unsoundPlaces(keys) or nil)
if trouble then
  return trouble
end

local removed = {}
if (from or '') ~= '' then
  for _, id in ipairs(redis.call('ZRANGE', queue.location, from, from + limit - 1)) do
    if dropExpired(prefix, id, olderThan) then
      removed[#removed + 1] = id
    end
  end
  return removed
end
for i = 1, #candidates do
  -- The oldest of a list stand at its tail.
  local id = candidates[isList and #candidates + 1 - i or i]
  local job = jobKey(prefix, id)
  local stored = readStored(prefix, id)
  local stays = #removed >= limit or not (byScore or not stored or ageOf(job) <= olderThan)
  if not stays and state == 'active' then
    stays = redis.call('EXISTS', lockKey(job)) == 1
  end
  if not stays and not byScore and stored then
    stays = isNextRun(prefix, id, redis.call('HGET', job, FIELD.schedulerId))
  end
  if not stays then
    if isList then
      redis.call('LREM', queue.location, -1, id)
    else
      redis.call('ZREM', queue.location, id)
    end
    dropJob(prefix, id)
    releaseOwnedDeduplication(prefix, id, stored and stored.deduplicationId)
    removed[#removed + 1] = id
  end
end
if #removed > 0 then
  emit(queue, 'cleaned', 'count', #removed)
  if state == 'active' then
    wakeForFreedSlot(keys, readMeta(keys))
  end
end
return removed
