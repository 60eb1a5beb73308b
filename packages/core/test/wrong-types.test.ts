import type { JobSeed, QueueState } from '@echomq/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import * as core from '../src/index.js';
import { type Act, busy, everyAct, JOB, WORKER } from './every-act.js';
import { META, NOW, type TestQueue, useStore } from './use-store.js';

/**
 * A transition is all or nothing, also when a key holds another kind of value than it should: whoever is told of an
 * error finds the queue as it was.
 */
const used = useStore();
beforeEach(() => used.redis.client.flushall());

/** Each key of a queue that a transition may come to, and keys of the jobs `1`, `p` and `c`. */
const KEYS = [
  ...[
    'wait',
    'paused',
    'active',
    'prioritized',
    'delayed',
    'waiting-children',
    'completed',
    'failed',
  ],
  ...[
    'stalled',
    'limiter',
    'meta',
    'id',
    'pc',
    'events',
    'marker',
    'repeat',
    'repeat:s',
    'de:d',
    'dn:d',
  ],
  ...['metrics:completed', 'metrics:completed:data', 'metrics:failed', 'metrics:failed:data'],
  ...['meta:counters:1', '1', '1:lock', '1:logs', 'p', 'p:dependencies', 'p:processed', 'p:failed'],
  ...['p:unsuccessful', '1:dependencies', '1:unsuccessful', '2', 'k'],
];

/** Text where lists, hashes, sets and streams belong, a set where a sorted one does, a hash for text. */
function spoil(queue: TestQueue, key: string): Promise<unknown> {
  const { client } = used.redis;
  if (/^(de:|1:lock)/.test(key)) return client.hset(queue.key(key), 'x', 'y');
  const sorted =
    /^(prioritized|delayed|waiting-children|completed|failed|marker|repeat)$|:unsuccessful$/;
  return sorted.test(key) ? client.sadd(queue.key(key), 'x') : client.set(queue.key(key), 'x');
}

const ACTS = everyAct(used);

describe('a key that holds another kind of value', () => {
  it.each(Object.keys(ACTS))('stops no %s half way', async (name) => {
    const entry = ACTS[name] as Act | readonly [QueueState, Act];
    const [more, act] = typeof entry === 'function' ? [{}, entry] : entry;
    const halves: string[] = [];
    let told = 0;
    const play = async (key: string) => {
      const queue = used.queue();
      const usual = busy(queue);
      const jobs: Record<string, JobSeed> = { ...usual.jobs };
      for (const [id, job] of Object.entries(more.jobs ?? {})) jobs[id] = { ...jobs[id], ...job };
      await queue.seed({ ...usual, ...more, jobs });
      await used.redis.client.del(queue.key(key));
      await spoil(queue, key);
      const before = await queue.read();
      const error = await act(queue).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) return;
      told++;
      if (JSON.stringify(await queue.read()) !== JSON.stringify(before)) halves.push(key);
    };
    await Promise.all(KEYS.map(play));
    expect(halves).toEqual([]);
    expect(told).toBeGreaterThan(0);
  });

  it('names the key', async () => {
    const queue = used.queue();
    await queue.seed({ events: 'x', wait: ['1'], jobs: { 1: {} } });
    const error = await core.addStandardJob(used.store, queue.keys, JOB).catch((e: unknown) => e);
    expect(String((error as Error).cause)).toContain(queue.key('events'));
  });

  it('in the marker is thrown away, and the queue goes on', async () => {
    const queue = used.queue();
    await queue.seed({ meta: META, wait: ['1'], marker: 'x', jobs: { 1: {} } });
    const fetched = await core.moveToActive(used.store, queue.keys, WORKER, NOW);
    expect(fetched).toMatchObject({ kind: 'job', job: { id: '1' } });
    expect((await queue.read()).marker).toEqual([['0', 0]]);
  });

  it('lets a run end although nothing can be fetched after it', async () => {
    const queue = used.queue();
    await queue.seed({ ...busy(queue), delayed: 'x', jobs: { 1: { ats: 1 }, 2: {}, 3: {} } });
    await (ACTS['moveToFinished, completed, with the next'] as Act)(queue);
    expect(await queue.read()).toMatchObject({
      active: ['3'],
      completed: [
        ['6', 1],
        ['1', NOW],
      ],
    });
  });

  it('of a parent is counted by a sweep, which goes on', async () => {
    const queue = used.queue();
    await queue.seed({ ...busy(queue), locks: {}, 'p:dependencies': 'x' });
    await used.redis.client.del(queue.key('1:lock'));
    const limits = { maxStalledCount: 0, stalledInterval: 9 };
    const swept = await core.moveStalledJobsToWait(used.store, queue.keys, limits, NOW);
    expect(swept.failed).toEqual(['1']);
    expect(await queue.read()).toMatchObject({
      'p:dependencies': 'x',
      'meta:counters:1': { parentNotTold: '1' },
    });
  });
});
