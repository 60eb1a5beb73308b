--- Pauses the queue: nothing is handed out any more, running jobs go on. The lists stay as they are.
-- @include events
-- @returns 0

local queue = {
  meta = KEYS[1], -- hash
  marker = KEYS[2], -- set that wakes a blocked fetch
  events = KEYS[3], -- stream
}
-- end of declarations

redis.call('HSET', queue.meta, 'paused', 1)
redis.call('DEL', queue.marker)
emit(queue, 'paused')
return 0
