-- @include deduplication attachment removal
--- Adding a job: the same steps for every kind and for a batch.

--- Takes ids from the counter until one is free: a foreign writer may have stored jobs under numbers.
local function allocateId(queue, prefix, customId)
  local id = redis.call('INCR', queue.id)
  if customId and customId ~= '' then
    return customId
  end
  while redis.call('EXISTS', jobKey(prefix, id)) == 1 do
    id = redis.call('INCR', queue.id)
  end
  return string.format('%.0f', id)
end

--- Says no before anything is written; `job.timestamp` is known. A missing parent could never be released by this child.
local function addRejection(prefix, job, customId)
  if not job.parentKey then
    return nil
  end
  if redis.call('EXISTS', job.parentKey) == 0 then
    return REJECT.PARENT_JOB_NOT_FOUND
  end
  if (customId or '') == '' or expiredSet(prefix, customId, job.timestamp) then
    return nil
  end
  return attachRejection(jobKey(prefix, customId), job.parentKey)
end

--- The error that would stop an add half way at what the job is tied to, or nil.
local function unsoundTies(prefix, job)
  local wanted, parentKey = job.deduplication, job.parentKey
  local trouble = wanted and unsound({
    'STRLEN', deduplicationKey(prefix, wanted.id), 'HLEN', keptLastKey(prefix, wanted.id),
    'LLEN', jobKey(prefix, 'active'), 'ZCARD', jobKey(prefix, 'delayed'),
  }) or (parentKey and unsound({ 'SCARD', dependenciesKey(parentKey) })) or nil
  if trouble or not parentKey or (job.customId or '') == '' then
    return trouble
  end
  local keys = queueKeys(prefix)
  local parent = parentOf({ prefix = prefix, parentText = job.parent, parentKey = parentKey })
  return unsound({ 'ZCARD', keys.completed, 'ZCARD', keys.failed }) or unsoundParent(parent)
end

--- The same for all that one add writes. The counter is not asked: it is written first.
local function unsoundAdd(queue, meta, prefix, job)
  return unsoundPlace(queue, meta, job) or ((job.deduplication or job.parentKey) and unsoundTies(prefix, job)) or nil
end

--- A parent that a deduplicated add has replaced since it was looked for waits for nobody.
local function forgetLostParent(job)
  if job.parentKey and redis.call('EXISTS', job.parentKey) == 0 then
    job.parentKey, job.parent = nil, nil
  end
end

--- Stores one job and puts it into its location. `job` is as for storeJob, with customId, lifo and dueAt. Returns
--- { id, outcome, location or '', id of the job that stood in the way or '' }; the outcome is created, existing,
--- deduplicated, replaced or kept.
local function addJob(queue, meta, prefix, job)
  local id = allocateId(queue, prefix, job.customId)
  forgetLostParent(job)
  local stands = job.customId and job.customId ~= '' and redis.call('EXISTS', jobKey(prefix, id)) == 1
  if stands and not dropExpired(prefix, id, job.timestamp) then
    -- A batch can name one id twice; the first parent keeps the child.
    if job.parentKey and not attachRejection(jobKey(prefix, id), job.parentKey) then
      local parent = parentOf({ prefix = prefix, parentText = job.parent, parentKey = job.parentKey })
      attachExisting({ key = jobKey(prefix, id), id = id, prefix = prefix }, parent, job.parent, job.timestamp)
      releaseParentIfReady(parent, job.timestamp)
    end
    emitTrimmed(queue, meta, 'duplicated', 'jobId', id)
    return { id, 'existing', '', id }
  end
  if stands then
    -- The expired job may have been the parent.
    forgetLostParent(job)
  end
  if job.dueAt then
    -- An instant instead of a span: only the store's clock can say how far it is. One that has passed is due at once.
    job.delay = math.max(1, job.dueAt - job.timestamp)
  end
  local outcome, owner = 'created', nil
  if job.deduplication then
    outcome, owner = deduplicate(queue, meta, prefix, { job = job, id = id, drop = dropJob })
    if outcome == 'deduplicated' or outcome == 'kept' then
      return { owner, outcome, '', owner }
    end
    if outcome == 'replaced' then
      forgetLostParent(job)
    end
  end
  storeJob(queue, prefix, id, job)
  local location = placeJob(queue, meta, id, job)
  if job.parentKey then
    redis.call('SADD', dependenciesKey(job.parentKey), jobKey(prefix, id))
  end
  return { id, outcome, location, owner or '' }
end
