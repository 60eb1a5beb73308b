--- Reopens a paused queue. Jobs that a BullMQ 5 peer parked in `paused` go back to `wait` first, up to 7000 in one
--- script, never over what stands there; the gate opens with the last of them, so that order holds.
-- @include gate events places
-- @returns 1 while parked jobs are left and the call must be repeated, else 0

local queue = {
  meta = KEYS[1], -- hash
  wait = KEYS[2], -- list
  paused = KEYS[3], -- list, BullMQ 5 only
  prioritized = KEYS[4], -- set by priority and arrival
  delayed = KEYS[5], -- set by due time
  active = KEYS[6], -- list
  marker = KEYS[7], -- set that wakes a blocked fetch
  events = KEYS[8], -- stream
}
-- end of declarations

local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end

for _ = 1, 7 do
  local parked = redis.call('LRANGE', queue.paused, 0, 999)
  if #parked == 0 then
    break
  end
  -- In this order the first write frees memory: on a full store the script then runs to its end.
  redis.call('LTRIM', queue.paused, #parked, -1)
  redis.call('RPUSH', queue.wait, unpack(parked))
end
if redis.call('EXISTS', queue.paused) == 1 then
  return 1
end

redis.call('HDEL', queue.meta, 'paused')
local meta = readMeta(queue)
if hasWork(queue) then
  wakeWorkers(queue, meta)
else
  wakeAtNextDue(queue)
end
emit(queue, 'resumed')
return 0
