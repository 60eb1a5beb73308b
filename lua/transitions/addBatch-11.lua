--- Adds many jobs of any kind in one step, each by itself, as addStandardJob, addDelayedJob and addPrioritizedJob one by one
--- in the given order would: one that is refused or fails harms no other.
-- @include addJob limits gathered gate time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @returns one answer per job: { id, outcome, location or '', id in the way or '' }, { 1, the former } for a request that was carried out before, a rejection, or for a limit { rejection, 0, what there is, what is allowed }, or the text of an error

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
--   deduplication?: { id: string; ttl?: number; extend?: boolean; replace?: boolean; keepLastIfActive?: boolean; reschedule?: boolean };
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] }
-- }[]
-- end of declarations

local now = resolveNow(timestamp)
local meta = readMeta(queue)
gather(queue, prefix, {})

local function add(job)
  job.timestamp = job.timestamp or now
  local no = replayed(job.receipt) or addRejection(prefix, job, job.customId)
    or limitRejection(meta, prefix, job, { index = 0 })
  if no then
    return no
  end
  local trouble = unsoundAdd(queue, meta, prefix, job)
  return trouble or remembered(job.receipt, addJob(queue, meta, prefix, job))
end

local answers = {}
for index, job in ipairs(jobs) do
  local ok, answer = pcall(add, job)
  if type(answer) == 'table' and answer.err then
    answer = answer.err
  end
  answers[index] = ok and answer or tostring(answer)
end
settle(queue)
return answers
