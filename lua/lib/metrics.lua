-- @include fields
--- Finished jobs per minute, newest first, kept for `maxPoints` minutes. Index 0 belongs to the minute before. Metrics
--- stop no job: where they cannot be counted they are not.
local function countFinished(metrics, maxPoints, now)
  local data = metrics .. ':data'
  local count = redis.pcall('HINCRBY', metrics, 'count', 1)
  if type(count) == 'table' then
    return
  end
  count = count - 1
  local previous = redis.call('HMGET', metrics, 'prevTS', 'prevCount')
  local since = finite(previous[1])
  if not since then
    redis.call('HSET', metrics, 'prevTS', now, 'prevCount', 0)
    return
  end
  local minutes = math.floor(now / 60000) - math.floor(since / 60000)
  local points = math.min(minutes, maxPoints)
  if points <= 0 or type(redis.pcall('LPUSH', data, count - finite(previous[2], 0))) == 'table' then
    return
  end
  for _ = 2, points do
    redis.call('LPUSH', data, 0)
  end
  redis.call('LTRIM', data, 0, maxPoints - 1)
  redis.call('HSET', metrics, 'prevCount', count, 'prevTS', now)
end
