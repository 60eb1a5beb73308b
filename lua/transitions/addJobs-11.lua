--- Adds many jobs of any kind, all or none: every item is checked before the first is written.
-- @include addJob limits gate places time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @returns one { id, outcome, location or '', id in the way or '' } per item, or { rejection, index of the item from 0 } with what there is and what is allowed where that is a limit, or { 1, the former } for a request that was carried out before

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
local more = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
-- end of declarations

local replay = replayed(more.receipt)
if replay then
  return replay
end
local now = resolveNow(timestamp)
for index, job in ipairs(jobs) do
  job.timestamp = job.timestamp or now
  local rejection = addRejection(prefix, job, job.customId)
  if rejection then
    return { rejection, index - 1 }
  end
end

local meta = readMeta(queue)
local known = {}
for index, job in ipairs(jobs) do
  known.index = index - 1
  local rejection = limitRejection(meta, prefix, job, known)
  if rejection then
    return rejection
  end
end

local trouble = unsoundPlaces(queue)
for _, job in ipairs(jobs) do
  trouble = trouble or ((job.deduplication or job.parentKey) and unsoundTies(prefix, job)) or nil
end
if trouble then
  return trouble
end

local added = {}
for index, job in ipairs(jobs) do
  added[index] = addJob(queue, meta, prefix, job)
end
return remembered(more.receipt, added)
