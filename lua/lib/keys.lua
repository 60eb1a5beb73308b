--- Derived keys: everything that follows from a queue's prefix (`bull:orders:`) or from a job's key.
--- The TypeScript twin is packages/core/src/keys.ts; a test compares both.

local function jobKey(prefix, id)
  return prefix .. id
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
