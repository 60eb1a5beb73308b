-- @include keys fields
--- A job as its worker gets it: at its fetch, and again when the answer of that was lost.

--- What a worker needs to run the job, in the order of the reply.
local RUN_FIELDS = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', FIELD.attemptsMade,
  FIELD.attemptsStarted, FIELD.stalledCount, 'parentKey', 'parent', FIELD.schedulerId, FIELD.deferredFailure,
  FIELD.deduplicationId, 'progress', FIELD.cancel }

--- Names and values in turn: `activation`, { processedOn, worker's name or false }, then those of RUN_FIELDS.
local function flatJob(activation, values)
  local reply = { 'processedOn', activation[1] }
  if activation[2] then
    reply[3], reply[4] = FIELD.processedBy, activation[2]
  end
  for i, field in ipairs(RUN_FIELDS) do
    if values[i] then
      reply[#reply + 1] = field
      reply[#reply + 1] = tostring(values[i])
    end
  end
  return reply
end

--- The flat fields of a job that is still locked with this token, the lock renewed; nil when it is not. `lease` is
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
  return flatJob(activation, values)
end
