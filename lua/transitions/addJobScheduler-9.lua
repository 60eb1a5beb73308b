--- Creates or changes a job scheduler and its one run ahead. A run that has not begun is replaced, wherever it waits.
-- @include reject gate time places sound schedule storedJob removal keys
-- @rejects SCHEDULER_JOB_ID_COLLISION SCHEDULER_JOB_SLOTS_BUSY
-- @returns { id of the run, its delay in ms, its due time in ms }

local queue = {
  schedulers = KEYS[1], -- set `repeat`
  record = KEYS[2], -- hash of the scheduler
  delayed = KEYS[3], -- set by due time
  wait = KEYS[4], -- list
  paused = KEYS[5], -- list, BullMQ 5 only
  prioritized = KEYS[6], -- set by priority and arrival
  meta = KEYS[7], -- hash
  events = KEYS[8], -- stream
  marker = KEYS[9], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local schedulerId = ARGV[3] -- string
local nextDue = ARGV[4] -- ms
local schedule = cmsgpack.unpack(ARGV[5]) -- pack {
--   name: string; tz?: string; limit?: number; pattern?: string; every?: number; startDate?: number;
--   endDate?: number; offset?: number; opts?: string; data?: string | Uint8Array
-- }
local template = cmsgpack.unpack(ARGV[6]) -- pack { head: string; repeatHead: string; jsonId: string; data: string | Uint8Array; priority?: number }
-- end of declarations

local at = resolveNow(now)
local keys = queueKeys(prefix)
queue.id, queue.pc, queue.active = keys.id, keys.pc, keys.active

--- Where the run made ahead can still be taken back from.
local function holderOf(id)
  if redis.call('ZSCORE', queue.delayed, id) then
    return queue.delayed
  elseif redis.call('ZSCORE', queue.prioritized, id) then
    return queue.prioritized
  elseif redis.call('LPOS', queue.wait, id) then
    return queue.wait
  elseif redis.call('LPOS', queue.paused, id) then
    return queue.paused
  end
  return nil
end

local previous = tonumber(redis.call('ZSCORE', queue.schedulers, schedulerId))
local stored = redis.call('HMGET', queue.record, 'every', 'ic')
local sameEvery = schedule.every and tonumber(stored[1]) == schedule.every
local oldId = previous and runId(schedulerId, previous)
local holder = oldId and holderOf(oldId)
local due, offset = tonumber(nextDue), schedule.offset or 0
if schedule.every then
  due, offset = nextEvery(schedule, sameEvery and previous or nil, at)
  if holder and sameEvery then
    due, offset = previous, schedule.offset or previous % schedule.every
  end
end

local function isTaken(moment)
  local id = runId(schedulerId, moment)
  return redis.call('EXISTS', jobKey(prefix, id)) == 1 and not (holder and id == oldId)
end

if isTaken(due) then
  if not schedule.every then
    return REJECT.SCHEDULER_JOB_ID_COLLISION
  end
  local tries = 0
  while isTaken(due) do
    if tries == 32 then
      return REJECT.SCHEDULER_JOB_SLOTS_BUSY
    end
    due, tries = due + schedule.every, tries + 1
  end
end

local trouble = unsoundPlaces(queue) or uncountable(queue.id)
if trouble then
  return trouble
end
local meta = readMeta(queue)
if holder then
  if holder == queue.wait or holder == queue.paused then
    redis.call('LREM', holder, 1, oldId)
  else
    redis.call('ZREM', holder, oldId)
  end
  local old = readStored(prefix, oldId)
  dropJob(prefix, oldId)
  releaseOwnedDeduplication(prefix, oldId, old and old.deduplicationId)
end

redis.call('ZADD', queue.schedulers, due, schedulerId)
redis.call('DEL', queue.record)
local fields = { 'name', schedule.name, 'ic', tonumber(stored[2]) or 1, 'offset', offset }
for _, field in ipairs({ 'tz', 'limit', 'pattern', 'every', 'startDate', 'endDate', 'opts', 'data' }) do
  if schedule[field] then
    fields[#fields + 1] = field
    fields[#fields + 1] = schedule[field]
  end
end
redis.call('HSET', queue.record, unpack(fields))
local id, delay = addRun(queue, meta, prefix, {
  schedulerId = schedulerId, due = due, now = at, name = schedule.name, data = template.data,
  priority = template.priority, head = template.head, repeatHead = template.repeatHead, jsonId = template.jsonId,
  count = 1, offset = schedule.offset, previous = not schedule.every,
})
return { id, delay, due }
