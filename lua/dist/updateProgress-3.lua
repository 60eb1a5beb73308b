-- updateProgress-3
local function readMeta(queue)
  local meta = redis.call('HMGET', queue.meta, 'paused', 'concurrency', 'max', 'duration', 'opts.maxLenEvents',
    'echomq.maxJobs', 'echomq.maxPayload')
  return {
    paused = meta[1] ~= false,
    concurrency = meta[2] and tonumber(meta[2]) or nil,
    max = meta[3] and tonumber(meta[3]) or nil,
    duration = meta[4] and tonumber(meta[4]) or nil,
    maxEvents = string.match(meta[5] or '', '^%d+$'),
    maxJobs = meta[6] and tonumber(meta[6]),
    maxPayload = meta[7] and tonumber(meta[7]),
  }
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
local function tokenRejection(owner, token)
  if not owner then
    return -2
  end
  if owner ~= token or token == '' or token == '0' then
    return -6
  end
  return nil
end
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', job .. ':lock'), token)
end
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and -1 or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return -1
  end
  return lockRejection(job, token)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local function writeProgress(queue, meta, job, note)
  redis.call('HSET', job, 'progress', note.progress)
  emitTrimmed(queue, meta, 'progress', 'jobId', note.id, 'data', note.progress)
end

local queue = {
  job = KEYS[1], -- hash of the job
  events = KEYS[2], -- stream
  meta = KEYS[3], -- hash
}
local jobId = ARGV[1] -- string
local token = ARGV[2] -- string
local progress = ARGV[3] -- json
local anyone = ARGV[4] -- flag
-- end of declarations

local rejection = writeRejection(queue.job, token, anyone)
if rejection then
  return rejection
end
local trouble = unsound({ 'XLEN', queue.events })
if trouble then
  return trouble
end

writeProgress(queue, readMeta(queue), queue.job, { id = jobId, progress = progress })
return 0
