-- @include keys
--- Counts a job that could not run and had to be dropped, for operators. Format 1 of the hash. Where it cannot be
--- counted the work goes on.
local function countDropped(prefix, reason)
  redis.pcall('HINCRBY', countersKey(prefix), reason, 1)
end
