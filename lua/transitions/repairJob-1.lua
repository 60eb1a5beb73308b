--- Mends what is wrong with one id, if it still is: in two places, without a job, a job in no place, a lock without an
--- active job, an active job without a lock (marked for the next stalled sweep), an entry that is no id.
-- @include facts gate places events time sound fields
-- @returns what was done, in a word or two; '' when nothing is wrong

local meta = KEYS[1] -- hash
local prefix = ARGV[1] -- string
local id = ARGV[2] -- string
local fault = ARGV[3] -- string
local seen = ARGV[4] -- string when the run began that was seen without a lock
local now = ARGV[5] -- ms
-- end of declarations

local keys = queueKeys(prefix)
local trouble = unsoundPlaces(keys) or unsound({
  'ZCARD', keys.completed, 'ZCARD', keys.failed, 'ZCARD', keys.waitingChildren, 'SCARD', keys.stalled,
})
if trouble then
  return trouble
end
local settings = readMeta({ meta = meta })
local job = jobKey(prefix, id)
local kind = kindOf(prefix, id)
local places = heldIn(keys, id)
local locked = isLocked(prefix, id)

local function isIn(name)
  for _, place in ipairs(places) do
    if place[1] == name then
      return true
    end
  end
  return false
end

local function takeFrom(name, count)
  if name == 'wait' or name == 'paused' or name == 'active' then
    redis.call('LREM', prefix .. name, count, id)
  else
    redis.call('ZREM', prefix .. name, id)
  end
end

--- What the hash says of where the job belongs.
local function belongsIn()
  local values = redis.call('HMGET', job, 'finishedOn', 'returnvalue', 'failedReason', 'timestamp', 'delay', 'priority')
  local finishedOn, delay = finite(values[1]), finite(values[5], 0)
  local due = finite(values[4], 0) + delay
  if locked then
    return 'active'
  elseif finishedOn then
    return values[3] and not values[2] and 'failed' or 'completed', finishedOn
  elseif redis.pcall('SCARD', dependenciesKey(job)) ~= 0 then
    return 'waiting-children'
  elseif delay > 0 and due > resolveNow(now) then
    return 'delayed', due
  end
  return finite(values[6], 0) > 0 and 'prioritized' or 'wait', finite(values[6], 0)
end

--- The place that stays: where the job belongs, else the one from which it runs soonest. An active one without a lock
--- would come back a second time.
local function whichStays()
  local wanted = belongsIn()
  if isIn(wanted) then
    return wanted
  end
  for _, name in ipairs({ 'completed', 'failed', 'wait', 'paused', 'prioritized', 'delayed', 'waiting-children' }) do
    if isIn(name) then
      return name
    end
  end
  return 'active'
end

local function keepOnePlace()
  local stays = whichStays()
  for _, place in ipairs(places) do
    if place[1] ~= stays then
      takeFrom(place[1], 0)
    elseif place[2] > 1 then
      -- From the head: the entry that is next to run stays.
      takeFrom(place[1], place[2] - 1)
    end
  end
  return 'stays in ' .. stays
end

--- Puts a job that is nowhere where its hash says.
local function putBack()
  local place, score = belongsIn()
  if place == 'active' then
    redis.call('LPUSH', keys.active, id)
  elseif place == 'completed' or place == 'failed' then
    redis.call('ZADD', prefix .. place, score, id)
  elseif place == 'waiting-children' then
    redis.call('ZADD', keys.waitingChildren, resolveNow(now), id)
  elseif place == 'delayed' then
    delayUntil(keys, settings, id, score)
    wakeAtNextDue(keys)
  else
    enqueue(keys, settings, id, { priority = score })
    wakeWorkers(keys, settings)
    emit(keys, 'waiting', 'jobId', id)
  end
  return 'put back into ' .. place
end

local function drop()
  for _, place in ipairs(places) do
    takeFrom(place[1], 0)
  end
  redis.call('SREM', keys.stalled, id)
  wakeForFreedSlot(keys, settings)
  return 'removed the id'
end

local total = 0
for _, place in ipairs(places) do
  total = total + place[2]
end

if fault == 'two-places' and kind == 'job' and total > 1 then
  return keepOnePlace()
elseif (fault == 'ghost' or fault == 'marker-entry') and kind ~= 'job' and total > 0 and not locked then
  return drop()
elseif fault == 'orphan' and kind == 'job' and total == 0 then
  return putBack()
elseif fault == 'stray-lock' and locked and not isIn('active') then
  redis.call('DEL', lockKey(job))
  return 'removed the lock'
elseif fault == 'unleased' and kind == 'job' and total == 1 and isIn('active') and not locked then
  local began = redis.pcall('HGET', job, 'processedOn')
  if (type(began) == 'string' and began or '') == seen then
    redis.call('SADD', keys.stalled, id)
    return 'left to the stalled sweep'
  end
end
return ''
