--- Adds a job that is due later: its hash, then its id in `delayed`, the due marker, the events.
-- @include addJob limits gate time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @usual addJob allocateId delayUntil delayedScore emit emitTrimmed findReceipt forgetLostParent jobKey parkedKey
--   placeJob readMeta remembered replayed resolveNow setMarker storeJob unsound unsoundAdd unsoundPlace wakeAtNextDue
-- @returns { id, 'created' | 'existing' | 'deduplicated' | 'replaced' | 'kept', location or '', id in the way or '' }, or { rejection, 0, what there is, what is allowed }, or { 1, that answer } for a request that was carried out before

local queue = {
  marker = KEYS[1], -- set that wakes a blocked fetch
  meta = KEYS[2], -- hash
  id = KEYS[3], -- counter
  delayed = KEYS[4], -- set by due time
  completed = KEYS[5], -- set of finished jobs
  events = KEYS[6], -- stream
}
local prefix = ARGV[1] -- string
local customId = ARGV[2] -- string
local name = ARGV[3] -- text
local timestamp = ARGV[4] -- ms
local data = ARGV[5] -- bytes
local opts = ARGV[6] -- json
local place = cmsgpack.unpack(ARGV[7]) -- pack {
--   delay?: number; dueAt?: number; priority?: number; lifo?: boolean; parentKey?: string; parent?: string;
--   deduplication?: { id: string; ttl?: number; extend?: boolean; replace?: boolean; keepLastIfActive?: boolean; reschedule?: boolean };
--   receipt?: { key: string; field?: string; digest: string; ttl: number; seq?: number; whole?: boolean; acked?: readonly string[]; fresh?: boolean; said?: boolean }
-- }
-- end of declarations

local replay = replayed(place.receipt)
if replay then
  return replay
end
place.timestamp = resolveNow(timestamp)
local rejection = place.parentKey and addRejection(prefix, place, customId)
if rejection then
  return rejection
end
local meta = readMeta(queue)
rejection = (meta.maxJobs or meta.maxPayload)
  and limitRejection(meta, prefix, { customId = customId, data = data, deduplication = place.deduplication, timestamp = place.timestamp }, { index = 0 })
if rejection then
  return rejection
end
place.customId, place.name, place.data, place.opts = customId, name, data, opts
local trouble = unsoundAdd(queue, meta, prefix, place)
if trouble then
  return trouble
end
return remembered(place.receipt, addJob(queue, meta, prefix, place))
