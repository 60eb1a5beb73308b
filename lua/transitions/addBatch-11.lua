--- Adds many jobs of any kind in one step, each by itself, as addStandardJob, addDelayedJob and addPrioritizedJob one by one
--- in the given order would: one that is refused or fails harms no other.
-- @include addPlain addJob limits gathered gate places time receipt
-- @rejects PARENT_JOB_NOT_FOUND PARENT_JOB_CANNOT_BE_REPLACED REQUEST_ID_REUSED QUEUE_FULL PAYLOAD_TOO_LARGE
-- @usual addPlain allocateIds emitTrimmed gateIsClosed gather isPlain jobKey lastPlain readMeta readSlot resolveNow
--   setMarker settle settleFinished slotText unsound unsoundPlace waitingList wakeOne wakeWorkers
-- @returns one answer per job: the id of a new one that waits, or { id, outcome, location or '', id in the way or '' }, { 1, the former } for a request that was carried out before, a rejection, or for a limit { rejection, 0, what there is, what is allowed }, or { 0, the text of an error }

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
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] };
--   slot?: string; seq?: number
-- }[]
local slots = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or nil -- pack { key: string; ttl: number; fields: readonly string[] } | undefined
-- end of declarations

local now = resolveNow(timestamp)
local meta = readMeta(queue)
gather(queue, prefix, {})

local function add(job)
  job.timestamp = job.timestamp or now
  local no = replayed(job.receipt) or (job.parentKey and addRejection(prefix, job, job.customId))
    or ((meta.maxJobs or meta.maxPayload) and limitRejection(meta, prefix, job, { index = 0 }))
  if no then
    return no
  end
  local trouble = unsoundAdd(queue, meta, prefix, job)
  return trouble or remembered(job.receipt, addJob(queue, meta, prefix, job))
end

--- The answers that stand in the slots of the jobs that have one.
local answers = {}
local before = slots and redis.call('HMGET', slots.key, unpack(slots.fields))
for index, job in ipairs(before and jobs or {}) do
  local known = job.seq and readSlot(before[index], job.seq)
  answers[index] = type(known) == 'table' and { 1, known[4] } or known or nil
end

local function carryOut(first)
  local last = lastPlain(meta, jobs, { first = first, answers = answers })
  if last < first then
    answers[first] = add(jobs[first])
    return first
  end
  local trouble = unsoundPlace(queue, meta, jobs[first])
  if not trouble then
    addPlain(queue, meta, prefix, { jobs = jobs, first = first, last = last, answers = answers, now = now })
    return last
  end
  answers[first] = trouble
  return first
end

local written = {}
local index = 1
while jobs[index] do
  local last = index
  if not answers[index] then
    local ok, reached = pcall(carryOut, index)
    last = ok and reached or index
    if not ok then
      answers[index] = { 0, type(reached) == 'table' and reached.err or tostring(reached) }
    end
  end
  for at = index, last do
    local answer, job = answers[at], jobs[at]
    if type(answer) == 'table' and answer.err then
      answers[at] = { 0, answer.err }
    elseif job.seq and type(answer) ~= 'number' and (type(answer) == 'string' or type(answer[1]) == 'string') then
      written[#written + 1], written[#written + 2] = job.slot, slotText(job.seq, answer)
    end
  end
  index = last + 1
end
if #written > 0 then
  redis.call('HSET', slots.key, unpack(written))
  redis.call('PEXPIRE', slots.key, slots.ttl)
end
settle(queue)
return answers
