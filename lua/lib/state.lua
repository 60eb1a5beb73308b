--- Where a job stands, as users see it: one of the locations' states, or 'unknown' in none. `queue` holds all locations.
local function stateOf(queue, jobId)
  local sets = {
    { 'completed', queue.completed }, { 'failed', queue.failed }, { 'delayed', queue.delayed },
    { 'prioritized', queue.prioritized },
  }
  for _, set in ipairs(sets) do
    if redis.call('ZSCORE', set[2], jobId) then
      return set[1]
    end
  end
  local lists = { { 'active', queue.active }, { 'waiting', queue.wait }, { 'waiting', queue.paused } }
  for _, list in ipairs(lists) do
    if redis.call('LPOS', list[2], jobId) then
      return list[1]
    end
  end
  if redis.call('ZSCORE', queue.waitingChildren, jobId) then
    return 'waiting-children'
  end
  return 'unknown'
end
