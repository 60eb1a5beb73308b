--- Renews locks, each for its owner.
-- KEYS: stalled. ARGV: prefix, life of a lock in ms, then id and token of each.
local locks, ids = {}, {}
for at = 3, #ARGV, 2 do
  ids[#ids + 1] = ARGV[at]
  locks[#locks + 1] = ARGV[1] .. ARGV[at] .. ':lock'
end
local answers = redis.call('MGET', unpack(locks))
for i, owner in ipairs(answers) do
  if owner ~= ARGV[2 + 2 * i] then
    return redis.error_reply('another case')
  end
  redis.call('SET', locks[i], owner, 'PX', ARGV[2])
  answers[i] = 1
end
redis.call('SREM', KEYS[1], unpack(ids))
return answers
