import { useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stand } from '../errors/stand.js';
import { crowd, serveAll } from './waiters.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis, { ECHOMQ_MAX_WAIT_MS: '600000' });
});
afterAll(() => stand.close());

it('pitfall 8: 2,000 polls on one queue, one job, then a job for each of them', async () => {
  const polls = await crowd(stand, 2_000, '600s');
  const commands = await polls.addOne();
  console.log(
    `2,000 polls wait, one job comes: ${commands} scripts, ${polls.served.length} answer`,
  );
  expect(commands).toBeLessThanOrEqual(8);
  expect(polls.served).toHaveLength(1);
  const worst = await serveAll(polls, stand, 1_999);
  console.log(`2,000 jobs later each has one; the worst came ${worst} places off its turn`);
  expect(polls.served).toHaveLength(2_000);
  await polls.leave();
});
