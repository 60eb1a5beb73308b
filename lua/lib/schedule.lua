-- @include places
--- Job schedulers: a record, its due time in the set `repeat`, and the one run that is made ahead.

--- The slot after `now` of a schedule every `every` ms, shifted by `offset`.
local function slotAfter(now, every, offset)
  local slot = math.floor(now / every) * every + offset
  return slot <= now and slot + every or slot
end

--- Due time of the next run and the offset of the schedule's slots. `previous` is the last due time or nil.
local function nextEvery(schedule, previous, now)
  local every, offset = schedule.every, schedule.offset or 0
  local due
  if previous then
    due = previous + every
    if due < now then
      due = slotAfter(now, every, offset)
    end
  elseif schedule.startDate then
    due = math.max(schedule.startDate, now)
  elseif offset > 0 then
    due = slotAfter(now, every, offset)
  else
    due = now
  end
  return due, offset > 0 and offset or due % every
end

local function runId(schedulerId, due)
  return string.format('repeat:%s:%.0f', schedulerId, due)
end

--- A run's options as JSON text. `run` is { head, repeatHead, jsonId, due, now, count, offset, previous }: `head` the
--- template's members and `repeatHead` the schedule's, each as JSON without braces, `jsonId` the scheduler's id escaped.
local function runOptions(run)
  local parts = {}
  local function add(format, ...)
    parts[#parts + 1] = string.format(format, ...)
  end
  local repeated = run.repeatHead .. string.format(',"count":%d', run.count)
  if run.offset and run.offset > 0 then
    repeated = repeated .. string.format(',"offset":%.0f', run.offset)
  end
  if run.head ~= '' then
    parts[1] = run.head
  end
  add('"repeat":{%s}', repeated)
  add('"jobId":"repeat:%s:%.0f"', run.jsonId, run.due)
  add('"delay":%.0f', math.max(0, run.due - run.now))
  add('"timestamp":%.0f', run.now)
  add('"repeatJobKey":"%s"', run.jsonId)
  if run.previous then
    add('"prevMillis":%.0f', run.due)
  end
  return '{' .. table.concat(parts, ',') .. '}'
end

--- Stores a run and puts it where its due time says. Returns its id and delay.
local function addRun(queue, meta, prefix, run)
  redis.call('INCR', queue.id)
  local id = runId(run.schedulerId, run.due)
  local delay = math.max(0, run.due - run.now)
  local job = {
    name = run.name, data = run.data, opts = runOptions(run), timestamp = run.now, delay = delay,
    priority = run.priority, schedulerId = run.schedulerId,
  }
  storeJob(queue, prefix, id, job)
  placeJob(queue, meta, id, job)
  return id, delay
end
