-- moveBatch-15
local RARE = {}
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = meta[2] and tonumber(meta[2]) or nil,
    max = meta[3] and tonumber(meta[3]) or nil,
    duration = meta[4] and tonumber(meta[4]) or nil,
    maxEvents = string.match(meta[5] or '', '^%d+$'),
    maxJobs = meta[6] and tonumber(meta[6]),
    maxPayload = meta[7] and tonumber(meta[7]),
  }
end
local function setMarker(queue, score, member)
  local reply = redis.pcall('ZADD', queue.marker, score, member)
  if type(reply) == 'table' then
    redis.call('DEL', queue.marker)
    redis.call('ZADD', queue.marker, score, member)
  end
end
local function wakeOne(queue)
  if queue.gathered then
    queue.gathered.wakes = true
  else
    setMarker(queue, '0', '0')
  end
end
local function isEmpty(queue)
  return redis.pcall('LLEN', queue.wait) == 0 and redis.pcall('LLEN', queue.active) == 0
    and redis.pcall('ZCARD', queue.prioritized) == 0
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function openTray(hash)
  local known = {}
  if #hash.fields > 0 then
    local values = redis.call('HMGET', hash.key, 'body', unpack(hash.fields))
    known.body = values[1]
    for i, field in ipairs(hash.fields) do
      known[field] = values[i + 1]
    end
  end
  return {
    key = hash.key, ttl = hash.ttl, said = hash.said, slot = hash.slot, acked = hash.acked, known = known, written = {},
  }
