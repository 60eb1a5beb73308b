-- noteWorkers-1
local function resolveNow(now)
  if now ~= '' then
    return tonumber(now)
  end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local queue = {
  workers = KEYS[1], -- set of the sessions by when they were noted
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local ttl = tonumber(ARGV[3]) -- int
local sessions = cmsgpack.unpack(ARGV[4]) -- pack readonly { session: string; about: string; state: string; heardMsAgo: number }[]
-- end of declarations

local at = resolveNow(now)
for _, noted in ipairs(sessions) do
  local entry = prefix .. 'meta:workers:' .. noted.session
  redis.call('HSETNX', entry, 'startedAt', at)
  redis.call('HSET', entry, 'format', 1, 'about', noted.about, 'state', noted.state, 'heardAt', at - noted.heardMsAgo)
  redis.call('PEXPIRE', entry, ttl)
  redis.call('ZADD', queue.workers, at, noted.session)
end
redis.call('ZREMRANGEBYSCORE', queue.workers, '-inf', at - ttl)
redis.call('PEXPIRE', queue.workers, ttl)
return redis.call('ZCARD', queue.workers)
