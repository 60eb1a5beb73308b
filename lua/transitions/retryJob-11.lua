--- Gives a failed run back at once, at the back of the queue (front for LIFO jobs); the attempt is counted.
--- One that is to be cancelled fails for good instead.
-- @include reject gate time lock storedJob retry finish receipt endReceipt
-- @rejects JOB_NOT_FOUND LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @returns 'waiting' | 'prioritized' | 'failed'; with a receipt { 0, 0, 0, 0, that, attempts made, 0 }, of an earlier call with { how often it was answered again, '' } behind

local queue = {
  active = KEYS[1], -- list
  wait = KEYS[2], -- list
  paused = KEYS[3], -- list, BullMQ 5 only
  job = KEYS[4], -- hash of the job
  meta = KEYS[5], -- hash
  events = KEYS[6], -- stream
  delayed = KEYS[7], -- set by due time
  prioritized = KEYS[8], -- set by priority and arrival
  pc = KEYS[9], -- counter of arrivals
  marker = KEYS[10], -- set that wakes a blocked fetch
  stalled = KEYS[11], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local jobId = ARGV[3] -- string
local token = ARGV[4] -- string
local reason = ARGV[5] -- text
local fields = ARGV[6] ~= '' and cmsgpack.unpack(ARGV[6]) or {} -- pack readonly (string | number | Uint8Array)[]
local more = ARGV[7] and ARGV[7] ~= '' and cmsgpack.unpack(ARGV[7]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined; maxMetricsSize?: number | undefined }
-- end of declarations

local replay = replayedEnd(queue, prefix, more.receipt)
if replay then
  return replay
end
local stored = readStored(prefix, jobId)
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if #fields % 2 == 1 then
  return redis.error_reply('ERR fields: a name without a value')
end
local rejection = lockRejection(queue.job, token)
  or unsoundHold(queue, stored, { prefix = prefix, job = queue.job })
  or leaveActive(queue, jobId, queue.job)
if rejection then
  return rejection
end

local meta = readMeta(queue)
local at = resolveNow(now)
if #fields > 0 then
  redis.call('HSET', queue.job, unpack(fields))
end
promoteDue(queue, meta, prefix, at)
local location = 'failed'
if stored.cancelled then
  failCancelled(queue, meta, stored, { prefix = prefix, id = jobId, now = at, maxMetricsSize = more.maxMetricsSize })
  wakeForFreedSlot(queue, meta)
else
  location = requeueFailed(queue, meta, stored, {
    id = jobId, job = queue.job, now = at, delay = 0, reason = reason,
  })
end
if more.receipt then
  writeReceipt(more.receipt, location, stored.attemptsMade + 1, 0)
  return { 0, 0, 0, 0, location, stored.attemptsMade + 1, 0 }
end
return location
