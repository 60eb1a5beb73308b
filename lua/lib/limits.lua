-- @include reject keys removal
--- The bounds that a queue's `meta` sets for adds. Those who know nothing of them (BullMQ) are not bound, nor is what
--- makes no new job: an id that stands in the way, a deduplication id that is taken. Schedules go on: each has one run ahead at most.

local function isNew(prefix, job)
  local id = job.customId or job.id or ''
  if id ~= '' and redis.call('EXISTS', jobKey(prefix, id)) == 1 and not expiredSet(prefix, id, job.timestamp) then
    return false
  end
  local wanted = job.deduplication
  return not wanted or redis.call('EXISTS', deduplicationKey(prefix, wanted.id)) == 0
end

--- How many jobs have not ended.
local function depthOf(prefix)
  local queue = queueKeys(prefix)
  return redis.call('LLEN', queue.wait) + redis.call('LLEN', queue.paused) + redis.call('LLEN', queue.active)
    + redis.call('ZCARD', queue.prioritized) + redis.call('ZCARD', queue.delayed)
    + redis.call('ZCARD', queue.waitingChildren)
end

--- Takes one more job into account, with `known`, { depth }, kept between the jobs of one queue. Returns the rejection
--- { code, index, what there is, what is allowed }, or nil.
local function limitRejection(meta, prefix, job, known)
  if meta.maxPayload and #job.data > meta.maxPayload then
    return { REJECT.PAYLOAD_TOO_LARGE, known.index, #job.data, meta.maxPayload }
  end
  if not meta.maxJobs or not isNew(prefix, job) then
    return nil
  end
  known.depth = known.depth or depthOf(prefix)
  if known.depth >= meta.maxJobs then
    return { REJECT.QUEUE_FULL, known.index, known.stood or known.depth, meta.maxJobs }
  end
  known.stood = known.stood or known.depth
  known.depth = known.depth + 1
  return nil
end
