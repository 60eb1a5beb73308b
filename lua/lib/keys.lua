--- Derived keys: everything that follows from a queue's prefix (`bull:orders:`) or from a job's key.
--- The TypeScript twin is packages/core/src/keys.ts; a test compares both.

local function jobKey(prefix, id)
  return prefix .. id
end

--- The other way round, where a script knows a job's key and one part of it.
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

--- The add that waits for the owner of a deduplication id to end.
local function keptLastKey(prefix, deduplicationId)
  return prefix .. 'dn:' .. deduplicationId
end

local function schedulerKey(prefix, schedulerId)
  return prefix .. 'repeat:' .. schedulerId
end

--- What the engine counts for operators: jobs that had to be dropped or failed because they could not run.
local function countersKey(prefix)
  return prefix .. 'meta:counters:1'
end

--- Says that somebody asked to cancel a job that runs.
local function cancelKey(prefix, id)
  return prefix .. 'meta:cancel:' .. id
end

--- Where ids are published of jobs whose holders should ask how their leases stand.
local function cancelChannel(prefix)
  return prefix .. 'meta:cancel'
end

--- What a worker's session has told of itself.
local function workerKey(prefix, session)
  return prefix .. 'meta:workers:' .. session
end

--- The list in which a BullMQ 5 peer parks the jobs of a paused queue, from the key of the queue's `meta`.
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end

--- Takes a job's key apart into its queue's prefix and its id. Ids may hold colons, names of queues may not: below the
--- prefix that `near`, a queue's prefix too, begins with, the queue ends at the first colon. Under another one that nobody
--- here knows, it ends at the last colon.
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

--- Whether an id is, or may be, the name of another key than a job's. The runs of schedulers are among them, and what
--- foreign writers have named so: it is a job if its hash has a `timestamp`, which none of those keys has. The names stand
--- in texts because a script makes its tables anew for each call.
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

--- The keys of a queue that is known by its prefix alone: a parent's queue, or our own where a script
--- reaches a location only in rare branches.
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
