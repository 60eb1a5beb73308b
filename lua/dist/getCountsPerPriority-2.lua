-- getCountsPerPriority-2
local function parkedKey(meta)
  return string.sub(meta, 1, -5) .. 'paused'
end

local queue = {
  wait = KEYS[1], -- list
  prioritized = KEYS[2], -- set by priority and arrival
}
local priorities = cmsgpack.unpack(ARGV[1]) -- pack readonly number[]
-- end of declarations

local counts = {}
for index, priority in ipairs(priorities) do
  if priority == 0 then
    counts[index] = redis.call('LLEN', queue.wait) + redis.call('LLEN', parkedKey(queue.wait))
  else
    local lowest = priority * 4294967296
    counts[index] = redis.call('ZCOUNT', queue.prioritized, lowest, lowest + 4294967295)
  end
end
return counts
