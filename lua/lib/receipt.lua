-- @include reject receiptTray
--- Receipts: what a request that may come again has brought. A receipt is JSON text, [format, digest of the request's
--- body, how often it was answered again, answer…], in a field of a hash, or alone as a string. `receipt` is { key, field,
--- digest, ttl, whole, acked }: `ttl` counts in ms from the last write, `whole` says that all fields of the hash are of one
--- request and so of one body, `acked` names fields that nobody will ask for again. In a batch a `tray` stands between
--- the receipt and its hash. A receipt with a `seq` stands in a slot: its caller, who alone uses that hash, has got the
--- answers to all that had a lower number there. So there is one receipt per call under way, "NUMBER ANSWER". A receipt
--- with `slot` stands in one too, and its digest is its number: another digest there is that of an earlier call. Nobody looks
--- for a `fresh` one: it is the first attempt of its call. `said`: the life of the hash was said not long ago, so it is said
--- again only if the hash is found to have lost what stood there.

local RECEIPT_FORMAT = 1

--- What stands there, or nil. What this version cannot read is like another body: it is not carried out again.
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
  if not ok or type(known) ~= 'table' or known[1] ~= RECEIPT_FORMAT then
    return { 0, '', 0 }
  end
  return known
end

--- Writes a receipt that the caller has looked for: what stands there is known to be one.
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

--- The answer that stands in a slot as { 0, '', 0, answer }, a rejection where a later call has been there, or nil.
local function readSlot(text, seq)
  local number = text and tonumber(string.match(text, '^(%d+) '))
  if not number or number < seq then
    return nil
  elseif number > seq then
    return REJECT.REQUEST_ID_REUSED
  end
  return { 0, '', 0, cjson.decode('[' .. string.match(text, '^%d+ (.*)$') .. ']')[1] }
end

local function slotText(seq, answer)
  return string.format('%.0f ', seq) .. (type(answer) == 'table' and cjson.encode(answer) or '"' .. answer .. '"')
end

--- The body that the parts of a request have in common, as far as one is written.
local function bodyOf(receipt)
  if receipt.tray then
    return receipt.tray.known.body
  end
  return redis.call('HGET', receipt.key, 'body')
end

--- The receipt of a request that was carried out before, a rejection if that had another body, or nil for a new one.
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
    return REJECT.REQUEST_ID_REUSED
  end
  return known
end

--- Writes the receipt of a new request.
local function writeReceipt(receipt, ...)
  if receipt.tray then
    if receipt.whole then
      putReceipt(receipt.tray, 'body', receipt.digest)
    end
    storeReceipt(receipt, { RECEIPT_FORMAT, receipt.digest, 0, ... })
    return
  end
  if receipt.acked and #receipt.acked > 0 then
    redis.call('HDEL', receipt.key, unpack(receipt.acked))
  end
  if receipt.whole then
    redis.call('HSET', receipt.key, 'body', receipt.digest)
  end
  storeReceipt(receipt, { RECEIPT_FORMAT, receipt.digest, 0, ... })
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
  if receipt and receipt.seq then
    if redis.call('HSET', receipt.key, receipt.field, slotText(receipt.seq, answer)) > 0 or not receipt.said then
      redis.call('PEXPIRE', receipt.key, receipt.ttl)
    end
  elseif receipt then
    writeReceipt(receipt, answer)
  end
  return answer
end
