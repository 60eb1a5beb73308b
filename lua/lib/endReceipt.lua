-- @include receipt heldJob gathered
--- The receipt of a hold's end: its branch, the attempts made, the delay in ms and, if a job was fetched in the same
--- step, that job's id and token.

--- The reply to an end that was carried out before, a rejection, or nil for a new one. The next job comes along while
--- it is still held with the token that it was fetched with: { run or 0, id or 0, 0, 0, branch, attempts made, delay ms,
--- how often it was answered again, token or '' }.
local function replayedRun(queue, prefix, receipt, lockDuration)
  local known = findReceipt(receipt)
  if type(known) ~= 'table' then
    return known
  end
  settle(queue)
  local reply = { 0, 0, 0, 0, known[4], known[5], known[6], known[3], '' }
  local id, token = known[7], known[8]
  local lease = { prefix = prefix, id = id, token = token, lockDuration = lockDuration or 30000 }
  local run = id and heldJob(queue, lease)
  if run then
    known[3] = known[3] + 1
    storeReceipt(receipt, known)
    reply[1], reply[2], reply[8], reply[9] = run, id, known[3], token
  end
  return reply
end

--- The same with the flat fields of the next job.
local function replayedEnd(queue, prefix, receipt, lockDuration)
  return flattened(replayedRun(queue, prefix, receipt, lockDuration))
end

--- Whether an answer was given again more often than `guard`, { key, field, replays, digest }, knows of: its jobs are on
--- their way to somebody then. With a digest the receipt stands in a slot, where another one may stand by now.
local function answeredAgain(guard)
  local known = readReceipt(guard)
  return known ~= nil and (not guard.digest or known[2] == guard.digest) and known[3] ~= guard.replays
end
