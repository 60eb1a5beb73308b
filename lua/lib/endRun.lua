-- @include reject gathered lock gate keys sound places events storedJob finish retry notes nextJob receipt
--- The end of a run, completed or failed, with the next job if one is wanted: the same for one end and for a batch.

--- Says no before anything is written.
local function endRejection(queue, run, stored)
  local childless = queue.gathered and queue.gathered.childless
  if run.target == 'completed' and not stored.cancelled and not childless then
    if redis.call('SCARD', dependenciesKey(run.job)) > 0 then
      return REJECT.JOB_HAS_PENDING_CHILDREN
    elseif redis.call('ZCARD', failedChildrenKey(run.job)) > 0 then
      return REJECT.JOB_HAS_FAILED_CHILDREN
    end
  end
  return tokenRejection(ownerOf(queue, run.id, run.job), run.options.token)
end

--- The error that would stop the end half way, or nil. A parent in another slot of a cluster cannot be told: that error
--- comes from here too.
local function endTrouble(queue, run, stored, again)
  local trouble = run.options.logs and unsound({ 'LLEN', logsKey(run.job) })
  if trouble then
    return trouble
  elseif again then
    return unsoundPlaces(queue)
  end
  return unsoundEnd(stored.cancelled and jobKey(run.prefix, 'failed') or run.finished, stored,
    stored.cancelled and 'failed' or run.target)
end

--- Stores what the run has told, and how it ends. Returns the outcome.
local function recordEnd(queue, meta, run, stored)
  local options = run.options
  local maxMetricsSize = tonumber(options.maxMetricsSize)
  if run.fields and #run.fields > 0 then
    redis.call('HSET', run.job, unpack(run.fields))
  end
  if stored.marked then
    redis.call('HDEL', run.job, FIELD.unbegun)
  end
  writeNotes(queue, meta, run.job, {
    id = run.id, progress = options.progress, logs = options.logs, keep = options.logs and keptLogs(stored),
  })
  if options.stack then
    local own = finite(optionsOf(stored).stackTraceLimit)
    appendStack(run.job, options.stack, math.min(own or options.stackLimit or 10, options.stackLimit or 10))
  end
  if stored.cancelled then
    failCancelled(queue, meta, stored, {
      prefix = run.prefix, id = run.id, now = run.now, maxMetricsSize = maxMetricsSize,
      defaultKeep = options.defaultKeep,
    })
    return 'failed'
  end
  local decision = run.decision
  if decision.again then
    return requeueFailed(queue, meta, stored, {
      id = run.id, job = run.job, now = run.now, delay = decision.delay, reason = run.value,
    })
  end
  recordFinished(queue, meta, {
    prefix = run.prefix,
    id = run.id,
    job = run.job,
    stored = stored,
    now = run.now,
    target = run.target,
    valueField = run.valueField,
    value = decision.problem and run.value .. ' (' .. decision.problem .. ')' or run.value,
    set = run.finished,
    keep = options.keepJobs and keepFromOption(options.keepJobs) or keepOf(stored, run.target, options.defaultKeep),
    attempts = options.attempts or run.target == 'failed' and finite(optionsOf(stored).attempts, 0) or 0,
    metrics = run.metrics,
    maxMetricsSize = maxMetricsSize,
  })
  return run.target
end

--- `run` is { prefix, id, job, now, target, valueField, value, finished, metrics, fields, options, fetchNext }, its
--- options those of moveToFinished. Returns a rejection, or { run or 0, id or 0, limited for ms, next due ms, outcome,
--- attempts made, retry delay ms }, of a failure whose backoff is not known with { 0, '', what is wrong }.
local function endRun(queue, meta, run)
  local options = run.options
  local stored = readStored(run.prefix, run.id)
  if not stored then
    return REJECT.JOB_NOT_FOUND
  end
  if run.fields and #run.fields % 2 == 1 then
    return redis.error_reply('ERR fields: a name without a value')
  end
  if stored.parentText or stored.parentKey or stored.deduplicationId or stored.cancelled then
    -- Its end may reach other jobs of the batch.
    settle(queue)
  end
  local rejection = endRejection(queue, run, stored)
  if rejection then
    return rejection
  end
  local decision = { again = false }
  if run.target == 'failed' and options.retry and not stored.cancelled then
    decision = decideRetry(stored, options.retry)
  end
  local trouble = endTrouble(queue, run, stored, decision.again)
  if trouble then
    return trouble
  end
  -- It tells as well whether `events` is a stream. Old events go even if the job is found not to be active.
  trimEvents(queue, meta)
  rejection = leaveActive(queue, run.id, run.job)
  if rejection then
    return rejection
  end
  run.decision = decision
  local outcome, attemptsMade = recordEnd(queue, meta, run, stored), stored.attemptsMade + 1
  local answer = { 0, 0, 0, 0 }
  if run.fetchNext then
    answer = fetchAfterEnd(queue, meta, {
      prefix = run.prefix,
      now = run.now,
      token = options.nextToken or options.token,
      lockDuration = options.lockDuration or 30000,
      name = options.name,
      limiter = options.limiter,
      buffered = options.buffered,
      maxMetricsSize = tonumber(options.maxMetricsSize),
    })
  else
    wakeForFreedSlot(queue, meta)
  end
  if options.receipt then
    local token = answer[2] ~= 0 and (options.nextToken or options.token) or nil
    writeReceipt(options.receipt, outcome, attemptsMade, decision.delay or 0, token and answer[2], token)
  end
  local nothing = answer[2] == 0 and answer[3] == 0 and answer[4] == 0
  if nothing and not decision.again and isEmpty(queue) then
    emit(queue, 'drained')
  end
  answer[5], answer[6], answer[7] = outcome, attemptsMade, decision.delay or 0
  if decision.problem then
    answer[8], answer[9], answer[10] = 0, '', decision.problem
  end
  return answer
end
