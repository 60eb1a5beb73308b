--- Cancels a job. One that does not run fails at once, without a retry; so does, with `force`, one that runs: its holder
--- finds its lock lost. Else the request is left for the holder, whose next word ends the job, and for its renewals.
-- @include reject time gate sound places storedJob finish locations fields keys
-- @rejects JOB_NOT_FOUND JOB_NOT_IN_STATE
-- @returns { 'failed' | 'asked', location that held it, token of its lock or '' }

local queue = {
  job = KEYS[1], -- hash of the job
  active = KEYS[2], -- list
  completed = KEYS[3], -- set of finished jobs
  failed = KEYS[4], -- set of failed jobs
  cancel = KEYS[5], -- string that says that somebody asked
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local jobId = ARGV[3] -- string
local force = ARGV[4] -- flag
local ttl = tonumber(ARGV[5]) -- int
local maxMetricsSize = tonumber(ARGV[6]) -- int
-- end of declarations

local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if redis.call('ZSCORE', queue.completed, jobId) or redis.call('ZSCORE', queue.failed, jobId) then
  return REJECT.JOB_NOT_IN_STATE
end

--- Tells those who renew locks. Whoever does not hear it, or may not be told, learns it with the next renewal.
local function tellHolder()
  redis.pcall('PUBLISH', cancelChannel(prefix), jobId)
end

local runs = redis.call('LPOS', queue.active, jobId)
local token = runs and redis.call('GET', lockKey(queue.job)) or ''
if runs and force ~= '1' then
  redis.call('SET', queue.cancel, '1', 'PX', ttl)
  redis.call('HSET', queue.job, FIELD.cancel, stored.processedOn or '')
  tellHolder()
  return { 'asked', 'active', token }
end
local keys = queueKeys(prefix)
local trouble = unsoundPlaces(keys) or unsound({ 'SCARD', keys.stalled }) or unsoundEnd(queue.failed, stored, 'failed')
if trouble then
  return trouble
end
-- Where it stands in no location this writes nothing.
local location = takeOut(keys, jobId)
if location == 'unknown' then
  return REJECT.JOB_NOT_IN_STATE
end

redis.call('DEL', lockKey(queue.job))
redis.call('SREM', keys.stalled, jobId)
local meta = readMeta(keys)
failCancelled(keys, meta, stored, {
  prefix = prefix, id = jobId, now = resolveNow(now), maxMetricsSize = maxMetricsSize,
  prev = not runs and ((location == 'wait' or location == 'paused') and 'waiting' or location) or nil,
})
if runs then
  wakeForFreedSlot(keys, meta)
  tellHolder()
end
return { 'failed', location, token }
