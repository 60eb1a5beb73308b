-- @include reject keys gathered
--- Ownership of an active job. A token is new for each delivery; '' and '0' belong to nobody.

--- The rejection for whoever comes with `token` where `owner` is in the lock, or nil for the owner.
local function tokenRejection(owner, token)
  if not owner then
    return REJECT.LOCK_LOST
  end
  if owner ~= token or token == '' or token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  return nil
end

--- The same for a job whose lock is still to be read.
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', lockKey(job)), token)
end

--- Takes the job out of `active` and frees its lock, or says why not and changes nothing. The removal is itself the
--- test (a search of its own would walk the list twice). It begins with what frees memory, so that on a full store the
--- script goes on, and with what can be taken back.
local function leaveActive(queue, id, job)
  local gathered = queue.gathered
  if gathered then
    local left = redis.pcall('LREM', queue.active, gathered.fromOldEnd and -1 or 1, id)
    if left == 1 then
      freeLock(gathered, id, job)
      return nil
    end
    return type(left) == 'table' and left or REJECT.JOB_NOT_IN_STATE
  end
  local marked = redis.call('SREM', queue.stalled, id)
  local left = redis.pcall('LREM', queue.active, 1, id)
  if left == 1 then
    redis.call('DEL', lockKey(job))
    return nil
  end
  if marked == 1 then
    redis.call('SADD', queue.stalled, id)
  end
  return type(left) == 'table' and left or REJECT.JOB_NOT_IN_STATE
end
