--- Moves due jobs to where they wait.
-- KEYS: delayed wait active meta events marker. ARGV: prefix, now or ''.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local meta = redis.call('HMGET', KEYS[4], 'paused', 'concurrency')
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1000')
if meta[1] or meta[2] or not ids[1] then
  return redis.error_reply('another case')
end
redis.call('ZREM', KEYS[1], unpack(ids))
for _, id in ipairs(ids) do
  if redis.call('HGET', ARGV[1] .. id, 'priority') ~= '0' then
    return redis.error_reply('another case')
  end
  redis.call('HSET', ARGV[1] .. id, 'delay', '0')
  redis.call('XADD', KEYS[5], '*', 'event', 'waiting', 'jobId', id, 'prev', 'delayed')
end
redis.call('LPUSH', KEYS[2], unpack(ids))
redis.call('ZADD', KEYS[6], '0', '0')
local first = redis.call('ZRANGE', KEYS[1], '0', '0', 'WITHSCORES')[2]
if first then
  redis.call('ZADD', KEYS[6], first / 4096, '1')
end
return #ids
