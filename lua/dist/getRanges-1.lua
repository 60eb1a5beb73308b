-- getRanges-1
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end

local location = KEYS[1] -- list or set
local first = tonumber(ARGV[1]) -- int
local last = tonumber(ARGV[2]) -- int
local newestFirst = ARGV[3] -- flag
-- end of declarations

--- The members from `from` to `to` of a list and what is behind its tail.
local function members(from, to)
  local lists, ids = { location }, {}
  if string.sub(location, -5) == ':wait' then
    lists[2] = parkedKey(location)
  end
  for _, list in ipairs(lists) do
    local length = redis.call('LLEN', list)
    if to >= 0 and from < length then
      for _, id in ipairs(redis.call('LRANGE', list, math.max(from, 0), to)) do
        ids[#ids + 1] = id
      end
    end
    from, to = from - length, to - length
  end
  return ids
end

local function total()
  local parked = string.sub(location, -5) == ':wait' and redis.call('LLEN', parkedKey(location)) or 0
  return redis.call('LLEN', location) + parked
end

if redis.call('TYPE', location).ok == 'zset' then
  if newestFirst == '1' then
    return redis.call('ZREVRANGE', location, first, last)
  end
  return redis.call('ZRANGE', location, first, last)
end
local count = total()
if last < 0 then
  last = count + last
end
-- A list has its newest at the head.
if newestFirst == '1' then
  return members(first, last)
end
local ids = members(count - 1 - last, count - 1 - first)
local ordered = {}
for i = #ids, 1, -1 do
  ordered[#ordered + 1] = ids[i]
end
return ordered
