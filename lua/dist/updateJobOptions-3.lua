-- updateJobOptions-3
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local function prefixOf(job, id)
  return string.sub(job, 1, -#id - 1)
end
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
local function isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end
local function isUnbegun(mark, processedOn)
  return mark ~= false and mark == processedOn
end
local function readStored(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'timestamp', 'atm', 'opts', 'priority', 'parent', 'parentKey',
    'deid', 'stc', 'processedOn', 'echomq.cancel', 'echomq.unbegun')
  if values.err or (not values[1] and (mayBeKeyName(id) or redis.call('EXISTS', job) == 0)) then
    return nil
  end
  return {
    prefix = prefix,
    attemptsMade = finite(values[2], 0),
    optsText = values[3],
    priority = finite(values[4], 0),
    parentText = values[5],
    parentKey = values[6],
    deduplicationId = values[7],
    stalledCount = finite(values[8], 0),
    processedOn = values[9],
    cancelled = isCancelled(values[10], values[9]),
    marked = values[11] ~= false,
    unbegun = isUnbegun(values[11], values[9]),
  }
end

local queue = {
  job = KEYS[1], -- hash of the job
  completed = KEYS[2], -- set of finished jobs
  failed = KEYS[3], -- set of finished jobs
}
local jobId = ARGV[1] -- string
local change = cmsgpack.unpack(ARGV[2]) -- pack {
--   opts: string | Uint8Array; readOpts?: string | Uint8Array; parent?: string; readParent?: string | Uint8Array
-- }
-- end of declarations

if not readStored(prefixOf(queue.job, jobId), jobId) then
  return -1
end
if redis.call('ZSCORE', queue.completed, jobId) or redis.call('ZSCORE', queue.failed, jobId) then
  return -3
end
local stored = redis.call('HMGET', queue.job, 'opts', 'parent')
if (stored[1] or nil) ~= change.readOpts or (stored[2] or nil) ~= change.readParent then
  return 0
end

redis.call('HSET', queue.job, 'opts', change.opts)
if change.parent then
  redis.call('HSET', queue.job, 'parent', change.parent)
end
return 1
