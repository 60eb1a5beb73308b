-- removeDeduplicationKey-1

local key = KEYS[1] -- string
local owner = ARGV[1] -- string
-- end of declarations

if owner ~= '' and redis.call('GET', key) ~= owner then
  return 0
end
return redis.call('DEL', key)
