-- replayFetch-1
local function putReceipt(tray, field, text)
  tray.known[field] = text
  tray.written[#tray.written + 1], tray.written[#tray.written + 2] = field, text
end
local function readReceipt(receipt)
  local text
  if receipt.tray then
    text = receipt.tray.known[receipt.field]
  elseif receipt.field then
    text = redis.call('HGET', receipt.key, receipt.field)
  else
    text = redis.call('GET', receipt.key)
  end
  if not text then
    return nil
  end
  local ok, known = pcall(cjson.decode, text)
  if not ok or type(known) ~= 'table' or known[1] ~= 1 then
    return { 0, '', 0 }
  end
  return known
end
local function storeReceipt(receipt, known)
  local text = cjson.encode(known)
  if receipt.tray then
    putReceipt(receipt.tray, receipt.field, text)
    return
  end
  if not receipt.field then
    redis.call('SET', receipt.key, text, 'PX', receipt.ttl)
    return
  end
  if redis.call('HSET', receipt.key, receipt.field, text) > 0 or not receipt.said then
    redis.call('PEXPIRE', receipt.key, receipt.ttl)
  end
end
local function readSlot(text, seq)
  local number = text and tonumber(string.match(text, '^(%d+) '))
  if not number or number < seq then
    return nil
  elseif number > seq then
    return -23
  end
  return { 0, '', 0, cjson.decode('[' .. string.match(text, '^%d+ (.*)$') .. ']')[1] }
end
local function bodyOf(receipt)
  if receipt.tray then
    return receipt.tray.known.body
  end
  return redis.call('HGET', receipt.key, 'body')
end
local function findReceipt(receipt)
  if not receipt or receipt.fresh then
    return nil
  end
  if receipt.seq then
    return readSlot(redis.call('HGET', receipt.key, receipt.field), receipt.seq)
  end
  local known = readReceipt(receipt)
  if receipt.slot then
    return known and known[2] == receipt.digest and known or nil
  end
  local body = receipt.whole and bodyOf(receipt)
  if (known and known[2] ~= receipt.digest) or (body and body ~= receipt.digest) then
    return -23
  end
  return known
end
local RUN_FIELDS = { 'name', 'data', 'opts', 'timestamp', 'delay', 'priority', 'atm',
  'ats', 'stc', 'parentKey', 'parent', 'rjk', 'defa',
  'deid', 'progress', 'echomq.cancel' }
local function runOf(values, processedOn, workerName)
  values[#RUN_FIELDS + 1], values[#RUN_FIELDS + 2] = processedOn, workerName or false
  return values
end
local function flatRun(run)
  local reply = { 'processedOn', run[#RUN_FIELDS + 1] }
  if run[#RUN_FIELDS + 2] then
    reply[3], reply[4] = 'pb', run[#RUN_FIELDS + 2]
  end
  for i, field in ipairs(RUN_FIELDS) do
    if run[i] then
      reply[#reply + 1] = field
      reply[#reply + 1] = tostring(run[i])
    end
  end
  return reply
end
local function heldJob(queue, lease)
  local job = lease.prefix .. lease.id
  if redis.call('GET', job .. ':lock') ~= lease.token then
    return nil
  end
  local values = redis.call('HMGET', job, unpack(RUN_FIELDS))
  local activation = redis.call('HMGET', job, 'processedOn', 'pb')
  if not activation[1] then
    return nil
  end
  redis.call('PEXPIRE', job .. ':lock', lease.lockDuration)
  redis.call('SREM', queue.stalled, lease.id)
  return runOf(values, activation[1], activation[2])
end

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
