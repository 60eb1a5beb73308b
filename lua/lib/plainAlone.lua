-- @include plainMoves heldJob
--- Plain moves of a script that carries out one: the same as in a batch, with the fewest commands. See plainMoves.lua.

--- The fields of a run as a flat list.
local function flatFields(stored)
  local reply = { 'processedOn', stored.processedOn }
  if stored[FIELD.processedBy] then
    reply[3], reply[4] = FIELD.processedBy, stored[FIELD.processedBy]
  end
  for _, field in ipairs(RUN_FIELDS) do
    if stored[field] then
      reply[#reply + 1], reply[#reply + 2] = field, stored[field]
    end
  end
  return reply
end

--- A run for a caller that says whether it reads it packed; 0 for none.
local function runReply(stored, packed)
  return stored and (packed and packRun or flatFields)(stored) or 0
end

--- How a lone move begins its run: see beginPlain.
local function aloneWith(alone, terms, token)
  alone.lockText = string.format('%.0f', terms.lockDuration or 30000)
  alone.current, alone.token, alone.nowText = terms, token, string.format('%.0f', alone.now)
end

--- Takes a job. `alone` is { prefix, now }; returns the reply, or nil, and nothing is written, for a fetch that is not plain.
local function takeAlone(queue, meta, alone, worker)
  if worker.receipt or worker.limiter or worker.token == '' or worker.token == '0' or not isOpen(queue, meta, alone.now) then
    return nil
  end
  -- A write that needs no memory comes first: on a full store the script then runs to its end.
  trimEvents(queue, meta)
  local id, stored = plainNext(queue, alone.prefix, worker.buffered)
  if id == nil then
    return nil
  elseif not id then
    redis.call('DEL', queue.pc)
    return { 0, 0, 0, nextDue(queue) }
  end
  aloneWith(alone, worker, worker.token)
  beginPlain(queue, alone, id, stored)
  return { runReply(stored, worker.packed), id, 0, 0 }
end

--- Whether an end may be plain, as far as its options and its lock say.
local function isPlainEnd(alone, options)
  local receipt, token = options.receipt, options.token
  return not (options.limiter or options.progress or options.logs or options.stack or options.keepJobs or options.defaultKeep)
    and options.retry and (tonumber(options.maxMetricsSize) or 0) == 0
    and not (receipt and (not receipt.field or receipt.whole or isOdd(receipt.digest .. (options.nextToken or token)) or (not receipt.fresh and redis.call('HGET', receipt.key, receipt.field))))
    and token ~= '' and token ~= '0' and redis.pcall('GET', lockKey(alone.job)) == token
    and redis.call('EXISTS', dependenciesKey(alone.job), failedChildrenKey(alone.job)) == 0
end

--- Takes the job out of `active` and puts it among the finished ones; false, and it is where it was, if that cannot be. The
--- removal from the list is the test; the set of finished jobs shows before it whether it is one.
local function leaveAlone(queue, alone)
  local id = alone.id
  local added = redis.pcall('ZADD', queue.finished, alone.nowText, id)
  if type(added) == 'number' then
    if redis.pcall('LREM', queue.active, '1', id) == 1 then
      redis.call('DEL', lockKey(alone.job))
      return true
    elseif added == 1 then
      redis.call('ZREM', queue.finished, id)
    end
  end
  return false
end

--- The end is not plain after all: its next job waits again, and its mark of the stalled check stands again.
local function takeBack(queue, alone, nextId)
  if nextId then
    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
  end
  if alone.marked == 1 then
    redis.call('SADD', queue.stalled, alone.id)
  end
end

--- Keeps the receipt of an end. The end stands: what cannot be written of it harms nobody who has got the answer.
local function keepAlone(receipt, text)
  if receipt.acked then
    dropAcked(receipt.key, receipt.acked)
  end
  if redis.pcall('HSET', receipt.key, receipt.field, text) ~= 0 or not receipt.said then
    redis.pcall('PEXPIRE', receipt.key, string.format('%.0f', receipt.ttl))
  end
end

--- Ends a completed run. `alone` is { prefix, now, id, job, value, fetchNext }; returns as takeAlone.
local function endAlone(queue, meta, alone, options)
  if not isPlainEnd(alone, options) or not isOpen(queue, meta, alone.now) then
    return nil
  end
  local made, mark = plainAttempts(alone.job)
  local token = alone.fetchNext and (options.nextToken or options.token) or nil
  if not made or token == '' or token == '0' then
    return nil
  end
  aloneWith(alone, options, token)
  -- Writes that need no memory come first: on a full store the script then runs to its end. They tell as well whether
  -- both keys are what they should be.
  trimEvents(queue, meta)
  alone.marked = redis.call('SREM', queue.stalled, alone.id)
  local nextId, stored = false, nil
  if token then
    nextId, stored = plainNext(queue, alone.prefix, options.buffered)
  end
  if nextId == nil or nextId == alone.id or not leaveAlone(queue, alone) then
    takeBack(queue, alone, nextId)
    return nil
  end
  made = made + 1
  if mark then
    redis.call('HDEL', alone.job, FIELD.unbegun)
  end
  redis.call('HSET', alone.job, FIELD.attemptsMade, countText(made), 'returnvalue', alone.value, 'finishedOn', alone.nowText)
  redis.call('XADD', queue.events, '*', 'event', 'completed', 'jobId', alone.id, 'returnvalue', alone.value,
    'prev', 'active')
  local due = 0
  if nextId then
    beginPlain(queue, alone, nextId, stored)
  elseif token then
    redis.call('DEL', queue.pc)
    due = nextDue(queue)
  end
  local receipt = options.receipt
  if receipt then
    keepAlone(receipt, plainReceipt(receipt.digest, made, nextId, token or ''))
  end
  if not nextId and due == 0 and isEmpty(queue) then
    emit(queue, 'drained')
  end
  return { runReply(stored, options.packed), nextId or 0, 0, due, 'completed', made, 0 }
end
