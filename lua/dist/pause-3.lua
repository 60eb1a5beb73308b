-- pause-3
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
end
local function emitTrimmed(queue, meta, name, ...)
  if not meta.maxEvents then
    meta.maxEvents = 10000
    redis.call('HSET', queue.meta, 'opts.maxLenEvents', meta.maxEvents)
  end
  redis.call('XADD', queue.events, 'MAXLEN', '~', meta.maxEvents, '*', 'event', name, ...)
end
local function trimEvents(queue, meta)
  if meta.trimmed then
    return
  end
  meta.trimmed = queue.gathered ~= nil
  redis.call('XTRIM', queue.events, 'MAXLEN', '~', meta.maxEvents or 10000)
end
local known = {}
local function unsound(asked)
  for i = 1, #asked, 2 do
    local key = asked[i + 1]
    local reply = known[key] or redis.pcall(asked[i], key)
    if type(reply) == 'table' then
      return redis.error_reply(reply.err .. ' (' .. key .. ')')
    end
    known[key] = true
  end
  return nil
end
local function uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end

local queue = {
  meta = KEYS[1], -- hash
  marker = KEYS[2], -- set that wakes a blocked fetch
  events = KEYS[3], -- stream
}
-- end of declarations

local trouble = unsound({ 'HLEN', queue.meta, 'XLEN', queue.events })
if trouble then
  return trouble
end

-- The deletion comes first: a full store refuses a script that begins with a write that needs memory.
redis.call('DEL', queue.marker)
redis.call('HSET', queue.meta, 'paused', 1)
emit(queue, 'paused')
return 0
