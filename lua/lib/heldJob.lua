-- @include keys fields
--- A job as its worker gets it: at its fetch, and again when the answer of that was lost.

--- What a worker needs to run the job, in the order of the reply.
local RUN_FIELDS = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', FIELD.attemptsMade,
  FIELD.attemptsStarted, FIELD.stalledCount, 'parentKey', 'parent', FIELD.schedulerId, FIELD.deferredFailure,
  FIELD.deduplicationId, 'progress', FIELD.cancel }

--- A run as one list: the values of RUN_FIELDS in their order, then when it began and the worker's name, each or false.
local function runOf(values, processedOn, workerName)
  values[#RUN_FIELDS + 1], values[#RUN_FIELDS + 2] = processedOn, workerName or false
  return values
end

--- Names and values in turn, of those that stand.
local function flatRun(run)
  local reply = { 'processedOn', run[#RUN_FIELDS + 1] }
  if run[#RUN_FIELDS + 2] then
    reply[3], reply[4] = FIELD.processedBy, run[#RUN_FIELDS + 2]
  end
  for i, field in ipairs(RUN_FIELDS) do
    if run[i] then
      reply[#reply + 1] = field
      reply[#reply + 1] = tostring(run[i])
    end
  end
  return reply
end

--- A reply that begins with a run or 0, with the flat fields in its place. A rejection stays what it is.
local function flattened(reply)
  if type(reply) == 'table' and type(reply[1]) == 'table' then
    reply[1] = flatRun(reply[1])
  end
  return reply
end

--- The run of a job that is still locked with this token, the lock renewed; nil when it is not. `lease` is
--- { prefix, id, token, lockDuration }. The first write needs no memory.
local function heldJob(queue, lease)
  local job = jobKey(lease.prefix, lease.id)
  if redis.call('GET', lockKey(job)) ~= lease.token then
    return nil
  end
  local values = redis.call('HMGET', job, unpack(RUN_FIELDS))
  local activation = redis.call('HMGET', job, 'processedOn', FIELD.processedBy)
  if not activation[1] then
    return nil
  end
  redis.call('PEXPIRE', lockKey(job), lease.lockDuration)
  redis.call('SREM', queue.stalled, lease.id)
  return runOf(values, activation[1], activation[2])
end
