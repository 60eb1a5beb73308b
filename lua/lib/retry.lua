-- @include places storedJob
--- The retry decision: attempts left, and how long to wait. Taken from the job's own fields, never from a worker's copy.

--- The cap on a computed delay where the caller names none: 24 h.
local DEFAULT_MAX_BACKOFF_MS = 86400000

--- Spreads a delay: the part `jitter` (0..1) of it is random.
local function spread(delay, jitter, rand)
  if jitter <= 0 then
    return delay
  end
  return math.floor(rand * delay * jitter + delay * (1 - jitter))
end

--- Delay in ms before attempt n + 1, or nil when the type is unknown.
local function backoffDelay(backoff, n, rand)
  local base = finite(backoff.delay, 0)
  local jitter = finite(backoff.jitter, 0)
  if type(backoff.steps) == 'table' then
    return spread(finite(backoff.steps[math.min(n, #backoff.steps)], 0), jitter, rand)
  elseif backoff.type == 'fixed' then
    return spread(base, jitter, rand)
  elseif backoff.type == 'exponential' then
    local factor = finite(backoff.factor, 2)
    return spread(math.floor(factor ^ (n - 1) * base + 0.5), jitter, rand)
  end
  return nil
end

--- Decides for a failed run. `retry` is { mode, delay, rand, maxDelay, backoffs }: mode NEVER ends the job, `delay`
--- overrides the backoff, `backoffs` are the named ones by name. Returns { again, delay, problem }.
local function decideRetry(stored, retry)
  local options = optionsOf(stored)
  local made = stored.attemptsMade + 1
  if retry.mode == 'NEVER' or made >= finite(options.attempts, 0) then
    return { again = false }
  end
  local cap = retry.maxDelay or DEFAULT_MAX_BACKOFF_MS
  if retry.delay then
    return { again = true, delay = math.min(retry.delay, cap) }
  end
  local backoff = options.backoff
  if type(backoff) == 'number' then
    backoff = { type = 'fixed', delay = backoff }
  elseif type(backoff) ~= 'table' then
    return { again = true, delay = 0 }
  end
  local named = retry.backoffs and retry.backoffs[backoff.type]
  local delay = backoffDelay(named or backoff, made, retry.rand or 0)
  if not delay then
    return { again = false, problem = 'unknown backoff ' .. tostring(backoff.type) }
  end
  local limit = named and math.min(named.max or cap, cap) or cap
  return { again = true, delay = math.max(0, math.min(delay, limit)) }
end

--- Appends a stack to the job's JSON array of them and keeps the newest `limit` (0: none).
local function appendStack(job, stack, limit)
  local ok, stacks = pcall(cjson.decode, redis.call('HGET', job, 'stacktrace') or '[]')
  if not ok or type(stacks) ~= 'table' then
    stacks = {}
  end
  stacks[#stacks + 1] = stack
  local kept = {}
  for i = math.max(1, #stacks - limit + 1), #stacks do
    kept[#kept + 1] = stacks[i]
  end
  redis.call('HSET', job, 'stacktrace', #kept == 0 and '[]' or cjson.encode(kept))
end

--- A failed run with attempts left: counts the attempt, notes the reason, waits `delay` ms or not at all.
--- `failed` is { id, job, now, delay, reason, toFront, fields }. Returns the location's name.
local function requeueFailed(queue, meta, stored, failed)
  local delay = failed.delay
  redis.call('HSET', failed.job, FIELD.attemptsMade, stored.attemptsMade + 1, 'failedReason', failed.reason)
  if delay > 0 then
    redis.call('HSET', failed.job, 'delay', delay)
    delayUntil(queue, meta, failed.id, failed.now + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  local toFront = stored.priority == 0 and optionsOf(stored).lifo == true
  enqueue(queue, meta, failed.id, { priority = stored.priority, toFront = toFront })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', failed.id, 'prev', 'active')
  return stored.priority > 0 and 'prioritized' or 'waiting'
end
