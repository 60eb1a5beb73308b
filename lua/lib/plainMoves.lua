-- @include gathered gate places events receiptTray fields
--- Moves as most are: a run that completed with nothing special about its job, and a next job with nothing special about
--- it. What endRun and takeJob do for any move is done here in fewer steps, for these only; a test compares both on whole
--- states. Every other move is left to them before anything is written for it. Numbers that go to Redis are texts: a
--- number would be printed digit by digit each time.

--- Whether nothing bounds fetches and nothing is due; in a batch asked once.
local function isOpen(queue, meta, now)
  local gathered = queue.gathered
  if gathered and gathered.open ~= nil then
    return gathered.open
  end
  local open = not (meta.paused or meta.concurrency or meta.max)
    and #redis.call('ZRANGEBYSCORE', queue.delayed, '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1') == 0
    and not redis.call('GET', queue.limiter)
  if gathered then
    gathered.open = open
  end
  return open
end

--- The attempts that the job of an end has made, and the mark of a run that waited at its worker, if it still has one; nil
--- for a job with something special.
local function plainAttempts(job)
  local stored = redis.pcall('HMGET', job, 'opts', FIELD.attemptsMade, 'parent', 'parentKey', FIELD.deduplicationId,
    FIELD.cancel, FIELD.unbegun)
  if stored.err or not stored[1] or stored[3] or stored[4] or stored[5] or stored[6]
    or string.find(stored[1], 'removeOnComplete', 1, true) then
    return nil
  end
  return finite(stored[2], 0), stored[7]
end

--- The same for a move of a batch, or nil for an end with something special.
local function plainEnd(queue, job, move)
  local gathered = queue.gathered
  if move.target ~= 'completed' or move.options or not gathered.childless
    or gathered.owners[move.id] ~= move.token or move.token == '' or move.token == '0' then
    return nil
  end
  if gathered.sound == nil then
    gathered.sound = type(redis.pcall('ZCARD', queue.completed)) == 'number'
  end
  if not gathered.sound then
    return nil
  end
  return plainAttempts(job)
end

--- The fields of a job that is to run, or nil for one with something special.
local function plainJob(prefix, id)
  -- The whole hash in one pass: a small one is searched from its beginning for each field that is asked for.
  local named = redis.pcall('HGETALL', prefix .. id)
  -- The usual fields have their room from the beginning: a table that grows is made anew each time.
  local stored = {
    name = false, data = false, opts = false, timestamp = false, delay = false, priority = false, processedOn = false,
    [FIELD.attemptsMade] = false, [FIELD.attemptsStarted] = false, [FIELD.processedBy] = false, parentKey = false, parent = false,
  }
  for i = 1, #named, 2 do
    stored[named[i]] = named[i + 1]
  end
  if stored.name and stored.timestamp and not stored[FIELD.deferredFailure] and not stored[FIELD.cancel]
    and not string.find(id, '[\128-\255]') then
    return stored
  end
  return nil
end

--- Pops the next job: its id and its fields, false when none waits, nil when it takes more than this to say. A job that is
--- special, was already part of this batch, or may not be `buffered`, is put back.
local function plainNext(queue, prefix, buffered)
  local id = redis.pcall('RPOPLPUSH', queue.wait, queue.active)
  if not id then
    local none = redis.pcall('ZCARD', queue.prioritized) == 0
    if none then
      return false
    end
    return nil
  elseif type(id) ~= 'string' then
    return nil
  end
  local gathered = queue.gathered
  local stored = plainJob(prefix, id)
  if not stored or (buffered and stored[FIELD.unbegun]) or (gathered and (gathered.left[id] or gathered.owners[id] ~= nil)) then
    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
    return nil
  end
  return id, stored
end

local function countText(count)
  return count == 1 and '1' or string.format('%.0f', count)
end

