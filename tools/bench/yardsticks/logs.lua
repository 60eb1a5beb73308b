--- Appends a row to the log of a run for its owner.
-- KEYS: job lock logs. ARGV: token, row.
if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return -2
end
return redis.call('RPUSH', KEYS[3], ARGV[2])
