--- What is true of an id at one instant: whether there is a job, its lock, and every place that holds it. Walks the lists.
-- @include facts
-- @returns { 'job' | 'none' | 'other', when its last run began or '', '1' with a lock else '0', place, how often... }

local job = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local id = ARGV[2] -- string
-- end of declarations

local processedOn = redis.pcall('HGET', job, 'processedOn')
local facts = {
  kindOf(prefix, id), type(processedOn) == 'string' and processedOn or '', isLocked(prefix, id) and '1' or '0',
}
for _, place in ipairs(heldIn(queueKeys(prefix), id)) do
  facts[#facts + 1] = place[1]
  facts[#facts + 1] = place[2]
end
return facts
