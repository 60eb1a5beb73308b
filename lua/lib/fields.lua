--- The short names of BullMQ's job hash and options, spelt out. No other Lua file knows them.
local FIELD = {
  attemptsMade = 'atm',
  attemptsStarted = 'ats',
  stalledCount = 'stc',
  deduplicationId = 'deid',
  processedBy = 'pb',
  schedulerId = 'rjk',
  deferredFailure = 'defa',
}

--- A parent's policy for a failed child, as flags in the child's `parent` field.
local POLICY = {
  failParent = 'fpof',
  continueParent = 'cpof',
  ignoreDependency = 'idof',
  removeDependency = 'rdof',
}

--- Options of the job that a transition reads.
local OPTION = {
  keepLogs = 'kl',
}
