--- A range of the ids of one location, in the order in which they came (or the reverse).
-- @returns ids

local location = KEYS[1] -- list or set
local first = tonumber(ARGV[1]) -- int
local last = tonumber(ARGV[2]) -- int
local newestFirst = ARGV[3] -- flag
-- end of declarations

local kind = redis.call('TYPE', location).ok
if kind == 'none' then
  return {}
end
if kind == 'zset' then
  if newestFirst == '1' then
    return redis.call('ZREVRANGE', location, first, last)
  end
  return redis.call('ZRANGE', location, first, last)
end
-- A list has its newest at the head.
if newestFirst == '1' then
  return redis.call('LRANGE', location, first, last)
end
local ids = redis.call('LRANGE', location, -last - 1, -first - 1)
local ordered = {}
for i = #ids, 1, -1 do
  ordered[#ordered + 1] = ids[i]
end
return ordered
