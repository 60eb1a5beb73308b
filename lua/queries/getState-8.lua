--- Where a job stands.
-- @include state
-- @returns 'completed' | 'failed' | 'delayed' | 'prioritized' | 'active' | 'waiting' | 'waiting-children' | 'unknown'

local queue = {
  completed = KEYS[1], -- set of finished jobs
  failed = KEYS[2], -- set of failed jobs
  delayed = KEYS[3], -- set by due time
  active = KEYS[4], -- list
  wait = KEYS[5], -- list
  paused = KEYS[6], -- list, BullMQ 5 only
  waitingChildren = KEYS[7], -- set
  prioritized = KEYS[8], -- set by priority and arrival
}
local jobId = ARGV[1] -- string
-- end of declarations

return stateOf(queue, jobId)
