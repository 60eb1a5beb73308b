-- @include places finish counters keys heldJob sound gate gathered
--- Picks and activates the next job: the one algorithm that every fetch, alone or after a finish, runs.

--- Jobs that cannot run are passed over, at most this many in one script.
local MAX_PASSED_OVER = 200

--- Milliseconds for which the rate limit is exhausted, 0 when a job may start. A manual limit counts without a maximum.
local function limitedFor(queue, max)
  local gathered = queue.gathered
  if gathered and gathered.unlimited and not max then
    return 0
  end
  local started = tonumber(redis.call('GET', queue.limiter))
  if gathered then
    gathered.unlimited = not started
  end
  if not started or started < math.min(max or 9007199254740991, 9007199254740991) then
    return 0
  end
  local ttl = redis.call('PTTL', queue.limiter)
  if ttl == 0 then
    redis.call('DEL', queue.limiter)
  end
  return math.max(ttl, 0)
end

--- Promotes what is due; in a batch once, unless more is due than one promotion takes.
local function promoteAhead(queue, meta, worker)
  local gathered = queue.gathered
  if gathered and gathered.promoted then
    return 0
  end
  local moved, trouble = promoteDue(queue, meta, worker.prefix, worker.now)
  if gathered then
    gathered.promoted = not trouble and moved < MAX_PROMOTED
  end
  return moved, trouble
end

--- Moves an id into `active`: the tail of `wait` first, then the lowest of `prioritized`. Returns it and the score that
--- it had there, or the error for which it was left.
local function popNext(queue)
  local id = redis.pcall('RPOPLPUSH', queue.wait, queue.active)
  if id then
    return id
  end
  local popped = redis.pcall('ZPOPMIN', queue.prioritized)
  if popped.err then
    return popped
  elseif not popped[1] then
    redis.call('DEL', queue.pc)
    return nil
  end
  local pushed = redis.pcall('LPUSH', queue.active, popped[1])
  if type(pushed) == 'table' then
    redis.call('ZADD', queue.prioritized, popped[2], popped[1])
    return pushed
  end
  return popped[1], popped[2]
end

--- Takes a pop back, as if it had not been.
local function putBack(queue, id, score)
  if score then
    redis.call('LREM', queue.active, 1, id)
    redis.call('ZADD', queue.prioritized, score, id)
  else
    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
  end
end

--- Text in UTF-8, without surrogates. Whoever works over a protocol of texts could neither take nor end anything else.
local function isUtf8(text)
  if not string.find(text, '[\128-\255]') then
    return true
  end
  local at = 1
  while at <= #text do
    local head, second = string.byte(text, at, at + 1)
    local more = head < 128 and 0 or head < 194 and -1 or head < 224 and 1 or head < 240 and 2 or head < 245 and 3 or -1
    if more < 0 or (head == 224 and (second or 0) < 160) or (head == 237 and (second or 0) > 159)
      or (head == 240 and (second or 0) < 144) or (head == 244 and (second or 0) > 143) then
      return false
    end
    for i = at + 1, at + more do
      local byte = string.byte(text, i)
      if not byte or byte < 128 or byte > 191 then
        return false
      end
    end
    at = at + more + 1
  end
  return true
end

--- Reads the popped job's fields. A job that cannot run leaves `active` here: an id without a hash is dropped and
--- counted, a deferred failure or a cancel is carried out, a job without a name or with an id that is no text is failed.
--- Returns nil for those, and the error for which one that is to be failed was not.
local function readRunnable(queue, meta, worker, id)
  local job = jobKey(worker.prefix, id)
  local values = redis.pcall('HMGET', job, unpack(RUN_FIELDS))
  if values.err or (not values[4] and mayBeKeyName(id)) then
    redis.call('LREM', queue.active, 1, id)
    countDropped(worker.prefix, values.err and 'notAHash' or 'keyName')
    return nil
  end
  local reason, cancelled = values[13], false
  if values[16] then
    -- Somebody who knows of no cancels has put it back, or has ended that run.
    cancelled = isCancelled(values[16], redis.call('HGET', job, 'processedOn'))
    if not cancelled then
      values[16] = false
      redis.call('HDEL', job, FIELD.cancel)
    end
  end
  if not reason and not values[1] then
    if redis.call('EXISTS', job) == 0 then
      redis.call('LREM', queue.active, 1, id)
      countDropped(worker.prefix, 'withoutHash')
      return nil
    end
    reason = 'job is corrupt: it has no name'
  end
  if not isUtf8(id) then
    reason = 'job is corrupt: its id is not UTF-8 text'
  end
  if not (reason or cancelled) then
    return values
  end
  local trouble = unsound({ 'ZCARD', queueKeys(worker.prefix).failed })
  if trouble then
    return nil, trouble
  end
  redis.call('LREM', queue.active, 1, id)
  settle(queue)
  local fail = cancelled and failCancelled or failForGood
  fail(queue, meta, readStored(worker.prefix, id), {
    prefix = worker.prefix, id = id, now = worker.now, reason = reason, maxMetricsSize = worker.maxMetricsSize,
  })
  return nil
