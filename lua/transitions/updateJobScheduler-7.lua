--- Makes the next run of a scheduler, when the run that it counted on has been taken. Anybody else's call, a repeated
--- one, or one for an older run changes nothing.
-- @include gate time places sound schedule storedJob events keys
-- @returns { id of the next run, its delay in ms, its due time in ms }, or 0 when there was nothing to do

local queue = {
  schedulers = KEYS[1], -- set `repeat`
  record = KEYS[2], -- hash of the scheduler
  delayed = KEYS[3], -- set by due time
  meta = KEYS[4], -- hash
  events = KEYS[5], -- stream
  marker = KEYS[6], -- set that wakes a blocked fetch
  wait = KEYS[7], -- list
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local schedulerId = ARGV[3] -- string
local producerId = ARGV[4] -- string
local nextDue = ARGV[5] -- ms
local template = cmsgpack.unpack(ARGV[6]) -- pack { head: string; repeatHead: string; jsonId: string; data: string | Uint8Array; priority?: number }
-- end of declarations

local previous = tonumber(redis.call('ZSCORE', queue.schedulers, schedulerId))
if not previous or producerId ~= runId(schedulerId, previous) then
  return 0
end
local stored = redis.call('HMGET', queue.record, 'name', 'every', 'offset', 'ic')
if not stored[1] then
  return 0
end

local at = resolveNow(now)
local every = tonumber(stored[2])
local due, offset = tonumber(nextDue), tonumber(stored[3])
if every then
  due = nextEvery({ every = every, offset = offset }, previous, at)
end
if not due then
  return 0
end

--- What the taken run says of its making: its count since the scheduler was last set (`ic` counts all runs), and an
--- offset that the user gave.
local function madeFrom(taken)
  local made = taken and optionsOf(taken)['repeat']
  return type(made) == 'table' and made or {}
end

local keys = queueKeys(prefix)
queue.id, queue.pc, queue.active, queue.prioritized = keys.id, keys.pc, keys.active, keys.prioritized
local trouble = unsoundPlaces(queue) or uncountable(queue.id)
if trouble then
  return trouble
end
local meta = readMeta(queue)
local made = madeFrom(readStored(prefix, producerId))
local runs = (tonumber(stored[4]) or 1) + 1
redis.call('ZADD', queue.schedulers, due, schedulerId)
redis.call('HSET', queue.record, 'ic', runs)
local id = runId(schedulerId, due)
if redis.call('EXISTS', jobKey(prefix, id)) == 1 then
  emitTrimmed(queue, meta, 'duplicated', 'jobId', id)
  return { id, math.max(0, due - at), due }
end
local _, delay = addRun(queue, meta, prefix, {
  schedulerId = schedulerId, due = due, now = at, name = stored[1], data = template.data,
  priority = template.priority, head = template.head, repeatHead = template.repeatHead, jsonId = template.jsonId,
  count = finite(made.count, runs - 1) + 1, offset = finite(made.offset), previous = not every,
})
return { id, delay, due }
