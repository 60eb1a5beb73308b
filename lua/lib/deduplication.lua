-- @include places
--- Deduplication: one job per deduplication id, in BullMQ's modes. `wanted` is { id, ttl, extend, replace,
--- keepLastIfActive, reschedule }, `ttl` in ms.

local function own(key, id, ttl)
  if ttl and ttl > 0 then
    redis.call('SET', key, id, 'PX', ttl)
  else
    redis.call('SET', key, id)
  end
end

--- The job that owns the id now. An owner without a TTL whose hash is gone can never release it: it is passed over.
local function livingOwner(prefix, deduplicationId)
  local key = deduplicationKey(prefix, deduplicationId)
  local owner = redis.call('GET', key)
  if owner and redis.call('PTTL', key) == -1 and redis.call('EXISTS', jobKey(prefix, owner)) == 0 then
    redis.call('DEL', key, keptLastKey(prefix, deduplicationId))
    return false
  end
  return owner
end

--- Keeps the newest add while its predecessor runs: the predecessor's end brings it in.
local function keepLast(prefix, id, job)
  local kept = keptLastKey(prefix, job.deduplication.id)
  redis.call('DEL', kept)
  redis.call('HSET', kept, 'name', job.name, 'data', job.data, 'opts', job.opts, 'jid', id)
  if job.parentKey then
    redis.call('HSET', kept, 'pk', job.parentKey, 'pd', job.parent, 'pdk', dependenciesKey(job.parentKey))
  end
  redis.call('PERSIST', deduplicationKey(prefix, job.deduplication.id))
end

--- Puts the new job in the place of a delayed owner. Returns false when the owner is not delayed.
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

--- Moves a delayed owner to the new add's due time.
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

--- Decides for a new job, `add` { job, id, drop }, with the allocated `id` (`drop` removes a job): 'created' (store it), 'replaced' (store it; the owner is gone),
--- 'deduplicated' or 'kept' (do not store it). Returns that and the owner.
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

--- The owner has ended: brings in the add that was kept while it ran, if there is one.
local function addKeptLast(meta, prefix, deduplicationId, now)
  local kept = keptLastKey(prefix, deduplicationId)
  local values = redis.pcall('HMGET', kept, 'name', 'data', 'opts', 'jid', FIELD.schedulerId, 'pk', 'pd', 'pdk')
  local queue = queueKeys(prefix)
  -- What cannot be brought in now stays, whatever it is: the job that ends must not be held up by it.
  if not values[1] or unsoundPlaces(queue) or uncountable(queue.id)
    or unsound({ 'HLEN', jobKey(prefix, values[4] or ''), 'SCARD', values[8] or kept .. ':none' }) then
    return
  end
  redis.call('DEL', kept)
  if values[4] and redis.call('EXISTS', jobKey(prefix, values[4])) == 1 then
    -- Somebody has added a job of that id meanwhile: a second one would stand in its place.
    emit(queue, 'duplicated', 'jobId', values[4])
    return
  end
  if values[6] and redis.call('EXISTS', values[6]) == 0 then
    -- The parent has gone meanwhile: nobody is left to wait for it.
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
