import { drop, type Mutant, mutant } from './mutant.js';

/**
 * Faults of the fast path of ordinary moves: whatever the long path does for any move, it must do for these.
 * That it puts the next job back where the end is refused after all, hands out no job that is to be cancelled, and alone
 * takes the mark of the stalled check away and keeps its receipt, no sequence reaches: packages/core/test/plain-moves.test.ts.
 */
export const MUTANTS_OF_PLAIN_MOVES: readonly Mutant[] = [
  mutant(
    'plain: any token',
    'whoever comes with a token ends an ordinary run',
    "gathered.owners[id] ~= token or token == '' or token == '0' or",
    '',
  ),
  mutant(
    'plain: no wake at take',
    'one worker is woken by an ordinary take, the rest sleeps beside waiting jobs',
    "redis.call('HSET', job, 'processedOn', now, 'ats', started)\n  end\n  wakeOne(queue)",
    "redis.call('HSET', job, 'processedOn', now, 'ats', started)\n  end",
  ),
  drop(
    'gathered marks stay',
    'jobs that end in a batch stay marked as perhaps stalled',
    "    redis.call('SREM', queue.stalled, unpack(gathered.ended))\n",
  ),
  drop(
    'plain: lock and mark stay',
    'an ordinary run ends and its lock and its mark stay',
    '  gathered.owners[id] = nil\n  freeLock(gathered, id, job)\n',
  ),
  mutant(
    'plain: stays active',
    'an ordinary run ends and its job stays in active',
    "if redis.pcall('LREM', queue.active, gathered.fromOldEnd and '-1' or '1', id) ~= 1 then",
    'if false then',
  ),
  mutant(
    'plain: double push',
    'an ordinary job is put into active twice',
    'local stored = plainJob(prefix, id)',
    "redis.call('LPUSH', queue.active, id)\n  local stored = plainJob(prefix, id)",
  ),
  mutant(
    'plain: put back to the wrong end',
    'a job that takes more than the fast path goes behind all others',
    "gathered.owners[id] ~= nil)) then\n    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'RIGHT')",
    "gathered.owners[id] ~= nil)) then\n    redis.call('LMOVE', queue.active, queue.wait, 'LEFT', 'LEFT')",
  ),
  mutant(
    'plain: no receipt',
    'the answer of an ordinary move is not kept for its repetition',
    "return '[1,\"' .. digest",
    "return '[0,\"' .. digest",
  ),
  drop(
    'plain: no event of an end',
    'an ordinary end is announced to nobody',
    "  redis.call('XADD', queue.events, '*', 'event', 'completed', 'jobId', id, 'returnvalue', value, 'prev', 'active')\n",
  ),
  drop(
    'plain: no event of a start',
    'an ordinary start is announced to nobody',
    "  redis.call('XADD', queue.events, '*', 'event', 'active', 'jobId', id, 'prev', 'waiting')\n",
  ),
  drop(
    'plain: nowhere',
    'an ordinary run ends and its job is put nowhere',
    '  addFinished(queue, queue.completed, id, now)\n',
  ),
  drop(
    'plain: taken without a lock',
    'an ordinary job is handed out without a lock',
    "  redis.call('SET', job .. ':lock', batch.token, 'PX', batch.lockText or terms.lockText)\n",
  ),
  mutant(
    'plain: gate ignored',
    'ordinary moves fetch from a queue that is paused or full',
    'local open = not (meta.paused or meta.concurrency or meta.max)',
    'local open = true',
  ),
  mutant(
    'plain: due jobs wait',
    'ordinary moves pass over what is due',
    "and #redis.call('ZRANGEBYSCORE', queue.delayed, '0', string.format('%.0f', (now + 1) * 4096 - 1), 'LIMIT', '0', '1') == 0",
    '',
  ),
  mutant(
    'plain: limit ignored',
    'ordinary moves fetch although the limit is reached',
    "and not redis.call('GET', queue.limiter)",
    '',
  ),
  mutant(
    'plain: priority forgotten',
    'nothing waits for an ordinary move while prioritized jobs do',
    "local none = redis.pcall('ZCARD', queue.prioritized) == 0",
    'local none = true',
  ),
  mutant(
    'plain: children forgotten',
    'a parent ends by the fast path while children are pending or have failed',
    'if not gathered.childless or ',
    'if ',
  ),
  mutant(
    'plain: cancel unheard',
    'a run that is to be cancelled completes by the fast path',
    'or stored[4] or stored[5] or stored[6]\n',
    'or stored[4] or stored[5]\n',
  ),
  mutant(
    'plain: deduplication for ever',
    'a job with a deduplication id ends by the fast path and keeps it',
    'or stored[4] or stored[5] or stored[6]\n',
    'or stored[4] or stored[6]\n',
  ),
  mutant(
    'plain: parent not told',
    'a child ends by the fast path and its parent waits on',
    'or stored[3] or stored[4] or stored[5]',
    'or stored[5]',
  ),
  mutant(
    'plain: kept although unwanted',
    'a job that must go at its end stays by the fast path',
    "\n    or string.find(stored[1], 'removeOnComplete', 1, true)",
    '',
  ),
  mutant(
    'plain: deferred failure runs',
    'a job that is to fail is handed out by the fast path',
    "and not stored['defa'] and not stored['echomq.cancel']",
    "and not stored['echomq.cancel']",
  ),
  mutant(
    'plain: attempt not counted',
    'an ordinary end is not counted as an attempt',
    'made = made and made + 1',
    'made = made',
  ),
  mutant(
    'plain: start not counted',
    'an ordinary start is not counted',
    "countText(finite(started, 0) + 1) or '1'",
    "countText(finite(started, 0)) or '0'",
  ),
  mutant(
    'plain: drained unsaid',
    'the last ordinary end does not say that the queue is empty',
    'if id and not nextId and due == 0 and isEmpty(queue) then',
    'if false then',
  ),
  mutant(
    'plain: due unsaid',
    'who fetches by the fast path is not told when the next job is due',
    "redis.call('DEL', queue.pc)\n    due = nextDue(queue)",
    "redis.call('DEL', queue.pc)",
  ),
  mutant(
    'alone: any token',
    'whoever comes with a token ends an ordinary run that ends alone',
    "redis.pcall('GET', alone.job .. ':lock') == token",
    'true',
  ),
  mutant(
    'alone: children forgotten',
    'a parent that ends alone ends while children are pending or have failed',
    "and redis.call('EXISTS', alone.job .. ':dependencies', alone.job .. ':unsuccessful') == 0",
    '',
  ),
  mutant(
    'alone: stays active',
    'an ordinary run that ends alone ends and its job stays in active',
    "if redis.pcall('LREM', queue.active, '1', id) == 1 then",
    'if true then',
  ),
  drop(
    'alone: lock stays',
    'an ordinary run that ends alone ends and its lock stays',
    "      redis.call('DEL', alone.job .. ':lock')\n",
  ),
  drop(
    'alone: waiting mark stays',
    'a run that had waited at its worker ends alone and keeps the mark of that',
    "  if mark then\n    redis.call('HDEL', alone.job, 'echomq.unbegun')\n  end\n",
  ),
  mutant(
    'alone: nowhere',
    'an ordinary run that ends alone ends and its job is put nowhere',
    "local added = redis.pcall('ZADD', queue.finished, alone.nowText, id)",
    'local added = 1',
  ),
  mutant(
    'alone: attempt not counted',
    'an ordinary end alone is not counted as an attempt',
    '  made = made + 1\n  if mark',
    '  if mark',
  ),
];
