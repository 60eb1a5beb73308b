--- Moves jobs whose time has come, at most 1000 in one script, without fetching any.
-- @include gate time places
-- @returns { how many moved, next due ms or 0 }

local queue = {
  delayed = KEYS[1], -- set by due time
  wait = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  active = KEYS[4], -- list
  meta = KEYS[5], -- hash
  pc = KEYS[6], -- counter of arrivals
  events = KEYS[7], -- stream
  marker = KEYS[8], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
-- end of declarations

-- A write that needs no memory comes first: on a full store the script then runs to its end.
redis.call('ZREM', queue.delayed, '')
local moved, trouble = promoteDue(queue, readMeta(queue), prefix, resolveNow(now))
if trouble then
  return trouble
end
local due = nextDue(queue)
if due > 0 then
  wakeAtNextDue(queue)
end
return { moved, due }
