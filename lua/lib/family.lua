-- @include removal locations sound
--- A job and its children as a tree.

--- A job that another one of the queue at `near` names by its key.
local function memberOf(key, near, pending)
  local prefix, id = splitJobKey(key, near)
  return { key = key, prefix = prefix, id = id, pending = pending }
end

--- Adds all descendants of a member to `tree`, parents before children, each once: a job that existed can be added under
--- its own descendant, or under itself. `pending` says that the child has not ended.
local function collectChildren(tree, above)
  local job = above.key
  local met = tree.met or {}
  tree.met = met
  met[job] = true
  local function descend(keys, pending)
    for _, key in ipairs(keys) do
      local member = memberOf(key, above.prefix, pending)
      if member.prefix and not met[key] then
        met[key] = true
        tree[#tree + 1] = member
        collectChildren(tree, member)
      end
    end
  end
  descend(redis.call('SMEMBERS', dependenciesKey(job)), true)
  descend(redis.call('ZRANGE', failedChildrenKey(job), 0, -1), false)
  descend(redis.call('HKEYS', ignoredFailuresKey(job)), false)
  descend(redis.call('HKEYS', processedKey(job)), false)
end

--- The error that would stop the removal of a tree half way, or nil.
local function unsoundTree(tree)
  local seen = {}
  for _, member in ipairs(tree) do
    if not seen[member.prefix] then
      seen[member.prefix] = true
      local queue = queueKeys(member.prefix)
      local trouble = unsoundPlaces(queue) or unsound({
        'ZCARD', queue.completed, 'ZCARD', queue.failed, 'ZCARD', queue.waitingChildren, 'SCARD', queue.stalled,
      })
      if trouble then
        return trouble
      end
    end
  end
  return nil
end

--- Removes one job for good: location, lock, parent's tie, deduplication id, keys. Returns where it stood.
local function removeWhole(member)
  local queue = queueKeys(member.prefix)
  local stored = readStored(member.prefix, member.id)
  local location = takeOut(queue, member.id)
  redis.call('DEL', lockKey(member.key))
  redis.call('SREM', queue.stalled, member.id)
  if stored then
    detachFromParent(member.key, stored)
    releaseOwnedDeduplication(member.prefix, member.id, stored.deduplicationId)
  end
  local meta = readMeta(queue)
  if deleteJobKeys(member.prefix, member.id) > 0 then
    emitTrimmed(queue, meta, 'removed', 'jobId', member.id, 'prev', location)
  end
  if location == 'active' then
    wakeForFreedSlot(queue, meta)
  end
  return location
end
