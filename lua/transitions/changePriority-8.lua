--- Changes a job's priority and, while it waits to run, its place.
-- @include reject gate storedJob places
-- @rejects JOB_NOT_FOUND
-- @returns 0

local queue = {
  wait = KEYS[1], -- list
  paused = KEYS[2], -- list, BullMQ 5 only
  meta = KEYS[3], -- hash
  prioritized = KEYS[4], -- set by priority and arrival
  active = KEYS[5], -- list
  pc = KEYS[6], -- counter of arrivals
  marker = KEYS[7], -- set that wakes a blocked fetch
  events = KEYS[8], -- stream
}
local jobId = ARGV[1] -- string
local prefix = ARGV[2] -- string
local priority = tonumber(ARGV[3]) -- int
local lifo = ARGV[4] -- flag
-- end of declarations

local job = jobKey(prefix, jobId)
if not readStored(prefix, jobId) then
  return REJECT.JOB_NOT_FOUND
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end

local stood = redis.call('ZREM', queue.prioritized, jobId) == 1 or redis.call('LREM', queue.wait, -1, jobId) == 1
  or redis.call('LREM', queue.paused, -1, jobId) == 1
redis.call('HSET', job, 'priority', priority)
if stood then
  local meta = readMeta(queue)
  enqueue(queue, meta, jobId, { priority = priority, toFront = lifo == '1' })
  wakeWorkers(queue, meta)
end
return 0
