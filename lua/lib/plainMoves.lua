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
local function plainEnd(gathered, id, job, token)
  if not gathered.childless or gathered.owners[id] ~= token or token == '' or token == '0' or not gathered.sound then
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

--- Whether a text could need an escape in JSON.
local function isOdd(text)
  return string.find(text, '[^%w_-]') ~= nil
end

--- The receipt of a plain end, the same text as that of any other. `digest` and `token` are not odd.
local function plainReceipt(digest, made, id, token)
  if id and isOdd(id) then
    return cjson.encode({ 1, digest, 0, 'completed', made, 0, id or nil, id and token or nil })
  end
  return '[1,"' .. digest .. '",0,"completed",' .. countText(made) .. ',0' .. (id and ',"' .. id .. '","' .. token .. '"' or '')
    .. ']'
end

--- Ends the run of the move at `at`; false, and nothing is written, if its job is not active.
local function endPlain(queue, batch, at, made)
  local gathered, id, value = queue.gathered, batch.moves[at + 2], batch.moves[at + 3]
  if redis.pcall('LREM', queue.active, gathered.fromOldEnd and '-1' or '1', id) ~= 1 then
    return false
  end
  local job, now = batch.prefix .. id, batch.nowText
  gathered.owners[id] = nil
  freeLock(gathered, id, job)
  redis.call('HSET', job, FIELD.attemptsMade, made, 'returnvalue', value, 'finishedOn', now)
  addFinished(queue, queue.completed, id, now)
  redis.call('XADD', queue.events, '*', 'event', 'completed', 'jobId', id, 'returnvalue', value, 'prev', 'active')
  return true
end

--- Values of a move in the list of a batch.
local MOVE_SIZE = 9

--- The answer to a plain move; the heads are those of arrays of 7 and 4.
local function packPlain(nextId, stored, due, made)
  local run = stored and packRun(stored) or '\0'
  if made then
    return '\151' .. run .. cmsgpack.pack(nextId or 0, 0, due, 'completed', made, 0)
  end
  return '\148' .. run .. cmsgpack.pack(nextId or 0, 0, due)
end

--- Carries out the move whose values begin at `at`. Returns true and its answer, packed; nil, and nothing is written, for a
--- move that is not plain.
local function plainMove(queue, meta, batch, at)
  local place, token, id, _, nextToken, trayPlace, field, digest, rare = unpack(batch.moves, at, at + 8)
  local gathered, terms, tray = queue.gathered, batch.terms[place], batch.trays[trayPlace]
  if rare or (tray and tray.known[field]) or terms.special or gathered.bytes >= batch.maxBytes
    or not isOpen(queue, meta, batch.now) then
    return nil
  end
  local made, mark = nil, nil
  if id then
    made, mark = plainEnd(gathered, id, batch.prefix .. id, token)
    token = nextToken
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
  if id and not endPlain(queue, batch, at, countText(made)) then
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
    putReceipt(tray, field, plainReceipt(digest, made, nextId, token or ''))
  end
  if id and not nextId and due == 0 and isEmpty(queue) then
    emit(queue, 'drained')
  end
  return true, packPlain(nextId, stored, due, made)
end

--- The move whose values begin at `at`, by name: { terms, token, id, value, nextToken, target, options, receipt }.
local function namedMove(batch, at)
  local terms, token, id, value, nextToken, trayPlace, field, digest, rare = unpack(batch.moves, at, at + 8)
  rare = rare or {}
  local move = { terms = terms, token = token, id = id or nil, value = value, nextToken = nextToken or nil }
  move.target, move.options, move.receipt = rare.target or 'completed', rare.options, rare.receipt
  local tray = batch.trays[trayPlace]
  if tray then
    move.receipt = { tray = tray, field = field, digest = digest, slot = tray.slot, fresh = trayPlace % 2 == 0 }
  elseif move.receipt and move.receipt.tray then
    move.receipt.tray = batch.trays[move.receipt.tray]
  end
  return move
end

--- Prepares what the moves of a batch share. `shared` is { prefix, now, maxBytes, terms, receipts, moves }. Each hash of
--- receipts has two places, the second for those that nobody looks for.
local function openBatch(queue, shared)
  local batch = {
    prefix = shared.prefix, now = shared.now, nowText = string.format('%.0f', shared.now), maxBytes = shared.maxBytes,
    terms = shared.terms, moves = shared.moves, trays = {},
  }
  for _, terms in ipairs(batch.terms) do
    terms.lockText = string.format('%.0f', terms.lockDuration or 30000)
    terms.special = terms.limiter or (terms.maxMetricsSize or 0) ~= 0
  end
  for i, hash in ipairs(shared.receipts) do
    local tray = openTray(hash)
    batch.trays[2 * i - 1], batch.trays[2 * i] = tray, tray
  end
  local ids = {}
  for at = 3, #batch.moves, MOVE_SIZE do
    local id = batch.moves[at]
    if id then
      ids[#ids + 1] = id
    end
  end
  local gathered = gather(queue, batch.prefix, ids)
  gathered.sound = #ids > 0 and type(redis.pcall('ZCARD', queue.completed)) == 'number'
  return batch
end

--- Writes what its moves have gathered.
local function closeBatch(queue, batch)
  settle(queue)
  for place = 1, #batch.trays, 2 do
    settleTray(batch.trays[place])
  end
end
