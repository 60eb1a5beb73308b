-- @include keys events
--- What a handler tells while it runs: progress and log rows.

local function writeProgress(queue, meta, job, note)
  redis.call('HSET', job, 'progress', note.progress)
  emitTrimmed(queue, meta, 'progress', 'jobId', note.id, 'data', note.progress)
end

--- Appends rows and keeps the newest `keep` (0: all, as in BullMQ). Returns how many stand.
local function appendLogs(job, rows, keep)
  local logs = logsKey(job)
  local length = redis.call('LLEN', logs)
  for first = 1, #rows, 1000 do
    length = redis.call('RPUSH', logs, unpack(rows, first, math.min(first + 999, #rows)))
  end
  if keep > 0 and length > keep then
    redis.call('LTRIM', logs, -keep, -1)
    length = keep
  end
  return length
end

--- Progress and rows that come with the end of a hold, each if there is any. `notes` is { id, progress, logs, keep }.
local function writeNotes(queue, meta, job, notes)
  if notes.progress then
    writeProgress(queue, meta, job, notes)
  end
  if notes.logs and #notes.logs > 0 then
    appendLogs(job, notes.logs, notes.keep)
  end
end
