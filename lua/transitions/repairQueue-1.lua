--- Mends what is wrong with a queue besides its ids, if it still is: a missing marker, jobs that were parked in `paused`,
--- keys of old versions, a parent that cannot be released, a deduplication id of a job that is gone, a schedule without
--- its record.
-- @include deduplication parents gate places time keys facts
-- @returns what was done, in a word or two; '' when nothing is wrong

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
