-- getDependencyCounts-4

local queue = {
  dependencies = KEYS[1], -- set of pending children
  processed = KEYS[2], -- hash of results
  ignored = KEYS[3], -- hash of reasons
  unsuccessful = KEYS[4], -- set of failed children
}
-- end of declarations

return {
  redis.call('SCARD', queue.dependencies),
  redis.call('HLEN', queue.processed),
  redis.call('HLEN', queue.ignored),
  redis.call('ZCARD', queue.unsuccessful),
}
