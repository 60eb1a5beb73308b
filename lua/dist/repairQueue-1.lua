-- repairQueue-1
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
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = tonumber(meta[2]),
    max = tonumber(meta[3]),
    duration = tonumber(meta[4]),
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
    setMarker(queue, 0, '0')
  end
end
local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
local function isEmpty(queue)
  return redis.pcall('LLEN', queue.wait) == 0 and redis.pcall('LLEN', queue.active) == 0
    and redis.pcall('ZCARD', queue.prioritized) == 0
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
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local function trimEvents(queue, meta)
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
  cancel = 'echomq.cancel',
  unbegun = 'echomq.unbegun',
}
local POLICY = {
  failParent = 'fpof',
  continueParent = 'cpof',
  ignoreDependency = 'idof',
  removeDependency = 'rdof',
}
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local OPTION = {
  keepLogs = 'kl',
}
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
local function prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end
local function waitingList(queue, meta)
  local parked = parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
local function enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, prioritizedScore(queue, priority), id)
  end
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
local function unsoundPlace(queue, meta, job)
  local asked = { 'XLEN', queue.events, 'LLEN', queue.wait }
  if (job.delay or 0) > 0 or job.dueAt then
    asked[3], asked[4] = 'ZCARD', queue.delayed
  elseif (job.priority or 0) > 0 then
    asked[3], asked[4] = 'ZCARD', queue.prioritized
  elseif meta.paused then
    asked[5], asked[6] = 'LLEN', parkedKey(queue.meta)
  end
  if meta.concurrency and queue.active then
    asked[#asked + 1] = 'LLEN'
    asked[#asked + 1] = queue.active
  end
  return unsound(asked) or ((job.priority or 0) > 0 and queue.pc and uncountable(queue.pc)) or nil
end
local function delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end
local function delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end
local function isLifo(opts)
  if not opts or not string.find(opts, '"lifo"', 1, true) then
    return false
  end
  local ok, options = pcall(cjson.decode, opts)
  return ok and type(options) == 'table' and options.lifo == true
end
local MAX_PROMOTED = 1000
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, MAX_PROMOTED)
  if #due == 0 then
    return 0
  end
  local trouble = unsoundPlaces(queue)
  if trouble then
    return 0, trouble
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = jobKey(prefix, id)
    local found = redis.pcall('HMGET', job, 'priority', 'opts')
    if found.err then
      enqueue(queue, meta, id, { priority = 0 })
    else
      local priority = finite(found[1], 0)
      enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and isLifo(found[2]) })
      if found[1] then
        redis.call('HSET', job, 'delay', 0)
      end
    end
    emit(queue, 'waiting', 'jobId', id, 'prev', 'delayed')
  end
  wakeWorkers(queue, meta)
  return #due
end
local function nextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  return first[2] and math.floor(tonumber(first[2]) / 4096) or 0
end
local function storeJob(queue, prefix, id, job)
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
  add(FIELD.schedulerId, job.schedulerId)
  add(FIELD.deduplicationId, job.deduplication and job.deduplication.id)
  redis.call('HSET', jobKey(prefix, id), unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = jobKey(prefix, id)
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, logsKey(job), dependenciesKey(job), processedKey(job), ignoredFailuresKey(job),
    failedChildrenKey(job))
