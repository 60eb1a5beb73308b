-- removeJobScheduler-4
local function mayBeKeyName(id)
  local function among(names, name)
    return string.find(names, ' ' .. name .. ' ', 1, true) ~= nil
  end
  if not string.find(id, ':', 1, true) then
    return among(' wait paused active prioritized delayed waiting-children completed failed stalled stalled-check ', id)
      or among(' limiter meta id pc events marker repeat metrics de dn priority delay ', id)
  end
  return among(' meta repeat de dn metrics ', string.match(id, '^[^:]*'))
    or among(' lock logs dependencies processed failed unsuccessful ', string.match(id, '[^:]*$'))
end
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local known = {}
local function unsound(asked)
  for i = 1, #asked, 2 do
    local key = asked[i + 1]
    local reply = known[key] or redis.pcall(asked[i], key)
    if type(reply) == 'table' then
      return redis.error_reply(reply.err .. ' (' .. key .. ')')
    end
    known[key] = true
  end
  return nil
end
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end
local function deleteJobKeys(prefix, id)
  local job = prefix .. id
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, job .. ':logs', job .. ':dependencies', job .. ':processed', job .. ':failed',
    job .. ':unsuccessful')
end
local function runId(schedulerId, due)
  return string.format('repeat:%s:%.0f', schedulerId, due)
end

local queue = {
  schedulers = KEYS[1], -- set `repeat`
  record = KEYS[2], -- hash of the scheduler
  delayed = KEYS[3], -- set by due time
  events = KEYS[4], -- stream
}
local prefix = ARGV[1] -- string
local schedulerId = ARGV[2] -- string
-- end of declarations

local due = tonumber(redis.call('ZSCORE', queue.schedulers, schedulerId))
if not due then
  return 0
end
local trouble = unsound({ 'XLEN', queue.events })
if trouble then
  return trouble
end

local id = runId(schedulerId, due)
if redis.call('ZREM', queue.delayed, id) == 1 then
  deleteJobKeys(prefix, id)
  emit(queue, 'removed', 'jobId', id, 'prev', 'delayed')
end
redis.call('ZREM', queue.schedulers, schedulerId)
redis.call('DEL', queue.record)
return 1
