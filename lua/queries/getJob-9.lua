--- A job and where it stands, at one instant.
-- @include state
-- @returns { state, values }: all fields as HGETALL gives them, or those of `fields` as HMGET does

local queue = {
  completed = KEYS[1], -- set of finished jobs
  failed = KEYS[2], -- set of failed jobs
  delayed = KEYS[3], -- set by due time
  active = KEYS[4], -- list
  wait = KEYS[5], -- list
  paused = KEYS[6], -- list, BullMQ 5 only
  waitingChildren = KEYS[7], -- set
  prioritized = KEYS[8], -- set by priority and arrival
  job = KEYS[9], -- hash of the job
}
local jobId = ARGV[1] -- string
local fields = { unpack(ARGV, 2) } -- strings...
-- end of declarations

local state = stateOf(queue, jobId)
if #fields == 0 then
  return { state, redis.call('HGETALL', queue.job) }
end
return { state, redis.call('HMGET', queue.job, unpack(fields)) }
