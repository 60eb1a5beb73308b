-- addLogs-1
local function tokenRejection(owner, token)
  if not owner then
    return -2
  end
  if owner ~= token or token == '' or token == '0' then
    return -6
  end
  return nil
end
local function lockRejection(job, token)
  return tokenRejection(redis.pcall('GET', job .. ':lock'), token)
end
local function writeRejection(job, token, anyone)
  if anyone == '1' then
    return redis.pcall('HEXISTS', job, 'timestamp') ~= 1 and -1 or nil
  end
  if redis.call('EXISTS', job) == 0 then
    return -1
  end
  return lockRejection(job, token)
end
local function appendLogs(job, rows, keep)
  local logs = job .. ':logs'
  local length = redis.call('LLEN', logs)
  for first = 1, #rows, 1000 do
    length = redis.call('RPUSH', logs, unpack(rows, first, math.min(first + 999, #rows)))
  end
  if keep > 0 and length > keep then
    redis.call('LTRIM', logs, -keep, -1)
    length = keep
  end
  return length
end
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
local function slotText(seq, answer)
  return string.format('%.0f ', seq) .. (type(answer) == 'table' and cjson.encode(answer) or '"' .. answer .. '"')
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
local function writeReceipt(receipt, ...)
  if receipt.tray then
    if receipt.whole then
      putReceipt(receipt.tray, 'body', receipt.digest)
    end
    storeReceipt(receipt, { 1, receipt.digest, 0, ... })
    return
  end
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  storeReceipt(receipt, { 1, receipt.digest, 0, ... })
end
local function replayed(receipt)
  local known = findReceipt(receipt)
  if type(known) == 'table' then
    return { 1, known[4] }
  end
  return known
end
local function remembered(receipt, answer)
  if receipt and receipt.seq then
    if redis.call('HSET', receipt.key, receipt.field, slotText(receipt.seq, answer)) > 0 or not receipt.said then
      redis.call('PEXPIRE', receipt.key, receipt.ttl)
    end
  elseif receipt then
    writeReceipt(receipt, answer)
  end
  return answer
end

local job = KEYS[1] -- hash of the job
local token = ARGV[1] -- string
local keep = tonumber(ARGV[2]) -- int
local rows = cmsgpack.unpack(ARGV[3]) -- pack readonly string[]
local more = ARGV[4] and ARGV[4] ~= '' and cmsgpack.unpack(ARGV[4]) or {} -- pack { receipt?: { key: string; field?: string; digest: string; ttl: number; whole?: boolean; acked?: readonly string[] } | undefined }
local anyone = ARGV[5] -- flag
-- end of declarations

local replay = replayed(more.receipt)
if replay then
  return replay
end
local rejection = writeRejection(job, token, anyone)
if rejection then
  return rejection
end

return remembered(more.receipt, appendLogs(job, rows, keep))
