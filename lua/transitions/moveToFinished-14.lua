--- Ends a run, completed or failed, and fetches the next job, in one step. With the option `retry` a failure that has
--- attempts left goes back to wait, prioritized or delayed instead, as the job's own options say. A job that is to be cancelled fails for good.
-- @include gate time endReceipt heldJob endRun plainAlone
-- @rejects JOB_NOT_FOUND JOB_HAS_PENDING_CHILDREN JOB_HAS_FAILED_CHILDREN LOCK_LOST LOCK_NOT_OWNED JOB_NOT_IN_STATE REQUEST_ID_REUSED
-- @usual aloneWith beginPlain countText dependenciesKey dropAcked emit endAlone failedChildrenKey finite isEmpty isOdd isOpen
--   isPlainEnd keepAlone leaveAlone lockKey nextDue packRun plainAttempts plainJob plainNext plainReceipt
--   readMeta resolveNow runReply setMarker trimEvents wakeOne
-- @returns 0 for a plain finish without a next job, else { flat fields or 0 (with `packed` perhaps a run as moveBatch answers it), id or 0, limited for ms, next due ms, 'completed' | 'failed' | 'waiting' | 'prioritized' | 'delayed', attempts made, retry delay ms }; the answer of a receipt goes on with { how often it was answered again, token of the next job or '' }, that of a failure whose backoff is not known with { 0, '', what is wrong }

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
  finished = KEYS[11], -- set `completed` or `failed`
  job = KEYS[12], -- hash of the job
  metrics = KEYS[13], -- hash of the target's metrics
  marker = KEYS[14], -- set that wakes a blocked fetch
}
local jobId = ARGV[1] -- string
local timestamp = ARGV[2] -- ms
local valueField = ARGV[3] -- string
local value = ARGV[4] -- bytes
local target = ARGV[5] -- string
local fetchNextJob = ARGV[6] -- flag
local prefix = ARGV[7] -- string
local options = cmsgpack.unpack(ARGV[8]) -- pack {
--   token: string; nextToken?: string; lockDuration?: number; name?: string; buffered?: boolean;
--   limiter?: { max: number; duration: number }; keepJobs?: { count?: number; age?: number; limit?: number };
--   defaultKeep?: { count?: number; age?: number; limit?: number }; attempts?: number;
--   maxMetricsSize?: number | '';
--   retry?: { mode: 'DEFAULT' | 'NEVER'; delay?: number; rand?: number; maxDelay?: number; backoffs?: Record<string, { type?: string; delay?: number; factor?: number; max?: number; jitter?: number; steps?: readonly number[] }> };
--   packed?: boolean; stack?: string; stackLimit?: number; progress?: string | Uint8Array; logs?: readonly string[];
--   receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; slot?: boolean; fresh?: boolean; said?: boolean; acked?: readonly string[] }
-- }
local fields = ARGV[9] and ARGV[9] ~= '' and cmsgpack.unpack(ARGV[9]) or {} -- pack readonly (string | number | Uint8Array)[]
-- end of declarations

local meta = readMeta(queue)
local now = resolveNow(timestamp)
local wanted = fetchNextJob == '1'

local plain = target == 'completed' and #fields == 0 and endAlone(queue, meta, {
  prefix = prefix, now = now, id = jobId, job = queue.job, value = value, fetchNext = wanted,
  nowText = '', lockText = '', token = '', current = false, marked = 0,
}, options)
if plain then
  return plain
end
local replay = replayedEnd(queue, prefix, options.receipt, options.lockDuration)
if replay then
  return replay
end
local answer = endRun(queue, meta, {
  prefix = prefix,
  id = jobId,
  job = queue.job,
  now = now,
  valueField = valueField,
  value = value,
  target = target,
  finished = queue.finished,
  metrics = queue.metrics,
  fields = fields,
  options = options,
  fetchNext = wanted,
})
if type(answer) == 'number' or answer.err then
  return answer
end
local nothing = answer[2] == 0 and answer[3] == 0 and answer[4] == 0
return nothing and not options.retry and 0 or flattened(answer)
