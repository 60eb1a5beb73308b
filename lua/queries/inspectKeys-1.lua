--- Looks at keys of a queue, by what comes after its prefix: jobs in none of the sets, locks of jobs that are not active,
--- deduplication ids that a job holds which is gone and that never lapse.
-- @include facts
-- @returns { 'job' | 'lock' | 'deduplication', id... }

local active = KEYS[1] -- list
local prefix = ARGV[1] -- string
local names = { unpack(ARGV, 2) } -- strings...
-- end of declarations

local keys = queueKeys(prefix)
local found = {}
local function note(kind, id)
  found[#found + 1] = kind
  found[#found + 1] = id
end

local function isInSet(id)
  for _, set in ipairs(inspectedSets(keys)) do
    if inSet(set[2], id) then
      return true
    end
  end
  return false
end

for _, name in ipairs(names) do
  local deduplicationId = string.match(name, '^de:(.+)$')
  local locked = string.match(name, '^(.+):lock$')
  if deduplicationId then
    local key = deduplicationKey(prefix, deduplicationId)
    local owner = redis.pcall('GET', key)
    if type(owner) == 'string' and redis.call('PTTL', key) == -1 and redis.call('EXISTS', jobKey(prefix, owner)) == 0 then
      note('deduplication', deduplicationId)
    end
  elseif locked and isLocked(prefix, locked) then
    if countInList(active, locked) == 0 then
      note('lock', locked)
    end
  elseif redis.pcall('HEXISTS', jobKey(prefix, name), 'timestamp') == 1 and not isInSet(name) then
    note('job', name)
  end
end
return found
