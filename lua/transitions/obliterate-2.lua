--- Removes a paused queue, up to `limit` jobs in one script. What has no job (deduplication ids, our own keys) the
--- caller sweeps after the last call.
-- @include reject keys places
-- @rejects QUEUE_NOT_PAUSED QUEUE_HAS_ACTIVE_JOBS
-- @returns 1 when more is left and the call must be repeated, 0 when done

local queue = {
  meta = KEYS[1], -- hash
  active = KEYS[2], -- list
}
local prefix = ARGV[1] -- string
local limit = tonumber(ARGV[2]) -- int
local force = ARGV[3] -- flag
-- end of declarations

if redis.call('HEXISTS', queue.meta, 'paused') == 0 then
  return REJECT.QUEUE_NOT_PAUSED
end
if force ~= '1' and redis.call('LLEN', queue.active) > 0 then
  return REJECT.QUEUE_HAS_ACTIVE_JOBS
end

local keys = queueKeys(prefix)
local left = limit

local function removeIds(ids)
  for _, id in ipairs(ids) do
    local job = jobKey(prefix, id)
    deleteJobKeys(prefix, id)
    redis.call('DEL', lockKey(job))
  end
  left = left - #ids
end

--- Whatever stands where a list or a set should goes with the queue.
local function idsOf(read, key)
  local ids = redis.pcall(read, key, 0, left - 1)
  if ids.err then
    redis.call('DEL', key)
    return {}
  end
  return ids
end

for _, list in ipairs({ keys.active, keys.wait, keys.paused }) do
  if left > 0 then
    local ids = idsOf('LRANGE', list)
    removeIds(ids)
    redis.call('LTRIM', list, #ids, -1)
  end
end
local sets = { keys.delayed, keys.prioritized, keys.waitingChildren, keys.completed, keys.failed }
for _, set in ipairs(sets) do
  if left > 0 then
    local ids = idsOf('ZRANGE', set)
    removeIds(ids)
    if #ids > 0 then
      redis.call('ZREMRANGEBYRANK', set, 0, #ids - 1)
    end
  end
end
if left > 0 then
  for _, schedulerId in ipairs(idsOf('ZRANGE', keys.schedulers)) do
    redis.call('DEL', schedulerKey(prefix, schedulerId))
    redis.call('ZREM', keys.schedulers, schedulerId)
    left = left - 1
  end
end
if left <= 0 then
  return 1
end

for _, name in ipairs({ 'events', 'delay', 'priority', 'stalled-check', 'stalled', 'limiter', 'id', 'pc', 'marker',
  'metrics:completed', 'metrics:completed:data', 'metrics:failed', 'metrics:failed:data', 'meta' }) do
  redis.call('DEL', jobKey(prefix, name))
end
return 0
