-- @include reject receipt events nextJob
--- A fetch with the receipt that its request may leave: the same for one fetch and for a batch.

--- `worker` is as for fetchNext, with receipt. Returns a rejection, or what fetchNext returns, with 'replay' behind it
--- where another call of the same request has taken jobs.
local function takeJob(queue, meta, worker)
  if worker.token == '' or worker.token == '0' then
    return REJECT.LOCK_NOT_OWNED
  end
  local receipt = worker.receipt
  local known = findReceipt(receipt)
  if type(known) == 'number' then
    return known
  elseif known and known[4] ~= receipt.call then
    return { 0, 0, 0, 0, 'replay' }
  end
  -- A write that needs no memory comes first: on a full store the script then runs to its end. It tells as well whether
  -- `events` is a stream.
  trimEvents(queue, meta)
  local next = fetchNext(queue, meta, worker)
  if next.err then
    return next
  end
  if receipt and next[2] ~= 0 then
    if not known then
      writeReceipt(receipt, receipt.call)
    end
    redis.call('HSET', receipt.key, 'job:' .. receipt.index, cjson.encode({ next[2], worker.token }))
  end
  return next
end
