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
-- end of declarations

return {
  redis.call('LLEN', queue.wait),
  redis.call('LLEN', queue.paused),
  redis.call('LLEN', queue.active),
  redis.call('ZCARD', queue.prioritized),
  redis.call('ZCARD', queue.delayed),
  redis.call('ZCARD', queue.waitingChildren),
  redis.call('ZCARD', queue.completed),
  redis.call('ZCARD', queue.failed),
}
