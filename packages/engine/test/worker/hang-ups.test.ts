import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveredJob } from '@echomq/proto/messages';
import { describe, expect, test } from 'vitest';
import { complete, fetchOf, seconds, useEngine, waiting } from '../use-engine.js';
import { refused } from '../use-services.js';
import { beat, openOf, openWork, report } from '../work-link.js';

const used = useEngine();

/** A generator of numbers below `below` that repeats itself from run to run. */
function dice(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('workers that hang up at any point', () => {
  test('T115 write to dead stream crashes: they lose nothing: what they had begun stays theirs, the rest is there for the next', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 150 }, (_, at) => `job-${at}`);
    await queue.seed(waiting(...ids));
    const roll = dice(7);
    for (let round = 0; round < 60; round++) {
      const worker = openWork(used.engine, openOf(queue, {}, 1 + roll(12)));
      const held: DeliveredJob[] = [];
      let reports = 0;
      worker.onMessage((message) => {
        if (message.$case === 'delivery') held.push(...message.value.jobs);
        if (message.$case === 'delivery' && roll(2) === 0) {
          const mine = held.filter(() => roll(3) > 0);
          worker.send(beat(mine));
        }
        if (message.$case === 'heartbeatAck') {
          const job = held[roll(held.length)];
          if (job) worker.send(report(++reports, job, complete('1')));
        }
      });
      await sleep(roll(6));
      worker.cut();
      await worker.over;
    }
    // What they hold now was accepted; nothing is on its way any more.
    await expect
      .poll(async () => {
        const state = await queue.read();
        const list = (key: string) =>
          (state[key] as (string | [string, number])[] | undefined) ?? [];
        const located = ['wait', 'active', 'completed', 'failed', 'delayed', 'prioritized']
          .flatMap(list)
          .map((item) => (typeof item === 'string' ? item : item[0]));
        const unlocked = list('active').filter((id) => state[`${String(id)}:lock`] === undefined);
        const locks = Object.keys(state).filter((key) => key.endsWith(':lock'));
        return {
          located: located.sort(),
          unlocked,
          locksBeside: locks.length - list('active').length,
          stalled: ids.filter((id) => 'stc' in (state[id] as object)),
        };
      })
      .toEqual({ located: [...ids].sort(), unlocked: [], locksBeside: 0, stalled: [] });
  });

  test('T105 reply lost after activation: polls that hang up at any point leave no job behind', async () => {
    const queue = used.queue();
    const ids = Array.from({ length: 60 }, (_, at) => `job-${at}`);
    await queue.seed(waiting(...ids));
    const roll = dice(11);
    const { worker } = used.engine.services;
    const kept = new Set<string>();
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const abort = new AbortController();
        const fetch = fetchOf(queue, { maxJobs: 1 + roll(4), wait: seconds(1) });
        const poll = worker.fetchJobs(fetch, { signal: abort.signal });
        if (roll(4) > 0) setTimeout(() => abort.abort(), roll(4));
        for (const job of (await poll).jobs) kept.add(job.lease?.jobId ?? '');
      }),
    );
    await expect
      .poll(async () => {
        const { wait = [], active = [] } = await queue.read();
        return [...(wait as string[]), ...(active as string[])].sort();
      })
      .toEqual([...ids].sort());
    const { active = [] } = await queue.read();
    expect([...(active as string[])].sort()).toEqual([...kept].sort());
  });

  test('more streams than may be are refused, and a place is free again when one ends', async () => {
    const engine = await used.another({ limits: { maxStreams: 2 } });
    const queue = used.queue();
    const silent = openWork(engine);
    const worker = openWork(engine, openOf(queue));
    await worker.waitFor('opened');
    expect(await refused(openWork(engine, openOf(queue)).over)).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'TOO_MANY_STREAMS',
    });
    silent.halfClose();
    await refused(silent.over);
    const next = openWork(engine, openOf(queue));
    await next.waitFor('opened');
    next.cut();
    worker.cut();
    await worker.over;
    expect(engine.openStreams).toBe(0);
  });
});
