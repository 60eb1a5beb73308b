-- @include gathered gate places events heldJob receiptTray fields
--- Moves as most are: a run that completed with nothing special about its job, and a next job with nothing special about
--- it. What endRun and takeJob do for any move is done here in fewer steps, for these only; a test compares both on whole
--- states. Every other move is left to them before anything is written for it. Numbers that go to Redis are texts: a
--- number would be printed digit by digit each time.

--- Whether nothing bounds the fetches of this batch and nothing is due: asked once.
local function isOpen(queue, meta, batch)
  local gathered = queue.gathered
  if gathered.open == nil then
    gathered.open = not (meta.paused or meta.concurrency or meta.max)
      and #redis.call('ZRANGEBYSCORE', queue.delayed, 0, (batch.now + 1) * 4096 - 1, 'LIMIT', 0, 1) == 0
      and not redis.call('GET', queue.limiter)
  end
  return gathered.open
end

--- The attempts that the job of an end has made, or nil for a job with something special, or an end.
local function plainEnd(queue, job, move)
  local gathered = queue.gathered
  if move.target ~= 'completed' or move.options or not gathered.childless
    or gathered.owners[move.id] ~= move.token or move.token == '' or move.token == '0' then
    return nil
  end
  if gathered.sound == nil then
    gathered.sound = type(redis.pcall('ZCARD', queue.completed)) == 'number'
  end
  local stored = redis.pcall('HMGET', job, 'opts', FIELD.attemptsMade, 'parent', 'parentKey', FIELD.deduplicationId,
    FIELD.cancel, FIELD.unbegun)
  if not gathered.sound or stored.err or not stored[1] or stored[3] or stored[4] or stored[5] or stored[6] or stored[7]
    or string.find(stored[1], 'removeOnComplete', 1, true) then
    return nil
  end
  return finite(stored[2], 0)
end

--- Pops the next job: its id and its fields, false when none waits, nil when it takes more than this to say. A job that is
--- special, or was already part of this batch, is put back.
local function plainNext(queue, prefix)
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
  -- The whole hash in one pass: a small one is searched from its beginning for each field that is asked for.
  local named = redis.pcall('HGETALL', prefix .. id)
  local stored = {}
  for i = 1, #named, 2 do
    stored[named[i]] = named[i + 1]
  end
  if not stored.name or not stored.timestamp or stored[FIELD.deferredFailure] or stored[FIELD.cancel] or gathered.left[id]
    or gathered.owners[id] ~= nil or string.find(id, '[\128-\255]') then
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
  redis.call('SET', lockKey(job), batch.token, 'PX', terms.lockText)
  redis.call('XADD', queue.events, '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
  local started = stored[FIELD.attemptsStarted]
  started = started and countText(finite(started, 0) + 1) or '1'
  stored[FIELD.attemptsStarted], stored.processedOn, stored[FIELD.processedBy] = started, now, terms.name
  local fields = { 'processedOn', now, FIELD.attemptsStarted, started }
  if terms.name then
    fields[5], fields[6] = FIELD.processedBy, terms.name
  end
  if terms.buffered then
    fields[#fields + 1], fields[#fields + 2] = FIELD.unbegun, now
  end
  redis.call('HSET', job, unpack(fields))
  queue.gathered.wakes = true
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
    or (terms.maxMetricsSize or 0) ~= 0 or gathered.bytes >= batch.maxBytes or not isOpen(queue, meta, batch) then
    return nil
  end
  local made = id and plainEnd(queue, batch.prefix .. id, move)
  local token = move.token
  if id then
    token = move.nextToken
  end
  if (id and not made) or token == '' or token == '0' then
    return nil
  end
  -- A write that needs no memory comes first: on a full store the script then runs to its end.
  trimEvents(queue, meta)
  local nextId, stored = false, nil
  if token then
    nextId, stored = plainNext(queue, batch.prefix)
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

--- The fields of a run as a flat list.
local function flatStored(stored)
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

--- A plain move for a script of one, which has no batch. `alone` is { prefix, now, terms, move, receipt }. Returns the reply
--- with the flat fields of the next job, or nil for a move that is not plain.
local function plainAlone(queue, meta, alone)
  local receipt, move = alone.receipt, alone.move
  local receipts = {}
  if receipt then
    if not receipt.field then
      return nil
    end
    receipts[1] = { key = receipt.key, ttl = receipt.ttl, acked = receipt.acked or {}, fields = { receipt.field } }
    move.receipt = { tray = 1, field = receipt.field, digest = receipt.digest, whole = receipt.whole }
  end
  move.terms = 1
  local shared = { prefix = alone.prefix, now = alone.now, maxBytes = 1, terms = { alone.terms }, receipts = receipts }
  local batch = openBatch(queue, shared, { move.id })
  local nextId, stored, due, made = plainMove(queue, meta, batch, move)
  if nextId ~= nil then
    closeBatch(queue, batch)
  end
  queue.gathered = nil
  if nextId == nil then
    return nil
  end
  local run = stored and flatStored(stored) or 0
  if made then
    return { run, nextId or 0, 0, due, 'completed', made, 0 }
  end
  return { run, nextId or 0, 0, due }
end
