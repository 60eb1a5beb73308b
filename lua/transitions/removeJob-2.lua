--- Removes a job from wherever it stands, with its children if asked. A running one is refused unless forced: its
--- worker then finds its lock lost.
-- @include reject storedJob locations fields family
-- @rejects JOB_NOT_FOUND JOB_LOCKED JOB_BELONGS_TO_SCHEDULER
-- @returns the location that held it, or 'unknown'

local queue = {
  job = KEYS[1], -- hash of the job
  schedulers = KEYS[2], -- set `repeat`
}
local jobId = ARGV[1] -- string
local prefix = ARGV[2] -- string
local force = ARGV[3] -- flag
local removeChildren = ARGV[4] -- flag
-- end of declarations

if not readStored(prefix, jobId) then
  return REJECT.JOB_NOT_FOUND
end
if isNextRun(prefix, jobId, redis.call('HGET', queue.job, FIELD.schedulerId)) then
  return REJECT.JOB_BELONGS_TO_SCHEDULER
end
local tree = { { key = queue.job, prefix = prefix, id = jobId } }
if removeChildren == '1' then
  collectChildren(tree, tree[1])
end
if force ~= '1' then
  for _, member in ipairs(tree) do
    if member.pending ~= false and redis.call('EXISTS', lockKey(member.key)) == 1 then
      return REJECT.JOB_LOCKED
    end
  end
end

local trouble = unsoundTree(tree)
if trouble then
  return trouble
end

local location
for i = #tree, 1, -1 do
  location = removeWhole(tree[i])
end
return location
