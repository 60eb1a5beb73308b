--- Bulk retry of finished jobs, or bulk promotion of delayed ones: up to `limit` that stood there at `until`.
-- @include gate storedJob parents places events
-- @returns { how many moved, '1' when more are left else '0' }

local queue = {
  location = KEYS[1], -- set `completed`, `failed` or `delayed`
  wait = KEYS[2], -- list
  meta = KEYS[3], -- hash
  active = KEYS[4], -- list
  marker = KEYS[5], -- set that wakes a blocked fetch
  prioritized = KEYS[6], -- set by priority and arrival
  pc = KEYS[7], -- counter of arrivals
  events = KEYS[8], -- stream
  delayed = KEYS[9], -- set by due time
}
local prefix = ARGV[1] -- string
local state = ARGV[2] -- string
local limit = tonumber(ARGV[3]) -- int
local latest = ARGV[4] ~= '' and tonumber(ARGV[4]) or '+inf' -- ms
-- end of declarations

local ids = redis.call('ZRANGEBYSCORE', queue.location, '-inf', latest, 'LIMIT', 0, limit)
if #ids == 0 then
  return { 0, '0' }
end
local trouble = unsoundPlaces(queue)
if trouble then
  return trouble
end

for first = 1, #ids, 1000 do
  redis.call('ZREM', queue.location, unpack(ids, first, math.min(first + 999, #ids)))
end
local meta = readMeta(queue)
for _, id in ipairs(ids) do
  local job = jobKey(prefix, id)
  local stored = readStored(prefix, id)
  if stored then
    if state == 'delayed' then
      redis.call('HSET', job, 'delay', 0)
    else
      redis.call('HDEL', job, 'finishedOn', 'processedOn', state == 'failed' and 'failedReason' or 'returnvalue')
      relinkToParent(job, stored, state)
    end
    enqueue(queue, meta, id, { priority = stored.priority, toFront = stored.priority == 0 and optionsOf(stored).lifo == true })
    emitTrimmed(queue, meta, 'waiting', 'jobId', id, 'prev', state)
  end
end
wakeWorkers(queue, meta)
return { #ids, #ids == limit and '1' or '0' }
