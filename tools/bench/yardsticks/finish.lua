--- Ends a completed run; other jobs wait.
-- KEYS: job lock dependencies unsuccessful active stalled events meta wait completed. ARGV: prefix, now or '', id, token, result.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
if redis.call('GET', KEYS[2]) ~= ARGV[4] then
  return -2
end
if redis.call('EXISTS', KEYS[3], KEYS[4]) > 0 then
  return redis.error_reply('another case')
end
local stored = redis.call('HMGET', KEYS[1], 'opts', 'atm', 'parentKey', 'deid')
if stored[3] or stored[4] or string.find(stored[1], 'removeOn', 1, true) then
  return redis.error_reply('another case')
end
local meta = redis.call('HMGET', KEYS[8], 'concurrency', 'opts.maxLenEvents')
if meta[1] or not meta[2] or redis.call('LLEN', KEYS[9]) == 0 then
  return redis.error_reply('another case')
end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[6], ARGV[3])
if redis.call('LREM', KEYS[5], '1', ARGV[3]) == 0 then
  return -3
end
redis.call('ZADD', KEYS[10], now, ARGV[3])
redis.call('HSET', KEYS[1], 'atm', (stored[2] or 0) + 1, 'returnvalue', ARGV[5], 'finishedOn', now)
redis.call('XADD', KEYS[7], 'MAXLEN', '~', meta[2], '*', 'event', 'completed', 'jobId', ARGV[3], 'returnvalue', ARGV[5], 'prev', 'active')
return 0
