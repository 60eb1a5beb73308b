--- Adds jobs, each with an answer in its slot; the slots are numbered from 0, the calls from that of the first.
-- KEYS: id meta events wait active marker slots. ARGV: prefix, now or '', number of the first call, ttl, then name, data and options of each job.
local fields, written, number = {}, {}, tonumber(ARGV[3])
for i = 1, (#ARGV - 4) / 3 do
  fields[i] = string.format('%.0f', i - 1)
end
for _, text in ipairs(redis.call('HMGET', KEYS[7], unpack(fields))) do
  if tonumber(string.match(text or '', '^%d+') or 0) >= number then
    return redis.error_reply('another case')
  end
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
  written[2 * i - 1] = fields[i]
  written[2 * i] = string.format('%.0f "%s"', number + i - 1, own)
end
redis.call('LPUSH', KEYS[4], unpack(ids))
redis.call('ZADD', KEYS[6], '0', '0')
redis.call('HSET', KEYS[7], unpack(written))
redis.call('PEXPIRE', KEYS[7], ARGV[4])
return ids
