import { useRedis } from '@echomq/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Stand } from '../errors/stand.js';
import { cutFetch } from './lost-fetch.js';

const redis = useRedis();
let stand: Stand;
beforeAll(async () => {
  stand = await Stand.start(redis);
});
afterAll(() => stand.close());

it('pitfall 4: a fetch that is cut off at every byte of its answer', async () => {
  let bytes = 0;
  while (!(await cutFetch(stand, bytes)).arrived) bytes += 1;
  console.log(`an answer with two jobs, cut at each of its first ${bytes} bytes: none lost`);
  expect(bytes).toBeGreaterThan(100);
});
