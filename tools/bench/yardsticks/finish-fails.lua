--- A run has failed, and its job with it; other jobs wait.
-- KEYS: job lock dependencies unsuccessful active stalled events meta wait failed. ARGV: prefix, now or '', id, token, reason, stack.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
if redis.call('GET', KEYS[2]) ~= ARGV[4] then
  return -2
end
local stored = redis.call('HMGET', KEYS[1], 'opts', 'atm', 'parentKey', 'deid', 'stacktrace')
local options, made = cjson.decode(stored[1]), (stored[2] or 0) + 1
local meta = redis.call('HMGET', KEYS[8], 'concurrency', 'opts.maxLenEvents')
if made < options.attempts or options.removeOnFail or stored[3] or stored[4] or stored[5] or meta[1] or not meta[2]
  or redis.call('LLEN', KEYS[9]) == 0 then
  return redis.error_reply('another case')
end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[6], ARGV[3])
if redis.call('LREM', KEYS[5], '1', ARGV[3]) == 0 then
  return -3
end
redis.call('ZADD', KEYS[10], now, ARGV[3])
redis.call('HSET', KEYS[1], 'atm', made, 'failedReason', ARGV[5], 'stacktrace', cjson.encode({ ARGV[6] }), 'finishedOn', now)
redis.call('XADD', KEYS[7], 'MAXLEN', '~', meta[2], '*', 'event', 'failed', 'jobId', ARGV[3], 'failedReason', ARGV[5], 'prev', 'active')
redis.call('XADD', KEYS[7], '*', 'event', 'retries-exhausted', 'jobId', ARGV[3], 'attemptsMade', made)
return 0
