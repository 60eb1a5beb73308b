--- Removes a scheduler and its run ahead if that is still delayed; one that waits to run or runs goes its way.
-- @include places schedule events sound
-- @returns 1 when it was removed, 0 when there was none

local queue = {
  schedulers = KEYS[1], -- set `repeat`
  record = KEYS[2], -- hash of the scheduler
  delayed = KEYS[3], -- set by due time
  events = KEYS[4], -- stream
}
local prefix = ARGV[1] -- string
local schedulerId = ARGV[2] -- string
-- end of declarations

local due = tonumber(redis.call('ZSCORE', queue.schedulers, schedulerId))
if not due then
  return 0
end
local trouble = unsound({ 'XLEN', queue.events })
if trouble then
  return trouble
end

local id = runId(schedulerId, due)
if redis.call('ZREM', queue.delayed, id) == 1 then
  deleteJobKeys(prefix, id)
  emit(queue, 'removed', 'jobId', id, 'prev', 'delayed')
end
redis.call('ZREM', queue.schedulers, schedulerId)
redis.call('DEL', queue.record)
return 1
