import { expect, it } from 'vitest';
import { activeJob } from './lease-rejections.js';
import { META, refusal, type TestQueue, type UsedStore } from './use-store.js';

/** A write of somebody who holds nothing. */
export type UnheldWrite = (queue: TestQueue, jobId: string) => Promise<unknown>;

/** What every write has that needs no lease: it goes to a job in any state, and to nothing that is no job. */
export function itServesAnyone(used: UsedStore, write: UnheldWrite): void {
  it.each([
    ['runs elsewhere', activeJob({ timestamp: 5 })],
    ['waits', { meta: META, wait: ['1'], jobs: { 1: { timestamp: 5 } } }],
    ['has failed', { meta: META, failed: { 1: 9 }, jobs: { 1: { timestamp: 5 } } }],
  ])('anyone writes to a job that %s; it stays where it is', async (_, state) => {
    const queue = used.queue();
    await queue.seed(state);
    const { 1: job, events: _none, ...places } = await queue.read();
    await write(queue, '1');
    const after = await queue.read();
    expect(after).toMatchObject(places);
    const { 1: written, events: _told, '1:logs': logs, ...left } = after;
    expect(left).toEqual(places);
    expect([written, logs]).not.toEqual([job, undefined]);
  });

  it('anyone is refused where no job is: JOB_NOT_FOUND, and nothing comes to be', async () => {
    const queue = used.queue();
    const ghost = { meta: META, active: ['2'], jobs: { 2: {} }, locks: { 2: 't' } };
    await queue.seed(ghost);
    const key = (id: string) => queue.keys.job(id);
    const { client } = used.redis;
    await client.hdel(key('2'), 'timestamp');
    await client.hset(key('repeat:s'), { name: 's', every: 1_000, ic: 1 });
    await client.rpush(key('list'), 'x');
    for (const id of ['1', '2', 'repeat:s', 'list']) {
      expect(await refusal(queue, () => write(queue, id))).toBe('JOB_NOT_FOUND');
    }
  });
}
