--- A transition is all or nothing. That a key holds another kind of value Redis tells only at a command, which may be in
--- the middle; so the keys that a script will write are looked at before its first write, unless that very write is the
--- look.

--- Keys that were looked at and hold what they should: what a script writes does not change their kind.
local known = {}

--- The error of the first key that holds something else, or nil. `asked` is { command, key, command, key… }, the commands
--- those that cost least of all that look at the kind: LLEN, SCARD, ZCARD, HLEN, XLEN, STRLEN.
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

--- The same for a counter: what is no whole number cannot be counted on.
local function uncountable(counter)
  local value = redis.pcall('GET', counter)
  if type(value) == 'table' then
    return redis.error_reply(value.err .. ' (' .. counter .. ')')
  elseif value and not string.match(value, '^%-?%d%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?%d?$') then
    return redis.error_reply('WRONGTYPE no number to count on (' .. counter .. ')')
  end
  return nil
end
