-- @include keys gate enqueue events
--- The set `delayed`: due time in ms * 4096 plus the arrival inside that millisecond.

local function delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end

--- Puts a job into `delayed` until `due` and tells the stream when that is. The caller writes the marker.
local function delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end

--- Moves up to 1000 due jobs to where their priority says, also while the queue is paused or limited.
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, 1000)
  if #due == 0 then
    return 0
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = jobKey(prefix, id)
    local priority = redis.pcall('HGET', job, 'priority')
    if type(priority) == 'table' then
      -- The key is not a hash: the fetch will drop the id and count it.
      enqueue(queue, id, 0, false)
    else
      enqueue(queue, id, tonumber(priority) or 0, false)
      if priority then
        redis.call('HSET', job, 'delay', 0)
      end
    end
    emit(queue, 'waiting', 'jobId', id, 'prev', 'delayed')
  end
  wakeWorkers(queue, meta)
  return #due
end

--- Due time in ms (integer part) of the first delayed job, or 0.
local function nextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  return first[2] and math.floor(tonumber(first[2]) / 4096) or 0
end
