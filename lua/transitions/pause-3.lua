--- Pauses the queue: nothing is handed out any more, running jobs go on. The lists stay as they are.
-- @include events sound
-- @returns 0

local queue = {
  meta = KEYS[1], -- hash
  marker = KEYS[2], -- set that wakes a blocked fetch
  events = KEYS[3], -- stream
}
-- end of declarations

local trouble = unsound({ 'HLEN', queue.meta, 'XLEN', queue.events })
if trouble then
  return trouble
end

-- The deletion comes first: a full store refuses a script that begins with a write that needs memory.
redis.call('DEL', queue.marker)
redis.call('HSET', queue.meta, 'paused', 1)
emit(queue, 'paused')
return 0
