--- Cuts the tie between a child and its parent; a parent without other children goes on.
-- @include reject keys storedJob parents removal
-- @rejects JOB_NOT_FOUND PARENT_JOB_NOT_FOUND
-- @returns 0 when cut, 1 when the two were not related

local job = KEYS[1] -- hash of the child
local parentKey = ARGV[1] -- string
local prefix = ARGV[2] -- string
-- end of declarations

local stored = readStored(prefix, idOf(job, prefix))
if not stored then
  return REJECT.JOB_NOT_FOUND
end
if redis.call('EXISTS', parentKey) == 0 then
  return REJECT.PARENT_JOB_NOT_FOUND
end
if stored.parentKey ~= parentKey or redis.call('SISMEMBER', dependenciesKey(parentKey), job) == 0 then
  return 1
end
local trouble = unsoundParent(parentOf(stored))
if trouble then
  return trouble
end

detachFromParent(job, stored)
redis.call('HDEL', job, 'parentKey', 'parent')
return 0
