-- @include keys
--- Where jobs stand, seen from outside: every list and set, with the name that users see.

local function setsOf(queue)
  return {
    { 'completed', queue.completed }, { 'waiting-children', queue.waitingChildren }, { 'delayed', queue.delayed },
    { 'failed', queue.failed }, { 'prioritized', queue.prioritized },
  }
end

local function listsOf(queue)
  return { { 'wait', queue.wait }, { 'paused', queue.paused }, { 'active', queue.active } }
end

--- Takes an id out of the one location that holds it. Returns the location's name or 'unknown'.
local function takeOut(queue, id)
  for _, set in ipairs(setsOf(queue)) do
    if redis.call('ZREM', set[2], id) == 1 then
      return set[1]
    end
  end
  for _, list in ipairs(listsOf(queue)) do
    if redis.call('LREM', list[2], 0, id) > 0 then
      return list[1]
    end
  end
  return 'unknown'
end

--- Whether the job is the run that its scheduler counts on next.
local function isNextRun(prefix, id, schedulerId)
  if not schedulerId then
    return false
  end
  local due = redis.call('ZSCORE', queueKeys(prefix).schedulers, schedulerId)
  return due and id == string.format('repeat:%s:%.0f', schedulerId, tonumber(due)) or false
end
