--- Adds jobs with one priority.
-- KEYS: id meta events wait active marker prioritized pc. ARGV: prefix, now or '', priority, then name, data and options of each job.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local meta = redis.call('HMGET', KEYS[2], 'paused', 'concurrency', 'opts.maxLenEvents')
if meta[1] or meta[2] or not meta[3] then
  return redis.error_reply('another case')
end
local count = (#ARGV - 3) / 3
local id, ids = redis.call('INCRBY', KEYS[1], count) - count, {}
local scored, base, arrived = {}, ARGV[3] * 2 ^ 32, redis.call('INCRBY', KEYS[8], count) - count
for i = 1, count do
  local at = 4 + (i - 1) * 3
  local own = string.format('%.0f', id + i)
  ids[i] = own
  scored[2 * i - 1], scored[2 * i] = string.format('%.0f', base + (arrived + i) % 2 ^ 32), own
  redis.call('HSET', ARGV[1] .. own, 'name', ARGV[at], 'data', ARGV[at + 1], 'opts', ARGV[at + 2],
    'timestamp', now, 'delay', '0', 'priority', ARGV[3])
  redis.call('XADD', KEYS[3], '*', 'event', 'added', 'jobId', own, 'name', ARGV[at])
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', meta[3], '*', 'event', 'waiting', 'jobId', own)
end
redis.call('ZADD', KEYS[7], unpack(scored))
redis.call('ZADD', KEYS[6], '0', '0')
return ids
