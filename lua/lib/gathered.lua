-- @include keys gate
--- What the moves of a batch share: `queue.gathered` holds what was read ahead for all of them, and what is written for
--- all of them in one command each. A script of one move has none of it: there everything is read and written at once.

--- Begins a batch in which the runs of `ids` end. Whoever may reach another job of the batch calls settle first: then
--- each move sees what the moves before it have done.
local function gather(queue, prefix, ids)
  local gathered = { owners = {}, childless = false, ended = {}, locks = {}, left = {}, finished = {}, bytes = 0 }
  queue.gathered = gathered
  if #ids == 0 then
    return gathered
  end
  local locks, children = {}, {}
  for i, id in ipairs(ids) do
    local job = jobKey(prefix, id)
    locks[i] = lockKey(job)
    children[2 * i - 1], children[2 * i] = dependenciesKey(job), failedChildrenKey(job)
  end
  -- What is gathered is written last, so it must be known now that it can be. Of the sets of finished jobs each move asks.
  redis.call('SCARD', queue.stalled)
  local owners = redis.call('MGET', unpack(locks))
  for i, id in ipairs(ids) do
    gathered.owners[id] = owners[i]
  end
  gathered.childless = redis.call('EXISTS', unpack(children)) == 0
  -- Short jobs end in the order in which they began, so theirs is the old end; in a long list only what is new is short.
  gathered.fromOldEnd = redis.call('LLEN', queue.active) <= 200
  return gathered
end

--- Writes the finished ones, for whoever looks at the sets of finished jobs.
local function settleFinished(queue)
  local gathered = queue.gathered
  for set, members in pairs(gathered and gathered.finished or {}) do
    redis.call('ZADD', set, unpack(members))
    gathered.finished[set] = nil
  end
end

--- Writes all that was gathered and forgets what was read ahead.
local function settle(queue)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners, gathered.childless = {}, false
  if #gathered.ended > 0 then
    redis.call('DEL', unpack(gathered.locks))
    redis.call('SREM', queue.stalled, unpack(gathered.ended))
    gathered.locks, gathered.ended, gathered.left = {}, {}, {}
  end
  settleFinished(queue)
  if gathered.wakes then
    setMarker(queue, '0', '0')
    gathered.wakes = false
  end
end

--- The token in the lock of a job, read ahead if it was. What follows on the same job reads anew.
local function ownerOf(queue, id, job)
  local gathered = queue.gathered
  local owner = gathered and gathered.owners[id]
  if owner == nil then
    settle(queue)
    return redis.pcall('GET', lockKey(job))
  end
  gathered.owners[id] = nil
  return owner
end

--- The lock of a job whose run has ended goes, and its mark of the stalled check.
local function freeLock(gathered, id, job)
  gathered.locks[#gathered.locks + 1] = lockKey(job)
  gathered.ended[#gathered.ended + 1] = id
  gathered.left[id] = true
end

--- The job gets a lock: one that its last run had goes first, and what was read of it no longer holds.
local function expectLock(queue, id)
  local gathered = queue.gathered
  if not gathered then
    return
  end
  gathered.owners[id] = nil
  if gathered.left[id] then
    settle(queue)
  end
end

--- The job is among the finished ones.
local function addFinished(queue, set, id, now)
  local gathered = queue.gathered
  if not gathered then
    redis.call('ZADD', set, now, id)
    return
  end
  local members = gathered.finished[set] or {}
  members[#members + 1], members[#members + 2] = now, id
  gathered.finished[set] = members
end
