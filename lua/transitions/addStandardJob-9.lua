--- Adds a job that may run at once: its hash, then its id in `wait`, a wake-up, the events.
-- @include addJob gate time
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED
-- @returns { id, 'created' | 'existing' | 'deduplicated' | 'replaced' | 'kept', location or '', id in the way or '' }

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
--   deduplication?: { id: string; ttl?: number; extend?: boolean; replace?: boolean; keepLastIfActive?: boolean; reschedule?: boolean }
-- }
-- end of declarations

local rejection = addRejection(prefix, place, customId)
if rejection then
  return rejection
end

place.customId, place.name, place.data, place.opts = customId, name, data, opts
place.timestamp = resolveNow(timestamp)
return addJob(queue, readMeta(queue), prefix, place)
