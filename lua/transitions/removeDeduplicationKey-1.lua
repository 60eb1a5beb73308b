--- Frees a deduplication id: whoever owns it, or only if this job does.
-- @returns 1 when it was freed, 0 when it was not taken (or by another job)

local key = KEYS[1] -- string
local owner = ARGV[1] -- string
-- end of declarations

if owner ~= '' and redis.call('GET', key) ~= owner then
  return 0
end
return redis.call('DEL', key)
