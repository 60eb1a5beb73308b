--- Takes the next job.
-- KEYS: wait active events meta delayed marker. ARGV: prefix, now or '', token, life of the lock in ms.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local meta = redis.call('HMGET', KEYS[4], 'paused', 'concurrency', 'max', 'opts.maxLenEvents')
if meta[1] or meta[2] or meta[3] or not meta[4]
  or redis.call('ZRANGEBYSCORE', KEYS[5], '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1')[1] then
  return redis.error_reply('another case')
end
local id = redis.call('RPOPLPUSH', KEYS[1], KEYS[2])
if not id then
  return redis.error_reply('another case')
end
local job = ARGV[1] .. id
redis.call('SET', job .. ':lock', ARGV[3], 'PX', ARGV[4])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', meta[4], '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
redis.call('HSET', job, 'processedOn', now)
redis.call('HINCRBY', job, 'ats', '1')
redis.call('ZADD', KEYS[6], '0', '0')
return { redis.call('HGETALL', job), id }
