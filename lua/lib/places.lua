-- @include keys gate events fields sound
--- The places where a job waits to run: the list `wait`, behind it the set `prioritized`, and the set `delayed`
--- (score: due time in ms * 4096 plus the arrival inside that millisecond).

--- Lower runs first: the priority class, then arrival. A class holds 2^32 arrivals; 2097151 classes stay below 2^53.
local function prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end

--- The list for jobs that are to run. In a paused queue in which a BullMQ 5 peer has parked jobs it is their list: that
--- peer's resume renames it over `wait`.
local function waitingList(queue, meta)
  local parked = parkedKey(queue.meta)
  if meta.paused and redis.call('EXISTS', parked) == 1 then
    return parked
  end
  return queue.wait
end

--- Puts a job where its priority says. `place` is { priority, toFront }: to the front it runs next among its equals.
local function enqueue(queue, meta, id, place)
  local priority, toFront = place.priority, place.toFront
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', waitingList(queue, meta), id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, prioritizedScore(queue, priority), id)
  end
end

--- The error that would stop a job on its way to any of these places, or nil. Keys that `queue` has not are not asked.
local function unsoundPlaces(queue)
  local asked = { 'HLEN', queue.meta, 'XLEN', queue.events, 'LLEN', parkedKey(queue.meta) }
  local function ask(command, key)
    if key then
      asked[#asked + 1] = command
      asked[#asked + 1] = key
    end
  end
  ask('LLEN', queue.wait)
  ask('LLEN', queue.active)
  ask('ZCARD', queue.prioritized)
  ask('ZCARD', queue.delayed)
  return unsound(asked) or (queue.pc and uncountable(queue.pc)) or nil
end

--- The same for one job, with fewer questions.
local function unsoundPlace(queue, meta, job)
  local asked = { 'XLEN', queue.events, 'LLEN', queue.wait }
  if (job.delay or 0) > 0 or job.dueAt then
    asked[3], asked[4] = 'ZCARD', queue.delayed
  elseif (job.priority or 0) > 0 then
    asked[3], asked[4] = 'ZCARD', queue.prioritized
  elseif meta.paused then
    asked[5], asked[6] = 'LLEN', parkedKey(queue.meta)
  end
  if meta.concurrency and queue.active then
    asked[#asked + 1] = 'LLEN'
    asked[#asked + 1] = queue.active
  end
  return unsound(asked) or ((job.priority or 0) > 0 and queue.pc and uncountable(queue.pc)) or nil
end

local function delayedScore(queue, due)
  local lowest = due * 4096
  local highest = lowest + 4095
  local last = redis.call('ZREVRANGEBYSCORE', queue.delayed, highest, lowest, 'WITHSCORES', 'LIMIT', 0, 1)
  if not last[2] then
    return lowest
  end
  return math.min(tonumber(last[2]) + 1, highest)
end

--- Puts a job into `delayed` until `due` and tells the stream when that is. The caller writes the marker.
local function delayUntil(queue, meta, id, due)
  redis.call('ZADD', queue.delayed, delayedScore(queue, due), id)
  emitTrimmed(queue, meta, 'delayed', 'jobId', id, 'delay', due)
end

--- Whether the options of a stored job say that it runs next among those without a priority.
local function isLifo(opts)
  if not opts or not string.find(opts, '"lifo"', 1, true) then
    return false
  end
  local ok, options = pcall(cjson.decode, opts)
  return ok and type(options) == 'table' and options.lifo == true
end

--- Due jobs that one promotion moves.
local MAX_PROMOTED = 1000

--- Moves up to MAX_PROMOTED due jobs to where their priority says, also while the queue is paused or limited. Returns how many,
--- and the error for which it has moved none.
local function promoteDue(queue, meta, prefix, now)
  local due = redis.call('ZRANGEBYSCORE', queue.delayed, 0, (now + 1) * 4096 - 1, 'LIMIT', 0, MAX_PROMOTED)
  if #due == 0 then
    return 0
  end
  local trouble = unsoundPlaces(queue)
  if trouble then
    return 0, trouble
  end
  redis.call('ZREM', queue.delayed, unpack(due))
  for _, id in ipairs(due) do
    local job = jobKey(prefix, id)
    local found = redis.pcall('HMGET', job, 'priority', 'opts')
    if found.err then
      -- The key is not a hash: the fetch will drop the id and count it.
      enqueue(queue, meta, id, { priority = 0 })
    else
      local priority = finite(found[1], 0)
      enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and isLifo(found[2]) })
      if found[1] then
        redis.call('HSET', job, 'delay', 0)
      end
    end
    emit(queue, 'waiting', 'jobId', id, 'prev', 'delayed')
  end
  wakeWorkers(queue, meta)
  return #due
end

--- Due time in ms (integer part) of the first delayed job, or 0.
local function nextDue(queue)
  local first = redis.call('ZRANGE', queue.delayed, 0, 0, 'WITHSCORES')
  return first[2] and math.floor(tonumber(first[2]) / 4096) or 0
end

--- Stores a new job's hash. `job` is { name, data, opts, timestamp, delay, priority, parentKey, parent, schedulerId,
--- deduplication }.
local function storeJob(queue, prefix, id, job)
  local fields = { 'name', job.name, 'data', job.data, 'opts', job.opts, 'timestamp', job.timestamp,
    'delay', job.delay or 0, 'priority', job.priority or 0 }
  local function add(field, value)
    if value then
      fields[#fields + 1] = field
      fields[#fields + 1] = value
    end
  end
  add('parentKey', job.parentKey)
  add('parent', job.parent)
  add(FIELD.schedulerId, job.schedulerId)
  add(FIELD.deduplicationId, job.deduplication and job.deduplication.id)
  redis.call('HSET', jobKey(prefix, id), unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end

--- Whether an id that may be another key's name is a job all the same.
local function isJob(job)
  local found = redis.pcall('HEXISTS', job, 'timestamp')
  return found == 1
end

--- Deletes a job's hash and all that hangs on it, its lock excepted. Another key of the queue stays.
local function deleteJobKeys(prefix, id)
  local job = jobKey(prefix, id)
  if mayBeKeyName(id) and not isJob(job) then
    return 0
  end
  return redis.call('DEL', job, logsKey(job), dependenciesKey(job), processedKey(job), ignoredFailuresKey(job),
    failedChildrenKey(job))
end

--- Puts a new job where its delay and priority say, wakes, announces. Returns the location's name.
local function placeJob(queue, meta, id, job)
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    delayUntil(queue, meta, id, job.timestamp + delay)
    wakeAtNextDue(queue)
    return 'delayed'
  end
  enqueue(queue, meta, id, { priority = priority, toFront = priority == 0 and job.lifo })
  wakeWorkers(queue, meta)
  emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  return priority > 0 and 'prioritized' or 'waiting'
end
