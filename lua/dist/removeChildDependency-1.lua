-- removeChildDependency-1
local function idOf(job, prefix)
  return string.sub(job, #prefix + 1)
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
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
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
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
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

local job = KEYS[1] -- hash of the child
local parentKey = ARGV[1] -- string
local prefix = ARGV[2] -- string
-- end of declarations

local stored = readStored(prefix, idOf(job, prefix))
if not stored then
  return -1
end
if redis.call('EXISTS', parentKey) == 0 then
  return -5
end
if stored.parentKey ~= parentKey or redis.call('SISMEMBER', parentKey .. ':dependencies', job) == 0 then
  return 1
end
local trouble = unsoundParent(parentOf(stored))
if trouble then
  return trouble
end

detachFromParent(job, stored)
redis.call('HDEL', job, 'parentKey', 'parent')
return 0
