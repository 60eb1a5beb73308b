--- Ends a completed run, takes the next job and keeps the answer in a slot; nobody looks for that of a first attempt.
-- KEYS: job lock dependencies unsuccessful active stalled events meta wait completed delayed marker slots.
-- ARGV: prefix, now or '', id, token, result, next token, life of its lock in ms, field, number of the call.
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
local meta = redis.call('HMGET', KEYS[8], 'paused', 'concurrency', 'max', 'opts.maxLenEvents')
if meta[1] or meta[2] or meta[3] or not meta[4]
  or redis.call('ZRANGEBYSCORE', KEYS[11], '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1')[1] then
  return redis.error_reply('another case')
end
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[6], ARGV[3])
if redis.call('LREM', KEYS[5], '1', ARGV[3]) == 0 then
  return -3
end
redis.call('ZADD', KEYS[10], now, ARGV[3])
redis.call('HSET', KEYS[1], 'atm', (stored[2] or 0) + 1, 'returnvalue', ARGV[5], 'finishedOn', now)
redis.call('XADD', KEYS[7], 'MAXLEN', '~', meta[4], '*', 'event', 'completed', 'jobId', ARGV[3], 'returnvalue', ARGV[5], 'prev', 'active')
local id = redis.call('RPOPLPUSH', KEYS[9], KEYS[5])
if not id then
  return redis.error_reply('another case')
end
local job = ARGV[1] .. id
redis.call('SET', job .. ':lock', ARGV[6], 'PX', ARGV[7])
redis.call('XADD', KEYS[7], '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
redis.call('HSET', job, 'processedOn', now)
redis.call('HINCRBY', job, 'ats', '1')
redis.call('ZADD', KEYS[12], '0', '0')
local receipt = '[1,"' .. ARGV[9] .. '",0,"completed",' .. (stored[2] or 0) + 1 .. ',0,"' .. id .. '","' .. ARGV[6] .. '"]'
redis.call('HSET', KEYS[13], ARGV[8], receipt)
return { redis.call('HGETALL', job), id }
