--- The stalled sweep: jobs seen active at the last check that have no lock now go back to wait, or fail for good when
--- they stalled too often or are to be cancelled. A run that its worker had not begun is no stall; the mark stays
--- on its job, so that the next one is of a free slot and counts. At most `maxMoved` in one script; the rest stays marked for the next.
-- @include gate time storedJob places sound finish counters events
-- @returns { ids moved to wait, ids failed, '1' when marked jobs are left over else '0', how many of the moved had not been begun }

local queue = {
  stalled = KEYS[1], -- set of the stalled check
  wait = KEYS[2], -- list
  active = KEYS[3], -- list
  stalledCheck = KEYS[4], -- exists until the next check is due
  meta = KEYS[5], -- hash
  paused = KEYS[6], -- list, BullMQ 5 only
  marker = KEYS[7], -- set that wakes a blocked fetch
  events = KEYS[8], -- stream
  schedulers = KEYS[9], -- set `repeat`
  prioritized = KEYS[10], -- set by priority and arrival
  delayed = KEYS[11], -- set by due time
  failed = KEYS[12], -- set of failed jobs
}
local maxStalledCount = tonumber(ARGV[1]) -- int
local prefix = ARGV[2] -- string
local now = ARGV[3] -- ms
local stalledInterval = tonumber(ARGV[4]) -- int
local maxMoved = tonumber(ARGV[5]) -- int
local force = ARGV[6] -- flag
local maxMetricsSize = tonumber(ARGV[7]) -- int
-- end of declarations

if force ~= '1' and redis.call('EXISTS', queue.stalledCheck) == 1 then
  return { {}, {}, '0', 0 }
end

--- A job of a living scheduler never fails for stalling: the schedule counts on it.
local function belongsToScheduler(job)
  local scheduler = redis.call('HGET', job, FIELD.schedulerId)
  return scheduler and (redis.call('EXISTS', schedulerKey(prefix, scheduler)) == 1
    or redis.call('ZSCORE', queue.schedulers, scheduler) ~= false)
end

local trouble = unsoundPlaces(queue) or unsound({ 'ZCARD', queue.failed, 'ZCARD', queue.schedulers })
if trouble then
  return trouble
end
local meta = readMeta(queue)
local at = resolveNow(now)
local recovered, failed, more = {}, {}, false
local unbegun, dropped = 0, 0

--- One job without an owner: out of `active`, then to wait or to its end.
local function recover(id)
  local job = jobKey(prefix, id)
  local stored = readStored(prefix, id)
  if redis.call('LREM', queue.active, -1, id) == 0 then
    return
  end
  if not stored then
    countDropped(prefix, 'withoutHash')
    dropped = dropped + 1
    return
  end
  local stalls = stored.stalledCount
  if stored.marked and (stored.cancelled or not stored.unbegun) then
    redis.call('HDEL', job, FIELD.unbegun)
  end
  if not stored.unbegun then
    stalls = stalls + 1
    redis.call('HSET', job, FIELD.stalledCount, stalls)
    if stored.processedOn then
      redis.call('HSET', job, FIELD.stalledRun, stored.processedOn)
    end
  end
  if stored.cancelled then
    failCancelled(queue, meta, stored, { prefix = prefix, id = id, now = at, maxMetricsSize = maxMetricsSize })
    failed[#failed + 1] = id
  elseif not stored.unbegun and stalls > maxStalledCount and not belongsToScheduler(job) then
    failForGood(queue, meta, stored, {
      prefix = prefix, id = id, now = at, reason = 'job stalled more than allowable limit',
      maxMetricsSize = maxMetricsSize,
    })
    failed[#failed + 1] = id
  else
    redis.call('RPUSH', waitingList(queue, meta), id)
    emit(queue, 'waiting', 'jobId', id, 'prev', 'active')
    recovered[#recovered + 1] = id
    if stored.unbegun then
      unbegun = unbegun + 1
    end
  end
  if not stored.unbegun then
    emit(queue, 'stalled', 'jobId', id)
  end
end

local marked = {}
for _, id in ipairs(redis.call('SMEMBERS', queue.stalled)) do
  marked[id] = true
end
redis.call('DEL', queue.stalled)
trimEvents(queue, meta)
redis.call('SET', queue.stalledCheck, at, 'PX', stalledInterval)
-- The oldest first: each is then found where it is looked for, at the end, however many are active.
local active = redis.call('LRANGE', queue.active, 0, -1)
for i = #active, 1, -1 do
  local id = active[i]
  if marked[id] and redis.call('EXISTS', lockKey(jobKey(prefix, id))) == 0 then
    if #recovered + #failed < maxMoved then
      recover(id)
      marked[id] = nil
    else
      -- One is enough to know: tens of thousands are not asked each time.
      more = true
      break
    end
  end
end

active = redis.call('LRANGE', queue.active, 0, -1)
for first = 1, #active, 1000 do
  redis.call('SADD', queue.stalled, unpack(active, first, math.min(first + 999, #active)))
end

if #recovered > 0 then
  wakeWorkers(queue, meta)
elseif #failed + dropped > 0 then
  wakeForFreedSlot(queue, meta)
end
return { recovered, failed, more and '1' or '0', unbegun }
