-- extendLock-2
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
local function lockRejection(job, token)
  local owner = redis.pcall('GET', lockKey(job))
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end
local function leaveActive(queue, id, job)
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

local queue = {
  job = KEYS[1], -- hash of the job
  stalled = KEYS[2], -- set of the stalled check
}
local token = ARGV[1] -- string
local lockDuration = tonumber(ARGV[2]) -- int
local jobId = ARGV[3] -- string
-- end of declarations

local rejection = lockRejection(queue.job, token)
if rejection then
  return rejection
end

redis.call('SREM', queue.stalled, jobId)
redis.call('SET', lockKey(queue.job), token, 'PX', lockDuration)
return 1
