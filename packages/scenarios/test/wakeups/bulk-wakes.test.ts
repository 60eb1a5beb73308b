import { setTimeout as sleep } from 'node:timers/promises';
import { AddMode, JobState } from '@echomq/proto/messages';
import { expect, it } from 'vitest';
import {
  add,
  addMany,
  checkBooks,
  complete,
  fail,
  finish,
  idsIn,
  PATIENCE_MS,
  type RawClient,
  span,
  take,
  takeOne,
  useRig,
} from '../../src/index.js';
import { node } from '../flows/family.js';

const rig = useRig({ gateways: 2 });
const COUNT = 8;
const HOUR = { due: { $case: 'delay' as const, value: span(3_600_000) } };

/** What stands in the queue before anybody waits, and the one call that makes eight jobs runnable. */
interface Way {
  readonly before?: (raw: RawClient, queue: string) => Promise<unknown>;
  readonly bring: (raw: RawClient, queue: string) => Promise<unknown>;
}

const eight = (of: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: COUNT }, (_, at) => of(at)));

const WAYS: Readonly<Record<string, Way>> = {
  'a batch, all or none': { bring: (raw, queue) => addMany(raw, queue, COUNT) },
  'a batch, each for itself': {
    bring: (raw, queue) => {
      const items = Array.from({ length: COUNT }, () => ({ name: 'x' }));
      return raw.call('producer', 'addJobs', { queue, items, mode: AddMode.PER_ITEM });
    },
  },
  'a batch with priorities': {
    bring: (raw, queue) => {
      const items = Array.from({ length: COUNT }, (_, at) => ({
        name: 'x',
        options: { priority: (at % 3) + 1 },
      }));
      return raw.call('producer', 'addJobs', { queue, items });
    },
  },
  'a flow with eight children': {
    bring: (raw, queue) => {
      const children = Array.from({ length: COUNT }, (_, at) => node(queue, `c${at}`));
      return raw.call('producer', 'addFlow', { root: node(queue, 'parent', {}, children) });
    },
  },
  'a promotion of all delayed jobs': {
    before: (raw, queue) => eight(() => add(raw, queue, HOUR)),
    bring: (raw, queue) => raw.call('queue', 'promoteJobs', { queue }),
  },
  'a retry of all failed jobs': {
    before: (raw, queue) =>
      eight(async () => {
        await add(raw, queue);
        await finish(raw, await takeOne(raw, queue), fail('once', { final: true }));
      }),
    bring: (raw, queue) => raw.call('queue', 'retryJobs', { queue, state: JobState.FAILED }),
  },
  'the end of a pause': {
    before: async (raw, queue) => {
      await raw.call('queue', 'pauseQueue', { queue });
      await addMany(raw, queue, COUNT);
    },
    bring: (raw, queue) => raw.call('queue', 'resumeQueue', { queue }),
  },
  'a wider global concurrency': {
    before: async (raw, queue) => {
      await raw.call('queue', 'setConcurrency', { queue, max: 1 });
      await addMany(raw, queue, COUNT + 1);
      await takeOne(raw, queue);
    },
    bring: (raw, queue) => raw.call('queue', 'setConcurrency', { queue, max: COUNT + 1 }),
  },
  'eight delayed jobs that are due at once': {
    bring: (raw, queue) => {
      const at = new Date(Date.now() + 300);
      const items = Array.from({ length: COUNT }, () => ({
        name: 'x',
        options: { due: { $case: 'runAt' as const, value: at } },
      }));
      return raw.call('producer', 'addJobs', { queue, items });
    },
  },
};

it.each(Object.entries(WAYS))(
  'T023 bulk add wakes one worker: %s wakes all eight idle polls of two gateways',
  async (_name, { before, bring }) => {
    const queue = rig.freshQueue();
    const raw = rig.raw();
    await before?.(raw, queue.name);
    const polls = Array.from({ length: COUNT }, (_, at) =>
      take(rig.raw(rig.gateways[at % 2]?.address), queue.name, { wait: span(PATIENCE_MS) }),
    );
    // One that is not in line yet looks by itself as it comes: that hides a lost wake-up, and fails nothing.
    await sleep(300);
    const from = performance.now();
    await bring(raw, queue.name);
    const jobs = (await Promise.all(polls)).flat();
    // At once on an idle machine; a poll that nobody wakes looks by itself after more than this.
    expect(performance.now() - from).toBeLessThan(4_500);
    expect(new Set(jobs.map(({ lease }) => lease?.jobId)).size).toBe(COUNT);
    await Promise.all(jobs.map((job) => finish(raw, job, complete())));
    const state = await queue.read();
    expect(checkBooks(state)).toEqual([]);
    expect(idsIn(state, 'completed')).toHaveLength(COUNT);
  },
);
