-- cleanJobsInSet-3
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = meta[2] and tonumber(meta[2]) or nil,
    max = meta[3] and tonumber(meta[3]) or nil,
    duration = meta[4] and tonumber(meta[4]) or nil,
    maxEvents = string.match(meta[5] or '', '^%d+$'),
    maxJobs = meta[6] and tonumber(meta[6]),
    maxPayload = meta[7] and tonumber(meta[7]),
  }
end
local function gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
end
local function setMarker(queue, score, member)
  local reply = redis.pcall('ZADD', queue.marker, score, member)
  if type(reply) == 'table' then
    redis.call('DEL', queue.marker)
    redis.call('ZADD', queue.marker, score, member)
  end
end
local function wakeOne(queue)
  if queue.gathered then
    queue.gathered.wakes = true
  else
    setMarker(queue, '0', '0')
  end
end
local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
local function wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil then
    pcall(function()
      if hasWork(queue) then
        wakeWorkers(queue, meta)
      end
    end)
  end
end
local known = {}
local function unsound(asked)
  for i = 1, #asked, 2 do
    local key = asked[i + 1]
    local reply = known[key] or redis.pcall(asked[i], key)
    if type(reply) == 'table' then
      return redis.error_reply(reply.err .. ' (' .. key .. ')')
    end
    known[key] = true
  end
  return nil
end
local function uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
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
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local function waitingList(queue, meta)
  local parked = parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
local function unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', parkedKey(queue.meta) }
  local function ask(command, key)
    if key then
      asked[#asked + 1] = command
      asked[#asked + 1] = key
    end
  end
  ask('LLEN', queue.wait)
  ask('LLEN', queue.active)
  ask('ZCARD', queue.prioritized)
  ask('ZCARD', queue.delayed)
  return unsound(asked) or (queue.pc and uncountable(queue.pc)) or nil
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
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
local function readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end
local function parentOf(stored)
  if stored.parent == nil then
    stored.parent = readParent(stored) or false
  end
  return stored.parent or nil
end
local function unsoundParent(parent, target)
  local dependencies = parent.key .. ':dependencies'
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', parent.key .. ':processed', 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = queueKeys(parent.prefix)
  return unsound({
    'HLEN', parent.key .. ':failed', 'ZCARD', parent.key .. ':unsuccessful',
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or unsoundPlaces(queue)
end
local function detachFromParent(child, stored)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.pcall('SISMEMBER', dependencies, child) ~= 1 or unsoundParent(parent) then
    return
  end
  redis.call('SREM', dependencies, child)
  if redis.call('SCARD', dependencies) > 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  if redis.call('ZREM', queue.waitingChildren, parent.id) == 1 then
    local meta = readMeta(queue)
    redis.call('RPUSH', waitingList(queue, meta), parent.id)
    wakeWorkers(queue, meta)
    emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
  end
end
local function dropJob(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  deleteJobKeys(prefix, id)
end
local function wholeNumber(value)
  local number = finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end
local function keepFromOption(option)
  if option == true then
    return { count = 0 }
  elseif type(option) == 'number' then
    return { count = wholeNumber(option) or -1 }
  elseif type(option) == 'table' then
    return { count = wholeNumber(option.count), age = finite(option.age), limit = wholeNumber(option.limit) }
  end
  return { count = -1 }
end
local function keepOf(stored, target, default)
  local name = target == 'completed' and 'removeOnComplete' or 'removeOnFail'
  if stored.optsText and string.find(stored.optsText, name, 1, true) then
    local option = optionsOf(stored)[name]
    if option ~= nil then
      return keepFromOption(option)
    end
  end
  return default or { count = -1 }
end
local function dropAll(prefix, set, ids)
  for _, id in ipairs(ids) do
    dropJob(prefix, id)
  end
  if #ids > 0 then
    redis.call('ZREM', set, unpack(ids))
  end
end
local function expiredSet(prefix, id, now)
  local values = redis.pcall('HMGET', prefix .. id, 'finishedOn', 'opts')
  local finishedOn = not values.err and finite(values[1])
  if not finishedOn or not string.find(values[2] or '', 'removeOn', 1, true) then
    return nil
  end
  local queue = queueKeys(prefix)
  for _, target in ipairs({ 'completed', 'failed' }) do
    local age = keepOf({ optsText = values[2] }, target).age
    if age and finishedOn <= now - age * 1000 and type(redis.pcall('ZSCORE', queue[target], id)) == 'string' then
      return queue[target]
    end
  end
  return nil
end
local function dropExpired(prefix, id, now)
  local set = expiredSet(prefix, id, now)
  if set then
    dropAll(prefix, set, { id })
  end
  return set ~= nil
end
local function releaseOwnedDeduplication(prefix, id, deduplicationId)
  if not deduplicationId then
    return
  end
  local key = prefix .. 'de:' .. deduplicationId
  if redis.pcall('GET', key) == id then
    redis.call('DEL', key, prefix .. 'dn:' .. deduplicationId)
  end
end
local function isNextRun(prefix, id, schedulerId)
  if not schedulerId then
    return false
  end
  local due = redis.call('ZSCORE', queueKeys(prefix).schedulers, schedulerId)
  return due and id == string.format('repeat:%s:%.0f', schedulerId, tonumber(due)) or false
end

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
  local job = prefix .. id
  local stored = readStored(prefix, id)
  local stays = #removed >= limit or not (byScore or not stored or ageOf(job) <= olderThan)
  if not stays and state == 'active' then
    stays = redis.call('EXISTS', job .. ':lock') == 1
  end
  if not stays and not byScore and stored then
    stays = isNextRun(prefix, id, redis.call('HGET', job, 'rjk'))
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
