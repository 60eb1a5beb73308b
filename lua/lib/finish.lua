-- @include removal deduplication metrics counters sound keys gathered
--- The effects of a final end, completed or failed, on a job that has already left its location.

--- The caller has looked at what `unsoundEnd` looks at, and has trimmed the events. `finished` is { prefix, id, job,
--- stored, now, target, valueField, value, set, keep, attempts, metrics, maxMetricsSize, prev }: `set` the finished set's
--- key, `keep` the retention, `attempts` the job's budget, `metrics` a key, `prev` where the job stood: absent, it was
--- active, and its run counts. Returns the attempts made.
local function recordFinished(queue, meta, finished)
  local failed = finished.target == 'failed'
  local job, now = finished.job, finished.now
  local parent = parentOf(finished.stored)
  local deduplicationId = finished.stored.deduplicationId
  if deduplicationId then
    releaseDeduplication(finished.prefix, finished.id, deduplicationId)
    addKeptLast(meta, finished.prefix, deduplicationId, now)
  end
  if parent and failed then
    tellParentFailed(job, parent, now, finished.value)
  elseif parent then
    tellParentCompleted(job, parent, now, finished.value)
  end
  local attemptsMade = finished.stored.attemptsMade + (finished.prev and 0 or 1)
  if finished.keep.count == 0 then
    detachFromParent(job, finished.stored)
    deleteJobKeys(finished.prefix, finished.id)
  else
    redis.call('HSET', job, FIELD.attemptsMade, attemptsMade, finished.valueField, finished.value, 'finishedOn', now)
    if failed then
      redis.call('HDEL', job, FIELD.deferredFailure)
    end
    addFinished(queue, finished.set, finished.id, now)
    if finished.keep.age or (finished.keep.count or 0) > 0 then
      settleFinished(queue)
      trimFinished(finished.prefix, finished.set, finished.keep, now)
    end
  end
  emit(queue, finished.target, 'jobId', finished.id, finished.valueField, finished.value,
    'prev', finished.prev or 'active')
  if failed and not finished.prev and attemptsMade >= finished.attempts then
    emit(queue, 'retries-exhausted', 'jobId', finished.id, 'attemptsMade', attemptsMade)
  end
  if finished.maxMetricsSize and finished.maxMetricsSize > 0 then
    countFinished(finished.metrics, finished.maxMetricsSize, now)
  end
  return attemptsMade
end

--- The error that would stop a job's end half way, or nil: of its finished set and of its parent.
local function unsoundEnd(set, stored, target)
  local parent = parentOf(stored)
  return unsound({ 'ZCARD', set }) or (parent and unsoundParent(parent, target)) or nil
end

--- The job has left its location already, and the events and the set `failed` are known to be what they should. Nobody
--- waits for the answer who could repair a parent: one that cannot be told is counted. `fate` is { prefix, id, now,
--- reason, maxMetricsSize, prev, defaultKeep }.
local function failForGood(queue, meta, stored, fate)
  local keys = queueKeys(fate.prefix)
  local options = optionsOf(stored)
  local parent = parentOf(stored)
  if parent and unsoundParent(parent, 'failed') then
    countDropped(fate.prefix, 'parentNotTold')
    stored.parent = false
  end
  trimEvents(queue, meta)
  recordFinished(queue, meta, {
    prefix = fate.prefix,
    id = fate.id,
    job = jobKey(fate.prefix, fate.id),
    stored = stored,
    now = fate.now,
    target = 'failed',
    valueField = 'failedReason',
    value = fate.reason,
    set = keys.failed,
    keep = keepOf(stored, 'failed', fate.defaultKeep),
    attempts = finite(options.attempts, 0),
    metrics = keys.failedMetrics,
    maxMetricsSize = fate.maxMetricsSize,
    prev = fate.prev,
  })
end

--- Ends a job that somebody asked to cancel, whatever its holder has to say. `fate` is as for failForGood; the reason
--- is always the same.
local function failCancelled(queue, meta, stored, fate)
  redis.call('DEL', cancelKey(fate.prefix, fate.id))
  redis.call('HDEL', jobKey(fate.prefix, fate.id), FIELD.cancel)
  fate.reason = 'cancelled'
  failForGood(queue, meta, stored, fate)
end

--- Before a hold ends: the error that would stop it half way, or nil. `hold` is { prefix, job, logs, set }: `logs` are
--- rows, if there are any, `set` is the set where the job goes, if it goes into one.
local function unsoundHold(queue, stored, hold)
  local trouble = hold.logs and unsound({ 'LLEN', logsKey(hold.job) })
  if trouble then
    return trouble
  elseif stored.cancelled then
    return unsoundPlaces(queue) or unsoundEnd(jobKey(hold.prefix, 'failed'), stored, 'failed')
  elseif hold.set then
    return unsound({ 'ZCARD', hold.set, 'XLEN', queue.events })
  end
  return unsoundPlaces(queue)
end
