--- Takes the next job for a worker: due jobs are promoted, limits and pause honoured, the job locked and activated.
-- @include gate time heldJob takeJob plainAlone
-- @rejects LOCK_NOT_OWNED REQUEST_ID_REUSED
-- @usual aloneWith beginPlain countText finite isOpen lockKey nextDue packRun plainJob plainNext readMeta
--   resolveNow runReply setMarker takeAlone trimEvents wakeOne
-- @returns { flat fields or 0 (with `packed` perhaps a run as moveBatch answers it), id or 0, rate limited for ms, next due ms or -1 where as many run as may }, or { 0, 0, 0, 0, 'replay' } where another call of the same request has taken jobs

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
  marker = KEYS[11], -- set that wakes a blocked fetch
}
local prefix = ARGV[1] -- string
local now = ARGV[2] -- ms
local worker = cmsgpack.unpack(ARGV[3]) -- pack {
--   token: string; lockDuration: number; name?: string; limiter?: { max: number; duration: number };
--   buffered?: boolean; packed?: boolean; maxMetricsSize?: number;
--   receipt?: { key: string; field: string; digest: string; ttl: number; call: string; index: number }
-- }
-- end of declarations

local meta = readMeta(queue)
worker.prefix = prefix
worker.now = resolveNow(now)
local plain = takeAlone(queue, meta, {
  prefix = prefix, now = worker.now, nowText = '', lockText = '', token = '', current = false,
}, worker)
return plain or flattened(takeJob(queue, meta, worker))