end

--- Gives the job to the worker: limiter, lock, event, fields, wake-up of the next worker. Returns the run.
local function activate(queue, meta, worker, run)
  local job = jobKey(worker.prefix, run.id)
  if run.max and redis.call('INCR', queue.limiter) == 1 then
    redis.call('PEXPIRE', queue.limiter, math.floor(math.abs(run.duration or 0)))
  end
  expectLock(queue, run.id)
  redis.call('SET', lockKey(job), worker.token, 'PX', worker.lockDuration)
  emit(queue, 'active', 'jobId', run.id, 'prev', 'waiting')
  local started = finite(run.values[8], 0) + 1
  run.values[8] = started
  local fields = { 'processedOn', worker.now, FIELD.attemptsStarted, started }
  if worker.name then
    fields[5], fields[6] = FIELD.processedBy, worker.name
  end
  if worker.buffered then
    fields[#fields + 1], fields[#fields + 2] = FIELD.unbegun, worker.now
  end
  redis.call('HSET', job, unpack(fields))
  wakeOne(queue)
  return runOf(run.values, string.format('%.0f', worker.now), worker.name)
end

--- The next job for `worker`, { prefix, now, token, lockDuration, name, limiter, buffered, maxMetricsSize }, as
--- { run or 0, id or 0, rate limited for ms, next due ms or -1 where as many run as may or -2 where the next job is
--- taken for a free slot only }. The token is checked by the
--- caller, and that `events` is a stream. An error of a key that is not what it should be comes before the first write,
--- or is returned with all taken back; what was done for other jobs before counts as a fetch without a job.
local function fetchNext(queue, meta, worker)
  local limiter = worker.limiter or {}
  local max = meta.max or limiter.max
  local trouble = max and uncountable(queue.limiter)
  if trouble then
    return trouble
  end
  local promoted
  promoted, trouble = promoteAhead(queue, meta, worker)
  if trouble then
    return trouble
  end
  local limited = limitedFor(queue, max)
  if limited > 0 then
    return { 0, 0, limited, 0 }
  end
  if gateIsClosed(queue, meta) then
    return { 0, 0, 0, meta.paused and 0 or -1 }
  end
  for turn = 1, MAX_PASSED_OVER do
    local id, score = popNext(queue)
    if not id then
      return { 0, 0, 0, nextDue(queue) }
    end
    local values
    if type(id) == 'table' then
      trouble = id
    else
      values, trouble = readRunnable(queue, meta, worker, id)
      if trouble then
        putBack(queue, id, score)
      end
    end
    if trouble then
      return promoted == 0 and turn == 1 and trouble or { 0, 0, 0, 0 }
    end
    if values and worker.buffered and redis.call('HEXISTS', jobKey(worker.prefix, id), FIELD.unbegun) == 1 then
      -- A sweep has given it back that cannot know whether it had begun: its next run is one that counts.
      putBack(queue, id, score)
      wakeWorkers(queue, meta)
      return { 0, 0, 0, -2 }
    elseif values then
      -- The queue's limit holds whole: a maximum of one and a duration of another would be neither's.
      local duration = meta.max and meta.duration or limiter.duration
      local run = { id = id, values = values, max = max, duration = duration }
      return { activate(queue, meta, worker, run), id, 0, 0 }
    end
  end
  wakeWorkers(queue, meta)
  return { 0, 0, 0, 0 }
end

--- The same after a run's end: that stands, whatever a fetch meets. Who fetches alone is told.
local function fetchAfterEnd(queue, meta, worker)
  local ok, next = pcall(fetchNext, queue, meta, worker)
  return ok and not next.err and next or { 0, 0, 0, 0 }
end
