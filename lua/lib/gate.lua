--- Whether a queue may hand out jobs, and how sleeping workers learn of it.
--- The marker wakes one blocked fetch: member "0" says "something waits now", member "1" carries the next due time.

--- One read of what a transition asks of the queue's `meta` hash.
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = meta[2] and tonumber(meta[2]) or nil,
    max = meta[3] and tonumber(meta[3]) or nil,
    duration = meta[4] and tonumber(meta[4]) or nil,
    maxEvents = string.match(meta[5] or '', '^%d+$'),
    maxJobs = meta[6] and tonumber(meta[6]),
    maxPayload = meta[7] and tonumber(meta[7]),
  }
end

--- The gate is closed while the queue is paused or as many jobs are active as its global concurrency allows.
local function gateIsClosed(queue, meta)
  if meta.paused then
    return true
  end
  return meta.concurrency ~= nil and redis.call('LLEN', queue.active) >= meta.concurrency
end

--- What stands in the marker can be told from the queue at any time. So another kind of value is thrown away: it would
--- leave the queue's workers asleep.
local function setMarker(queue, score, member)
  local reply = redis.pcall('ZADD', queue.marker, score, member)
  if type(reply) == 'table' then
    redis.call('DEL', queue.marker)
    redis.call('ZADD', queue.marker, score, member)
  end
end

--- Wakes one blocked fetch, whatever the gate says; a batch does so in its end.
local function wakeOne(queue)
  if queue.gathered then
    queue.gathered.wakes = true
  else
    setMarker(queue, '0', '0')
  end
end

local function wakeWorkers(queue, meta)
  if not gateIsClosed(queue, meta) then
    wakeOne(queue)
  end
end

--- Not gated: who pops "1" only learns when to look again.
local function wakeAtNextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  if first[2] then
    setMarker(queue, tonumber(first[2]) / 4096, '1')
  end
end

--- Anything that a fetch could take right now?
local function hasWork(queue)
  return redis.call('LLEN', queue.wait) > 0 or redis.call('ZCARD', queue.prioritized) > 0
end

--- Nothing waits to run, and nothing runs. The question changes nothing, so a key that cannot answer it says no.
local function isEmpty(queue)
  return redis.pcall('LLEN', queue.wait) == 0 and redis.pcall('LLEN', queue.active) == 0
    and redis.pcall('ZCARD', queue.prioritized) == 0
end

--- A job left `active` and nothing was fetched in its place. Under a global concurrency the queue's other
--- workers sleep behind the closed gate, and nobody else tells them that it opened.
local function wakeForFreedSlot(queue, meta)
  if meta.concurrency ~= nil then
    -- The job has gone, and so has its holder: a key that is not what it should be is told to who fetches next.
    pcall(function()
      if hasWork(queue) then
        wakeWorkers(queue, meta)
      end
    end)
  end
end
