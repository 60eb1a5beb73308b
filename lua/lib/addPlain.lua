-- @include addJob
--- Many plain jobs in a row: with an id from the counter, that may run at once, tied to nothing. What they have in common
--- is asked and written once for all of them.

--- Whether a job of a batch is one of those. Where a queue has limits each job is asked for itself.
local function isPlain(meta, job)
  return not (job.receipt or job.delay or job.dueAt or job.priority or job.lifo or job.customId or job.parentKey or job.deduplication
    or meta.maxJobs or meta.maxPayload)
end

--- The last of the plain jobs without an answer that follow each other from `first` on. `known` is { first, answers }.
local function lastPlain(meta, jobs, known)
  local first = known.first
  local last = first - 1
  -- Lua holds so many values at once.
  while jobs[last + 1] and last - first < 999 and not known.answers[last + 1] and isPlain(meta, jobs[last + 1]) do
    last = last + 1
  end
  return last
end

--- Ids from the counter, one for each of `count` jobs; a foreign writer may have stored jobs under numbers.
local function allocateIds(queue, prefix, count)
  local ids, keys = {}, {}
  local before = redis.call('INCRBY', queue.id, count) - count
  for i = 1, count do
    ids[i] = string.format('%.0f', before + i)
    keys[i] = jobKey(prefix, ids[i])
  end
  if redis.call('EXISTS', unpack(keys)) > 0 then
    local free = 0
    local last = before + count
    for number = before + 1, last do
      local id = string.format('%.0f', number)
      if redis.call('EXISTS', jobKey(prefix, id)) == 0 then
        free = free + 1
        ids[free], keys[free] = id, jobKey(prefix, id)
      end
    end
    for i = free + 1, count do
      ids[i] = allocateId(queue, prefix, '')
      keys[i] = jobKey(prefix, ids[i])
    end
  end
  return ids, keys
end

--- Adds the plain jobs from `first` to `last`, as addJob one after the other, and puts the answers, their ids alone, into
--- `answers` at the same places. The caller has asked whether the places are sound.
local function addPlain(queue, meta, prefix, run)
  local jobs, first, last, answers = run.jobs, run.first, run.last, run.answers
  local ids, keys = allocateIds(queue, prefix, last - first + 1)
  local now = string.format('%.0f', run.now)
  for i, id in ipairs(ids) do
    local job = jobs[first + i - 1]
    redis.call('HSET', keys[i], 'name', job.name, 'data', job.data, 'opts', job.opts,
      'timestamp', job.timestamp or now, 'delay', '0', 'priority', '0')
    redis.call('XADD', queue.events, '*', 'event', 'added', 'jobId', id, 'name', job.name)
    if i < #ids then
      redis.call('XADD', queue.events, '*', 'event', 'waiting', 'jobId', id)
    else
      -- The first of them trims too far off to matter: one trim does for all.
      emitTrimmed(queue, meta, 'waiting', 'jobId', id)
    end
    answers[first + i - 1] = id
  end
  redis.call('LPUSH', waitingList(queue, meta), unpack(ids))
  wakeWorkers(queue, meta)
end
