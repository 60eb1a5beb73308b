-- @include keys fields gate places events sound
--- Moving a parent on when its children allow it. A parent may live in another queue: its keys come from its prefix.

--- The parent of a job as { key, id, prefix, policy }, or nil. `policy` holds the flags for a failed child.
local function readParent(stored)
  if stored.parentText then
    local ok, parent = pcall(cjson.decode, stored.parentText)
    local id = ok and type(parent) == 'table' and parent.id
    if (type(id) == 'string' or type(id) == 'number') and type(parent.queueKey) == 'string' then
      local prefix = parent.queueKey .. ':'
      return { key = prefix .. id, id = tostring(id), prefix = prefix, policy = parent }
    end
  end
  if stored.parentKey then
    local prefix, id = splitJobKey(stored.parentKey, stored.prefix)
    if prefix then
      return { key = stored.parentKey, id = id, prefix = prefix, policy = {} }
    end
  end
  return nil
end

--- The same, read once.
local function parentOf(stored)
  if stored.parent == nil then
    stored.parent = readParent(stored) or false
  end
  return stored.parent or nil
end

--- The error that would stop the news of a child's end (`target`) half way, or nil.
local function unsoundParent(parent, target)
  local dependencies = dependenciesKey(parent.key)
  local trouble = unsound({ 'SCARD', dependencies, 'HLEN', processedKey(parent.key), 'HLEN', parent.key })
  if trouble or (target == 'completed' and redis.call('SCARD', dependencies) > 1) then
    return trouble
  end
  local queue = queueKeys(parent.prefix)
  return unsound({
    'HLEN', ignoredFailuresKey(parent.key), 'ZCARD', failedChildrenKey(parent.key),
    'ZCARD', queue.waitingChildren, 'ZCARD', queue.failed,
  }) or unsoundPlaces(queue)
end

--- Puts a parent that has just left `waiting-children` (or `delayed`) where its delay and priority say.
local function moveParentOn(parent, now)
  local queue = queueKeys(parent.prefix)
  local meta = readMeta(queue)
  local values = redis.call('HMGET', parent.key, 'delay', 'priority')
  local delay = finite(values[1], 0)
  local priority = finite(values[2], 0)
  if delay > 0 then
    redis.call('ZADD', queue.delayed, (now + delay) * 4096, parent.id)
    emit(queue, 'delayed', 'jobId', parent.id, 'delay', now + delay)
    wakeAtNextDue(queue)
    return
  end
  enqueue(queue, meta, parent.id, { priority = priority, toFront = priority == 0 })
  wakeWorkers(queue, meta)
  emit(queue, 'waiting', 'jobId', parent.id, 'prev', 'waiting-children')
end

--- Moves a parent on if it waits for children at all.
local function releaseParent(parent, now)
  local waiting = parent.prefix .. 'waiting-children'
  if redis.call('EXISTS', parent.key) == 1 and redis.call('ZREM', waiting, parent.id) == 1 then
    moveParentOn(parent, now)
  end
end

--- The same, once no child is pending.
local function releaseParentIfReady(parent, now)
  if redis.call('SCARD', dependenciesKey(parent.key)) == 0 then
    releaseParent(parent, now)
  end
end

local function tellParentCompleted(child, parent, now, returnValue)
  if redis.call('SREM', dependenciesKey(parent.key), child) == 1 then
    redis.call('HSET', processedKey(parent.key), child, returnValue)
    releaseParentIfReady(parent, now)
  end
end

--- The parent is to fail as well: it runs next, and its fetch fails it with the reason left here.
local function failParent(child, parent, now)
  redis.call('ZADD', failedChildrenKey(parent.key), now, child)
  if redis.call('EXISTS', parent.key) == 0 then
    return
  end
  local queue = queueKeys(parent.prefix)
  local waited = redis.call('ZREM', queue.waitingChildren, parent.id) == 1
  local delayed = not waited and redis.call('ZREM', queue.delayed, parent.id) == 1
  if not (waited or delayed) and redis.call('ZSCORE', queue.failed, parent.id) then
    return
  end
  redis.call('HSET', parent.key, FIELD.deferredFailure, 'child ' .. child .. ' failed')
  if delayed then
    redis.call('HSET', parent.key, 'delay', 0)
  end
  if waited or delayed then
    moveParentOn(parent, now)
  end
end

--- JSON's null is a value in Lua, and one that counts as true.
local function isSet(flag)
  return flag and flag ~= cjson.null
end

--- Applies the policy that the child was added with; without one the parent goes on waiting for it.
local function tellParentFailed(child, parent, now, reason)
  local policy = parent.policy
  local fail, continue = isSet(policy[POLICY.failParent]), isSet(policy[POLICY.continueParent])
  local ignore, remove = isSet(policy[POLICY.ignoreDependency]), isSet(policy[POLICY.removeDependency])
  if not (fail or continue or ignore or remove) then
    return
  end
  if redis.call('SREM', dependenciesKey(parent.key), child) == 0 then
    return
  end
  if fail then
    failParent(child, parent, now)
  elseif continue then
    redis.call('HSET', ignoredFailuresKey(parent.key), child, reason)
    releaseParent(parent, now)
  else
    if ignore then
      redis.call('HSET', ignoredFailuresKey(parent.key), child, reason)
    end
    releaseParentIfReady(parent, now)
  end
end

--- A finished child runs again: its parent waits for it once more, if it still waits at all.
local function relinkToParent(child, stored, state)
  local parent = parentOf(stored)
  if not parent then
    return
  end
  if unsoundParent(parent, state) then
    return
  end
  local removed
  if state == 'completed' then
    removed = redis.call('HDEL', processedKey(parent.key), child)
  else
    removed = redis.call('ZREM', failedChildrenKey(parent.key), child)
      + redis.call('HDEL', ignoredFailuresKey(parent.key), child)
  end
  if removed > 0 then
    redis.call('SADD', dependenciesKey(parent.key), child)
  end
end
