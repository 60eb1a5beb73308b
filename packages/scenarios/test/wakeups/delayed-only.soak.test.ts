import { expect, it } from 'vitest';
import { useRig } from '../../src/index.js';
import { lateness } from './delayed-only.js';

const rig = useRig({ gateways: 2, processes: true });
const LONG = process.env.ECHOMQ_SOAK === 'long';

it('T020 wake-up lost: for minutes, jobs that are all delayed start on time while workers come and go', async () => {
  const forMs = LONG ? 1_800_000 : 60_000;
  const late = await lateness(rig, { jobs: forMs / 10, forMs, restartEveryMs: 1_500 });
  expect(late.filter((ms) => ms > 1_000)).toEqual([]);
});
