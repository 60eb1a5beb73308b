import { drop, type Mutant, mutant, never } from './mutant.js';
import { MUTANTS_OF_PLAIN_MOVES } from './mutants-of-plain-moves.js';
import { MUTANTS_OF_WAITING_RUNS } from './mutants-of-waiting-runs.js';

export type { Mutant } from './mutant.js';

/** Every kind of fault that the checks must notice. Each text stands in some script, else it is no mutant. */
export const MUTANTS: readonly Mutant[] = [
  never(
    'any token',
    'whoever comes with a token owns the job',
    "owner ~= token or token == '' or token == '0'",
  ),
  mutant(
    'no wake at add',
    'a new job waits and no marker tells of it',
    'toFront = priority == 0 and job.lifo })\n  wakeWorkers(queue, meta)',
    'toFront = priority == 0 and job.lifo })',
  ),
  mutant(
    'no wake at take',
    'one worker is woken, the rest sleeps beside waiting jobs',
    "redis.call('HSET', job, unpack(fields))\n  wakeOne(queue)",
    "redis.call('HSET', job, unpack(fields))",
  ),
  mutant(
    'no wake at a freed slot',
    'the gate opens and nobody learns of it',
    'if hasWork(queue) then\n        wakeWorkers',
    'if false then\n        wakeWorkers',
  ),
  mutant(
    'no wake when due',
    'nobody is told when the first delayed job is due',
    'if first[2] then\n    setMarker',
    'if false then\n    setMarker',
  ),
  mutant(
    'marked for ever',
    'an ended job stays marked as perhaps stalled',
    "local marked = redis.call('SREM', queue.stalled, id)",
    'local marked = 0',
  ),
  mutant(
    'double push',
    'a retried job is put into its place twice',
    'enqueue(queue, meta, failed.id, { priority = stored.priority, toFront = toFront })',
    'for _ = 1, 2 do enqueue(queue, meta, failed.id, { priority = stored.priority, toFront = toFront }) end',
  ),
  mutant(
    'no event',
    'an end is announced to nobody',
    'emit(queue, finished.target,',
    "emit({ events = 'nowhere' }, finished.target,",
  ),
  never(
    'deduplication for ever',
    'an ended job keeps its deduplication id',
    "ttl == 0 or (ttl == -1 and redis.pcall('GET', key) == id)",
  ),
  never(
    'child not counted',
    'a completed child stays pending',
    "redis.call('SREM', parent.key .. ':dependencies', child) == 1",
  ),
  mutant(
    'parent not released',
    'the last child has ended and its parent waits on',
    "if redis.call('SCARD', parent.key .. ':dependencies') == 0 then\n    releaseParent",
    'if false then\n    releaseParent',
  ),
  mutant(
    'wrong end of the list',
    'new jobs go to the front, those given back to the back',
    "toFront and 'RPUSH' or 'LPUSH'",
    "toFront and 'LPUSH' or 'RPUSH'",
  ),
  drop('lock stays', 'an ended job keeps its lock', "    redis.call('DEL', job .. ':lock')\n"),
  mutant(
    'stays active',
    'an ended job stays in active',
    "local left = redis.pcall('LREM', queue.active, 1, id)",
    'local left = 1',
  ),
  mutant(
    'sweep takes all',
    'a sweep takes jobs from those who hold them',
    "if marked[id] and redis.call('EXISTS', prefix .. id .. ':lock') == 0 then",
    'if marked[id] then',
  ),
  drop(
    'sweep loses',
    'a recovered job is put nowhere',
    "    redis.call('RPUSH', waitingList(queue, meta), id)\n",
  ),
  mutant(
    'one stall more',
    'a job survives one stall more than it may',
    'stalls > maxStalledCount',
    'stalls > maxStalledCount + 1',
  ),
  mutant(
    'attempt not counted',
    'a failed attempt leaves the budget as it was',
    "'atm', stored.attemptsMade + 1, 'failedReason'",
    "'atm', stored.attemptsMade, 'failedReason'",
  ),
  mutant(
    'one attempt more',
    'a job runs once more than its budget',
    'made >= finite(options.attempts, 0)',
    'made > finite(options.attempts, 0)',
  ),
  mutant(
    'one slot more',
    'the global concurrency is exceeded by one',
    "redis.call('LLEN', queue.active) >= meta.concurrency",
    "redis.call('LLEN', queue.active) > meta.concurrency",
  ),
  mutant(
    'pause ignored',
    'a paused queue hands jobs out',
    'if meta.paused then\n    return true',
    'if false then\n    return true',
  ),
  never(
    'limit not counted',
    'the rate limit never fills',
    "run.max and redis.call('INCR', queue.limiter) == 1",
  ),
  mutant(
    'too early',
    'delayed jobs run up to a second before they are due',
    '(now + 1) * 4096 - 1',
    '(now + 1000) * 4096 - 1',
  ),
  mutant(
    'priority lost',
    'a delayed job forgets its priority when it is due',
    'local priority = finite(found[1], 0)',
    'local priority = 0',
  ),
  mutant(
    'priority ignored',
    'prioritized jobs run in the order of arrival',
    'return priority * 4294967296 + arrival % 4294967296',
    'return arrival',
  ),
  drop(
    'removed and locked',
    'a removed job leaves its lock',
    "  redis.call('DEL', member.key .. ':lock')\n",
  ),
  drop(
    'parent does not fail',
    'a child that must fail its parent only releases it',
    "  redis.call('HSET', parent.key, 'defa', 'child ' .. child .. ' failed')\n",
  ),
  mutant(
    'parent does not continue',
    'a failed child does not release the parent that goes on without it',
    "parent.key .. ':failed', child, reason)\n    releaseParent(parent, now)",
    "parent.key .. ':failed', child, reason)",
  ),
  mutant(
    'kept although unwanted',
    'a job that must go at its end stays',
    'if finished.keep.count == 0 then',
    'if false then',
  ),
  mutant(
    'keeps one more',
    'retention by count keeps one more',
    "'ZREVRANGE', set, keep.count, keep",
    "'ZREVRANGE', set, keep.count + 1, keep",
  ),
  mutant(
    'id taken twice',
    'a second job of an id overwrites the first',
    "local stands = job.customId and job.customId ~= '' and redis.call('EXISTS', prefix .. id) == 1",
    'local stands = false',
  ),
  mutant(
    'one job more',
    'a queue takes one job more than it may',
    'if known.depth >= meta.maxJobs then',
    'if known.depth > meta.maxJobs then',
  ),
  mutant(
    'request twice',
    'an add that comes again adds again',
    "if type(known) == 'table' then\n    return { 1, known[4] }",
    'if false then\n    return { 1, known[4] }',
  ),
  drop(
    'batch leaves locks',
    'jobs that end in a batch keep their locks',
    "    redis.call('DEL', unpack(gathered.locks))\n",
  ),
  mutant(
    'batch leaves it active',
    'a job that ends in a batch stays in active',
    "local left = redis.pcall('LREM', queue.active, gathered.fromOldEnd and -1 or 1, id)",
    'local left = 1',
  ),
  drop(
    'renewed and marked',
    'a renewed lease leaves the job marked as perhaps stalled',
    "    redis.call('SREM', queue.stalled, lease.id)\n",
  ),
  mutant(
    'cancel unheard',
    'a request to cancel is forgotten',
    "return request ~= false and request == (processedOn or '')",
    'return false',
  ),
  mutant(
    'kept add lost',
    'the add that waited for its owner never comes',
    "  redis.call('DEL', kept)\n  if values[4] and",
    "  redis.call('DEL', kept)\n  if true then return end\n  if values[4] and",
  ),
  mutant(
    'no count',
    'finished jobs are not counted',
    'if finished.maxMetricsSize and finished.maxMetricsSize > 0 then',
    'if false then',
  ),
  mutant(
    'taken and waiting',
    'a job is handed out and stays where it waited',
    "('RPOPLPUSH', queue.wait, queue.active)",
    "('LINDEX', queue.wait, -1)",
  ),
  drop(
    'taken without a lock',
    'a job is handed out without a lock',
    "  redis.call('SET', job .. ':lock', worker.token, 'PX', worker.lockDuration)\n",
  ),
  ...MUTANTS_OF_PLAIN_MOVES,
  ...MUTANTS_OF_WAITING_RUNS,
];
