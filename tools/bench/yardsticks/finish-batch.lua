--- Ends completed runs, takes as many jobs and keeps each answer in a slot; the slots are numbered from 0.
-- KEYS: active stalled events meta wait completed delayed marker slots.
-- ARGV: prefix, now or '', result, life of a lock in ms, number of the call, then id, token and next token of each run.
local now = ARGV[2]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
local prefix, count = ARGV[1], (#ARGV - 5) / 3
local ids, locks, kids, scored = {}, {}, {}, {}
for i = 1, count do
  local id = ARGV[3 + 3 * i]
  ids[i], locks[i] = id, prefix .. id .. ':lock'
  kids[2 * i - 1], kids[2 * i] = prefix .. id .. ':dependencies', prefix .. id .. ':unsuccessful'
  scored[2 * i - 1], scored[2 * i] = now, id
end
for i, owner in ipairs(redis.call('MGET', unpack(locks))) do
  if owner ~= ARGV[4 + 3 * i] then
    return -2
  end
end
local meta = redis.call('HMGET', KEYS[4], 'paused', 'concurrency', 'max', 'opts.maxLenEvents')
if meta[1] or meta[2] or meta[3] or not meta[4]
  or redis.call('ZRANGEBYSCORE', KEYS[7], '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1')[1] then
  return redis.error_reply('another case')
end
if redis.call('EXISTS', unpack(kids)) > 0 then
  return redis.error_reply('another case')
end
redis.call('DEL', unpack(locks))
redis.call('SREM', KEYS[2], unpack(ids))
redis.call('ZADD', KEYS[6], unpack(scored))
redis.call('XTRIM', KEYS[3], 'MAXLEN', '~', meta[4])
for i = 1, count do
  redis.call('LREM', KEYS[1], '-1', ids[i])
end
local next = redis.call('RPOP', KEYS[5], count)
if not next or #next < count then
  return redis.error_reply('another case')
end
redis.call('LPUSH', KEYS[1], unpack(next))
local answers, written = {}, {}
for i = 1, count do
  local job = prefix .. ids[i]
  local stored = redis.call('HMGET', job, 'opts', 'atm', 'parentKey', 'deid')
  if stored[3] or stored[4] or string.find(stored[1], 'removeOn', 1, true) then
    return redis.error_reply('another case')
  end
  local made = (stored[2] or 0) + 1
  redis.call('HSET', job, 'atm', made, 'returnvalue', ARGV[3], 'finishedOn', now)
  redis.call('XADD', KEYS[3], '*', 'event', 'completed', 'jobId', ids[i], 'returnvalue', ARGV[3], 'prev', 'active')
  local id, token = next[i], ARGV[5 + 3 * i]
  job = prefix .. id
  redis.call('SET', job .. ':lock', token, 'PX', ARGV[4])
  redis.call('XADD', KEYS[3], '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')
  redis.call('HSET', job, 'processedOn', now)
  redis.call('HINCRBY', job, 'ats', '1')
  answers[i] = { redis.call('HGETALL', job), id }
  written[2 * i - 1] = string.format('%.0f', i - 1)
  written[2 * i] = '[1,"' .. ARGV[5] .. '",0,"completed",' .. made .. ',0,"' .. id .. '","' .. token .. '"]'
end
redis.call('ZADD', KEYS[8], '0', '0')
redis.call('HSET', KEYS[9], unpack(written))
return answers
