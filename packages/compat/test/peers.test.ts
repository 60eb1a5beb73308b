import { collect } from '@echomq/testkit';
import { describe, expect, it } from 'vitest';
import { PEERS } from '../src/oracle/peers.js';
import type { Work } from '../src/peers/house.js';
import { useHouses, WAYS } from './use-houses.js';

const share = useHouses();

/** Doubles the length of the key, or fails as the task says. */
const work: Work = async ({ task, attemptsMade }) => {
  if (attemptsMade < task.fails) throw new Error(`no ${task.key}`);
  return { length: task.key.length };
};

describe.each(PEERS)('bullmq %s', (peer) => {
  describe.each(WAYS)('and EchoMQ by its %s', (way) => {
    it('adds, EchoMQ finishes, and its listeners see it', async () => {
      const { echo, bull } = share(peer, way);
      const events = await bull.events();
      const seen = collect<string>('ends');
      events.on('completed', ({ jobId, returnvalue }) =>
        seen.push(`completed ${jobId} ${JSON.stringify(returnvalue)}`),
      );
      events.on('failed', ({ jobId, failedReason }) =>
        seen.push(`failed ${jobId} ${failedReason}`),
      );
      echo.work(work);
      const good = await bull.job(await bull.add({ key: 'good', fails: 0 }));
      const later = await bull.job(
        await bull.add({ key: 'later', fails: 1 }, { attempts: 2, delay: 20 }),
      );
      const bad = await bull.job(await bull.add({ key: 'bad', fails: 1 }, { jobId: 'my job' }));

      await expect(good.waitUntilFinished(events, 5_000)).resolves.toEqual({ length: 4 });
      await expect(later.waitUntilFinished(events, 5_000)).resolves.toEqual({ length: 5 });
      await expect(bad.waitUntilFinished(events, 5_000)).rejects.toThrow('no bad');

      expect((await seen.waitFor(3)).toSorted()).toEqual([
        'completed 1 {"length":4}',
        'completed 2 {"length":5}',
        'failed my job no bad',
      ]);
      expect((await bull.job('2')).toJSON()).toMatchObject({
        attemptsMade: 2,
        returnvalue: { length: 5 },
        failedReason: 'no later',
      });
      expect(await bull.queue.getJobCounts('completed', 'failed', 'wait', 'active')).toMatchObject({
        completed: 2,
        failed: 1,
        wait: 0,
        active: 0,
      });
    });

    it('pauses and reopens the queue, and no job that came meanwhile is lost', async () => {
      const { echo, bull, queue } = share(peer, way);
      const ran = collect<string>('runs');
      await bull.add({ key: 'before', fails: 0 });
      await bull.pause();
      await echo.add({ key: 'by EchoMQ', fails: 0 });
      await bull.add({ key: 'by BullMQ', fails: 0 });
      await bull.resume();
      expect(await queue.read()).toMatchObject({ wait: ['3', '2', '1'] });

      echo.work(async ({ task }) => ran.push(task.key));

      expect(await ran.waitFor(3)).toEqual(['before', 'by EchoMQ', 'by BullMQ']);
    });

    it('reopens what EchoMQ paused, and the other way round', async () => {
      const { echo, bull } = share(peer, way);
      const ran = collect<string>('runs');
      bull.work(async ({ task }) => ran.push(task.key));
      await echo.pause();
      await bull.add({ key: 'first', fails: 0 });
      await bull.resume();
      await ran.waitFor(1);
      await bull.pause();
      await bull.add({ key: 'second', fails: 0 });
      await echo.resume();
      expect(await ran.waitFor(2)).toEqual(['first', 'second']);
    });

    it('finishes what EchoMQ adds, and its listeners see it', async () => {
      const { echo, bull, queue } = share(peer, way);
      const events = await bull.events();
      const seen = collect<string>('events');
      events.on('added', ({ jobId }) => seen.push(`added ${jobId}`));
      events.on('completed', ({ jobId }) => seen.push(`completed ${jobId}`));
      bull.work(work);
      const id = await echo.add({ key: 'good', fails: 1 }, { attempts: 3, priority: 2 });
      const job = await bull.job(id);

      await expect(job.waitUntilFinished(events, 5_000)).resolves.toEqual({ length: 4 });

      expect(await seen.waitFor(2)).toEqual(['added 1', 'completed 1']);
      expect(await job.getState()).toBe('completed');
      expect(await queue.read()).toMatchObject({
        completed: [['1', expect.any(Number)]],
        1: { name: 'task', atm: '2', ats: '2', priority: '2', returnvalue: '{"length":4}' },
      });
    });
  });
});
