-- addFlow-1
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
local function gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
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
local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end
local function splitJobKey(key, near)
  local base = near and string.match(near, '^(.*:)[^:]+:$')
  if base and string.sub(key, 1, #base) == base then
    local queue, id = string.match(string.sub(key, #base + 1), '^([^:]+:)(.+)$')
    if queue then
      return base .. queue, id
    end
  end
  return string.match(key, '^(.*:)([^:]*)$')
end
local function mayBeKeyName(id)
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
local function queueKeys(prefix)
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
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local known = {}
local function unsound(asked)
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
local function uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end
local function prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end
local function waitingList(queue, meta)
  local parked = parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end
local function enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, prioritizedScore(queue, priority), id)
  end
end
local function unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', parkedKey(queue.meta) }
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
  return unsound(asked) or (queue.pc and uncountable(queue.pc)) or nil
end
local function delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end
local function delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end
local function storeJob(queue, prefix, id, job)
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
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = prefix .. id
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
end
local function placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    delayUntil(queue, meta, id, job.timestamp + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
local function readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end
local function parentOf(stored)
  if stored.parent == nil then
    stored.parent = readParent(stored) or false
  end
  return stored.parent or nil
end
local function unsoundParent(parent, target)
  local dependencies = parent.key .. ':dependencies'
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', parent.key .. ':processed', 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = queueKeys(parent.prefix)
  return unsound({
    'HLEN', parent.key .. ':failed', 'ZCARD', parent.key .. ':unsuccessful',
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or unsoundPlaces(queue)
end
local function moveParentOn(parent, now)
  local queue = queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = finite(values[1], 0)
  local priority = finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    wakeAtNextDue(queue)
    return
  end
  enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  wakeWorkers(queue, meta)
  emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end
local function releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    moveParentOn(parent, now)
  end
end
local function releaseParentIfReady(parent, now)
  if redis.call('SCARD', parent.key .. ':dependencies') == 0 then
    releaseParent(parent, now)
  end
end
local function failParent(child, parent, now)
  redis.call('ZADD', parent.key .. ':unsuccessful', now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
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
    moveParentOn(parent, now)
  end
end
local function isSet(flag)
  return flag and flag ~= cjson.null
end
local function tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = isSet(policy['fpof']), isSet(policy['cpof'])
  local ignore, remove = isSet(policy['idof']), isSet(policy['rdof'])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', parent.key .. ':dependencies', child) == 0 then
    return
  end
  if fail then
    failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', parent.key .. ':failed', child, reason)
    releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', parent.key .. ':failed', child, reason)
    end
    releaseParentIfReady(parent, now)
  end
end
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
local function detachFromParent(child, stored)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  local dependencies = parent.key .. ':dependencies'
  if redis.pcall('SISMEMBER', dependencies, child) ~= 1 or unsoundParent(parent) then
    return
  end
  redis.call('SREM', dependencies, child)
  if redis.call('SCARD', dependencies) > 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  if redis.call('ZREM', queue.waitingChildren, parent.id) == 1 then
    local meta = readMeta(queue)
    redis.call('RPUSH', waitingList(queue, meta), parent.id)
    wakeWorkers(queue, meta)
    emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
  end
end
local function dropJob(prefix, id)
  local job = prefix .. id
  local values = redis.pcall('HMGET', job, 'parent', 'parentKey')
  if not values.err then
    detachFromParent(job, { prefix = prefix, parentText = values[1], parentKey = values[2] })
  end
  deleteJobKeys(prefix, id)
end
local function wholeNumber(value)
  local number = finite(value)
  return number and math.floor(math.min(number, 9007199254740991))
end
local function keepFromOption(option)
  if option == true then
    return { count = 0 }
  elseif type(option) == 'number' then
    return { count = wholeNumber(option) or -1 }
  elseif type(option) == 'table' then
    return { count = wholeNumber(option.count), age = finite(option.age), limit = wholeNumber(option.limit) }
  end
  return { count = -1 }
end
local function keepOf(stored, target, default)
  local name = target == 'completed' and 'removeOnComplete' or 'removeOnFail'
  if stored.optsText and string.find(stored.optsText, name, 1, true) then
    local option = optionsOf(stored)[name]
    if option ~= nil then
      return keepFromOption(option)
    end
  end
  return default or { count = -1 }
end
local function dropAll(prefix, set, ids)
  for _, id in ipairs(ids) do
    dropJob(prefix, id)
  end
  if #ids > 0 then
    redis.call('ZREM', set, unpack(ids))
  end
end
local function expiredSet(prefix, id, now)
  local values = redis.pcall('HMGET', prefix .. id, 'finishedOn', 'opts')
  local finishedOn = not values.err and finite(values[1])
  if not finishedOn or not string.find(values[2] or '', 'removeOn', 1, true) then
    return nil
  end
  local queue = queueKeys(prefix)
  for _, target in ipairs({ 'completed', 'failed' }) do
    local age = keepOf({ optsText = values[2] }, target).age
    if age and finishedOn <= now - age * 1000 and type(redis.pcall('ZSCORE', queue[target], id)) == 'string' then
      return queue[target]
    end
  end
  return nil
end
local function dropExpired(prefix, id, now)
  local set = expiredSet(prefix, id, now)
  if set then
    dropAll(prefix, set, { id })
  end
  return set ~= nil
end
local function isNew(prefix, job)
  local id = job.customId or job.id or ''
  if id ~= '' and redis.call('EXISTS', prefix .. id) == 1 and not expiredSet(prefix, id, job.timestamp) then
    return false
  end
  local wanted = job.deduplication
  return not wanted or redis.call('EXISTS', prefix .. 'de:' .. wanted.id) == 0
end
local function depthOf(prefix)
  local queue = queueKeys(prefix)
  return redis.call('LLEN', queue.wait) + redis.call('LLEN', queue.paused) + redis.call('LLEN', queue.active)
    + redis.call('ZCARD', queue.prioritized) + redis.call('ZCARD', queue.delayed)
    + redis.call('ZCARD', queue.waitingChildren)
end
local function limitRejection(meta, prefix, job, known)
  if meta.maxPayload and #job.data > meta.maxPayload then
    return { -25, known.index, #job.data, meta.maxPayload }
  end
  if not meta.maxJobs or not isNew(prefix, job) then
    return nil
  end
  known.depth = known.depth or depthOf(prefix)
  if known.depth >= meta.maxJobs then
    return { -24, known.index, known.stood or known.depth, meta.maxJobs }
  end
  known.stood = known.stood or known.depth
  known.depth = known.depth + 1
  return nil
end
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function attachRejection(child, parentKey)
  local current = redis.call('HGET', child, 'parentKey')
  if current and current ~= parentKey and redis.call('EXISTS', current) == 1 then
    return -7
  end
  return nil
end
local function attachExisting(child, parent, parentText, now)
  redis.call('HSET', child.key, 'parentKey', parent.key, 'parent', parentText)
  local queue = queueKeys(child.prefix)
  if redis.call('ZSCORE', queue.completed, child.id) then
    redis.call('HSET', parent.key .. ':processed', child.key, redis.call('HGET', child.key, 'returnvalue') or 'null')
    return
  end
  redis.call('SADD', parent.key .. ':dependencies', child.key)
  if redis.call('ZSCORE', queue.failed, child.id) then
    tellParentFailed(child.key, parent, now, redis.call('HGET', child.key, 'failedReason') or '')
  end
end
local function putReceipt(tray, field, text)
  tray.known[field] = text
  tray.written[#tray.written + 1], tray.written[#tray.written + 2] = field, text
end
local function readReceipt(receipt)
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
local function storeReceipt(receipt, known)
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
local function readSlot(text, seq)
  local number = text and tonumber(string.match(text, '^(%d+) '))
  if not number or number < seq then
    return nil
  elseif number > seq then
    return -23
  end
  return { 0, '', 0, cjson.decode('[' .. string.match(text, '^%d+ (.*)$') .. ']')[1] }
end
local function slotText(seq, answer)
  return string.format('%.0f ', seq) .. (type(answer) == 'table' and cjson.encode(answer) or '"' .. answer .. '"')
end
local function bodyOf(receipt)
  if receipt.tray then
    return receipt.tray.known.body
  end
  return redis.call('HGET', receipt.key, 'body')
end
local function findReceipt(receipt)
  if not receipt or receipt.fresh then
    return nil
  end
  if receipt.seq then
    return readSlot(redis.call('HGET', receipt.key, receipt.field), receipt.seq)
  end
  local known = readReceipt(receipt)
  if receipt.slot then
    return known and known[2] == receipt.digest and known or nil
  end
  local body = receipt.whole and bodyOf(receipt)
  if (known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest) then
    return -23
  end
  return known
end
local function writeReceipt(receipt, ...)
  if receipt.tray then
    if receipt.whole then
      putReceipt(receipt.tray, 'body', receipt.digest)
    end
    storeReceipt(receipt, { 1, receipt.digest, 0, ... })
    return
  end
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  storeReceipt(receipt, { 1, receipt.digest, 0, ... })
end
local function replayed(receipt)
  local known = findReceipt(receipt)
  if type(known) == 'table' then
    return { 1, known[4] }
  end
  return known
end
local function remembered(receipt, answer)
  if receipt and receipt.seq then
    if redis.call('HSET', receipt.key, receipt.field, slotText(receipt.seq, answer)) > 0 or not receipt.said then
      redis.call('PEXPIRE', receipt.key, receipt.ttl)
    end
  elseif receipt then
    writeReceipt(receipt, answer)
  end
  return answer
end

local routing = KEYS[1] -- hash `meta` of the root's queue; the nodes' keys follow from their prefixes
local now = ARGV[1] -- ms
local nodes = cmsgpack.unpack(ARGV[2]) -- pack readonly {
--   prefix: string; id: string; name: string | Uint8Array; data: string | Uint8Array; opts: string | Uint8Array;
--   delay?: number; dueAt?: number; priority?: number; lifo?: boolean; parentIndex?: number; parentKey?: string;
--   parent?: string; hasChildren: boolean
-- }[]
local more = ARGV[3] and ARGV[3] ~= '' and cmsgpack.unpack(ARGV[3]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
-- end of declarations

local at = resolveNow(now)

--- An inner node that exists takes new children only while it waits for children.
local function nodeRejection(node)
  node.key = node.prefix .. node.id
  node.timestamp = at
  node.expired = expiredSet(node.prefix, node.id, at) ~= nil
  node.exists = not node.expired and redis.call('EXISTS', node.key) == 1
  local above = node.parentIndex and nodes[node.parentIndex + 1]
  if above then
    node.parentKey = above.key
    if above.exists and not node.exists and not above.waits then
      return -3
    end
  elseif node.parentKey and redis.call('EXISTS', node.parentKey) == 0 then
    return -5
  end
  node.waits = node.exists and redis.call('ZSCORE', queueKeys(node.prefix).waitingChildren, node.id) ~= false
  if node.exists and node.parentKey then
    return attachRejection(node.key, node.parentKey)
  end
  return nil
end

local replay = replayed(more.receipt)
if replay then
  return replay
end
for index, node in ipairs(nodes) do
  local rejection = nodeRejection(node)
  if rejection then
    return { rejection, index - 1 }
  end
end

--- The error that would stop the tree half way, or nil.
local function unsoundFlow()
  local seen = {}
  for _, node in ipairs(nodes) do
    local queue = queueKeys(node.prefix)
    local trouble = unsound({ 'SCARD', node.key .. ':dependencies' })
      or (node.parentKey and unsound({ 'SCARD', node.parentKey .. ':dependencies' })) or nil
    if not trouble and not seen[node.prefix] then
      seen[node.prefix] = true
      trouble = uncountable(queue.id) or unsoundPlaces(queue) or unsound({
        'ZCARD', queue.waitingChildren, 'ZCARD', queue.completed, 'ZCARD', queue.failed,
      })
    end
    if not trouble and node.exists and node.parentKey then
      trouble = unsoundParent(parentOf({ prefix = node.prefix, parentText = node.parent, parentKey = node.parentKey }))
    end
    if trouble then
      return trouble
    end
  end
  return nil
end

local metas, known = {}, {}
for index, node in ipairs(nodes) do
  local prefix = node.prefix
  metas[prefix] = metas[prefix] or readMeta(queueKeys(prefix))
  known[prefix] = known[prefix] or {}
  known[prefix].index = index - 1
  local rejection = limitRejection(metas[prefix], prefix, node, known[prefix])
  if rejection then
    return rejection
  end
end

local trouble = unsoundFlow()
if trouble then
  return trouble
end
local answers = {}

local function addNode(node)
  local queue = queueKeys(node.prefix)
  local meta = metas[node.prefix]
  redis.call('INCR', queue.id)
  local parent = node.parentKey and parentOf({ prefix = node.prefix, parentText = node.parent, parentKey = node.parentKey })
  if node.exists then
    local above = node.parentIndex and nodes[node.parentIndex + 1]
    if parent and not (above and above.exists and not above.waits) then
      attachExisting({ key = node.key, id = node.id, prefix = node.prefix }, parent, node.parent, at)
    end
    emitTrimmed(queue, meta, 'duplicated', 'jobId', node.id)
    return { node.id, 'existing', '' }
  end
  if node.expired then
    dropExpired(node.prefix, node.id, at)
    if parent and redis.call('EXISTS', parent.key) == 0 then
      -- It was its own parent.
      parent, node.parentKey, node.parent = nil, nil, nil
    end
  end
  if node.dueAt then
    node.delay = math.max(1, node.dueAt - at)
  end
  storeJob(queue, node.prefix, node.id, node)
  if parent then
    redis.call('SADD', parent.key .. ':dependencies', node.key)
  end
  if not node.hasChildren then
    return { node.id, 'created', placeJob(queue, meta, node.id, node) }
  end
  redis.call('ZADD', queue.waitingChildren, at, node.id)
  emitTrimmed(queue, meta, 'waiting-children', 'jobId', node.id)
  return { node.id, 'created', 'waiting-children' }
end

for index, node in ipairs(nodes) do
  answers[index] = addNode(node)
end
-- A parent whose children had all ended before it came must not wait for them.
for i = #nodes, 1, -1 do
  local node = nodes[i]
  if node.hasChildren then
    releaseParentIfReady({ key = node.key, id = node.id, prefix = node.prefix, policy = {} }, at)
  end
end
return remembered(more.receipt, answers)
