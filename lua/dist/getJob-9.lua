-- getJob-9
local function stateOf(queue, jobId)
  local sets = {
    { 'completed', queue.completed }, { 'failed', queue.failed }, { 'delayed', queue.delayed },
    { 'prioritized', queue.prioritized },
  }
  for _, set in ipairs(sets) do
    if redis.call('ZSCORE', set[2], jobId) then
      return set[1]
    end
  end
  local lists = { { 'active', queue.active }, { 'waiting', queue.wait }, { 'waiting', queue.paused } }
  for _, list in ipairs(lists) do
    if redis.call('LPOS', list[2], jobId) then
      return list[1]
    end
  end
  if redis.call('ZSCORE', queue.waitingChildren, jobId) then
    return 'waiting-children'
  end
  return 'unknown'
end

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
