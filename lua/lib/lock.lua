-- @include reject keys
--- Ownership of an active job. A token is new for each delivery; '' and '0' belong to nobody.

--- The rejection for whoever comes with `token`, or nil for the owner.
local function lockRejection(job, token)
  local owner = redis.call('GET', lockKey(job))
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end

--- Takes the job out of `active` and frees its lock, or says why not and writes nothing. The removal is itself the
--- test (a search of its own would walk the list twice), and it frees memory: on a full store the script goes on.
local function leaveActive(queue, id, job)
  if redis.call('LREM', queue.active, 1, id) == 0 then
    return REJECT.JOB_NOT_IN_STATE
  end
  redis.call('DEL', lockKey(job))
  redis.call('SREM', queue.stalled, id)
  return nil
end
