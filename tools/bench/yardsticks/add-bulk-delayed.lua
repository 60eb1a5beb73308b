--- Adds jobs with one delay.
-- KEYS: id meta events delayed marker. ARGV: prefix, now or '', delay, then name, data and options of each job.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local maxEvents = redis.call('HGET', KEYS[2], 'opts.maxLenEvents')
if not maxEvents then
  return redis.error_reply('another case')
end
local count = (#ARGV - 3) / 3
local id, ids = redis.call('INCRBY', KEYS[1], count) - count, {}
local due = string.format('%.0f', now + ARGV[3])
local base = due * 4096
local last = redis.call('ZREVRANGEBYSCORE', KEYS[4], string.format('%.0f', base + 4095), string.format('%.0f', base), 'WITHSCORES', 'LIMIT', '0', '1')
local score = last[2] and last[2] + 1 or base
local scored = {}
for i = 1, count do
  local at = 4 + (i - 1) * 3
  local own = string.format('%.0f', id + i)
  ids[i] = own
  scored[2 * i - 1], scored[2 * i] = string.format('%.0f', math.min(score + i - 1, base + 4095)), own
  redis.call('HSET', ARGV[1] .. own, 'name', ARGV[at], 'data', ARGV[at + 1], 'opts', ARGV[at + 2],
    'timestamp', now, 'delay', ARGV[3], 'priority', '0')
  redis.call('XADD', KEYS[3], '*', 'event', 'added', 'jobId', own, 'name', ARGV[at])
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', maxEvents, '*', 'event', 'delayed', 'jobId', own, 'delay', due)
end
redis.call('ZADD', KEYS[4], unpack(scored))
redis.call('ZADD', KEYS[5], redis.call('ZRANGE', KEYS[4], '0', '0', 'WITHSCORES')[2] / 4096, '1')
return ids
