--- Ends many runs and takes many jobs in one step, as moveToFinished and moveToActive one by one in the given order would:
--- each move with its own lease check, outcome, events and answer. One that fails harms no other.
-- @include keys gate time endReceipt endRun takeJob plainMoves
-- @rejects JOB_NOT_FOUND JOB_HAS_PENDING_CHILDREN JOB_HAS_FAILED_CHILDREN LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @usual addFinished beginPlain closeBatch countText dependenciesKey dropAcked emit endPlain failedChildrenKey finite freeLock
--   gather isEmpty isOdd isOpen jobKey lockKey nextDue openBatch openTray packPlain packRun plainAttempts plainEnd plainJob plainMove plainNext plainReceipt putReceipt
--   readMeta resolveNow setMarker settle settleFinished settleTray trimEvents wakeOne
-- @returns MessagePack, one answer per move, one after the other: a rejection; the text of an error; or as moveToFinished and moveToActive answer, the next job as one list, the values of heldJob.lua's RUN_FIELDS, processedOn and the worker's name, each or false, and 'later' in its place where the answer was full

local queue = {
  wait = KEYS[1], -- list
  active = KEYS[2], -- list
  prioritized = KEYS[3], -- set by priority and arrival
  events = KEYS[4], -- stream
  stalled = KEYS[5], -- set of the stalled check
  limiter = KEYS[6], -- counter of the rate limit
  delayed = KEYS[7], -- set by due time
  paused = KEYS[8], -- list, BullMQ 5 only
  meta = KEYS[9], -- hash
  pc = KEYS[10], -- counter of arrivals
  completed = KEYS[11], -- set of completed jobs
  failed = KEYS[12], -- set of failed jobs
  completedMetrics = KEYS[13], -- hash
  failedMetrics = KEYS[14], -- hash
  marker = KEYS[15], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local maxBytes = tonumber(ARGV[3]) -- int once the answers hold so many bytes of payloads, no further job is taken
local shared = cmsgpack.unpack(ARGV[4]) -- pack {
--   terms: readonly { lockDuration?: number; name?: string; buffered?: boolean; limiter?: { max: number; duration: number }; maxMetricsSize?: number }[];
--   receipts: readonly { key: string; ttl: number; said: boolean; slot: boolean; acked: readonly string[]; fields: readonly string[] }[]
-- } what the moves refer to by place, from 1
local moves = cmsgpack.unpack(ARGV[5]) -- pack readonly (number | string | Uint8Array | false | {
--   target?: 'failed'; options?: Record<string, unknown> | undefined;
--   receipt?: { tray?: number; field?: string; digest: string; key?: string; ttl?: number; whole?: boolean; slot?: boolean; fresh?: boolean; acked?: readonly string[]; call?: string; index?: number } | undefined
-- })[] one list for all, nine values a move: terms, token, id or false for a fetch, value of an end, token of its next job or false, place of its receipt (twice that of its hash in `receipts`, one less for a receipt that is looked for) or 0, field and digest of that, what is rare of it or false: `target` other than 'completed', the rarer options of moveToFinished, a receipt of another kind
-- end of declarations

local now = resolveNow(timestamp)
local meta = readMeta(queue)
local batch = openBatch(queue, {
  prefix = prefix, now = now, maxBytes = maxBytes, terms = shared.terms, receipts = shared.receipts, moves = moves,
})
local gathered = queue.gathered

--- Adds what is shared, the token and the receipt to the options of a finish or a fetch.
local function onTerms(move, options)
  local terms = shared.terms[move.terms]
  options.token, options.receipt = move.token, move.receipt
  options.lockDuration, options.name, options.buffered = terms.lockDuration, terms.name, terms.buffered
  options.limiter, options.maxMetricsSize = terms.limiter, terms.maxMetricsSize
  return options
end

--- Ends the run of a move, with the next job if there is room for it.
local function finish(move)
  local options = onTerms(move, move.options or {})
  options.nextToken = move.nextToken
  local replay = replayedRun(queue, prefix, move.receipt, options.lockDuration)
  if replay then
    return replay
  end
  local completed = move.target == 'completed'
  local full = gathered.bytes >= maxBytes
  local answer = endRun(queue, meta, {
    prefix = prefix,
    id = move.id,
    job = jobKey(prefix, move.id),
    now = now,
    target = move.target,
    valueField = completed and 'returnvalue' or 'failedReason',
    value = move.value,
    finished = completed and queue.completed or queue.failed,
    metrics = completed and queue.completedMetrics or queue.failedMetrics,
    options = options,
    fetchNext = move.nextToken and not full,
  })
  if full and move.nextToken and type(answer) == 'table' then
    answer[1] = 'later'
  end
  return answer
end

--- Takes a job.
local function fetch(move)
  if gathered.bytes >= maxBytes then
    return { 'later', 0, 0, 0 }
  end
  return takeJob(queue, meta, onTerms(move, { prefix = prefix, now = now }))
end

--- One move, from its receipt to its answer.
local function carryOut(at)
  local move = namedMove(batch, at)
  local answer = (move.id and finish or fetch)(move)
  local run = type(answer) == 'table' and answer[1]
  if type(run) == 'table' then
    gathered.bytes = gathered.bytes + #(run[2] or '') + #(run[3] or '')
  end
  return answer
end

local answers, at = {}, 1

--- Carries out moves as long as they are plain ones.
local function carryOutPlain()
  while at <= #moves do
    local plain, answer = plainMove(queue, meta, batch, at)
    if not plain then
      return
    end
    answers[#answers + 1] = answer
    at = at + MOVE_SIZE
  end
end

while at <= #moves do
  local ok, answer = pcall(carryOutPlain)
  -- It has stopped at a move that is none or has failed.
  if at <= #moves then
    if ok then
      ok, answer = pcall(carryOut, at)
    end
    if type(answer) == 'table' and answer.err then
      answer = answer.err
    end
    answers[#answers + 1] = cmsgpack.pack(ok and answer or tostring(answer))
    at = at + MOVE_SIZE
  end
end
closeBatch(queue, batch)
return table.concat(answers)
