--- Appends an event to the queue's stream. The first field is always `event`.
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end

--- Appends an event and trims the stream to the queue's limit, setting the default limit where none stands.
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end

--- Trims without an event: the events of a finish are appended untrimmed, as BullMQ's are. In a batch once.
local function trimEvents(queue, meta)
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
