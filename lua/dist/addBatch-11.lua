-- addBatch-11
local RARE = {}
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
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
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
local function waitingList(queue, meta)
  local parked = RARE.parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
local function unsoundPlace(queue, meta, job)
  local asked = { 'XLEN', queue.events, 'LLEN', queue.wait }
  if (job.delay or 0) > 0 or job.dueAt then
    asked[3], asked[4] = 'ZCARD', queue.delayed
  elseif (job.priority or 0) > 0 then
    asked[3], asked[4] = 'ZCARD', queue.prioritized
  elseif meta.paused then
    asked[5], asked[6] = 'LLEN', RARE.parkedKey(queue.meta)
  end
  if meta.concurrency and queue.active then
    asked[#asked + 1] = 'LLEN'
    asked[#asked + 1] = queue.active
  end
  return unsound(asked) or ((job.priority or 0) > 0 and queue.pc and RARE.uncountable(queue.pc)) or nil
end
local function isPlain(meta, job)
  return not (job.receipt or job.delay or job.dueAt or job.priority or job.lifo or job.customId or job.parentKey or job.deduplication
    or meta.maxJobs or meta.maxPayload)
end
local function lastPlain(meta, jobs, known)
  local first = known.first
  local last = first - 1
  while jobs[last + 1] and last - first < 999 and not known.answers[last + 1] and isPlain(meta, jobs[last + 1]) do
    last = last + 1
  end
  return last
end
local function allocateIds(queue, prefix, count)
  local ids, keys = {}, {}
  local before = redis.call('INCRBY', queue.id, count) - count
  for i = 1, count do
    ids[i] = string.format('%.0f', before + i)
    keys[i] = prefix .. ids[i]
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    local free = 0
    local last = before + count
    for number = before + 1, last do
      local id = string.format('%.0f', number)
      if redis.call('EXISTS', prefix .. id) == 0 then
        free = free + 1
        ids[free], keys[free] = id, prefix .. id
      end
    end
    for i = free + 1, count do
      ids[i] = RARE.allocateId(queue, prefix, '')
      keys[i] = prefix .. ids[i]
    end
  end
  return ids, keys
end
local function addPlain(queue, meta, prefix, run)
  local jobs, first, last, answers = run.jobs, run.first, run.last, run.answers
  local ids, keys = allocateIds(queue, prefix, last - first + 1)
  local now = string.format('%.0f', run.now)
  for i, id in ipairs(ids) do
    local job = jobs[first + i - 1]
    redis.call('HSET', keys[i], 'name', job.name, 'data', job.data, 'opts', job.opts,
      'timestamp', job.timestamp or now, 'delay', '0', 'priority', '0')
    redis.call('XADD', queue.events, '*', 'event', 'added', 'jobId', id, 'name', job.name)
    if i < #ids then
      redis.call('XADD', queue.events, '*', 'event', 'waiting', 'jobId', id)
    else
      emitTrimmed(queue, meta, 'waiting', 'jobId', id)
    end
    answers[first + i - 1] = id
  end
  redis.call('LPUSH', waitingList(queue, meta), unpack(ids))
  wakeWorkers(queue, meta)
end
local function gather(queue, prefix, ids)
  local gathered = { owners = {}, childless = false, ended = {}, locks = {}, left = {}, finished = {}, bytes = 0 }
  queue.gathered = gathered
  if #ids == 0 then
    return gathered
  end
  local locks, children = {}, {}
  for i, id in ipairs(ids) do
    local job = prefix .. id
    locks[i] = job .. ':lock'
    children[2 * i - 1], children[2 * i] = job .. ':dependencies', job .. ':unsuccessful'
  end
  redis.call('SCARD', queue.stalled)
  local owners = redis.call('MGET', unpack(locks))
  for i, id in ipairs(ids) do
    gathered.owners[id] = owners[i]
  end
  gathered.childless = redis.call('EXISTS', unpack(children)) == 0
  gathered.fromOldEnd = redis.call('LLEN', queue.active) <= 200
  return gathered
end
local function settleFinished(queue)
  local gathered = queue.gathered
  for set, members in pairs(gathered and gathered.finished or {}) do
    redis.call('ZADD', set, unpack(members))
    gathered.finished[set] = nil
  end
end
local function settle(queue)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners, gathered.childless = {}, false
  if #gathered.ended > 0 then
    redis.call('DEL', unpack(gathered.locks))
    redis.call('SREM', queue.stalled, unpack(gathered.ended))
    gathered.locks, gathered.ended, gathered.left = {}, {}, {}
  end
  settleFinished(queue)
  if gathered.wakes then
    setMarker(queue, '0', '0')
    gathered.wakes = false
  end
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function readSlot(text, seq)
  local number = text and tonumber(string.match(text, '^(%d+) '))
  if not number or number < seq then
    return nil
  elseif number > seq then
    return -23
  end
  return { 0, '', 0, cjson.decode('[' .. string.match(text, '^%d+ (.*)$') .. ']')[1] }
end
local function slotText(seq, answer)
  return string.format('%.0f ', seq) .. (type(answer) == 'table' and cjson.encode(answer) or '"' .. answer .. '"')
end
setmetatable(RARE, { __index = function(_, name)
setmetatable(RARE, nil)
function RARE.parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
function RARE.splitJobKey(key, near)
  local base = near and string.match(near, '^(.*:)[^:]+:$')
  if base and string.sub(key, 1, #base) == base then
    local queue, id = string.match(string.sub(key, #base + 1), '^([^:]+:)(.+)$')
    if queue then
      return base .. queue, id
    end
  end
  return string.match(key, '^(.*:)([^:]*)$')
end
function RARE.mayBeKeyName(id)
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
function RARE.queueKeys(prefix)
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
function RARE.wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end
function RARE.emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
function RARE.finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
function RARE.uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end
function RARE.prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end
function RARE.enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, RARE.prioritizedScore(queue, priority), id)
  end
end
function RARE.unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', RARE.parkedKey(queue.meta) }
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
  return unsound(asked) or (queue.pc and RARE.uncountable(queue.pc)) or nil
end
function RARE.delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end
function RARE.delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, RARE.delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end
function RARE.storeJob(queue, prefix, id, job)
  local fields = { 'name', job.name, 'data', job.data, 'opts', job.opts, 'timestamp', job.timestamp,
    'delay', job.delay or 0, 'priority', job.priority or 0 }
  local function add(field, value)
    if value then
      fields[#fields + 1] = field
      fields[#fields + 1] = value
    end
  end
  add('parentKey', job.parentKey)
  add('parent', job.parent)
  add('rjk', job.schedulerId)
  add('deid', job.deduplication and job.deduplication.id)
  redis.call('HSET', prefix .. id, unpack(fields))
  RARE.emit(queue, 'added', 'jobId', id, 'name', job.name)
end
function RARE.isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
function RARE.deleteJobKeys(prefix, id)
  local job = prefix .. id
  if RARE.mayBeKeyName(id) and not RARE.isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
end
function RARE.placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    RARE.delayUntil(queue, meta, id, job.timestamp + delay)
    RARE.wakeAtNextDue(queue)
    return 'delayed'
  end
  RARE.enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
function RARE.own(key, id, ttl)
  if ttl and ttl > 0 then
    redis.call('SET', key, id, 'PX', ttl)
  else
    redis.call('SET', key, id)
  end
end
function RARE.livingOwner(prefix, deduplicationId)
  local key = prefix .. 'de:' .. deduplicationId
  local owner = redis.call('GET', key)
  if owner and redis.call('PTTL', key) == -1 and redis.call('EXISTS', prefix .. owner) == 0 then
    redis.call('DEL', key, prefix .. 'dn:' .. deduplicationId)
    return false
  end
  return owner
end
function RARE.keepLast(prefix, id, job)
  local kept = prefix .. 'dn:' .. job.deduplication.id
  redis.call('DEL', kept)
  redis.call('HSET', kept, 'name', job.name, 'data', job.data, 'opts', job.opts, 'jid', id)
  if job.parentKey then
    redis.call('HSET', kept, 'pk', job.parentKey, 'pd', job.parent, 'pdk', job.parentKey .. ':dependencies')
  end
  redis.call('PERSIST', prefix .. 'de:' .. job.deduplication.id)
end
function RARE.replaceDelayed(queue, meta, prefix, change)
  local wanted, owner, id = change.job.deduplication, change.owner, change.id
  if redis.call('ZREM', RARE.queueKeys(prefix).delayed, owner) == 0 then
    return false
  end
  change.drop(prefix, owner)
  RARE.emit(queue, 'removed', 'jobId', owner, 'prev', 'delayed')
  emitTrimmed(queue, meta, 'deduplicated', 'jobId', id, 'deduplicationId', wanted.id, 'deduplicatedJobId', owner)
  redis.call('DEL', prefix .. 'dn:' .. wanted.id)
  local key = prefix .. 'de:' .. wanted.id
  if wanted.ttl and wanted.ttl > 0 and not wanted.extend then
    redis.call('SET', key, id, 'KEEPTTL')
  else
    RARE.own(key, id, wanted.ttl)
  end
  return true
end
function RARE.reschedule(queue, meta, prefix, change)
  local delayed = RARE.queueKeys(prefix).delayed
  if redis.call('ZREM', delayed, change.owner) == 1 then
    local delay = change.job.delay or 0
    redis.call('HSET', prefix .. change.owner, 'delay', delay)
    local places = { delayed = delayed, events = queue.events, meta = queue.meta, marker = RARE.queueKeys(prefix).marker }
    RARE.delayUntil(places, meta, change.owner, change.job.timestamp + delay)
    RARE.wakeAtNextDue(places)
  end
end
function RARE.deduplicate(queue, meta, prefix, add)
  local job, id = add.job, add.id
  local wanted = job.deduplication
  local key = prefix .. 'de:' .. wanted.id
  local owner = RARE.livingOwner(prefix, wanted.id)
  if not owner then
    RARE.own(key, id, not wanted.keepLastIfActive and wanted.ttl)
    return 'created'
  end
  local change = { job = job, owner = owner, id = id, drop = add.drop }
  local outcome = 'deduplicated'
  if wanted.keepLastIfActive and redis.call('LPOS', RARE.queueKeys(prefix).active, owner) then
    RARE.keepLast(prefix, id, job)
    outcome = 'kept'
  elseif wanted.replace then
    if RARE.replaceDelayed(queue, meta, prefix, change) then
      return 'replaced', owner
    end
    return 'deduplicated', owner
  elseif wanted.extend and wanted.ttl then
    RARE.own(key, owner, wanted.ttl)
  end
  emitTrimmed(queue, meta, 'deduplicated', 'jobId', owner, 'deduplicationId', wanted.id, 'deduplicatedJobId', id)
  if outcome == 'deduplicated' and wanted.reschedule then
    RARE.reschedule(queue, meta, prefix, change)
  end
  return outcome, owner
end
function RARE.readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = RARE.splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end
function RARE.parentOf(stored)
  if stored.parent == nil then
    stored.parent = RARE.readParent(stored) or false
  end
  return stored.parent or nil
end
function RARE.unsoundParent(parent, target)
  local dependencies = parent.key .. ':dependencies'
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', parent.key .. ':processed', 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = RARE.queueKeys(parent.prefix)
  return unsound({
    'HLEN', parent.key .. ':failed', 'ZCARD', parent.key .. ':unsuccessful',
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or RARE.unsoundPlaces(queue)
end
function RARE.moveParentOn(parent, now)
  local queue = RARE.queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = RARE.finite(values[1], 0)
  local priority = RARE.finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    RARE.emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    RARE.wakeAtNextDue(queue)
    return
  end
  RARE.enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  wakeWorkers(queue, meta)
  RARE.emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end
function RARE.releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    RARE.moveParentOn(parent, now)
  end
end
function RARE.releaseParentIfReady(parent, now)
  if redis.call('SCARD', parent.key .. ':dependencies') == 0 then
    RARE.releaseParent(parent, now)
  end
end
function RARE.failParent(child, parent, now)
  redis.call('ZADD', parent.key .. ':unsuccessful', now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = RARE.queueKeys(parent.prefix)
  local waited = redis.call('ZREM', queue.waitingChildren, parent.id) == 1
  local delayed = not waited and redis.call('ZREM', queue.delayed, parent.id) == 1
  if not (waited or delayed) and redis.call('ZSCORE', queue.failed, parent.id) then
    return
  end
  redis.call('HSET', parent.key, 'defa', 'child ' .. child .. ' failed')
  if delayed then
    redis.call('HSET', parent.key, 'delay', 0)
  end
  if waited or delayed then
    RARE.moveParentOn(parent, now)
  end
end
function RARE.isSet(flag)
  return flag and flag ~= cjson.null
end
function RARE.tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = RARE.isSet(policy['fpof']), RARE.isSet(policy['cpof'])
  local ignore, remove = RARE.isSet(policy['idof']), RARE.isSet(policy['rdof'])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', parent.key .. ':dependencies', child) == 0 then
    return
  end
  if fail then
    RARE.failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', parent.key .. ':failed', child, reason)
    RARE.releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', parent.key .. ':failed', child, reason)
    end
    RARE.releaseParentIfReady(parent, now)
  end
end
function RARE.attachRejection(child, parentKey)
  local current = redis.call('HGET', child, 'parentKey')
  if current and current ~= parentKey and redis.call('EXISTS', current) == 1 then
    return -7
  end
  return nil
end
function RARE.attachExisting(child, parent, parentText, now)
  redis.call('HSET', child.key, 'parentKey', parent.key, 'parent', parentText)
  local queue = RARE.queueKeys(child.prefix)
  if redis.call('ZSCORE', queue.completed, child.id) then
    redis.call('HSET', parent.key .. ':processed', child.key, redis.call('HGET', child.key, 'returnvalue') or 'null')
    return
  end
  redis.call('SADD', parent.key .. ':dependencies', child.key)
  if redis.call('ZSCORE', queue.failed, child.id) then
    RARE.tellParentFailed(child.key, parent, now, redis.call('HGET', child.key, 'failedReason') or '')
  end
end
function RARE.optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
function RARE.detachFromParent(child, stored)
  local parent = RARE.parentOf(stored)
  if not parent then
    return
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.pcall('SISMEMBER', dependencies, child) ~= 1 or RARE.unsoundParent(parent) then
    return
  end
  redis.call('SREM', dependencies, child)
  if redis.call('SCARD', dependencies) > 0 then
    return
  end
  local queue = RARE.queueKeys(parent.prefix)
  if redis.call('ZREM', queue.waitingChildren, parent.id) == 1 then
    local meta = readMeta(queue)
    redis.call('RPUSH', waitingList(queue, meta), parent.id)
    wakeWorkers(queue, meta)
    RARE.emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
  end
end
function RARE.dropJob(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    RARE.detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  RARE.deleteJobKeys(prefix, id)
end
function RARE.wholeNumber(value)
  local number = RARE.finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end
function RARE.keepFromOption(option)
  if option == true then
    return { count = 0 }
  elseif type(option) == 'number' then
    return { count = RARE.wholeNumber(option) or -1 }
  elseif type(option) == 'table' then
    return { count = RARE.wholeNumber(option.count), age = RARE.finite(option.age), limit = RARE.wholeNumber(option.limit) }
  end
  return { count = -1 }
end
function RARE.keepOf(stored, target, default)
  local name = target == 'completed' and 'removeOnComplete' or 'removeOnFail'
  if stored.optsText and string.find(stored.optsText, name, 1, true) then
    local option = RARE.optionsOf(stored)[name]
    if option ~= nil then
      return RARE.keepFromOption(option)
    end
  end
  return default or { count = -1 }
end
function RARE.dropAll(prefix, set, ids)
  for _, id in ipairs(ids) do
    RARE.dropJob(prefix, id)
  end
  if #ids > 0 then
    redis.call('ZREM', set, unpack(ids))
  end
end
function RARE.expiredSet(prefix, id, now)
  local values = redis.pcall('HMGET', prefix .. id, 'finishedOn', 'opts')
  local finishedOn = not values.err and RARE.finite(values[1])
  if not finishedOn or not string.find(values[2] or '', 'removeOn', 1, true) then
    return nil
  end
  local queue = RARE.queueKeys(prefix)
  for _, target in ipairs({ 'completed', 'failed' }) do
    local age = RARE.keepOf({ optsText = values[2] }, target).age
    if age and finishedOn <= now - age * 1000 and type(redis.pcall('ZSCORE', queue[target], id)) == 'string' then
      return queue[target]
    end
  end
  return nil
end
function RARE.dropExpired(prefix, id, now)
  local set = RARE.expiredSet(prefix, id, now)
  if set then
    RARE.dropAll(prefix, set, { id })
  end
  return set ~= nil
end
function RARE.allocateId(queue, prefix, customId)
  local id = redis.call('INCR', queue.id)
  if customId and customId ~= '' then
    return customId
  end
  while redis.call('EXISTS', prefix .. id) == 1 do
    id = redis.call('INCR', queue.id)
  end
  return string.format('%.0f', id)
end
function RARE.addRejection(prefix, job, customId)
  if not job.parentKey then
    return nil
  end
  if redis.call('EXISTS', job.parentKey) == 0 then
    return -5
  end
  if (customId or '') == '' or RARE.expiredSet(prefix, customId, job.timestamp) then
    return nil
  end
  return RARE.attachRejection(prefix .. customId, job.parentKey)
end
function RARE.unsoundTies(prefix, job)
  local wanted, parentKey = job.deduplication, job.parentKey
  local trouble = wanted and unsound({
    'STRLEN', prefix .. 'de:' .. wanted.id, 'HLEN', prefix .. 'dn:' .. wanted.id,
    'LLEN', prefix .. 'active', 'ZCARD', prefix .. 'delayed',
  }) or (parentKey and unsound({ 'SCARD', parentKey .. ':dependencies' })) or nil
  if trouble or not parentKey or (job.customId or '') == '' then
    return trouble
  end
  local keys = RARE.queueKeys(prefix)
  local parent = RARE.parentOf({ prefix = prefix, parentText = job.parent, parentKey = parentKey })
  return unsound({ 'ZCARD', keys.completed, 'ZCARD', keys.failed }) or RARE.unsoundParent(parent)
end
function RARE.unsoundAdd(queue, meta, prefix, job)
  return unsoundPlace(queue, meta, job) or ((job.deduplication or job.parentKey) and RARE.unsoundTies(prefix, job)) or nil
end
function RARE.forgetLostParent(job)
  if job.parentKey and redis.call('EXISTS', job.parentKey) == 0 then
    job.parentKey, job.parent = nil, nil
  end
end
function RARE.addJob(queue, meta, prefix, job)
  local id = RARE.allocateId(queue, prefix, job.customId)
  RARE.forgetLostParent(job)
  local stands = job.customId and job.customId ~= '' and redis.call('EXISTS', prefix .. id) == 1
  if stands and not RARE.dropExpired(prefix, id, job.timestamp) then
    if job.parentKey and not RARE.attachRejection(prefix .. id, job.parentKey) then
      local parent = RARE.parentOf({ prefix = prefix, parentText = job.parent, parentKey = job.parentKey })
      RARE.attachExisting({ key = prefix .. id, id = id, prefix = prefix }, parent, job.parent, job.timestamp)
      RARE.releaseParentIfReady(parent, job.timestamp)
    end
    emitTrimmed(queue, meta, 'duplicated', 'jobId', id)
    return { id, 'existing', '', id }
  end
  if stands then
    RARE.forgetLostParent(job)
  end
  if job.dueAt then
    job.delay = math.max(1, job.dueAt - job.timestamp)
  end
  local outcome, owner = 'created', nil
  if job.deduplication then
    outcome, owner = RARE.deduplicate(queue, meta, prefix, { job = job, id = id, drop = RARE.dropJob })
    if outcome == 'deduplicated' or outcome == 'kept' then
      return { owner, outcome, '', owner }
    end
    if outcome == 'replaced' then
      RARE.forgetLostParent(job)
    end
  end
  RARE.storeJob(queue, prefix, id, job)
  local location = RARE.placeJob(queue, meta, id, job)
  if job.parentKey then
    redis.call('SADD', job.parentKey .. ':dependencies', prefix .. id)
  end
  return { id, outcome, location, owner or '' }
end
function RARE.isNew(prefix, job)
  local id = job.customId or job.id or ''
  if id ~= '' and redis.call('EXISTS', prefix .. id) == 1 and not RARE.expiredSet(prefix, id, job.timestamp) then
    return false
  end
  local wanted = job.deduplication
  return not wanted or redis.call('EXISTS', prefix .. 'de:' .. wanted.id) == 0
end
function RARE.depthOf(prefix)
  local queue = RARE.queueKeys(prefix)
  return redis.call('LLEN', queue.wait) + redis.call('LLEN', queue.paused) + redis.call('LLEN', queue.active)
    + redis.call('ZCARD', queue.prioritized) + redis.call('ZCARD', queue.delayed)
    + redis.call('ZCARD', queue.waitingChildren)
end
function RARE.limitRejection(meta, prefix, job, known)
  if meta.maxPayload and #job.data > meta.maxPayload then
    return { -25, known.index, #job.data, meta.maxPayload }
  end
  if not meta.maxJobs or not RARE.isNew(prefix, job) then
    return nil
  end
  known.depth = known.depth or RARE.depthOf(prefix)
  if known.depth >= meta.maxJobs then
    return { -24, known.index, known.stood or known.depth, meta.maxJobs }
  end
  known.stood = known.stood or known.depth
  known.depth = known.depth + 1
  return nil
end
function RARE.putReceipt(tray, field, text)
  tray.known[field] = text
  tray.written[#tray.written + 1], tray.written[#tray.written + 2] = field, text
end
function RARE.readReceipt(receipt)
  local text
  if receipt.tray then
    text = receipt.tray.known[receipt.field]
  elseif receipt.field then
    text = redis.call('HGET', receipt.key, receipt.field)
  else
    text = redis.call('GET', receipt.key)
  end
  if not text then
    return nil
  end
  local ok, known = pcall(cjson.decode, text)
  if not ok or type(known) ~= 'table' or known[1] ~= 1 then
    return { 0, '', 0 }
  end
  return known
end
function RARE.storeReceipt(receipt, known)
  local text = cjson.encode(known)
  if receipt.tray then
    RARE.putReceipt(receipt.tray, receipt.field, text)
    return
  end
  if not receipt.field then
    redis.call('SET', receipt.key, text, 'PX', receipt.ttl)
    return
  end
  if redis.call('HSET', receipt.key, receipt.field, text) > 0 or not receipt.said then
    redis.call('PEXPIRE', receipt.key, receipt.ttl)
  end
end
function RARE.bodyOf(receipt)
  if receipt.tray then
    return receipt.tray.known.body
  end
  return redis.call('HGET', receipt.key, 'body')
end
function RARE.findReceipt(receipt)
  if not receipt or receipt.fresh then
    return nil
  end
  if receipt.seq then
    return readSlot(redis.call('HGET', receipt.key, receipt.field), receipt.seq)
  end
  local known = RARE.readReceipt(receipt)
  if receipt.slot then
    return known and known[2] == receipt.digest and known or nil
  end
  local body = receipt.whole and RARE.bodyOf(receipt)
  if (known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest) then
    return -23
  end
  return known
end
function RARE.writeReceipt(receipt, ...)
  if receipt.tray then
    if receipt.whole then
      RARE.putReceipt(receipt.tray, 'body', receipt.digest)
    end
    RARE.storeReceipt(receipt, { 1, receipt.digest, 0, ... })
    return
  end
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  RARE.storeReceipt(receipt, { 1, receipt.digest, 0, ... })
end
function RARE.replayed(receipt)
  local known = RARE.findReceipt(receipt)
  if type(known) == 'table' then
    return { 1, known[4] }
  end
  return known
end
function RARE.remembered(receipt, answer)
  if receipt and receipt.seq then
    if redis.call('HSET', receipt.key, receipt.field, slotText(receipt.seq, answer)) > 0 or not receipt.said then
      redis.call('PEXPIRE', receipt.key, receipt.ttl)
    end
  elseif receipt then
    RARE.writeReceipt(receipt, answer)
  end
  return answer
end
return RARE[name]
end })

local queue = {
  wait = KEYS[1], -- list
  paused = KEYS[2], -- list, BullMQ 5 only
  meta = KEYS[3], -- hash
  id = KEYS[4], -- counter
  completed = KEYS[5], -- set of finished jobs
  delayed = KEYS[6], -- set by due time
  active = KEYS[7], -- list
  events = KEYS[8], -- stream
  marker = KEYS[9], -- set that wakes a blocked fetch
  prioritized = KEYS[10], -- set by priority and arrival
  pc = KEYS[11], -- counter of arrivals
}
local prefix = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local jobs = cmsgpack.unpack(ARGV[3]) -- pack readonly {
--   customId?: string; name: string | Uint8Array; timestamp?: number; data: string | Uint8Array;
--   opts: string | Uint8Array; delay?: number; dueAt?: number; priority?: number; lifo?: boolean;
--   parentKey?: string; parent?: string;
--   deduplication?: { id: string; ttl?: number; extend?: boolean; replace?: boolean; keepLastIfActive?: boolean; reschedule?: boolean };
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] };
--   slot?: string; seq?: number
-- }[]
local slots = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or nil -- pack { key: string; ttl: number; fields: readonly string[] } | undefined
-- end of declarations

local now = resolveNow(timestamp)
local meta = readMeta(queue)
gather(queue, prefix, {})

local function add(job)
  job.timestamp = job.timestamp or now
  local no = RARE.replayed(job.receipt) or (job.parentKey and RARE.addRejection(prefix, job, job.customId))
    or ((meta.maxJobs or meta.maxPayload) and RARE.limitRejection(meta, prefix, job, { index = 0 }))
  if no then
    return no
  end
  local trouble = RARE.unsoundAdd(queue, meta, prefix, job)
  return trouble or RARE.remembered(job.receipt, RARE.addJob(queue, meta, prefix, job))
end

--- The answers that stand in the slots of the jobs that have one.
local answers = {}
local before = slots and redis.call('HMGET', slots.key, unpack(slots.fields))
for index, job in ipairs(before and jobs or {}) do
  local known = job.seq and readSlot(before[index], job.seq)
  answers[index] = type(known) == 'table' and { 1, known[4] } or known or nil
end

local function carryOut(first)
  local last = lastPlain(meta, jobs, { first = first, answers = answers })
  if last < first then
    answers[first] = add(jobs[first])
    return first
  end
  local trouble = unsoundPlace(queue, meta, jobs[first])
  if not trouble then
    addPlain(queue, meta, prefix, { jobs = jobs, first = first, last = last, answers = answers, now = now })
    return last
  end
  answers[first] = trouble
  return first
end

local written = {}
local index = 1
while jobs[index] do
  local last = index
  if not answers[index] then
    local ok, reached = pcall(carryOut, index)
    last = ok and reached or index
    if not ok then
      answers[index] = { 0, type(reached) == 'table' and reached.err or tostring(reached) }
    end
  end
  for at = index, last do
    local answer, job = answers[at], jobs[at]
    if type(answer) == 'table' and answer.err then
      answers[at] = { 0, answer.err }
    elseif job.seq and type(answer) ~= 'number' and (type(answer) == 'string' or type(answer[1]) == 'string') then
      written[#written + 1], written[#written + 2] = job.slot, slotText(job.seq, answer)
    end
  end
  index = last + 1
end
if #written > 0 then
  redis.call('HSET', slots.key, unpack(written))
  redis.call('PEXPIRE', slots.key, slots.ttl)
end
settle(queue)
return answers
