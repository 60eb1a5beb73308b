-- @include removal locations
--- A job and its children as a tree.

--- Splits a job's key at its last colon. Ids with colons are ambiguous there, as in every client of the layout.
local function memberOf(key, pending)
  local prefix, id = string.match(key, '^(.*:)([^:]*)$')
  return { key = key, prefix = prefix, id = id, pending = pending }
end

--- Adds all descendants of a job to `tree`, parents before children. `pending` says that the child has not ended.
local function collectChildren(tree, job)
  local function descend(keys, pending)
    for _, key in ipairs(keys) do
      local member = memberOf(key, pending)
      if member.prefix then
        tree[#tree + 1] = member
        collectChildren(tree, key)
      end
    end
  end
  descend(redis.call('SMEMBERS', dependenciesKey(job)), true)
  descend(redis.call('ZRANGE', failedChildrenKey(job), 0, -1), false)
  descend(redis.call('HKEYS', ignoredFailuresKey(job)), false)
  descend(redis.call('HKEYS', processedKey(job)), false)
end

--- Removes one job for good: location, lock, parent's tie, deduplication id, keys. Returns where it stood.
local function removeWhole(member)
  local queue = queueKeys(member.prefix)
  local stored = readStored(member.key)
  local location = takeOut(queue, member.id)
  redis.call('DEL', lockKey(member.key))
  redis.call('SREM', queue.stalled, member.id)
  if stored then
    detachFromParent(member.key, stored)
    releaseOwnedDeduplication(member.prefix, member.id, stored.deduplicationId)
  end
  local meta = readMeta(queue)
  if deleteJobKeys(member.key) > 0 then
    emitTrimmed(queue, meta, 'removed', 'jobId', member.id, 'prev', location)
  end
  if location == 'active' then
    wakeForFreedSlot(queue, meta)
  end
  return location
end
