import { drop, type Mutant, mutant, never } from './mutant.js';

/**
 * Faults of the mark of a run that waits at its worker, of who may be handed a job that had one, and of what is given back
 * after its lock: ADR 0020, ADR 0030.
 */
export const MUTANTS_OF_WAITING_RUNS: readonly Mutant[] = [
  drop(
    'waiting: not marked',
    'a run that is to wait at its worker counts as begun from the start',
    "    fields[#fields + 1], fields[#fields + 2] = 'echomq.unbegun', worker.now\n",
  ),
  mutant(
    'waiting: not marked by the fast path',
    'an ordinary run that is to wait at its worker counts as begun from the start',
    "'ats', started, 'echomq.unbegun', now)",
    "'ats', started)",
  ),
  never('waiting: beginning unheard', 'a run never counts as begun', 'lease.begun'),
  mutant(
    'waiting: begun at each renewal',
    'any renewal makes a run count as begun',
    'if lease.begun then',
    'if true then',
  ),
  mutant(
    'waiting: counts as a stall',
    'a sweep counts a stall for a run that nobody had begun',
    'return mark ~= false and mark == processedOn',
    'return false',
  ),
  mutant(
    'waiting: an old mark counts',
    'a mark that was left behind keeps later stalls from being counted',
    'return mark ~= false and mark == processedOn',
    'return mark ~= false',
  ),
  mutant(
    'waiting: stalls for ever',
    'a sweep leaves the mark of a run that it has counted',
    'if stored.marked and (stored.cancelled or not stored.unbegun) then',
    'if false then',
  ),
  mutant(
    'waiting: given back without its mark',
    'a sweep takes the mark of a run that it has not counted, so that the next one may wait as well',
    'if stored.marked and (stored.cancelled or not stored.unbegun) then',
    'if stored.marked then',
  ),
  never(
    'waiting: handed out to wait again',
    'a job that a sweep has given back unbegun is handed out without a free slot',
    "values and worker.buffered and redis.call('HEXISTS', worker.prefix .. id, 'echomq.unbegun') == 1",
  ),
  mutant(
    'waiting: handed out to wait again by the fast path',
    'the same, by an ordinary move',
    "(buffered and stored['echomq.unbegun']) or ",
    '',
  ),
  mutant(
    'waiting: left and untold',
    'a job is left for a free slot, and nobody who has one is woken',
    'putBack(queue, id, score)\n      wakeWorkers(queue, meta)',
    'putBack(queue, id, score)',
  ),
  drop(
    'waiting: mark stays at an end',
    'a run ends and keeps the mark of having waited',
    "  if stored.marked then\n    redis.call('HDEL', run.job, 'echomq.unbegun')\n  end\n",
  ),
  drop(
    'waiting: mark stays at an end in a batch',
    'an ordinary run ends in a batch and keeps the mark of having waited',
    "  if mark then\n    redis.call('HDEL', batch.prefix .. id, 'echomq.unbegun')\n  end\n",
  ),
  drop(
    'waiting: mark stays of who is put off or parked',
    'a run that is put off or parked keeps the mark of having waited',
    "if stored.marked then\n  redis.call('HDEL', queue.job, 'echomq.unbegun')\nend\n",
  ),
  drop(
    'waiting: mark stays of who is given back',
    'a run that is given back keeps the mark of having waited',
    "if stored.marked then\n  redis.call('HDEL', job, 'echomq.unbegun')\nend\n",
  ),
  mutant(
    'given back: not after its lock',
    'a run that nobody had begun is not given back once its lock has lapsed',
    'ending.unbegunRun ~= nil and ending.unbegunRun == stored.processedOn',
    'false',
  ),
  mutant(
    'given back: whoever has lost it',
    'an old run is given back that is not the last one, once the lock of that has lapsed',
    'ending.unbegunRun ~= nil and ending.unbegunRun == stored.processedOn',
    'ending.unbegunRun ~= nil',
  ),
  mutant(
    'given back: the stall stays',
    'a stall that was counted for a run that nobody had begun stays',
    'and takeStallBack(moved) then',
    'and false then',
  ),
  drop(
    'given back: twice',
    'a stall is taken back each time that its run is given back',
    "  redis.call('HDEL', job, 'echomq.stalled')\n",
  ),
  mutant(
    'given back: another’s stall',
    'a stall of another run is taken back',
    "local counted = redis.call('HGET', job, 'echomq.stalled') == ending.unbegunRun",
    'local counted = true',
  ),
  mutant(
    'given back: after the end',
    'a stall of a job that has ended is taken back',
    "\n    or redis.call('HEXISTS', job, 'finishedOn') == 1",
    '',
  ),
  drop(
    'given back: unmarked',
    'a job whose stall was taken back may wait at a worker again',
    "  if isLast then\n    redis.call('HSET', job, 'echomq.unbegun', stored.processedOn)\n  end\n",
  ),
  drop(
    'given back: a stall without a name',
    'a sweep does not say which run has stalled',
    "    if stored.processedOn then\n      redis.call('HSET', job, 'echomq.stalled', stored.processedOn)\n    end\n",
  ),
];