--- Begins a run: `stored` becomes what its worker gets.
local function beginPlain(queue, batch, id, stored)
  local job, terms, now = batch.prefix .. id, batch.current, batch.nowText
  redis.call('SET', lockKey(job), batch.token, 'PX', batch.lockText or terms.lockText)
  redis.call('XADD', queue.events, '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
  local started = stored[FIELD.attemptsStarted]
  started = started and countText(finite(started, 0) + 1) or '1'
  stored[FIELD.attemptsStarted], stored.processedOn, stored[FIELD.processedBy] = started, now, terms.name or false
  if terms.buffered and terms.name then
    redis.call('HSET', job, 'processedOn', now, FIELD.attemptsStarted, started, FIELD.processedBy, terms.name, FIELD.unbegun, now)
  elseif terms.buffered then
    redis.call('HSET', job, 'processedOn', now, FIELD.attemptsStarted, started, FIELD.unbegun, now)
  elseif terms.name then
    redis.call('HSET', job, 'processedOn', now, FIELD.attemptsStarted, started, FIELD.processedBy, terms.name)
  else
    redis.call('HSET', job, 'processedOn', now, FIELD.attemptsStarted, started)
  end
  wakeOne(queue)
end

--- The run as its worker gets it, packed: an array of the values of RUN_FIELDS in their order, when it began and the worker's
--- name, each or false. The values are packed one by one: a table would be walked twice.
local function packRun(stored)
  return '\220\0\18' .. cmsgpack.pack(stored.name, stored.data, stored.opts, stored.timestamp, stored.delay, stored.priority,
    stored[FIELD.attemptsMade], stored[FIELD.attemptsStarted], stored[FIELD.stalledCount] or false, stored.parentKey,
    stored.parent or false, stored[FIELD.schedulerId] or false, false, stored[FIELD.deduplicationId] or false,
    stored.progress or false, false, stored.processedOn, stored[FIELD.processedBy])
end

--- The receipt of a plain end, the same text as that of any other.
local function plainReceipt(digest, made, id, token)
  if string.find(digest .. (id or '') .. token, '[^%w_-]') then
    return cjson.encode({ 1, digest, 0, 'completed', made, 0, id or nil, id and token or nil })
  end
  return '[1,"' .. digest .. '",0,"completed",' .. countText(made) .. ',0' .. (id and ',"' .. id .. '","' .. token .. '"' or '')
    .. ']'
end

--- Ends the run of a move; false, and nothing is written, if its job is not active.
local function endPlain(queue, batch, move, made)
  local gathered, id = queue.gathered, move.id
  if redis.pcall('LREM', queue.active, gathered.fromOldEnd and '-1' or '1', id) ~= 1 then
    return false
  end
  local job = batch.prefix .. id
  gathered.owners[id] = nil
  freeLock(gathered, id, job)
  redis.call('HSET', job, FIELD.attemptsMade, countText(made), 'returnvalue', move.value, 'finishedOn', batch.nowText)
  addFinished(queue, queue.completed, id, batch.nowText)
  redis.call('XADD', queue.events, '*', 'event', 'completed', 'jobId', id, 'returnvalue', move.value, 'prev', 'active')
  return true
end

--- Carries a move out. Returns the id of the next job or false, its fields, when the next is due if none waits, and the
--- attempts that the ended job has made; nil, and nothing is written, for a move that is not plain.
local function plainMove(queue, meta, batch, move)
  local gathered, receipt, id = queue.gathered, move.receipt, move.id
  local tray = receipt and batch.trays[receipt.tray]
  local terms = batch.terms[move.terms]
  if (receipt and (not tray or receipt.whole or tray.known[receipt.field])) or terms.limiter
    or (terms.maxMetricsSize or 0) ~= 0 or gathered.bytes >= batch.maxBytes or not isOpen(queue, meta, batch.now) then
    return nil
  end
  local made, mark, token = nil, nil, move.token
  if id then
    made, mark = plainEnd(queue, batch.prefix .. id, move)
    token = move.nextToken
  end
  if (id and not made) or token == '' or token == '0' then
    return nil
  end
  -- A write that needs no memory comes first: on a full store the script then runs to its end.
  trimEvents(queue, meta)
  local nextId, stored = false, nil
  if token then
    nextId, stored = plainNext(queue, batch.prefix, terms.buffered)
    if nextId == nil then
      return nil
    end
  end
  made = made and made + 1
  if id and not endPlain(queue, batch, move, made) then
    if nextId then
      redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
    end
    return nil
  end
  if mark then
    redis.call('HDEL', batch.prefix .. id, FIELD.unbegun)
  end
  local due = 0
  if nextId then
    batch.current, batch.token = terms, token
    beginPlain(queue, batch, nextId, stored)
    gathered.bytes = gathered.bytes + #(stored.data or '') + #(stored.opts or '')
  elseif token then
    redis.call('DEL', queue.pc)
    due = nextDue(queue)
  end
  if tray then
    putReceipt(tray, receipt.field, plainReceipt(receipt.digest, made, nextId, token or ''))
  end
  if id and not nextId and due == 0 and isEmpty(queue) then
    emit(queue, 'drained')
  end
  return nextId, stored, due, made
end

--- Prepares what the moves of a batch share. `shared` is { prefix, now, maxBytes, terms, receipts }; `ids` are those of
--- the runs that end.
local function openBatch(queue, shared, ids)
  local batch = {
    prefix = shared.prefix, now = shared.now, nowText = string.format('%.0f', shared.now), maxBytes = shared.maxBytes,
    terms = shared.terms, trays = {},
  }
  for _, terms in ipairs(batch.terms) do
    terms.lockText = string.format('%.0f', terms.lockDuration or 30000)
  end
  for i, hash in ipairs(shared.receipts) do
    batch.trays[i] = openTray(hash)
  end
  gather(queue, batch.prefix, ids)
  return batch
end

--- Writes what its moves have gathered.
local function closeBatch(queue, batch)
  settle(queue)
  for _, tray in ipairs(batch.trays) do
    settleTray(tray)
  end
end
