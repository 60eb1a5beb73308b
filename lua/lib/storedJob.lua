-- @include fields keys
--- Whether the run that began at `processedOn` is to be cancelled. The request names its run: one that the run's holder
--- did not know of harms no later run.
local function isCancelled(request, processedOn)
  return request ~= false and request == (processedOn or '')
end

--- Whether the run of `processedOn` was handed to a worker that has not begun it. The mark names its run, so one that
--- somebody else left behind says nothing of a later run.
local function isUnbegun(mark, processedOn)
  return mark ~= false and mark == processedOn
end

--- What a transition reads of a job that it is about to move, in one call. `nil` when there is no such hash
--- (or something that is no hash stands there: one bad key must not stop a sweep), or it is another key of the queue.
local function readStored(prefix, id)
  local job = jobKey(prefix, id)
  local values = redis.pcall('HMGET', job, 'timestamp', FIELD.attemptsMade, 'opts', 'priority', 'parent', 'parentKey',
    FIELD.deduplicationId, FIELD.stalledCount, 'processedOn', FIELD.cancel, FIELD.unbegun)
  if values.err or (not values[1] and (mayBeKeyName(id) or redis.call('EXISTS', job) == 0)) then
    return nil
  end
  return {
    prefix = prefix,
    attemptsMade = finite(values[2], 0),
    optsText = values[3],
    priority = finite(values[4], 0),
    parentText = values[5],
    parentKey = values[6],
    deduplicationId = values[7],
    stalledCount = finite(values[8], 0),
    processedOn = values[9],
    cancelled = isCancelled(values[10], values[9]),
    marked = values[11] ~= false,
    unbegun = isUnbegun(values[11], values[9]),
  }
end

--- The job's options, decoded once and only when asked for. A text that is no JSON object counts as no options.
local function optionsOf(stored)
  if stored.opts == nil then
    local ok, decoded = pcall(cjson.decode, stored.optsText or '{}')
    stored.opts = ok and type(decoded) == 'table' and decoded or {}
  end
  return stored.opts
end

--- How many log rows the job's options keep; 0 for all.
local function keptLogs(stored)
  return math.floor(finite(optionsOf(stored)[OPTION.keepLogs], 0))
end
