--- The stalled sweep of a queue in which nothing runs and nothing is marked.
-- KEYS: stalled active stalled-check meta events. ARGV: now or '', interval in ms.
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
end
if not redis.call('SET', KEYS[3], now, 'PX', ARGV[2], 'NX') then
  return {}
end
redis.call('XTRIM', KEYS[5], 'MAXLEN', '~', redis.call('HGET', KEYS[4], 'opts.maxLenEvents'))
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then
  return redis.error_reply('another case')
end
return {}
