--- Places from which the next fetch takes a job: the list `wait`, and behind it the set `prioritized`.

--- Lower runs first: the priority class, then arrival. A class holds 2^32 arrivals; 2097151 classes stay below 2^53.
local function prioritizedScore(queue, priority)
  local arrival = redis.call('INCR', queue.pc)
  return priority * 4294967296 + arrival % 4294967296
end

--- Puts a job where its priority says. `toFront`: it runs next among its equals.
local function enqueue(queue, id, priority, toFront)
  if priority == 0 then
    redis.call(toFront and 'RPUSH' or 'LPUSH', queue.wait, id)
  elseif toFront then
    redis.call('ZADD', queue.prioritized, priority * 4294967296, id)
  else
    redis.call('ZADD', queue.prioritized, prioritizedScore(queue, priority), id)
  end
end
