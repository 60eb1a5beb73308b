-- getCounts-8

local queue = {
  wait = KEYS[1], -- list
  paused = KEYS[2], -- list, BullMQ 5 only
  active = KEYS[3], -- list
  prioritized = KEYS[4], -- set by priority and arrival
  delayed = KEYS[5], -- set by due time
  waitingChildren = KEYS[6], -- set
  completed = KEYS[7], -- set of finished jobs
  failed = KEYS[8], -- set of failed jobs
}
local dueBefore = ARGV[1] -- ms of the delayed jobs only those due before; '': all
-- end of declarations

--- The score of a due time in ms is 4096 times that, and a place within the ms.
local function delayedCount()
  if not dueBefore or dueBefore == '' then
    return redis.call('ZCARD', queue.delayed)
  end
  return redis.call('ZCOUNT', queue.delayed, '-inf', string.format('(%.0f', tonumber(dueBefore) * 4096))
end

return {
  redis.call('LLEN', queue.wait),
  redis.call('LLEN', queue.paused),
  redis.call('LLEN', queue.active),
  redis.call('ZCARD', queue.prioritized),
  delayedCount(),
  redis.call('ZCARD', queue.waitingChildren),
  redis.call('ZCARD', queue.completed),
  redis.call('ZCARD', queue.failed),
}
