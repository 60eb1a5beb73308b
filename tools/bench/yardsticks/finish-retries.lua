--- A run has failed and is tried again at once.
-- KEYS: job lock dependencies unsuccessful active stalled events meta wait marker. ARGV: prefix, now or '', id, token, reason, stack.
if redis.call('GET', KEYS[2]) ~= ARGV[4] then
  return -2
end
local stored = redis.call('HMGET', KEYS[1], 'opts', 'atm', 'priority', 'stacktrace')
local options, made = cjson.decode(stored[1]), (stored[2] or 0) + 1
local meta = redis.call('HMGET', KEYS[8], 'paused', 'concurrency', 'opts.maxLenEvents')
if made >= options.attempts or options.backoff or stored[3] ~= '0' or stored[4] or meta[1] or meta[2] or not meta[3] then
  return redis.error_reply('another case')
end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[6], ARGV[3])
if redis.call('LREM', KEYS[5], '1', ARGV[3]) == 0 then
  return -3
end
redis.call('HSET', KEYS[1], 'atm', made, 'failedReason', ARGV[5], 'stacktrace', cjson.encode({ ARGV[6] }))
redis.call('LPUSH', KEYS[9], ARGV[3])
redis.call('ZADD', KEYS[10], '0', '0')
redis.call('XADD', KEYS[7], 'MAXLEN', '~', meta[3], '*', 'event', 'waiting', 'jobId', ARGV[3], 'prev', 'active')
return 0
