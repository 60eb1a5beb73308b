-- @include reject parents
--- Tying a job that exists already to a parent that is added, or adds it, now.

--- The parent may have the child unless the child belongs to another one that lives.
local function attachRejection(child, parentKey)
  local current = redis.call('HGET', child, 'parentKey')
  if current and current ~= parentKey and redis.call('EXISTS', current) == 1 then
    return REJECT.PARENT_JOB_CANNOT_BE_REPLACED
  end
  return nil
end

--- Makes the parent wait for the child, or counts the child's end at once if it has ended. `child` is { key, id,
--- prefix }. The parent itself is moved on by the caller, once all its children are tied.
local function attachExisting(child, parent, parentText, now)
  redis.call('HSET', child.key, 'parentKey', parent.key, 'parent', parentText)
  local queue = queueKeys(child.prefix)
  if redis.call('ZSCORE', queue.completed, child.id) then
    redis.call('HSET', processedKey(parent.key), child.key, redis.call('HGET', child.key, 'returnvalue') or 'null')
    return
  end
  redis.call('SADD', dependenciesKey(parent.key), child.key)
  if redis.call('ZSCORE', queue.failed, child.id) then
    tellParentFailed(child.key, parent, now, redis.call('HGET', child.key, 'failedReason') or '')
  end
end