end
local function placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    delayUntil(queue, meta, id, job.timestamp + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
local function own(key, id, ttl)
  if ttl and ttl > 0 then
    redis.call('SET', key, id, 'PX', ttl)
  else
    redis.call('SET', key, id)
  end
end
local function livingOwner(prefix, deduplicationId)
  local key = deduplicationKey(prefix, deduplicationId)
  local owner = redis.call('GET', key)
  if owner and redis.call('PTTL', key) == -1 and redis.call('EXISTS', jobKey(prefix, owner)) == 0 then
    redis.call('DEL', key, keptLastKey(prefix, deduplicationId))
    return false
  end
  return owner
end
local function keepLast(prefix, id, job)
  local kept = keptLastKey(prefix, job.deduplication.id)
  redis.call('DEL', kept)
  redis.call('HSET', kept, 'name', job.name, 'data', job.data, 'opts', job.opts, 'jid', id)
  if job.parentKey then
    redis.call('HSET', kept, 'pk', job.parentKey, 'pd', job.parent, 'pdk', dependenciesKey(job.parentKey))
  end
  redis.call('PERSIST', deduplicationKey(prefix, job.deduplication.id))
end
local function replaceDelayed(queue, meta, prefix, change)
  local wanted, owner, id = change.job.deduplication, change.owner, change.id
  if redis.call('ZREM', queueKeys(prefix).delayed, owner) == 0 then
    return false
  end
  change.drop(prefix, owner)
  emit(queue, 'removed', 'jobId', owner, 'prev', 'delayed')
  emitTrimmed(queue, meta, 'deduplicated', 'jobId', id, 'deduplicationId', wanted.id, 'deduplicatedJobId', owner)
  redis.call('DEL', keptLastKey(prefix, wanted.id))
  local key = deduplicationKey(prefix, wanted.id)
  if wanted.ttl and wanted.ttl > 0 and not wanted.extend then
    redis.call('SET', key, id, 'KEEPTTL')
  else
    own(key, id, wanted.ttl)
  end
  return true
end
local function reschedule(queue, meta, prefix, change)
  local delayed = queueKeys(prefix).delayed
  if redis.call('ZREM', delayed, change.owner) == 1 then
    local delay = change.job.delay or 0
    redis.call('HSET', jobKey(prefix, change.owner), 'delay', delay)
    local places = { delayed = delayed, events = queue.events, meta = queue.meta, marker = queueKeys(prefix).marker }
    delayUntil(places, meta, change.owner, change.job.timestamp + delay)
    wakeAtNextDue(places)
  end
end
local function deduplicate(queue, meta, prefix, add)
  local job, id = add.job, add.id
  local wanted = job.deduplication
  local key = deduplicationKey(prefix, wanted.id)
  local owner = livingOwner(prefix, wanted.id)
  if not owner then
    own(key, id, not wanted.keepLastIfActive and wanted.ttl)
    return 'created'
  end
  local change = { job = job, owner = owner, id = id, drop = add.drop }
  local outcome = 'deduplicated'
  if wanted.keepLastIfActive and redis.call('LPOS', queueKeys(prefix).active, owner) then
    keepLast(prefix, id, job)
    outcome = 'kept'
  elseif wanted.replace then
    if replaceDelayed(queue, meta, prefix, change) then
      return 'replaced', owner
    end
    return 'deduplicated', owner
  elseif wanted.extend and wanted.ttl then
    own(key, owner, wanted.ttl)
  end
  emitTrimmed(queue, meta, 'deduplicated', 'jobId', owner, 'deduplicationId', wanted.id, 'deduplicatedJobId', id)
  if outcome == 'deduplicated' and wanted.reschedule then
    reschedule(queue, meta, prefix, change)
  end
  return outcome, owner
end
local function addKeptLast(meta, prefix, deduplicationId, now)
  local kept = keptLastKey(prefix, deduplicationId)
  local values = redis.pcall('HMGET', kept, 'name', 'data', 'opts', 'jid', FIELD.schedulerId, 'pk', 'pd', 'pdk')
  local queue = queueKeys(prefix)
  if not values[1] or unsoundPlaces(queue) or uncountable(queue.id)
    or unsound({ 'HLEN', jobKey(prefix, values[4] or ''), 'SCARD', values[8] or kept .. ':none' }) then
    return
  end
  redis.call('DEL', kept)
  if values[4] and redis.call('EXISTS', jobKey(prefix, values[4])) == 1 then
    emit(queue, 'duplicated', 'jobId', values[4])
    return
  end
  if values[6] and redis.call('EXISTS', values[6]) == 0 then
    values[6], values[7], values[8] = false, false, false
  end
  local counted = redis.call('INCR', queue.id)
  local id = values[4] or string.format('%.0f', counted)
  local ok, options = pcall(cjson.decode, values[3] or '{}')
  options = ok and type(options) == 'table' and options or {}
  local job = {
    name = values[1], data = values[2] or '{}', opts = values[3] or '{}', timestamp = now,
    delay = tonumber(options.delay), priority = tonumber(options.priority), lifo = options.lifo == true,
    schedulerId = values[5], parentKey = values[6], parent = values[7], deduplication = { id = deduplicationId },
  }
  redis.call('SET', deduplicationKey(prefix, deduplicationId), id)
  storeJob(queue, prefix, id, job)
  placeJob(queue, meta, id, job)
  if values[8] then
    redis.call('SADD', values[8], jobKey(prefix, id))
  end
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
  local dependencies = dependenciesKey(parent.key)
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', processedKey(parent.key), 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = queueKeys(parent.prefix)
  return unsound({
    'HLEN', ignoredFailuresKey(parent.key), 'ZCARD', failedChildrenKey(parent.key),
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or unsoundPlaces(queue)
end
local function moveParentOn(parent, now)
  local queue = queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = finite(values[1], 0)
  local priority = finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    wakeAtNextDue(queue)
    return
  end
  enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  wakeWorkers(queue, meta)
  emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end
local function releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    moveParentOn(parent, now)
  end
end
local function releaseParentIfReady(parent, now)
  if redis.call('SCARD', dependenciesKey(parent.key)) == 0 then
    releaseParent(parent, now)
  end
end
local function tellParentCompleted(child, parent, now, returnValue)
  if redis.call('SREM', dependenciesKey(parent.key), child) == 1 then
    redis.call('HSET', processedKey(parent.key), child, returnValue)
    releaseParentIfReady(parent, now)
  end
end
local function failParent(child, parent, now)
  redis.call('ZADD', failedChildrenKey(parent.key), now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  local waited = redis.call('ZREM', queue.waitingChildren, parent.id) == 1
  local delayed = not waited and redis.call('ZREM', queue.delayed, parent.id) == 1
  if not (waited or delayed) and redis.call('ZSCORE', queue.failed, parent.id) then
    return
  end
  redis.call('HSET', parent.key, FIELD.deferredFailure, 'child ' .. child .. ' failed')
  if delayed then
    redis.call('HSET', parent.key, 'delay', 0)
  end
  if waited or delayed then
    moveParentOn(parent, now)
  end
end
local function isSet(flag)
  return flag and flag ~= cjson.null
end
local function tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = isSet(policy[POLICY.failParent]), isSet(policy[POLICY.continueParent])
  local ignore, remove = isSet(policy[POLICY.ignoreDependency]), isSet(policy[POLICY.removeDependency])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', dependenciesKey(parent.key), child) == 0 then
    return
  end
  if fail then
    failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', ignoredFailuresKey(parent.key), child, reason)
    releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', ignoredFailuresKey(parent.key), child, reason)
    end
    releaseParentIfReady(parent, now)
  end
end
local function relinkToParent(child, stored, state)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  if unsoundParent(parent, state) then
    return
  end
  local removed
  if state == 'completed' then
    removed = redis.call('HDEL', processedKey(parent.key), child)
  else
    removed = redis.call('ZREM', failedChildrenKey(parent.key), child)
      + redis.call('HDEL', ignoredFailuresKey(parent.key), child)
  end
  if removed > 0 then
    redis.call('SADD', dependenciesKey(parent.key), child)
  end
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function kindOf(prefix, id)
  local job = jobKey(prefix, id)
  local timestamp = redis.pcall('HGET', job, 'timestamp')
  if type(timestamp) == 'table' then
    return 'other'
  elseif timestamp then
    return 'job'
  elseif redis.call('EXISTS', job) == 0 then
    return 'none'
  end
  return mayBeKeyName(id) and 'other' or 'job'
end
local function inSet(set, id)
  local score = redis.pcall('ZSCORE', set, id)
  return type(score) == 'string'
end
local function countInList(list, id)
  local positions = redis.pcall('LPOS', list, id, 'COUNT', 0)
  return positions.err and 0 or #positions
end
local function inspectedSets(keys)
  return {
    { 'prioritized', keys.prioritized }, { 'delayed', keys.delayed }, { 'waiting-children', keys.waitingChildren },
    { 'completed', keys.completed }, { 'failed', keys.failed },
  }
end
local function heldIn(keys, id)
  local places = {}
  for _, list in ipairs({ { 'wait', keys.wait }, { 'paused', keys.paused }, { 'active', keys.active } }) do
    local count = countInList(list[2], id)
    if count > 0 then
      places[#places + 1] = { list[1], count }
    end
  end
  for _, set in ipairs(inspectedSets(keys)) do
    if inSet(set[2], id) then
      places[#places + 1] = { set[1], 1 }
    end
  end
  return places
end
local function isLocked(prefix, id)
  return redis.call('TYPE', lockKey(jobKey(prefix, id))).ok == 'string'
end

local metaKey = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local fault = ARGV[2] -- string
local subject = ARGV[3] -- string the parent, the deduplication id, the key, the scheduler
local other = ARGV[4] -- string the child's key
local now = ARGV[5] -- ms
-- end of declarations

local keys = queueKeys(prefix)
local meta = readMeta({ meta = metaKey })

local function mendMarker()
  local stuck = hasWork(keys) and redis.call('LLEN', keys.active) == 0 and not gateIsClosed(keys, meta)
    and redis.call('EXISTS', keys.marker) == 0
  if stuck then
    wakeOne(keys)
  end
  return stuck and 'set the marker' or ''
end

--- A thousand of them; in order, behind the tail of `wait`: they run first.
local function mendParked()
  local parked = redis.call('LRANGE', keys.paused, 0, 999)
  if #parked == 0 then
    return ''
  end
  redis.call('LTRIM', keys.paused, #parked, -1)
  redis.call('RPUSH', keys.wait, unpack(parked))
  wakeWorkers(keys, meta)
  return 'moved to wait'
end

local function mendLegacyKey()
  local known = subject == 'priority' or subject == 'delay'
  if not known or kindOf(prefix, subject) == 'job' then
    return ''
  end
  return redis.call('DEL', prefix .. subject) == 1 and 'removed the key' or ''
end

local function mendParent()
  local parent = { key = jobKey(prefix, subject), id = subject, prefix = prefix, policy = {} }
  local trouble = unsoundParent(parent, 'failed')
  if trouble then
    return trouble
  end
  local dependencies = dependenciesKey(parent.key)
  if redis.call('EXISTS', parent.key) == 0 or not inSet(keys.waitingChildren, subject) then
    return ''
  end
  local at = resolveNow(now)
  if other ~= '' then
    if redis.call('SISMEMBER', dependencies, other) == 0 then
      return ''
    end
    local childPrefix, childId = splitJobKey(other, prefix)
    local child = redis.pcall('HMGET', other, 'parentKey', 'returnvalue', 'timestamp')
    local gone = child.err or not child[3]
    if gone or child[1] ~= parent.key then
      redis.call('SREM', dependencies, other)
      releaseParentIfReady(parent, at)
      return 'waits no longer for it'
    elseif childPrefix and inSet(queueKeys(childPrefix).completed, childId) then
      tellParentCompleted(other, parent, at, child[2] or 'null')
      return 'was told of its end'
    end
    return ''
  end
  if redis.call('SCARD', dependencies) > 0 then
    return ''
  end
  releaseParentIfReady(parent, at)
  return 'released'
end

local function mendDeduplication()
  local key = deduplicationKey(prefix, subject)
  local owner = redis.call('GET', key)
  if not owner or redis.call('PTTL', key) ~= -1 or redis.call('EXISTS', jobKey(prefix, owner)) == 1 then
    return ''
  end
  if redis.call('EXISTS', keptLastKey(prefix, subject)) == 1 then
    addKeptLast(meta, prefix, subject, resolveNow(now))
    return redis.call('EXISTS', keptLastKey(prefix, subject)) == 0 and 'added the job that waited for it' or ''
  end
  redis.call('DEL', key)
  return 'freed'
end

local function mendSchedule()
  if redis.call('EXISTS', schedulerKey(prefix, subject)) == 1 then
    return ''
  end
  return redis.call('ZREM', keys.schedulers, subject) == 1 and 'removed the schedule' or ''
end

local trouble = unsoundPlaces(keys)
if trouble then
  return trouble
end
if fault == 'marker' then
  return mendMarker()
elseif fault == 'parked' then
  return mendParked()
elseif fault == 'legacy-key' then
  return mendLegacyKey()
elseif fault == 'parent' then
  return mendParent()
elseif fault == 'deduplication' then
  return mendDeduplication()
elseif fault == 'schedule' then
  return mendSchedule()
end
return ''
