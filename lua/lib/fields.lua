--- The short names of BullMQ's job hash and options, spelt out. No other Lua file knows them.
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
  -- Our own: the `processedOn` of the run that is to be cancelled.
  cancel = 'echomq.cancel',
  -- Our own: the `processedOn` of a run that was only handed out so far: its worker has not begun it.
  unbegun = 'echomq.unbegun',
  -- Our own: the `processedOn` of the last run that a sweep has counted as stalled.
  stalledRun = 'echomq.stalled',
}

--- A parent's policy for a failed child, as flags in the child's `parent` field.
local POLICY = {
  failParent = 'fpof',
  continueParent = 'cpof',
  ignoreDependency = 'idof',
  removeDependency = 'rdof',
}

--- A stored number, or `default` where none stands. What is not finite must reach no score and no count: the script
--- would end in the middle of its writes.
local function finite(value, default)
  local number = tonumber(value)
  if number and number > -math.huge and number < math.huge then
    return number
  end
  return default
end

--- Options of the job that a transition reads.
local OPTION = {
  keepLogs = 'kl',
}
