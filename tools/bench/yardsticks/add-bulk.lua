--- Adds jobs, and keeps the answer for a request that comes again.
-- KEYS: id meta events wait active marker receipt. ARGV: prefix, now or '', digest, ttl, then name, data and options of each job.
if redis.call('EXISTS', KEYS[7]) == 1 then
  return redis.error_reply('another case')
end
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local meta = redis.call('HMGET', KEYS[2], 'paused', 'concurrency', 'opts.maxLenEvents')
if meta[1] or meta[2] or not meta[3] then
  return redis.error_reply('another case')
end
local count = (#ARGV - 4) / 3
local id, ids = redis.call('INCRBY', KEYS[1], count) - count, {}
for i = 1, count do
  local at = 5 + (i - 1) * 3
  local own = string.format('%.0f', id + i)
  ids[i] = own
  redis.call('HSET', ARGV[1] .. own, 'name', ARGV[at], 'data', ARGV[at + 1], 'opts', ARGV[at + 2],
    'timestamp', now, 'delay', '0', 'priority', '0')
  redis.call('XADD', KEYS[3], '*', 'event', 'added', 'jobId', own, 'name', ARGV[at])
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', meta[3], '*', 'event', 'waiting', 'jobId', own)
end
redis.call('LPUSH', KEYS[4], unpack(ids))
redis.call('ZADD', KEYS[6], '0', '0')
redis.call('SET', KEYS[7], '[1,"' .. ARGV[3] .. '",0,["' .. table.concat(ids, '","') .. '"]]', 'PX', ARGV[4])
return ids
