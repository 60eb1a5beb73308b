-- pause-3
local function emit(queue, name, ...)
  redis.call('XADD', queue.events, '*', 'event', name, ...)
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
