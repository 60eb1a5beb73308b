--- Adds one job and keeps the answer in its slot.
-- KEYS: id meta events wait active marker slots. ARGV: prefix, now or '', name, data, options, field, number of the call.
if tonumber(string.match(redis.call('HGET', KEYS[7], ARGV[6]) or '', '^%d+') or 0) >= tonumber(ARGV[7]) then
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
local id = string.format('%.0f', redis.call('INCR', KEYS[1]))
redis.call('HSET', ARGV[1] .. id, 'name', ARGV[3], 'data', ARGV[4], 'opts', ARGV[5], 'timestamp', now, 'delay', '0', 'priority', '0')
redis.call('XADD', KEYS[3], '*', 'event', 'added', 'jobId', id, 'name', ARGV[3])
redis.call('LPUSH', KEYS[4], id)
redis.call('ZADD', KEYS[6], '0', '0')
redis.call('XADD', KEYS[3], 'MAXLEN', '~', meta[3], '*', 'event', 'waiting', 'jobId', id)
redis.call('HSET', KEYS[7], ARGV[6], ARGV[7] .. ' "' .. id .. '"')
return id
