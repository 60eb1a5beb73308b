--- Gives the jobs of an earlier fetch again: those that are still held with the tokens that they were fetched with. Never
--- takes others.
-- @include receipt heldJob
-- @rejects REQUEST_ID_REUSED
-- @returns { how often it was answered again, flat fields, id, token, flat fields, id, token… }, or 0 when that fetch has taken nothing

local queue = {
  stalled = KEYS[1], -- set of the stalled check
}
local prefix = ARGV[1] -- string
local lockDuration = tonumber(ARGV[2]) -- int
local receipt = cmsgpack.unpack(ARGV[3]) -- pack { key: string; field: string; digest: string; ttl: number }
-- end of declarations

local known = findReceipt(receipt)
if not known then
  return 0
elseif type(known) == 'number' then
  return known
end

local taken = {}
local fields = redis.call('HGETALL', receipt.key)
for i = 1, #fields, 2 do
  local index = tonumber(string.match(fields[i], '^job:(%d+)$'))
  if index then
    local pair = cjson.decode(fields[i + 1])
    taken[#taken + 1] = { index = index, id = pair[1], token = pair[2] }
  end
end
table.sort(taken, function(a, b)
  return a.index < b.index
end)

local reply = { known[3] }
for _, job in ipairs(taken) do
  local lease = { prefix = prefix, id = job.id, token = job.token, lockDuration = lockDuration }
  local run = heldJob(queue, lease)
  if run then
    reply[#reply + 1] = flatRun(run)
    reply[#reply + 1] = job.id
    reply[#reply + 1] = job.token
  end
end
if #reply > 1 then
  known[3] = known[3] + 1
  reply[1] = known[3]
  storeReceipt(receipt, known)
end
return reply
