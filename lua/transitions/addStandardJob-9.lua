--- Adds a job that may run at once: its hash, then its id in `wait`, a wake-up, the events.
-- @include addJob limits gate places events keys time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @usual allocateId emit emitTrimmed findReceipt jobKey parkedKey readMeta readReceipt readSlot remembered replayed
--   resolveNow setMarker slotText storeReceipt waitingList wakeOne writeReceipt
-- @returns the id of a new job that waits, tied to nothing; { id, 'created' | 'existing' | 'deduplicated' | 'replaced' | 'kept', location or '', id in the way or '' }, or { rejection, 0, what there is, what is allowed }, or { 1, that answer } for a request that was carried out before

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
}
local prefix = ARGV[1] -- string
local customId = ARGV[2] -- string
local name = ARGV[3] -- text
local timestamp = ARGV[4] -- ms
local data = ARGV[5] -- bytes
local opts = ARGV[6] -- json
local place = cmsgpack.unpack(ARGV[7]) -- pack {
--   lifo?: boolean; parentKey?: string; parent?: string;
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

--- Adds a job that nothing is tied to. Nobody looks ahead: the first write is the one into the list, and it is taken back
--- if the events do not take theirs.
local function addAlone()
  local id = allocateId(queue, prefix)
  local list = waitingList(queue, meta)
  local reply = redis.pcall(place.lifo and 'RPUSH' or 'LPUSH', list, id)
  if type(reply) == 'table' then
    return redis.error_reply(reply.err .. ' (' .. list .. ')')
  end
  reply = redis.pcall('XADD', queue.events, '*', 'event', 'added', 'jobId', id, 'name', name)
  if type(reply) == 'table' then
    redis.call(place.lifo and 'RPOP' or 'LPOP', list)
    return redis.error_reply(reply.err .. ' (' .. queue.events .. ')')
  end
  redis.call('HSET', jobKey(prefix, id), 'name', name, 'data', data, 'opts', opts,
    'timestamp', string.format('%.0f', place.timestamp), 'delay', '0', 'priority', '0')
  wakeOne(queue)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return remembered(place.receipt, id)
end

local tied = customId ~= '' or place.parentKey or place.deduplication
if not (tied or meta.paused or meta.concurrency) then
  return addAlone()
end

place.customId, place.name, place.data, place.opts = customId, name, data, opts
local trouble = unsoundAdd(queue, meta, prefix, place)
if trouble then
  return trouble
end
return remembered(place.receipt, addJob(queue, meta, prefix, place))
