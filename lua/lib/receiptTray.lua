--- Receipts of a batch that stand in one hash: read in one go before its moves, written in one go after them.

--- `hash` is { key, ttl, said, slot, acked, fields }: `fields` are those of the batch that may stand already.
local function openTray(hash)
  local known = {}
  if #hash.fields > 0 then
    local values = redis.call('HMGET', hash.key, 'body', unpack(hash.fields))
    known.body = values[1]
    for i, field in ipairs(hash.fields) do
      known[field] = values[i + 1]
    end
  end
  return {
    key = hash.key, ttl = hash.ttl, said = hash.said, slot = hash.slot, acked = hash.acked, known = known, written = {},
  }
end

--- What looks for the receipt from now on finds it.
local function putReceipt(tray, field, text)
  tray.known[field] = text
  tray.written[#tray.written + 1], tray.written[#tray.written + 2] = field, text
end

--- Deletes receipts that nobody will ask for again.
local function dropAcked(key, acked)
  for first = 1, #acked, 1000 do
    redis.pcall('HDEL', key, unpack(acked, first, math.min(first + 999, #acked)))
  end
end

--- The moves stand: what cannot be written of their receipts harms nobody who has got the answers.
local function settleTray(tray)
  if #tray.written == 0 then
    return
  end
  if #tray.acked > 0 then
    dropAcked(tray.key, tray.acked)
  end
  if redis.pcall('HSET', tray.key, unpack(tray.written)) ~= 0 or not tray.said then
    redis.pcall('PEXPIRE', tray.key, string.format('%.0f', tray.ttl))
  end
end
