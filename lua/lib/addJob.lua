-- @include delayed reject
--- Adding a job: the same steps for every kind and for a batch.

--- `job` is { customId, name, timestamp, data, opts, delay, priority, lifo, parentKey, parent }, `id` the id it gets.
local function storeJob(queue, prefix, id, job)
  local fields = { 'name', job.name, 'data', job.data, 'opts', job.opts, 'timestamp', job.timestamp,
    'delay', job.delay or 0, 'priority', job.priority or 0 }
  if job.parentKey then
    fields[#fields + 1] = 'parentKey'
    fields[#fields + 1] = job.parentKey
    fields[#fields + 1] = 'parent'
    fields[#fields + 1] = job.parent
  end
  redis.call('HSET', jobKey(prefix, id), unpack(fields))
  emit(queue, 'added', 'jobId', id, 'name', job.name)
end

--- Takes ids from the counter until one is free: a foreign writer may have stored jobs under numbers.
local function allocateId(queue, prefix, customId)
  local id = redis.call('INCR', queue.id)
  if customId and customId ~= '' then
    return customId
  end
  while redis.call('EXISTS', jobKey(prefix, id)) == 1 do
    id = redis.call('INCR', queue.id)
  end
  return string.format('%.0f', id)
end

--- Says no before anything is written. A missing parent could never be released by this child.
local function addRejection(job)
  if job.parentKey and redis.call('EXISTS', job.parentKey) == 0 then
    return REJECT.PARENT_JOB_NOT_FOUND
  end
  return nil
end

--- Stores one job and puts it into its location. Returns { id, 'created' | 'existing', location or '' }.
local function addJob(queue, meta, prefix, job)
  local id = allocateId(queue, prefix, job.customId)
  if job.customId and job.customId ~= '' and redis.call('EXISTS', jobKey(prefix, id)) == 1 then
    emitTrimmed(queue, meta, 'duplicated', 'jobId', id)
    return { id, 'existing', '' }
  end
  storeJob(queue, prefix, id, job)
  local location
  local delay, priority = job.delay or 0, job.priority or 0
  if delay > 0 then
    location = 'delayed'
    delayUntil(queue, meta, id, job.timestamp + delay)
    wakeAtNextDue(queue)
  else
    location = priority > 0 and 'prioritized' or 'waiting'
    enqueue(queue, id, priority, priority == 0 and job.lifo)
    wakeWorkers(queue, meta)
    emitTrimmed(queue, meta, 'waiting', 'jobId', id)
  end
  if job.parentKey then
    redis.call('SADD', dependenciesKey(job.parentKey), jobKey(prefix, id))
  end
  return { id, 'created', location }
end
