--- Removes the children of a job that have not ended, running ones excepted.
-- @include reject storedJob family keys
-- @rejects JOB_NOT_FOUND
-- @returns how many were removed

local job = KEYS[1] -- hash of the parent
local prefix = ARGV[1] -- string
-- end of declarations

if not readStored(prefix, idOf(job, prefix)) then
  return REJECT.JOB_NOT_FOUND
end

-- A job that was added under its own descendant is not among its children.
local tree = { met = { [job] = true } }
for _, key in ipairs(redis.call('SMEMBERS', dependenciesKey(job))) do
  local child = memberOf(key, prefix, true)
  local failed = child.prefix and redis.call('ZSCORE', queueKeys(child.prefix).failed, child.id)
  if child.prefix and not failed and not tree.met[key] and redis.call('EXISTS', lockKey(key)) == 0 then
    tree.met[key] = true
    tree[#tree + 1] = child
    collectChildren(tree, child)
  end
end
local trouble = unsoundTree(tree)
if trouble then
  return trouble
end

for i = #tree, 1, -1 do
  removeWhole(tree[i])
end
return #tree
