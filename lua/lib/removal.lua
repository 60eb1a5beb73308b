-- @include parents storedJob
--- Taking jobs out of the store.

--- The parent no longer waits for this child. Its last child gone, it runs next. A parent whose keys are not what they
--- should be cannot be helped, and must not hold up who trims or removes.
local function detachFromParent(child, stored)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  local dependencies = dependenciesKey(parent.key)
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

--- Removes the keys of a job whose id the caller has taken (or takes) out of its location.
local function dropJob(prefix, id)
  local job = jobKey(prefix, id)
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  deleteJobKeys(prefix, id)
end

--- Frees the deduplication id that a finished or removed job owns. A key with a running TTL outlives a finish.
local function releaseDeduplication(prefix, id, deduplicationId)
  local key = deduplicationKey(prefix, deduplicationId)
  local ttl = redis.call('PTTL', key)
  if ttl == 0 or (ttl == -1 and redis.pcall('GET', key) == id) then
    redis.call('DEL', key)
  end
end

local function wholeNumber(value)
  local number = finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end

--- Reads an option of the forms true, false, number, { age, count, limit }.
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

--- The retention of a finished job: its own option for this end, else the caller's, else all.
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

--- Trims a finished set to `keep`, at most 1000 jobs by age and 1000 by count in one script.
local function trimFinished(prefix, set, keep, now)
  if keep.age then
    local limit = math.max(0, math.min(keep.limit or 1000, 1000))
    dropAll(prefix, set, redis.call('ZREVRANGEBYSCORE', set, now - keep.age * 1000, '-inf', 'LIMIT', 0, limit))
  end
  if keep.count and keep.count > 0 then
    dropAll(prefix, set, redis.call('ZREVRANGE', set, keep.count, keep.count + 999))
  end
end

--- The finished set of a job that is past the age for which its own options keep it, or nil. Its id is free then, be it
--- that nothing has trimmed the set since.
local function expiredSet(prefix, id, now)
  local values = redis.pcall('HMGET', jobKey(prefix, id), 'finishedOn', 'opts')
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

--- Removes such a job; false where there is none to remove.
local function dropExpired(prefix, id, now)
  local set = expiredSet(prefix, id, now)
  if set then
    dropAll(prefix, set, { id })
  end
  return set ~= nil
end

--- Removing a job for good frees its deduplication id in every mode, TTL or not.
local function releaseOwnedDeduplication(prefix, id, deduplicationId)
  if not deduplicationId then
    return
  end
  local key = deduplicationKey(prefix, deduplicationId)
  if redis.pcall('GET', key) == id then
    redis.call('DEL', key, keptLastKey(prefix, deduplicationId))
  end
end
