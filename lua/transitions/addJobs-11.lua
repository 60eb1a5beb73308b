--- Adds many jobs of any kind, all or none: every item is checked before the first is written.
-- @include addPlain addJob limits gate places time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @usual addPlain allocateIds emitTrimmed findReceipt gateIsClosed isPlain jobKey lastPlain parkedKey readMeta
--   readSlot remembered replayed resolveNow setMarker slotText unsound unsoundPlaces waitingList wakeOne wakeWorkers
-- @returns per item the id of a new one that waits, or { id, outcome, location or '', id in the way or '' }, or { rejection, index of the item from 0 } with what there is and what is allowed where that is a limit, or { 1, the former } for a request that was carried out before

local queue = {
  wait = KEYS[1], -- list
  paused = KEYS[2], -- list, BullMQ 5 only
  meta = KEYS[3], -- hash
  id = KEYS[4], -- counter
  completed = KEYS[5], -- set of finished jobs
  delayed = KEYS[6], -- set by due time
  active = KEYS[7], -- list
  events = KEYS[8], -- stream
  marker = KEYS[9], -- set that wakes a blocked fetch
  prioritized = KEYS[10], -- set by priority and arrival
  pc = KEYS[11], -- counter of arrivals
}
local prefix = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local jobs = cmsgpack.unpack(ARGV[3]) -- pack readonly {
--   customId?: string; name: string | Uint8Array; timestamp?: number; data: string | Uint8Array;
--   opts: string | Uint8Array; delay?: number; dueAt?: number; priority?: number; lifo?: boolean;
--   parentKey?: string; parent?: string;
--   deduplication?: { id: string; ttl?: number; extend?: boolean; replace?: boolean; keepLastIfActive?: boolean; reschedule?: boolean }
-- }[]
local more = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; seq?: number; whole?: boolean; acked?: readonly string[]; fresh?: boolean; said?: boolean } | undefined }
-- end of declarations

local replay = replayed(more.receipt)
if replay then
  return replay
end
local now = resolveNow(timestamp)
for index, job in ipairs(jobs) do
  if job.parentKey then
    job.timestamp = job.timestamp or now
  end
  local rejection = job.parentKey and addRejection(prefix, job, job.customId)
  if rejection then
    return { rejection, index - 1 }
  end
end

local meta = readMeta(queue)
local known = {}
for index, job in ipairs((meta.maxJobs or meta.maxPayload) and jobs or {}) do
  known.index = index - 1
  job.timestamp = job.timestamp or now
  local rejection = limitRejection(meta, prefix, job, known)
  if rejection then
    return rejection
  end
end
-- They are asked for all of them: what follows is as if the queue had none.
meta.maxJobs, meta.maxPayload = nil, nil

local trouble = unsoundPlaces(queue)
for _, job in ipairs(jobs) do
  trouble = trouble or ((job.deduplication or job.parentKey) and unsoundTies(prefix, job)) or nil
end
if trouble then
  return trouble
end

local added = {}
local index = 1
while jobs[index] do
  local last = lastPlain(meta, jobs, { first = index, answers = added })
  if last < index then
    last = index
    local job = jobs[index]
    job.timestamp = job.timestamp or now
    added[index] = addJob(queue, meta, prefix, job)
  else
    addPlain(queue, meta, prefix, { jobs = jobs, first = index, last = last, answers = added, now = now })
  end
  index = last + 1
end
return remembered(more.receipt, added)
