--- Makes a delayed job ready now.
-- @include reject gate storedJob places events keys
-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE
-- @returns 'waiting' | 'prioritized'

local queue = {
  delayed = KEYS[1], -- set by due time
  wait = KEYS[2], -- list
  paused = KEYS[3], -- list, BullMQ 5 only
  meta = KEYS[4], -- hash
  prioritized = KEYS[5], -- set by priority and arrival
  active = KEYS[6], -- list
  pc = KEYS[7], -- counter of arrivals
  events = KEYS[8], -- stream
  marker = KEYS[9], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local jobId = ARGV[2] -- string
-- end of declarations

local job = jobKey(prefix, jobId)
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end
if redis.call('ZREM', queue.delayed, jobId) == 0 then
  return REJECT.JOB_NOT_IN_STATE
end

local meta = readMeta(queue)
enqueue(queue, meta, jobId, { priority = stored.priority, toFront = stored.priority == 0 and optionsOf(stored).lifo == true })
redis.call('HSET', job, 'delay', 0)
wakeWorkers(queue, meta)
emit(queue, 'waiting', 'jobId', jobId, 'prev', 'delayed')
return stored.priority > 0 and 'prioritized' or 'waiting'
