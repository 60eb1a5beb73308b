--- Sets the progress of a run for its owner.
-- KEYS: job lock events meta. ARGV: id, token, progress.
if redis.call('GET', KEYS[2]) ~= ARGV[2] then
  return -2
end
local maxEvents = redis.call('HGET', KEYS[4], 'opts.maxLenEvents')
redis.call('HSET', KEYS[1], 'progress', ARGV[3])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', maxEvents, '*', 'event', 'progress', 'jobId', ARGV[1], 'data', ARGV[3])
return 0
