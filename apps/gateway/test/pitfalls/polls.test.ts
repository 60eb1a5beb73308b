import { useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stand } from '../errors/stand.js';
import { crowd, serveAll } from './waiters.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis);
});
afterAll(() => stand.close());

describe('pitfall 8: many long polls on one queue', () => {
  it('one job wakes one of 300, at the cost of a few commands; then first come, first served', async () => {
    const polls = await crowd(stand, 300);
    // One adds, one takes, one puts the marker back for the next; sweeps and promotions are on their own.
    expect(await polls.addOne()).toBeLessThanOrEqual(8);
    expect(polls.served).toHaveLength(1);
    await serveAll(polls, stand, 99);
    expect(polls.served).toHaveLength(100);
    await polls.leave();
  });

  it('that end empty do not end in step', async () => {
    const queue = stand.queue().name;
    const ends = Array.from({ length: 60 }, async () => {
      const begun = performance.now();
      const { emptyReason } = await stand.wire.answer('FetchJobs', {
        queue,
        maxJobs: 1,
        wait: '1s',
      });
      return { emptyReason, ms: performance.now() - begun };
    });
    const ended = await Promise.all(ends);
    expect(new Set(ended.map(({ emptyReason }) => emptyReason))).toEqual(
      new Set(['EMPTY_REASON_EMPTY']),
    );
    const spans = ended.map(({ ms }) => ms);
    expect(Math.min(...spans)).toBeGreaterThan(850);
    expect(Math.max(...spans) - Math.min(...spans)).toBeGreaterThan(50);
  });
});
