-- obliterate-2
local function mayBeKeyName(id)
  local function among(names, name)
    return string.find(names, ' ' .. name .. ' ', 1, true) ~= nil
  end
  if not string.find(id, ':', 1, true) then
    return among(' wait paused active prioritized delayed waiting-children completed failed stalled stalled-check ', id)
      or among(' limiter meta id pc events marker repeat metrics de dn priority delay ', id)
  end
  return among(' meta repeat de dn metrics ', string.match(id, '^[^:]*'))
    or among(' lock logs dependencies processed failed unsuccessful ', string.match(id, '[^:]*$'))
end
local function queueKeys(prefix)
  return {
    wait = prefix .. 'wait',
    active = prefix .. 'active',
    paused = prefix .. 'paused',
    prioritized = prefix .. 'prioritized',
    delayed = prefix .. 'delayed',
    waitingChildren = prefix .. 'waiting-children',
    completed = prefix .. 'completed',
    failed = prefix .. 'failed',
    stalled = prefix .. 'stalled',
    events = prefix .. 'events',
    marker = prefix .. 'marker',
    meta = prefix .. 'meta',
    pc = prefix .. 'pc',
    id = prefix .. 'id',
    schedulers = prefix .. 'repeat',
    limiter = prefix .. 'limiter',
    failedMetrics = prefix .. 'metrics:failed',
  }
end
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = prefix .. id
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
end

local queue = {
  meta = KEYS[1], -- hash
  active = KEYS[2], -- list
}
local prefix = ARGV[1] -- string
local limit = tonumber(ARGV[2]) -- int
local force = ARGV[3] -- flag
-- end of declarations

if redis.call('HEXISTS', queue.meta, 'paused') == 0 then
  return -20
end
if force ~= '1' and redis.call('LLEN', queue.active) > 0 then
  return -21
end

local keys = queueKeys(prefix)
local left = limit

local function removeIds(ids)
  for _, id in ipairs(ids) do
    local job = prefix .. id
    deleteJobKeys(prefix, id)
    redis.call('DEL', job .. ':lock')
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
    redis.call('DEL', prefix .. 'repeat:' .. schedulerId)
    redis.call('ZREM', keys.schedulers, schedulerId)
    left = left - 1
  end
end
if left <= 0 then
  return 1
end

for _, name in ipairs({ 'events', 'delay', 'priority', 'stalled-check', 'stalled', 'limiter', 'id', 'pc', 'marker',
  'metrics:completed', 'metrics:completed:data', 'metrics:failed', 'metrics:failed:data', 'meta' }) do
  redis.call('DEL', prefix .. name)
end
return 0
