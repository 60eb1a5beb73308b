--- Runs a finished job again: out of its finished set, back to where its priority says.
-- @include reject gate keys storedJob parents places events
-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE
-- @returns 'waiting' | 'prioritized'

local queue = {
  job = KEYS[1], -- hash of the job
  events = KEYS[2], -- stream
  finished = KEYS[3], -- set `completed` or `failed`
  wait = KEYS[4], -- list
  meta = KEYS[5], -- hash
  active = KEYS[6], -- list
  marker = KEYS[7], -- set that wakes a blocked fetch
  prioritized = KEYS[8], -- set by priority and arrival
  pc = KEYS[9], -- counter of arrivals
}
local jobId = ARGV[1] -- string
local state = ARGV[2] -- string
local resetAttempts = ARGV[3] -- flag
-- end of declarations

local stored = readStored(prefixOf(queue.job, jobId), jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end
if redis.call('ZREM', queue.finished, jobId) == 0 then
  return REJECT.JOB_NOT_IN_STATE
end

redis.call('HDEL', queue.job, 'finishedOn', 'processedOn', state == 'failed' and 'failedReason' or 'returnvalue')
if resetAttempts == '1' then
  redis.call('HDEL', queue.job, FIELD.attemptsMade, FIELD.attemptsStarted)
end
local meta = readMeta(queue)
local toFront = stored.priority == 0 and optionsOf(stored).lifo == true
enqueue(queue, meta, jobId, { priority = stored.priority, toFront = toFront })
wakeWorkers(queue, meta)
relinkToParent(queue.job, stored, state)
emitTrimmed(queue, meta, 'waiting', 'jobId', jobId, 'prev', state)
return stored.priority > 0 and 'prioritized' or 'waiting'
