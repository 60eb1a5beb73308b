-- @include keys
--- Counts a job that could not run and had to be dropped, for operators. Format 1 of the hash.
local function countDropped(prefix, reason)
  redis.call('HINCRBY', countersKey(prefix), reason, 1)
end
