-- extendLocks-1
local REJECT = {
  JOB_NOT_FOUND = -1,
  LOCK_LOST = -2,
  JOB_NOT_IN_STATE = -3,
  JOB_HAS_PENDING_CHILDREN = -4,
  PARENT_JOB_NOT_FOUND = -5,
  LOCK_NOT_OWNED = -6,
  PARENT_JOB_CANNOT_BE_REPLACED = -7,
  JOB_BELONGS_TO_SCHEDULER = -8,
  JOB_HAS_FAILED_CHILDREN = -9,
  SCHEDULER_JOB_ID_COLLISION = -10,
  SCHEDULER_JOB_SLOTS_BUSY = -11,
  QUEUE_NOT_PAUSED = -20,
  QUEUE_HAS_ACTIVE_JOBS = -21,
  JOB_LOCKED = -22,
  REQUEST_ID_REUSED = -23,
  QUEUE_FULL = -24,
  PAYLOAD_TOO_LARGE = -25,
}
local function jobKey(prefix, id)
  return prefix .. id
end
local function prefixOf(job, id)
  return string.sub(job, 1, -#id - 1)
end
local function idOf(job, prefix)
  return string.sub(job, #prefix + 1)
end
local function lockKey(job)
  return job .. ':lock'
end
local function logsKey(job)
  return job .. ':logs'
end
local function dependenciesKey(job)
  return job .. ':dependencies'
end
local function processedKey(job)
  return job .. ':processed'
end
local function ignoredFailuresKey(job)
  return job .. ':failed'
end
local function failedChildrenKey(job)
  return job .. ':unsuccessful'
end
local function deduplicationKey(prefix, deduplicationId)
  return prefix .. 'de:' .. deduplicationId
end
local function keptLastKey(prefix, deduplicationId)
  return prefix .. 'dn:' .. deduplicationId
end
local function schedulerKey(prefix, schedulerId)
  return prefix .. 'repeat:' .. schedulerId
end
local function countersKey(prefix)
  return prefix .. 'meta:counters:1'
end
local function cancelKey(prefix, id)
  return prefix .. 'meta:cancel:' .. id
end
local function cancelChannel(prefix)
  return prefix .. 'meta:cancel'
end
local function workerKey(prefix, session)
  return prefix .. 'meta:workers:' .. session
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
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = tonumber(meta[2]),
    max = tonumber(meta[3]),
    duration = tonumber(meta[4]),
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
    setMarker(queue, 0, '0')
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
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end
local function isEmpty(queue)
  return redis.pcall('LLEN', queue.wait) == 0 and redis.pcall('LLEN', queue.active) == 0
    and redis.pcall('ZCARD', queue.prioritized) == 0
end
local function wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil then
    pcall(function()
      if hasWork(queue) then
        wakeWorkers(queue, meta)
      end
    end)
  end
end
local function gather(queue, prefix, ids)
  local gathered = { owners = {}, childless = false, ended = {}, locks = {}, left = {}, finished = {}, bytes = 0 }
  queue.gathered = gathered
  if #ids == 0 then
    return gathered
  end
  local locks, children = {}, {}
  for i, id in ipairs(ids) do
    local job = jobKey(prefix, id)
    locks[i] = lockKey(job)
    children[2 * i - 1], children[2 * i] = dependenciesKey(job), failedChildrenKey(job)
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
    setMarker(queue, 0, '0')
    gathered.wakes = false
  end
end
local function ownerOf(queue, id, job)
  local gathered = queue.gathered
  local owner = gathered and gathered.owners[id]
  if owner == nil then
    settle(queue)
    return redis.pcall('GET', lockKey(job))
  end
  gathered.owners[id] = nil
  return owner
end
local function freeLock(gathered, id, job)
  gathered.locks[#gathered.locks + 1] = lockKey(job)
  gathered.ended[#gathered.ended + 1] = id
  gathered.left[id] = true
end
local function expectLock(queue, id)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners[id] = nil
  if gathered.left[id] then
    settle(queue)
  end
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
local function tokenRejection(owner, token)
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', lockKey(job)), token)
end
local function leaveActive(queue, id, job)
  local gathered = queue.gathered
  if gathered then
    local left = redis.pcall('LREM', queue.active, gathered.fromOldEnd and -1 or 1, id)
    if left == 1 then
      freeLock(gathered, id, job)
      return nil
    end
    return type(left) == 'table' and left or REJECT.JOB_NOT_IN_STATE
  end
  local marked = redis.call('SREM', queue.stalled, id)
  local left = redis.pcall('LREM', queue.active, 1, id)
  if left == 1 then
    redis.call('DEL', lockKey(job))
    return nil
  end
  if marked == 1 then
    redis.call('SADD', queue.stalled, id)
  end
  return type(left) == 'table' and left or REJECT.JOB_NOT_IN_STATE
end
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
  cancel = 'echomq.cancel',
  unbegun = 'echomq.unbegun',
}
local POLICY = {
  failParent = 'fpof',
  continueParent = 'cpof',
  ignoreDependency = 'idof',
  removeDependency = 'rdof',
}
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end
local OPTION = {
  keepLogs = 'kl',
}
local function isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end
local function isUnbegun(mark, processedOn)
  return mark ~= false and mark == processedOn
end
local function readStored(prefix, id)
  local job = jobKey(prefix, id)
  local values = redis.pcall('HMGET', job, 'timestamp', FIELD.attemptsMade, 'opts', 'priority', 'parent', 'parentKey',
    FIELD.deduplicationId, FIELD.stalledCount, 'processedOn', FIELD.cancel, FIELD.unbegun)
  if values.err or (not values[1] and (mayBeKeyName(id) or redis.call('EXISTS', job) == 0)) then
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
    cancelled = isCancelled(values[10], values[9]),
    marked = values[11] ~= false,
    unbegun = isUnbegun(values[11], values[9]),
  }
end
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end
local function keptLogs(stored)
  return math.floor(finite(optionsOf(stored)[OPTION.keepLogs], 0))
end

local queue = {
  stalled = KEYS[1], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local leases = cmsgpack.unpack(ARGV[2]) -- pack readonly { id: string; token: string; lockDuration: number; begun?: boolean | undefined }[]
-- end of declarations

local answers, requests = {}, {}
for index, lease in ipairs(leases) do
  local job = jobKey(prefix, lease.id)
  local rejection = lockRejection(job, lease.token)
  if rejection == REJECT.LOCK_LOST and redis.call('EXISTS', job) == 0 then
    rejection = REJECT.JOB_NOT_FOUND
  end
  answers[index] = rejection or 1
  requests[index] = cancelKey(prefix, lease.id)
end
-- One command for all while nobody asks.
local asked = #requests > 0 and redis.call('EXISTS', unpack(requests)) > 0

for index, lease in ipairs(leases) do
  if answers[index] == 1 then
    redis.call('SREM', queue.stalled, lease.id)
    redis.call('SET', lockKey(jobKey(prefix, lease.id)), lease.token, 'PX', lease.lockDuration)
    if lease.begun then
      redis.call('HDEL', jobKey(prefix, lease.id), FIELD.unbegun)
    end
    if asked then
      local values = redis.call('HMGET', jobKey(prefix, lease.id), FIELD.cancel, 'processedOn')
      answers[index] = isCancelled(values[1], values[2]) and 2 or 1
    end
  end
end
return answers
