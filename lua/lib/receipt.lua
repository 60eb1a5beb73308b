-- @include reject
--- Receipts: what a request that may come again has brought. A receipt is one field of a hash of our own, JSON text
--- [format, digest of the request's body, how often it was answered again, answer…]. `receipt` is { key, field, digest,
--- ttl, whole, acked }: `ttl` counts in ms from the last write, `whole` says that the hash belongs to this request alone,
--- whose body all its fields share, `acked` names fields that nobody will ask for again.

local RECEIPT_FORMAT = 1

--- What stands in a field, or nil. What this version cannot read is like another body: it is not carried out again.
local function readReceipt(text)
  if not text then
    return nil
  end
  local ok, receipt = pcall(cjson.decode, text)
  if not ok or type(receipt) ~= 'table' or receipt[1] ~= RECEIPT_FORMAT then
    return { 0, '', 0 }
  end
  return receipt
end

--- The receipt of a request that was carried out before, a rejection if that had another body, or nil for a new one.
local function findReceipt(receipt)
  if not receipt then
    return nil
  end
  local found = redis.call('HMGET', receipt.key, receipt.field, 'body')
  local known = readReceipt(found[1])
  if (known and known[2] ~= receipt.digest) or (receipt.whole and found[2] and found[2] ~= receipt.digest) then
    return REJECT.REQUEST_ID_REUSED
  end
  return known
end

--- Writes the receipt of a new request. The caller has found none, so that the key is known to be a hash.
local function writeReceipt(receipt, ...)
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  redis.call('HSET', receipt.key, receipt.field, cjson.encode({ RECEIPT_FORMAT, receipt.digest, 0, ... }))
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  redis.call('PEXPIRE', receipt.key, receipt.ttl)
end

--- The reply to a request that was carried out before, { 1, its answer }, a rejection, or nil for a new one.
local function replayed(receipt)
  local known = findReceipt(receipt)
  if type(known) == 'table' then
    return { 1, known[4] }
  end
  return known
end

--- Keeps an answer for the next time, if there is a receipt to keep it in, and returns it.
local function remembered(receipt, answer)
  if receipt then
    writeReceipt(receipt, answer)
  end
  return answer
end
