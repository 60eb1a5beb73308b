-- pause-3
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local function trimEvents(queue, meta)
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end

local queue = {
  meta = KEYS[1], -- hash
  marker = KEYS[2], -- set that wakes a blocked fetch
  events = KEYS[3], -- stream
}
-- end of declarations

-- The deletion comes first: a full store refuses a script that begins with a write that needs memory.
redis.call('DEL', queue.marker)
redis.call('HSET', queue.meta, 'paused', 1)
emit(queue, 'paused')
return 0