end
local function putReceipt(tray, field, text)
  tray.known[field] = text
  tray.written[#tray.written + 1], tray.written[#tray.written + 2] = field, text
end
local function dropAcked(key, acked)
  for first = 1, #acked, 1000 do
    redis.pcall('HDEL', key, unpack(acked, first, math.min(first + 999, #acked)))
  end
end
local function settleTray(tray)
  if #tray.written == 0 then
    return
  end
  if #tray.acked > 0 then
    dropAcked(tray.key, tray.acked)
  end
  if redis.pcall('HSET', tray.key, unpack(tray.written)) ~= 0 or not tray.said then
    redis.pcall('PEXPIRE', tray.key, string.format('%.0f', tray.ttl))
  end
end
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local function gather(queue, prefix, ids)
  local gathered = { owners = {}, childless = false, ended = {}, locks = {}, left = {}, finished = {}, bytes = 0 }
  queue.gathered = gathered
  if #ids == 0 then
    return gathered
  end
  local locks, children = {}, {}
  for i, id in ipairs(ids) do
    local job = prefix .. id
    locks[i] = job .. ':lock'
    children[2 * i - 1], children[2 * i] = job .. ':dependencies', job .. ':unsuccessful'
  end
  redis.call('SCARD', queue.stalled)
  local owners = redis.call('MGET', unpack(locks))
  for i, id in ipairs(ids) do
    gathered.owners[id] = owners[i]
  end
  gathered.childless = redis.call('EXISTS', unpack(children)) == 0
  gathered.fromOldEnd = redis.call('LLEN', queue.active) <= 200
  return gathered
end
local function settleFinished(queue)
  local gathered = queue.gathered
  for set, members in pairs(gathered and gathered.finished or {}) do
    redis.call('ZADD', set, unpack(members))
    gathered.finished[set] = nil
  end
end
local function settle(queue)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners, gathered.childless = {}, false
  if #gathered.ended > 0 then
    redis.call('DEL', unpack(gathered.locks))
    redis.call('SREM', queue.stalled, unpack(gathered.ended))
    gathered.locks, gathered.ended, gathered.left = {}, {}, {}
  end
  settleFinished(queue)
  if gathered.wakes then
    setMarker(queue, '0', '0')
    gathered.wakes = false
  end
end
local function freeLock(gathered, id, job)
  gathered.locks[#gathered.locks + 1] = job .. ':lock'
  gathered.ended[#gathered.ended + 1] = id
  gathered.left[id] = true
end
local function addFinished(queue, set, id, now)
  local gathered = queue.gathered
  if not gathered then
    redis.call('ZADD', set, now, id)
    return
  end
  local members = gathered.finished[set] or {}
  members[#members + 1], members[#members + 2] = now, id
  gathered.finished[set] = members
end
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function trimEvents(queue, meta)
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
local function nextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  return first[2] and math.floor(tonumber(first[2]) / 4096) or 0
end
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
local function plainAttempts(job)
  local stored = redis.pcall('HMGET', job, 'opts', 'atm', 'parent', 'parentKey', 'deid',
    'echomq.cancel', 'echomq.unbegun')
  if stored.err or not stored[1] or stored[3] or stored[4] or stored[5] or stored[6]
    or string.find(stored[1], 'removeOnComplete', 1, true) then
    return nil
  end
  return finite(stored[2], 0), stored[7]
end
local function plainEnd(gathered, id, job, token)
  if not gathered.childless or gathered.owners[id] ~= token or token == '' or token == '0' or not gathered.sound then
    return nil
  end
  return plainAttempts(job)
end
local function plainJob(prefix, id)
  local named = redis.pcall('HGETALL', prefix .. id)
  local stored = {
    name = false, data = false, opts = false, timestamp = false, delay = false, priority = false, processedOn = false,
    ['atm'] = false, ['ats'] = false, ['pb'] = false, parentKey = false, parent = false,
  }
  for i = 1, #named, 2 do
    stored[named[i]] = named[i + 1]
  end
  if stored.name and stored.timestamp and not stored['defa'] and not stored['echomq.cancel']
    and not string.find(id, '[\128-\255]') then
    return stored
  end
  return nil
end
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
  if not stored or (buffered and stored['echomq.unbegun']) or (gathered and (gathered.left[id] or gathered.owners[id] ~= nil)) then
    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
    return nil
  end
  return id, stored
end
local function countText(count)
  return count == 1 and '1' or string.format('%.0f', count)
end
local function beginPlain(queue, batch, id, stored)
  local job, terms, now = batch.prefix .. id, batch.current, batch.nowText
  redis.call('SET', job .. ':lock', batch.token, 'PX', batch.lockText or terms.lockText)
  redis.call('XADD', queue.events, '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
  local started = stored['ats']
  started = started and countText(finite(started, 0) + 1) or '1'
  stored['ats'], stored.processedOn, stored['pb'] = started, now, terms.name or false
  if terms.buffered and terms.name then
    redis.call('HSET', job, 'processedOn', now, 'ats', started, 'pb', terms.name, 'echomq.unbegun', now)
  elseif terms.buffered then
    redis.call('HSET', job, 'processedOn', now, 'ats', started, 'echomq.unbegun', now)
  elseif terms.name then
    redis.call('HSET', job, 'processedOn', now, 'ats', started, 'pb', terms.name)
  else
    redis.call('HSET', job, 'processedOn', now, 'ats', started)
  end
  wakeOne(queue)
end
local function packRun(stored)
  return '\220\0\18' .. cmsgpack.pack(stored.name, stored.data, stored.opts, stored.timestamp, stored.delay, stored.priority,
    stored['atm'], stored['ats'], stored['stc'] or false, stored.parentKey,
    stored.parent or false, stored['rjk'] or false, false, stored['deid'] or false,
    stored.progress or false, false, stored.processedOn, stored['pb'])
end
local function isOdd(text)
  return string.find(text, '[^%w_-]') ~= nil
end
local function plainReceipt(digest, made, id, token)
  if id and isOdd(id) then
    return cjson.encode({ 1, digest, 0, 'completed', made, 0, id or nil, id and token or nil })
  end
  return '[1,"' .. digest .. '",0,"completed",' .. countText(made) .. ',0' .. (id and ',"' .. id .. '","' .. token .. '"' or '')
    .. ']'
end
local function endPlain(queue, batch, at, made)
  local gathered, id, value = queue.gathered, batch.moves[at + 2], batch.moves[at + 3]
  if redis.pcall('LREM', queue.active, gathered.fromOldEnd and '-1' or '1', id) ~= 1 then
    return false
  end
  local job, now = batch.prefix .. id, batch.nowText
  gathered.owners[id] = nil
  freeLock(gathered, id, job)
  redis.call('HSET', job, 'atm', made, 'returnvalue', value, 'finishedOn', now)
  addFinished(queue, queue.completed, id, now)
  redis.call('XADD', queue.events, '*', 'event', 'completed', 'jobId', id, 'returnvalue', value, 'prev', 'active')
  return true
end
local function packPlain(nextId, stored, due, made)
  local run = stored and packRun(stored) or '\0'
  if made then
    return '\151' .. run .. cmsgpack.pack(nextId or 0, 0, due, 'completed', made, 0)
  end
  return '\148' .. run .. cmsgpack.pack(nextId or 0, 0, due)
end
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
    redis.call('HDEL', batch.prefix .. id, 'echomq.unbegun')
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
  for at = 3, #batch.moves, 9 do
    local id = batch.moves[at]
    if id then
      ids[#ids + 1] = id
    end
  end
  local gathered = gather(queue, batch.prefix, ids)
  gathered.sound = #ids > 0 and type(redis.pcall('ZCARD', queue.completed)) == 'number'
  return batch
end
local function closeBatch(queue, batch)
  settle(queue)
  for place = 1, #batch.trays, 2 do
    settleTray(batch.trays[place])
  end
end
setmetatable(RARE, { __index = function(_, name)
setmetatable(RARE, nil)
function RARE.parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
function RARE.splitJobKey(key, near)
  local base = near and string.match(near, '^(.*:)[^:]+:$')
  if base and string.sub(key, 1, #base) == base then
    local queue, id = string.match(string.sub(key, #base + 1), '^([^:]+:)(.+)$')
    if queue then
      return base .. queue, id
    end
  end
  return string.match(key, '^(.*:)([^:]*)$')
end
function RARE.mayBeKeyName(id)
  local function among(names, name)
    return string.find(names, ' ' .. name .. ' ', 1, true) ~= nil
  end
  if not string.find(id, ':', 1, true) then
    return among(' wait paused active prioritized delayed waiting-children completed failed stalled stalled-check ', id)
      or among(' limiter meta id pc events marker repeat metrics de dn priority delay ', id)
  end
  return among(' meta repeat de dn metrics ', string.match(id, '^[^:]*'))
    or among(' lock logs dependencies processed failed unsuccessful ', string.match(id, '[^:]*$'))
end
function RARE.queueKeys(prefix)
  return {
    wait = prefix .. 'wait',
    active = prefix .. 'active',
    paused = prefix .. 'paused',
    prioritized = prefix .. 'prioritized',
    delayed = prefix .. 'delayed',
    waitingChildren = prefix .. 'waiting-children',
    completed = prefix .. 'completed',
    failed = prefix .. 'failed',
    stalled = prefix .. 'stalled',
    events = prefix .. 'events',
    marker = prefix .. 'marker',
    meta = prefix .. 'meta',
    pc = prefix .. 'pc',
    id = prefix .. 'id',
    schedulers = prefix .. 'repeat',
    limiter = prefix .. 'limiter',
    failedMetrics = prefix .. 'metrics:failed',
  }
end
function RARE.gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
end
function RARE.wakeWorkers(queue, meta)
  if not RARE.gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end
function RARE.wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end
function RARE.hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
function RARE.wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil then
    pcall(function()
      if RARE.hasWork(queue) then
        RARE.wakeWorkers(queue, meta)
      end
    end)
  end
end
function RARE.readReceipt(receipt)
  local text
  if receipt.tray then
    text = receipt.tray.known[receipt.field]
  elseif receipt.field then
    text = redis.call('HGET', receipt.key, receipt.field)
  else
    text = redis.call('GET', receipt.key)
  end
  if not text then
    return nil
  end
  local ok, known = pcall(cjson.decode, text)
  if not ok or type(known) ~= 'table' or known[1] ~= 1 then
    return { 0, '', 0 }
  end
  return known
end
function RARE.storeReceipt(receipt, known)
  local text = cjson.encode(known)
  if receipt.tray then
    putReceipt(receipt.tray, receipt.field, text)
    return
  end
  if not receipt.field then
    redis.call('SET', receipt.key, text, 'PX', receipt.ttl)
    return
  end
  if redis.call('HSET', receipt.key, receipt.field, text) > 0 or not receipt.said then
    redis.call('PEXPIRE', receipt.key, receipt.ttl)
  end
end
function RARE.readSlot(text, seq)
  local number = text and tonumber(string.match(text, '^(%d+) '))
  if not number or number < seq then
    return nil
  elseif number > seq then
    return -23
  end
  return { 0, '', 0, cjson.decode('[' .. string.match(text, '^%d+ (.*)$') .. ']')[1] }
end
function RARE.bodyOf(receipt)
  if receipt.tray then
    return receipt.tray.known.body
  end
  return redis.call('HGET', receipt.key, 'body')
end
function RARE.findReceipt(receipt)
  if not receipt or receipt.fresh then
    return nil
  end
  if receipt.seq then
    return RARE.readSlot(redis.call('HGET', receipt.key, receipt.field), receipt.seq)
  end
  local known = RARE.readReceipt(receipt)
  if receipt.slot then
    return known and known[2] == receipt.digest and known or nil
  end
  local body = receipt.whole and RARE.bodyOf(receipt)
  if (known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest) then
    return -23
  end
  return known
end
function RARE.writeReceipt(receipt, ...)
  if receipt.tray then
    if receipt.whole then
      putReceipt(receipt.tray, 'body', receipt.digest)
    end
    RARE.storeReceipt(receipt, { 1, receipt.digest, 0, ... })
    return
  end
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  RARE.storeReceipt(receipt, { 1, receipt.digest, 0, ... })
end
local RUN_FIELDS = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', 'atm',
  'ats', 'stc', 'parentKey', 'parent', 'rjk', 'defa',
  'deid', 'progress', 'echomq.cancel' }
function RARE.runOf(values, processedOn, workerName)
  values[#RUN_FIELDS + 1], values[#RUN_FIELDS + 2] = processedOn, workerName or false
  return values
end
function RARE.heldJob(queue, lease)
  local job = lease.prefix .. lease.id
  if redis.call('GET', job .. ':lock') ~= lease.token then
    return nil
  end
  local values = redis.call('HMGET', job, unpack(RUN_FIELDS))
  local activation = redis.call('HMGET', job, 'processedOn', 'pb')
  if not activation[1] then
    return nil
  end
  redis.call('PEXPIRE', job .. ':lock', lease.lockDuration)
  redis.call('SREM', queue.stalled, lease.id)
  return RARE.runOf(values, activation[1], activation[2])
end
function RARE.ownerOf(queue, id, job)
  local gathered = queue.gathered
  local owner = gathered and gathered.owners[id]
  if owner == nil then
    settle(queue)
    return redis.pcall('GET', job .. ':lock')
  end
  gathered.owners[id] = nil
  return owner
end
function RARE.expectLock(queue, id)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners[id] = nil
  if gathered.left[id] then
    settle(queue)
  end
end
function RARE.replayedRun(queue, prefix, receipt, lockDuration)
  local known = RARE.findReceipt(receipt)
  if type(known) ~= 'table' then
    return known
  end
  settle(queue)
  local reply = { 0, 0, 0, 0, known[4], known[5], known[6], known[3], '' }
  local id, token = known[7], known[8]
  local lease = { prefix = prefix, id = id, token = token, lockDuration = lockDuration or 30000 }
  local run = id and RARE.heldJob(queue, lease)
  if run then
    known[3] = known[3] + 1
    RARE.storeReceipt(receipt, known)
    reply[1], reply[2], reply[8], reply[9] = run, id, known[3], token
  end
  return reply
end
function RARE.tokenRejection(owner, token)
  if not owner then
    return -2
  end
  if owner ~= token or token == '' or token == '0' then
    return -6
  end
  return nil
end
function RARE.leaveActive(queue, id, job)
  local gathered = queue.gathered
  if gathered then
    local left = redis.pcall('LREM', queue.active, gathered.fromOldEnd and -1 or 1, id)
    if left == 1 then
      freeLock(gathered, id, job)
      return nil
    end
    return type(left) == 'table' and left or -3
  end
  local marked = redis.call('SREM', queue.stalled, id)
  local left = redis.pcall('LREM', queue.active, 1, id)
  if left == 1 then
    redis.call('DEL', job .. ':lock')
    return nil
  end
  if marked == 1 then
    redis.call('SADD', queue.stalled, id)
  end
  return type(left) == 'table' and left or -3
end
local known = {}
function RARE.unsound(asked)
  for i = 1, #asked, 2 do
    local key = asked[i + 1]
    local reply = known[key] or redis.pcall(asked[i], key)
    if type(reply) == 'table' then
      return redis.error_reply(reply.err .. ' (' .. key .. ')')
    end
    known[key] = true
  end
  return nil
end
function RARE.uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end
function RARE.emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
function RARE.prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end
function RARE.waitingList(queue, meta)
  local parked = RARE.parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
function RARE.enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', RARE.waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, RARE.prioritizedScore(queue, priority), id)
  end
end
function RARE.unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', RARE.parkedKey(queue.meta) }
  local function ask(command, key)
    if key then
      asked[#asked + 1] = command
      asked[#asked + 1] = key
    end
  end
  ask('LLEN', queue.wait)
  ask('LLEN', queue.active)
  ask('ZCARD', queue.prioritized)
  ask('ZCARD', queue.delayed)
  return RARE.unsound(asked) or (queue.pc and RARE.uncountable(queue.pc)) or nil
end
function RARE.delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end
function RARE.delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, RARE.delayedScore(queue, due), id)
  RARE.emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end
function RARE.isLifo(opts)
  if not opts or not string.find(opts, '"lifo"', 1, true) then
    return false
  end
  local ok, options = pcall(cjson.decode, opts)
  return ok and type(options) == 'table' and options.lifo == true
end
function RARE.promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, 1000)
  if #due == 0 then
    return 0
  end
  local trouble = RARE.unsoundPlaces(queue)
  if trouble then
    return 0, trouble
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = prefix .. id
    local found = redis.pcall('HMGET', job, 'priority', 'opts')
    if found.err then
      RARE.enqueue(queue, meta, id, { priority = 0 })
    else
      local priority = finite(found[1], 0)
      RARE.enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and RARE.isLifo(found[2]) })
      if found[1] then
        redis.call('HSET', job, 'delay', 0)
      end
    end
    emit(queue, 'waiting', 'jobId', id, 'prev', 'delayed')
  end
  RARE.wakeWorkers(queue, meta)
  return #due
end
function RARE.storeJob(queue, prefix, id, job)
  local fields = { 'name', job.name, 'data', job.data, 'opts', job.opts, 'timestamp', job.timestamp,
    'delay', job.delay or 0, 'priority', job.priority or 0 }
  local function add(field, value)
    if value then
      fields[#fields + 1] = field
      fields[#fields + 1] = value
    end
  end
  add('parentKey', job.parentKey)
  add('parent', job.parent)
  add('rjk', job.schedulerId)
  add('deid', job.deduplication and job.deduplication.id)
  redis.call('HSET', prefix .. id, unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end
function RARE.isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
function RARE.deleteJobKeys(prefix, id)
  local job = prefix .. id
  if RARE.mayBeKeyName(id) and not RARE.isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
end
function RARE.placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    RARE.delayUntil(queue, meta, id, job.timestamp + delay)
    RARE.wakeAtNextDue(queue)
    return 'delayed'
  end
  RARE.enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  RARE.wakeWorkers(queue, meta)
  RARE.emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
function RARE.isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end
function RARE.isUnbegun(mark, processedOn)
  return mark ~= false and mark == processedOn
end
function RARE.readStored(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'timestamp', 'atm', 'opts', 'priority', 'parent', 'parentKey',
    'deid', 'stc', 'processedOn', 'echomq.cancel', 'echomq.unbegun')
  if values.err or (not values[1] and (RARE.mayBeKeyName(id) or redis.call('EXISTS', job) == 0)) then
    return nil
  end
  return {
    prefix = prefix,
    attemptsMade = finite(values[2], 0),
    optsText = values[3],
    priority = finite(values[4], 0),
    parentText = values[5],
    parentKey = values[6],
    deduplicationId = values[7],
    stalledCount = finite(values[8], 0),
    processedOn = values[9],
    cancelled = RARE.isCancelled(values[10], values[9]),
    marked = values[11] ~= false,
    unbegun = RARE.isUnbegun(values[11], values[9]),
  }
end
function RARE.optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
function RARE.keptLogs(stored)
  return math.floor(finite(RARE.optionsOf(stored)['kl'], 0))
end
function RARE.readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = RARE.splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end
function RARE.parentOf(stored)
  if stored.parent == nil then
    stored.parent = RARE.readParent(stored) or false
  end
  return stored.parent or nil
end
function RARE.unsoundParent(parent, target)
  local dependencies = parent.key .. ':dependencies'
  local trouble = RARE.unsound({ 'SCARD', dependencies, 'HLEN', parent.key .. ':processed', 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = RARE.queueKeys(parent.prefix)
  return RARE.unsound({
    'HLEN', parent.key .. ':failed', 'ZCARD', parent.key .. ':unsuccessful',
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or RARE.unsoundPlaces(queue)
end
function RARE.moveParentOn(parent, now)
  local queue = RARE.queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = finite(values[1], 0)
  local priority = finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    RARE.wakeAtNextDue(queue)
    return
  end
  RARE.enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  RARE.wakeWorkers(queue, meta)
  emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end
function RARE.releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    RARE.moveParentOn(parent, now)
  end
end
function RARE.releaseParentIfReady(parent, now)
  if redis.call('SCARD', parent.key .. ':dependencies') == 0 then
    RARE.releaseParent(parent, now)
  end
end
function RARE.tellParentCompleted(child, parent, now, returnValue)
  if redis.call('SREM', parent.key .. ':dependencies', child) == 1 then
    redis.call('HSET', parent.key .. ':processed', child, returnValue)
    RARE.releaseParentIfReady(parent, now)
  end
end
function RARE.failParent(child, parent, now)
  redis.call('ZADD', parent.key .. ':unsuccessful', now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = RARE.queueKeys(parent.prefix)
  local waited = redis.call('ZREM', queue.waitingChildren, parent.id) == 1
  local delayed = not waited and redis.call('ZREM', queue.delayed, parent.id) == 1
  if not (waited or delayed) and redis.call('ZSCORE', queue.failed, parent.id) then
    return
  end
  redis.call('HSET', parent.key, 'defa', 'child ' .. child .. ' failed')
  if delayed then
    redis.call('HSET', parent.key, 'delay', 0)
  end
  if waited or delayed then
    RARE.moveParentOn(parent, now)
  end
end
function RARE.isSet(flag)
  return flag and flag ~= cjson.null
end
function RARE.tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = RARE.isSet(policy['fpof']), RARE.isSet(policy['cpof'])
  local ignore, remove = RARE.isSet(policy['idof']), RARE.isSet(policy['rdof'])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', parent.key .. ':dependencies', child) == 0 then
    return
  end
  if fail then
    RARE.failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', parent.key .. ':failed', child, reason)
    RARE.releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', parent.key .. ':failed', child, reason)
    end
    RARE.releaseParentIfReady(parent, now)
  end
end
function RARE.detachFromParent(child, stored)
  local parent = RARE.parentOf(stored)
  if not parent then
    return
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.pcall('SISMEMBER', dependencies, child) ~= 1 or RARE.unsoundParent(parent) then
    return
  end
  redis.call('SREM', dependencies, child)
  if redis.call('SCARD', dependencies) > 0 then
    return
  end
  local queue = RARE.queueKeys(parent.prefix)
  if redis.call('ZREM', queue.waitingChildren, parent.id) == 1 then
    local meta = readMeta(queue)
    redis.call('RPUSH', RARE.waitingList(queue, meta), parent.id)
    RARE.wakeWorkers(queue, meta)
    emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
  end
end
function RARE.dropJob(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    RARE.detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  RARE.deleteJobKeys(prefix, id)
end
function RARE.releaseDeduplication(prefix, id, deduplicationId)
  local key = prefix .. 'de:' .. deduplicationId
  local ttl = redis.call('PTTL', key)
  if ttl == 0 or (ttl == -1 and redis.pcall('GET', key) == id) then
    redis.call('DEL', key)
  end
end
function RARE.wholeNumber(value)
  local number = finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end
function RARE.keepFromOption(option)
  if option == true then
    return { count = 0 }
  elseif type(option) == 'number' then
    return { count = RARE.wholeNumber(option) or -1 }
  elseif type(option) == 'table' then
    return { count = RARE.wholeNumber(option.count), age = finite(option.age), limit = RARE.wholeNumber(option.limit) }
  end
  return { count = -1 }
end
function RARE.keepOf(stored, target, default)
  local name = target == 'completed' and 'removeOnComplete' or 'removeOnFail'
  if stored.optsText and string.find(stored.optsText, name, 1, true) then
    local option = RARE.optionsOf(stored)[name]
    if option ~= nil then
      return RARE.keepFromOption(option)
    end
  end
  return default or { count = -1 }
end
function RARE.dropAll(prefix, set, ids)
  for _, id in ipairs(ids) do
    RARE.dropJob(prefix, id)
  end
  if #ids > 0 then
    redis.call('ZREM', set, unpack(ids))
  end
end
function RARE.trimFinished(prefix, set, keep, now)
  if keep.age then
    local limit = math.max(0, math.min(keep.limit or 1000, 1000))
    RARE.dropAll(prefix, set, redis.call('ZREVRANGEBYSCORE', set, now - keep.age * 1000, '-inf', 'LIMIT', 0, limit))
  end
  if keep.count and keep.count > 0 then
    RARE.dropAll(prefix, set, redis.call('ZREVRANGE', set, keep.count, keep.count + 999))
  end
end
function RARE.addKeptLast(meta, prefix, deduplicationId, now)
  local kept = prefix .. 'dn:' .. deduplicationId
  local values = redis.pcall('HMGET', kept, 'name', 'data', 'opts', 'jid', 'rjk', 'pk', 'pd', 'pdk')
  local queue = RARE.queueKeys(prefix)
  if not values[1] or RARE.unsoundPlaces(queue) or RARE.uncountable(queue.id)
    or RARE.unsound({ 'HLEN', prefix .. (values[4] or ''), 'SCARD', values[8] or kept .. ':none' }) then
    return
  end
  redis.call('DEL', kept)
  if values[4] and redis.call('EXISTS', prefix .. values[4]) == 1 then
    emit(queue, 'duplicated', 'jobId', values[4])
    return
  end
  if values[6] and redis.call('EXISTS', values[6]) == 0 then
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
  redis.call('SET', prefix .. 'de:' .. deduplicationId, id)
  RARE.storeJob(queue, prefix, id, job)
  RARE.placeJob(queue, meta, id, job)
  if values[8] then
    redis.call('SADD', values[8], prefix .. id)
  end
end
function RARE.countFinished(metrics, maxPoints, now)
  local data = metrics .. ':data'
  local count = redis.pcall('HINCRBY', metrics, 'count', 1)
  if type(count) == 'table' then
    return
  end
  count = count - 1
  local previous = redis.call('HMGET', metrics, 'prevTS', 'prevCount')
  local since = finite(previous[1])
  if not since then
    redis.call('HSET', metrics, 'prevTS', now, 'prevCount', 0)
    return
  end
  local minutes = math.floor(now / 60000) - math.floor(since / 60000)
  local points = math.min(minutes, maxPoints)
  if points <= 0 or type(redis.pcall('LPUSH', data, count - finite(previous[2], 0))) == 'table' then
    return
  end
  for _ = 2, points do
    redis.call('LPUSH', data, 0)
  end
  redis.call('LTRIM', data, 0, maxPoints - 1)
  redis.call('HSET', metrics, 'prevCount', count, 'prevTS', now)
end
function RARE.countDropped(prefix, reason)
  redis.pcall('HINCRBY', prefix .. 'meta:counters:1', reason, 1)
end
function RARE.recordFinished(queue, meta, finished)
  local failed = finished.target == 'failed'
  local job, now = finished.job, finished.now
  local parent = RARE.parentOf(finished.stored)
  local deduplicationId = finished.stored.deduplicationId
  if deduplicationId then
    RARE.releaseDeduplication(finished.prefix, finished.id, deduplicationId)
    RARE.addKeptLast(meta, finished.prefix, deduplicationId, now)
  end
  if parent and failed then
    RARE.tellParentFailed(job, parent, now, finished.value)
  elseif parent then
    RARE.tellParentCompleted(job, parent, now, finished.value)
  end
  local attemptsMade = finished.stored.attemptsMade + (finished.prev and 0 or 1)
  if finished.keep.count == 0 then
    RARE.detachFromParent(job, finished.stored)
    RARE.deleteJobKeys(finished.prefix, finished.id)
  else
    redis.call('HSET', job, 'atm', attemptsMade, finished.valueField, finished.value, 'finishedOn', now)
    if failed then
      redis.call('HDEL', job, 'defa')
    end
    addFinished(queue, finished.set, finished.id, now)
    if finished.keep.age or (finished.keep.count or 0) > 0 then
      settleFinished(queue)
      RARE.trimFinished(finished.prefix, finished.set, finished.keep, now)
    end
  end
  emit(queue, finished.target, 'jobId', finished.id, finished.valueField, finished.value,
    'prev', finished.prev or 'active')
  if failed and not finished.prev and attemptsMade >= finished.attempts then
    emit(queue, 'retries-exhausted', 'jobId', finished.id, 'attemptsMade', attemptsMade)
  end
  if finished.maxMetricsSize and finished.maxMetricsSize > 0 then
    RARE.countFinished(finished.metrics, finished.maxMetricsSize, now)
  end
  return attemptsMade
end
function RARE.unsoundEnd(set, stored, target)
  local parent = RARE.parentOf(stored)
  return RARE.unsound({ 'ZCARD', set }) or (parent and RARE.unsoundParent(parent, target)) or nil
end
function RARE.failForGood(queue, meta, stored, fate)
  local keys = RARE.queueKeys(fate.prefix)
  local options = RARE.optionsOf(stored)
  local parent = RARE.parentOf(stored)
  if parent and RARE.unsoundParent(parent, 'failed') then
    RARE.countDropped(fate.prefix, 'parentNotTold')
    stored.parent = false
  end
  trimEvents(queue, meta)
  RARE.recordFinished(queue, meta, {
    prefix = fate.prefix,
    id = fate.id,
    job = fate.prefix .. fate.id,
    stored = stored,
    now = fate.now,
    target = 'failed',
    valueField = 'failedReason',
    value = fate.reason,
    set = keys.failed,
    keep = RARE.keepOf(stored, 'failed', fate.defaultKeep),
    attempts = finite(options.attempts, 0),
    metrics = keys.failedMetrics,
    maxMetricsSize = fate.maxMetricsSize,
    prev = fate.prev,
  })
end
function RARE.failCancelled(queue, meta, stored, fate)
  redis.call('DEL', fate.prefix .. 'meta:cancel:' .. fate.id)
  redis.call('HDEL', fate.prefix .. fate.id, 'echomq.cancel')
  fate.reason = 'cancelled'
  RARE.failForGood(queue, meta, stored, fate)
end
function RARE.spread(delay, jitter, rand)
  if jitter <= 0 then
    return delay
  end
  return math.floor(rand * delay * jitter + delay * (1 - jitter))
end
function RARE.backoffDelay(backoff, n, rand)
  local base = finite(backoff.delay, 0)
  local jitter = finite(backoff.jitter, 0)
  if type(backoff.steps) == 'table' then
    return RARE.spread(finite(backoff.steps[math.min(n, #backoff.steps)], 0), jitter, rand)
  elseif backoff.type == 'fixed' then
    return RARE.spread(base, jitter, rand)
  elseif backoff.type == 'exponential' then
    local factor = finite(backoff.factor, 2)
    return RARE.spread(math.floor(factor ^ (n - 1) * base + 0.5), jitter, rand)
  end
  return nil
end
function RARE.decideRetry(stored, retry)
  local options = RARE.optionsOf(stored)
  local made = stored.attemptsMade + 1
  if retry.mode == 'NEVER' or made >= finite(options.attempts, 0) then
    return { again = false }
  end
  local cap = retry.maxDelay or 86400000
  if retry.delay then
    return { again = true, delay = math.min(retry.delay, cap) }
  end
  local backoff = options.backoff
  if type(backoff) == 'number' then
    backoff = { type = 'fixed', delay = backoff }
  elseif type(backoff) ~= 'table' then
    return { again = true, delay = 0 }
  end
  local named = retry.backoffs and retry.backoffs[backoff.type]
  local delay = RARE.backoffDelay(named or backoff, made, retry.rand or 0)
  if not delay then
    return { again = false, problem = 'unknown backoff ' .. tostring(backoff.type) }
  end
  local limit = named and math.min(named.max or cap, cap) or cap
  return { again = true, delay = math.max(0, math.min(delay, limit)) }
end
function RARE.appendStack(job, stack, limit)
  local ok, stacks = pcall(cjson.decode, redis.call('HGET', job, 'stacktrace') or '[]')
  if not ok or type(stacks) ~= 'table' then
    stacks = {}
  end
  stacks[#stacks + 1] = stack
  local kept = {}
  for i = math.max(1, #stacks - limit + 1), #stacks do
    kept[#kept + 1] = stacks[i]
  end
  redis.call('HSET', job, 'stacktrace', #kept == 0 and '[]' or cjson.encode(kept))
end
function RARE.requeueFailed(queue, meta, stored, failed)
  local delay = failed.delay
  redis.call('HSET', failed.job, 'atm', stored.attemptsMade + 1, 'failedReason', failed.reason)
  if delay > 0 then
    redis.call('HSET', failed.job, 'delay', delay)
    RARE.delayUntil(queue, meta, failed.id, failed.now + delay)
    RARE.wakeAtNextDue(queue)
    return 'delayed'
  end
  local toFront = stored.priority == 0 and RARE.optionsOf(stored).lifo == true
  RARE.enqueue(queue, meta, failed.id, { priority = stored.priority, toFront = toFront })
  RARE.wakeWorkers(queue, meta)
  RARE.emitTrimmed(queue, meta, 'waiting', 'jobId', failed.id, 'prev', 'active')
  return stored.priority > 0 and 'prioritized' or 'waiting'
end
function RARE.writeProgress(queue, meta, job, note)
  redis.call('HSET', job, 'progress', note.progress)
  RARE.emitTrimmed(queue, meta, 'progress', 'jobId', note.id, 'data', note.progress)
end
function RARE.appendLogs(job, rows, keep)
  local logs = job .. ':logs'
  local length = redis.call('LLEN', logs)
  for first = 1, #rows, 1000 do
    length = redis.call('RPUSH', logs, unpack(rows, first, math.min(first + 999, #rows)))
  end
  if keep > 0 and length > keep then
    redis.call('LTRIM', logs, -keep, -1)
    length = keep
  end
  return length
end
function RARE.writeNotes(queue, meta, job, notes)
  if notes.progress then
    RARE.writeProgress(queue, meta, job, notes)
  end
  if notes.logs and #notes.logs > 0 then
    RARE.appendLogs(job, notes.logs, notes.keep)
  end
end
function RARE.limitedFor(queue, max)
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
function RARE.promoteAhead(queue, meta, worker)
  local gathered = queue.gathered
  if gathered and gathered.promoted then
    return 0
  end
  local moved, trouble = RARE.promoteDue(queue, meta, worker.prefix, worker.now)
  if gathered then
    gathered.promoted = not trouble and moved < 1000
  end
  return moved, trouble
end
function RARE.popNext(queue)
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
function RARE.putBack(queue, id, score)
  if score then
    redis.call('LREM', queue.active, 1, id)
    redis.call('ZADD', queue.prioritized, score, id)
  else
    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')
  end
end
function RARE.isUtf8(text)
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
function RARE.readRunnable(queue, meta, worker, id)
  local job = worker.prefix .. id
  local values = redis.pcall('HMGET', job, unpack(RUN_FIELDS))
  if values.err or (not values[4] and RARE.mayBeKeyName(id)) then
    redis.call('LREM', queue.active, 1, id)
    RARE.countDropped(worker.prefix, values.err and 'notAHash' or 'keyName')
    return nil
  end
  local reason, cancelled = values[13], false
  if values[16] then
    cancelled = RARE.isCancelled(values[16], redis.call('HGET', job, 'processedOn'))
    if not cancelled then
      values[16] = false
      redis.call('HDEL', job, 'echomq.cancel')
    end
  end
  if not reason and not values[1] then
    if redis.call('EXISTS', job) == 0 then
      redis.call('LREM', queue.active, 1, id)
      RARE.countDropped(worker.prefix, 'withoutHash')
      return nil
    end
    reason = 'job is corrupt: it has no name'
  end
  if not RARE.isUtf8(id) then
    reason = 'job is corrupt: its id is not UTF-8 text'
  end
  if not (reason or cancelled) then
    return values
  end
  local trouble = RARE.unsound({ 'ZCARD', RARE.queueKeys(worker.prefix).failed })
  if trouble then
    return nil, trouble
  end
  redis.call('LREM', queue.active, 1, id)
  settle(queue)
  local fail = cancelled and RARE.failCancelled or RARE.failForGood
  fail(queue, meta, RARE.readStored(worker.prefix, id), {
    prefix = worker.prefix, id = id, now = worker.now, reason = reason, maxMetricsSize = worker.maxMetricsSize,
  })
  return nil
end
function RARE.activate(queue, meta, worker, run)
  local job = worker.prefix .. run.id
  if run.max and redis.call('INCR', queue.limiter) == 1 then
    redis.call('PEXPIRE', queue.limiter, math.floor(math.abs(run.duration or 0)))
  end
  RARE.expectLock(queue, run.id)
  redis.call('SET', job .. ':lock', worker.token, 'PX', worker.lockDuration)
  emit(queue, 'active', 'jobId', run.id, 'prev', 'waiting')
  local started = finite(run.values[8], 0) + 1
  run.values[8] = started
  local fields = { 'processedOn', worker.now, 'ats', started }
  if worker.name then
    fields[5], fields[6] = 'pb', worker.name
  end
  if worker.buffered then
    fields[#fields + 1], fields[#fields + 2] = 'echomq.unbegun', worker.now
  end
  redis.call('HSET', job, unpack(fields))
  wakeOne(queue)
  return RARE.runOf(run.values, string.format('%.0f', worker.now), worker.name)
end
function RARE.fetchNext(queue, meta, worker)
  local limiter = worker.limiter or {}
  local max = meta.max or limiter.max
  local trouble = max and RARE.uncountable(queue.limiter)
  if trouble then
    return trouble
  end
  local promoted
  promoted, trouble = RARE.promoteAhead(queue, meta, worker)
  if trouble then
    return trouble
  end
  local limited = RARE.limitedFor(queue, max)
  if limited > 0 then
    return { 0, 0, limited, 0 }
  end
  if RARE.gateIsClosed(queue, meta) then
    return { 0, 0, 0, meta.paused and 0 or -1 }
  end
  for turn = 1, 200 do
    local id, score = RARE.popNext(queue)
    if not id then
      return { 0, 0, 0, nextDue(queue) }
    end
    local values
    if type(id) == 'table' then
      trouble = id
    else
      values, trouble = RARE.readRunnable(queue, meta, worker, id)
      if trouble then
        RARE.putBack(queue, id, score)
      end
    end
    if trouble then
      return promoted == 0 and turn == 1 and trouble or { 0, 0, 0, 0 }
    end
    if values and worker.buffered and redis.call('HEXISTS', worker.prefix .. id, 'echomq.unbegun') == 1 then
      RARE.putBack(queue, id, score)
      RARE.wakeWorkers(queue, meta)
      return { 0, 0, 0, -2 }
    elseif values then
      local duration = meta.max and meta.duration or limiter.duration
      local run = { id = id, values = values, max = max, duration = duration }
      return { RARE.activate(queue, meta, worker, run), id, 0, 0 }
    end
  end
  RARE.wakeWorkers(queue, meta)
  return { 0, 0, 0, 0 }
end
function RARE.fetchAfterEnd(queue, meta, worker)
  local ok, next = pcall(RARE.fetchNext, queue, meta, worker)
  return ok and not next.err and next or { 0, 0, 0, 0 }
end
function RARE.endRejection(queue, run, stored)
  local childless = queue.gathered and queue.gathered.childless
  if run.target == 'completed' and not stored.cancelled and not childless then
    if redis.call('SCARD', run.job .. ':dependencies') > 0 then
      return -4
    elseif redis.call('ZCARD', run.job .. ':unsuccessful') > 0 then
      return -9
    end
  end
  return RARE.tokenRejection(RARE.ownerOf(queue, run.id, run.job), run.options.token)
end
function RARE.endTrouble(queue, run, stored, again)
  local trouble = run.options.logs and RARE.unsound({ 'LLEN', run.job .. ':logs' })
  if trouble then
    return trouble
  elseif again then
    return RARE.unsoundPlaces(queue)
  end
  return RARE.unsoundEnd(stored.cancelled and (run.prefix .. 'failed') or run.finished, stored,
    stored.cancelled and 'failed' or run.target)
end
function RARE.recordEnd(queue, meta, run, stored)
  local options = run.options
  local maxMetricsSize = tonumber(options.maxMetricsSize)
  if run.fields and #run.fields > 0 then
    redis.call('HSET', run.job, unpack(run.fields))
  end
  if stored.marked then
    redis.call('HDEL', run.job, 'echomq.unbegun')
  end
  RARE.writeNotes(queue, meta, run.job, {
    id = run.id, progress = options.progress, logs = options.logs, keep = options.logs and RARE.keptLogs(stored),
  })
  if options.stack then
    local own = finite(RARE.optionsOf(stored).stackTraceLimit)
    RARE.appendStack(run.job, options.stack, math.min(own or options.stackLimit or 10, options.stackLimit or 10))
  end
  if stored.cancelled then
    RARE.failCancelled(queue, meta, stored, {
      prefix = run.prefix, id = run.id, now = run.now, maxMetricsSize = maxMetricsSize,
      defaultKeep = options.defaultKeep,
    })
    return 'failed'
  end
  local decision = run.decision
  if decision.again then
    return RARE.requeueFailed(queue, meta, stored, {
      id = run.id, job = run.job, now = run.now, delay = decision.delay, reason = run.value,
    })
  end
  RARE.recordFinished(queue, meta, {
    prefix = run.prefix,
    id = run.id,
    job = run.job,
    stored = stored,
    now = run.now,
    target = run.target,
    valueField = run.valueField,
    value = decision.problem and run.value .. ' (' .. decision.problem .. ')' or run.value,
    set = run.finished,
    keep = options.keepJobs and RARE.keepFromOption(options.keepJobs) or RARE.keepOf(stored, run.target, options.defaultKeep),
    attempts = options.attempts or run.target == 'failed' and finite(RARE.optionsOf(stored).attempts, 0) or 0,
    metrics = run.metrics,
    maxMetricsSize = maxMetricsSize,
  })
  return run.target
end
function RARE.endRun(queue, meta, run)
  local options = run.options
  local stored = RARE.readStored(run.prefix, run.id)
  if not stored then
    return -1
  end
  if run.fields and #run.fields % 2 == 1 then
    return redis.error_reply('ERR fields: a name without a value')
  end
  if stored.parentText or stored.parentKey or stored.deduplicationId or stored.cancelled then
    settle(queue)
  end
  local rejection = RARE.endRejection(queue, run, stored)
  if rejection then
    return rejection
  end
  local decision = { again = false }
  if run.target == 'failed' and options.retry and not stored.cancelled then
    decision = RARE.decideRetry(stored, options.retry)
  end
  local trouble = RARE.endTrouble(queue, run, stored, decision.again)
  if trouble then
    return trouble
  end
  trimEvents(queue, meta)
  rejection = RARE.leaveActive(queue, run.id, run.job)
  if rejection then
    return rejection
  end
  run.decision = decision
  local outcome, attemptsMade = RARE.recordEnd(queue, meta, run, stored), stored.attemptsMade + 1
  local answer = { 0, 0, 0, 0 }
  if run.fetchNext then
    answer = RARE.fetchAfterEnd(queue, meta, {
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
    RARE.wakeForFreedSlot(queue, meta)
  end
  if options.receipt then
    local token = answer[2] ~= 0 and (options.nextToken or options.token) or nil
    RARE.writeReceipt(options.receipt, outcome, attemptsMade, decision.delay or 0, token and answer[2], token)
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
function RARE.takeJob(queue, meta, worker)
  if worker.token == '' or worker.token == '0' then
    return -6
  end
  local receipt = worker.receipt
  local known = RARE.findReceipt(receipt)
  if type(known) == 'number' then
    return known
  elseif known and known[4] ~= receipt.call then
    return { 0, 0, 0, 0, 'replay' }
  end
  trimEvents(queue, meta)
  local next = RARE.fetchNext(queue, meta, worker)
  if next.err then
    return next
  end
  if receipt and next[2] ~= 0 then
    if not known then
      RARE.writeReceipt(receipt, receipt.call)
    end
    redis.call('HSET', receipt.key, 'job:' .. receipt.index, cjson.encode({ next[2], worker.token }))
  end
  return next
end
function RARE.namedMove(batch, at)
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
return RARE[name]
end })

local queue = {
  wait = KEYS[1], -- list
  active = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  events = KEYS[4], -- stream
  stalled = KEYS[5], -- set of the stalled check
  limiter = KEYS[6], -- counter of the rate limit
  delayed = KEYS[7], -- set by due time
  paused = KEYS[8], -- list, BullMQ 5 only
  meta = KEYS[9], -- hash
  pc = KEYS[10], -- counter of arrivals
  completed = KEYS[11], -- set of completed jobs
  failed = KEYS[12], -- set of failed jobs
  completedMetrics = KEYS[13], -- hash
  failedMetrics = KEYS[14], -- hash
  marker = KEYS[15], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local maxBytes = tonumber(ARGV[3]) -- int once the answers hold so many bytes of payloads, no further job is taken
local shared = cmsgpack.unpack(ARGV[4]) -- pack {
--   terms: readonly { lockDuration?: number; name?: string; buffered?: boolean; limiter?: { max: number; duration: number }; maxMetricsSize?: number }[];
--   receipts: readonly { key: string; ttl: number; said: boolean; slot: boolean; acked: readonly string[]; fields: readonly string[] }[]
-- } what the moves refer to by place, from 1
local moves = cmsgpack.unpack(ARGV[5]) -- pack readonly (number | string | Uint8Array | false | {
--   target?: 'failed'; options?: Record<string, unknown> | undefined;
--   receipt?: { tray?: number; field?: string; digest: string; key?: string; ttl?: number; whole?: boolean; slot?: boolean; fresh?: boolean; acked?: readonly string[]; call?: string; index?: number } | undefined
-- })[] one list for all, nine values a move: terms, token, id or false for a fetch, value of an end, token of its next job or false, place of its receipt (twice that of its hash in `receipts`, one less for a receipt that is looked for) or 0, field and digest of that, what is rare of it or false: `target` other than 'completed', the rarer options of moveToFinished, a receipt of another kind
-- end of declarations

local now = resolveNow(timestamp)
local meta = readMeta(queue)
local batch = openBatch(queue, {
  prefix = prefix, now = now, maxBytes = maxBytes, terms = shared.terms, receipts = shared.receipts, moves = moves,
})
local gathered = queue.gathered

--- Adds what is shared, the token and the receipt to the options of a finish or a fetch.
local function onTerms(move, options)
  local terms = shared.terms[move.terms]
  options.token, options.receipt = move.token, move.receipt
  options.lockDuration, options.name, options.buffered = terms.lockDuration, terms.name, terms.buffered
  options.limiter, options.maxMetricsSize = terms.limiter, terms.maxMetricsSize
  return options
end

--- Ends the run of a move, with the next job if there is room for it.
local function finish(move)
  local options = onTerms(move, move.options or {})
  options.nextToken = move.nextToken
  local replay = RARE.replayedRun(queue, prefix, move.receipt, options.lockDuration)
  if replay then
    return replay
  end
  local completed = move.target == 'completed'
  local full = gathered.bytes >= maxBytes
  local answer = RARE.endRun(queue, meta, {
    prefix = prefix,
    id = move.id,
    job = prefix .. move.id,
    now = now,
    target = move.target,
    valueField = completed and 'returnvalue' or 'failedReason',
    value = move.value,
    finished = completed and queue.completed or queue.failed,
    metrics = completed and queue.completedMetrics or queue.failedMetrics,
    options = options,
    fetchNext = move.nextToken and not full,
  })
  if full and move.nextToken and type(answer) == 'table' then
    answer[1] = 'later'
  end
  return answer
end

--- Takes a job.
local function fetch(move)
  if gathered.bytes >= maxBytes then
    return { 'later', 0, 0, 0 }
  end
  return RARE.takeJob(queue, meta, onTerms(move, { prefix = prefix, now = now }))
end

--- One move, from its receipt to its answer.
local function carryOut(at)
  local move = RARE.namedMove(batch, at)
  local answer = (move.id and finish or fetch)(move)
  local run = type(answer) == 'table' and answer[1]
  if type(run) == 'table' then
    gathered.bytes = gathered.bytes + #(run[2] or '') + #(run[3] or '')
  end
  return answer
end

local answers, at = {}, 1

--- Carries out moves as long as they are plain ones.
local function carryOutPlain()
  while at <= #moves do
    local plain, answer = plainMove(queue, meta, batch, at)
    if not plain then
      return
    end
    answers[#answers + 1] = answer
    at = at + 9
  end
end

while at <= #moves do
  local ok, answer = pcall(carryOutPlain)
  -- It has stopped at a move that is none or has failed.
  if at <= #moves then
    if ok then
      ok, answer = pcall(carryOut, at)
    end
    if type(answer) == 'table' and answer.err then
      answer = answer.err
    end
    answers[#answers + 1] = cmsgpack.pack(ok and answer or tostring(answer))
    at = at + 9
  end
end
closeBatch(queue, batch)
return table.concat(answers)
