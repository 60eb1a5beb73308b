import type { JobSeed } from '@echomq/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { StoreFull } from '../src/index.js';
import { type Act, busy, everyAct } from './every-act.js';
import { type TestQueue, useStore } from './use-store.js';

/**
 * Every transition on a store that is full and may evict nothing: what a worker, a sweep or an operator needs to make
 * room runs to its end as it does elsewhere; what would add is refused whole. Nothing is done by half.
 */
const used = useStore({ args: ['--maxmemory-policy', 'noeviction'] });
const ACTS = everyAct(used);
beforeEach(() => used.redis.client.flushall());

/** What begins with a write that needs memory, and has to: it brings something in. A schedule that is set again frees first. */
const REFUSED = /^(add(?!JobScheduler)|updateJobScheduler|updateProgress|cancelJob, asked)/;

/** Runs an act on the busy queue; gives what stands there afterwards and what was thrown. */
async function play(queue: TestQueue, name: string, full: boolean) {
  const entry = ACTS[name] as Exclude<(typeof ACTS)[string], Act> | Act;
  const [more, act] = typeof entry === 'function' ? [{}, entry] : entry;
  const usual = busy(queue);
  const jobs: Record<string, JobSeed> = { ...usual.jobs };
  for (const [id, job] of Object.entries(more.jobs ?? {})) jobs[id] = { ...jobs[id], ...job };
  await used.redis.client.flushall();
  await queue.seed({ ...usual, ...more, jobs });
  const before = await queue.read();
  const { client } = used.redis;
  if (full) await client.config('SET', 'maxmemory', '1');
  const error = await act(queue)
    .then(() => undefined)
    .catch((thrown: unknown) => thrown);
  await client.config('SET', 'maxmemory', '0');
  return { before, error, after: await queue.read() };
}

describe('on a full store', () => {
  it.each(Object.keys(ACTS))('%s', async (name) => {
    const queue = used.queue();
    const free = await play(queue, name, false);
    expect(free.error).toBeUndefined();
    const full = await play(queue, name, true);
    if (REFUSED.test(name)) {
      expect(full.error).toBeInstanceOf(StoreFull);
      expect(full.after).toEqual(full.before);
    } else {
      expect(full.error).toBeUndefined();
      expect(full.after).toEqual(free.after);
    }
  });
});
