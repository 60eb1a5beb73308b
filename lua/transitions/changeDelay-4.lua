--- Moves a delayed job to another due time, counted from now.
-- @include reject time storedJob places
-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE
-- @returns the new due time in ms

local queue = {
  delayed = KEYS[1], -- set by due time
  meta = KEYS[2], -- hash
  marker = KEYS[3], -- set that wakes a blocked fetch
  events = KEYS[4], -- stream
}
local jobId = ARGV[1] -- string
local prefix = ARGV[2] -- string
local now = ARGV[3] -- ms
local delay = tonumber(ARGV[4]) -- int
local dueAt = ARGV[5] -- ms
-- end of declarations

local job = jobKey(prefix, jobId)
if not readStored(prefix, jobId) then
  return REJECT.JOB_NOT_FOUND
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end
if redis.call('ZREM', queue.delayed, jobId) == 0 then
  return REJECT.JOB_NOT_IN_STATE
end

local at = resolveNow(now)
if dueAt ~= '' then
  delay = math.max(0, tonumber(dueAt) - at)
end
redis.call('HSET', job, 'delay', delay)
delayUntil(queue, readMeta(queue), jobId, at + delay)
wakeAtNextDue(queue)
return at + delay
