-- getRanges-1
local function jobKey(prefix, id)
  return prefix .. id
end
local function prefixOf(job, id)
  return string.sub(job, 1, -#id - 1)
end
local function idOf(job, prefix)
  return string.sub(job, #prefix + 1)
end
local function lockKey(job)
  return job .. ':lock'
end
local function logsKey(job)
  return job .. ':logs'
end
local function dependenciesKey(job)
  return job .. ':dependencies'
end
local function processedKey(job)
  return job .. ':processed'
end
local function ignoredFailuresKey(job)
  return job .. ':failed'
end
local function failedChildrenKey(job)
  return job .. ':unsuccessful'
end
local function deduplicationKey(prefix, deduplicationId)
  return prefix .. 'de:' .. deduplicationId
end
local function keptLastKey(prefix, deduplicationId)
  return prefix .. 'dn:' .. deduplicationId
end
local function schedulerKey(prefix, schedulerId)
  return prefix .. 'repeat:' .. schedulerId
end
local function countersKey(prefix)
  return prefix .. 'meta:counters:1'
end
local function cancelKey(prefix, id)
  return prefix .. 'meta:cancel:' .. id
end
local function cancelChannel(prefix)
  return prefix .. 'meta:cancel'
end
local function workerKey(prefix, session)
  return prefix .. 'meta:workers:' .. session
end
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
local function splitJobKey(key, near)
  local base = near and string.match(near, '^(.*:)[^:]+:$')
  if base and string.sub(key, 1, #base) == base then
    local queue, id = string.match(string.sub(key, #base + 1), '^([^:]+:)(.+)$')
    if queue then
      return base .. queue, id
    end
  end
  return string.match(key, '^(.*:)([^:]*)$')
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

local location = KEYS[1] -- list or set
local first = tonumber(ARGV[1]) -- int
local last = tonumber(ARGV[2]) -- int
local newestFirst = ARGV[3] -- flag
-- end of declarations

--- The members from `from` to `to` of a list and what is behind its tail.
local function members(from, to)
  local lists, ids = { location }, {}
  if string.sub(location, -5) == ':wait' then
    lists[2] = parkedKey(location)
  end
  for _, list in ipairs(lists) do
    local length = redis.call('LLEN', list)
    if to >= 0 and from < length then
      for _, id in ipairs(redis.call('LRANGE', list, math.max(from, 0), to)) do
        ids[#ids + 1] = id
      end
    end
    from, to = from - length, to - length
  end
  return ids
end

local function total()
  local parked = string.sub(location, -5) == ':wait' and redis.call('LLEN', parkedKey(location)) or 0
  return redis.call('LLEN', location) + parked
end

if redis.call('TYPE', location).ok == 'zset' then
  if newestFirst == '1' then
    return redis.call('ZREVRANGE', location, first, last)
  end
  return redis.call('ZRANGE', location, first, last)
end
local count = total()
if last < 0 then
  last = count + last
end
-- A list has its newest at the head.
if newestFirst == '1' then
  return members(first, last)
end
local ids = members(count - 1 - last, count - 1 - first)
local ordered = {}
for i = #ids, 1, -1 do
  ordered[#ordered + 1] = ids[i]
end
return ordered
