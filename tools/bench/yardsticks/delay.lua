--- Puts a run off that does not count as an attempt.
-- KEYS: job lock dependencies unsuccessful active stalled events meta wait delayed marker. ARGV: prefix, now or '', id, token, delay in ms.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
if redis.call('GET', KEYS[2]) ~= ARGV[4] then
  return -2
end
local meta = redis.call('HMGET', KEYS[8], 'concurrency', 'opts.maxLenEvents')
if meta[1] or not meta[2] then
  return redis.error_reply('another case')
end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[6], ARGV[3])
if redis.call('LREM', KEYS[5], '1', ARGV[3]) == 0 then
  return -3
end
local due = string.format('%.0f', now + ARGV[5])
local base = due * 4096
local last = redis.call('ZREVRANGEBYSCORE', KEYS[10], string.format('%.0f', base + 4095), string.format('%.0f', base), 'WITHSCORES', 'LIMIT', '0', '1')
redis.call('ZADD', KEYS[10], string.format('%.0f', last[2] and math.min(last[2] + 1, base + 4095) or base), ARGV[3])
redis.call('HSET', KEYS[1], 'delay', ARGV[5])
redis.call('XADD', KEYS[7], 'MAXLEN', '~', meta[2], '*', 'event', 'delayed', 'jobId', ARGV[3], 'delay', due)
redis.call('ZADD', KEYS[11], redis.call('ZRANGE', KEYS[10], '0', '0', 'WITHSCORES')[2] / 4096, '1')
return 0
